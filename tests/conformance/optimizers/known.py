"""Known differences, and the reasons. The table may only shrink."""

from __future__ import annotations

from tests.conformance.database import Known

SAVED = "PyTorch raises an error in backward, because a step writes to state that the step before has saved"
RATE = "PyTorch keeps the tensor of the rate itself in the state, so a write to the rate changes the state"

KNOWN: Known = {
    ("Adam|AdamW|Adamax|RMSprop|Rprop", "differentiable"): SAVED,
    ("SGD", "gaps"): "PyTorch raises a TypeError in a fused step if only some parameters have a momentum buffer",
    ("LBFGS", "copies"): "PyTorch raises an AttributeError for a copy, which lacks the attribute `_params`",
    ("LBFGS", "tensor lr"): RATE,
    ("Muon", "steps float64"): "the step iterates in bfloat16; the sums of matrix products have another order",
    ("Adafactor", "no elements"): "PyTorch divides by the number of elements and raises a ZeroDivisionError",
}
