"""The checks of the modules' database, and the database itself."""

from __future__ import annotations

import warnings

import torchlike
from tests.conformance.call import Limits
from tests.conformance.database import Database, Verdicts, few
from tests.conformance.modules import programs
from tests.conformance.modules.entries import DTYPES, Entry, load
from tests.conformance.modules.known import KNOWN
from tests.conformance.programs import Program, compared

# The checks that run in every dtype, and those that run in float32.
EVERY: dict[str, Program] = {"forward": programs.call, "gradients": programs.gradients}
ONCE: dict[str, Program] = {
    "construction": programs.construction,
    "strides": programs.layout,
    "non-contiguous": programs.non_contiguous,
    "channels_last": programs.channels_last,
    "copies": programs.copies,
    "state: foreign": programs.foreign_state,
    "state: wrong": programs.wrong_state,
    "shapes: no batch": programs.without_batch,
    "shapes: no batch, first input": programs.without_batch_first,
    "shapes: empty batch": programs.empty_batch,
    "shapes: empty batch, first input": programs.empty_batch_first,
    "shapes: more dims": programs.more_dims,
    "shapes: more dims, first input": programs.more_dims_first,
    "to: float64": programs.other_dtype("float64", True),
    "to: bfloat16": programs.other_dtype("bfloat16", True),
    "to: float16": programs.other_dtype("float16", True),
    "to: float64, inputs not": programs.other_dtype("float64", False),
    "to: bfloat16, inputs not": programs.other_dtype("bfloat16", False),
    "meta": programs.on_meta,
}


def judge(entry: Entry, limits: Limits) -> Verdicts:
    """Run every check of one entry. Return the verdicts of the checks that have samples, by the check's name."""
    found: Verdicts = {}
    with warnings.catch_warnings(), torchlike.set_executor("numpy"):
        warnings.simplefilter("ignore")
        for dtype in DTYPES:
            samples = few(entry.samples(dtype), limits.samples)
            for name, program in EVERY.items():
                found[f"{name} {dtype}"] = compared(program, samples, limits)
            if dtype == "float64":
                found["second gradients"] = compared(programs.second_gradients, samples, limits)
        samples = few(entry.samples(DTYPES[0]), limits.samples)
        for name, program in ONCE.items():
            found[name] = compared(program, samples, limits)
        found["errors"] = compared(programs.refused, entry.errors(), limits)
    return {name: verdict for name, verdict in found.items() if verdict.total}


DATABASE = Database(
    "modules",
    load,
    judge,
    (
        "forward",
        "gradients",
        "second",
        "construction",
        "strides",
        "non-contiguous",
        "channels_last",
        "copies",
        "state",
        "shapes",
        "to",
        "meta",
        "errors",
    ),
    KNOWN,
    """\
Written by `python -m tests.conformance.modules`, which runs the module database in the PyTorch wheel
(`torch.testing._internal.common_modules.module_db`) under both libraries on the CPU, with one seed.

- `forward` compares results, buffers after the call, and the next random number; `gradients` the gradients of inputs
  and parameters. Both run in float32, float64 and bfloat16; `second` compares second gradients in float64.
- The other checks run in float32: `construction` compares parameters, `repr`, the state dictionary and warnings;
  `copies` a deep copy and a pickled module; `state` a state that the other library saved, and states that do not fit;
  `shapes` inputs without a batch, with an empty batch and with more dims; `to` the module in other dtypes, with inputs
  in that dtype and in float32; `meta` shapes without storage; `errors` the error inputs of the database.
- Errors are compared in type and first line. A call that PyTorch does not implement is not counted.
- Values may differ by the tolerance of `torch.testing.assert_close`, or by twice the error that PyTorch's own result
  has when compared with that of the next wider dtype.
- If a check has more than 3 samples, 3 evenly spaced ones are run.""",
    3,
)
