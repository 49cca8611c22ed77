"""The checks of the optimizers' database, and the database itself."""

from __future__ import annotations

import warnings

import torchlike
from tests.conformance.call import Limits
from tests.conformance.database import Database, Verdicts, few
from tests.conformance.optimizers import programs
from tests.conformance.optimizers.entries import DTYPES, Entry, load
from tests.conformance.optimizers.known import KNOWN
from tests.conformance.optimizers.schedulers import MADE, combined, scheduled
from tests.conformance.programs import Program, compared

# Programs of every set of options with every flag; those of every set of options; and those of the first set.
EVERY: dict[str, Program] = {"construction": programs.construction, "gaps": programs.gaps}
OPTIONS: dict[str, Program] = {
    "no elements": programs.no_elements,
    "transposed": programs.transposed,
    "mixed dtypes": programs.mixed,
    "sparse gradients": programs.sparse,
    "groups": programs.groups,
    "tensor lr": programs.tensor_lr,
    "closure": programs.closure,
    "copies": programs.copies,
    "state: foreign": programs.foreign_state,
    "state: wrong": programs.wrong_state,
    "state: other dtypes": programs.to_other_dtypes,
}
FIRST: dict[str, Program] = {f"scheduler: {name}": scheduled(made) for name, made in MADE.items()}


def judge(entry: Entry, limits: Limits) -> Verdicts:
    """Run every check of one entry. Return the verdicts of the checks that have samples, by the check's name."""
    found: Verdicts = {}
    with warnings.catch_warnings(), torchlike.set_executor("numpy"):
        warnings.simplefilter("ignore")
        for dtype in DTYPES:
            found[f"steps {dtype}"] = compared(programs.steps, few(entry.samples(dtype), limits.samples), limits)
        every = few(entry.samples("float32"), limits.samples)
        differentiable = few(entry.samples("float64", ("differentiable",)), limits.samples)
        for name, program in EVERY.items():
            found[name] = compared(program, every, limits)
        found["differentiable"] = compared(programs.differentiated, differentiable, limits)
        plain = few(entry.samples("float32", ("", "foreach")), limits.samples)
        for name, program in OPTIONS.items():
            found[name] = compared(program, plain, limits)
        for name, program in {**FIRST, "scheduler: combined": combined}.items():
            found[name] = compared(program, entry.samples("float32", ("",))[:1], limits)
        found["errors"] = compared(programs.refused, entry.errors(), limits)
    return {name: verdict for name, verdict in found.items() if verdict.total}


DATABASE = Database(
    "optimizers",
    load,
    judge,
    (
        "steps",
        "construction",
        "gaps",
        "differentiable",
        "no elements",
        "transposed",
        "mixed",
        "sparse",
        "groups",
        "tensor lr",
        "closure",
        "copies",
        "state",
        "scheduler",
        "errors",
    ),
    KNOWN,
    """\
Written by `python -m tests.conformance.optimizers`, which runs the optimizer database in the PyTorch wheel
(`torch.testing._internal.common_optimizers.optim_db`) under both libraries on the CPU: every set of options, plain and
with `foreach`, `fused`, `capturable` and `differentiable`.

- `steps` compares parameters, results and state dictionaries after each of ten steps, in float32, float64, bfloat16,
  float16 and complex64. The other checks run in float32.
- `construction` compares `repr`, the defaults and warnings; `gaps` steps in which some gradients are None;
  `differentiable` gradients through steps; `state` a state that the other library saved, states that do not fit, and
  states loaded for parameters of other dtypes; `scheduler` each scheduler, saved and loaded on the way; `errors` the
  error inputs of the database.
- Errors are compared in type and first line.
- If a check has more than 10 sets of options and flags, 10 evenly spaced ones are run.
- Values may differ by the tolerance of `torch.testing.assert_close`, or by twice the error that PyTorch's own result
  has when compared with that of the next wider dtype.""",
    10,
)
