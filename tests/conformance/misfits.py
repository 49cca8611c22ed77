"""Calls with unsuitable arguments: samples of the operator database with one argument replaced.

`python -m tests.conformance.misfits` runs them under both libraries and prints the differences. A call that PyTorch
refuses must be refused by torchlike too, with torchlike's own message: no text of JAX or NumPy reaches the user.
`--update` writes into `misfits.json` how many calls of each entry only one library accepts; the table may only shrink.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import pathlib
import random
import re
import sys
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

import torch

from tests.conformance import translate
from tests.conformance.call import Call, Made, attempt
from tests.conformance.compare import tensors
from tests.conformance.entries import Entry, chosen
from tests.oracle import to_theirs

TABLE = pathlib.Path(__file__).with_name("misfits.json")
COUNTED = ("accepted", "refused")  # the kinds that the table counts; the other kinds must not occur
FOREIGN = ("jax", "jaxlib", "numpy", "scipy", "ml_dtypes")
# Messages of Python that indicate a bug in torchlike's code, and those of the engine that indicate one in an operator.
INTERNAL = re.compile(
    "internal error of torchlike|(list|tuple) index out of range|object has no attribute|object is not "
    "(iterable|subscriptable|callable)|cannot be interpreted as an integer|bad operand type|unsupported operand type|"
    "not supported between instances|must be real number|object of type .* has no len|vmap"
)
INTERNAL_TYPES = (AssertionError, KeyError, AttributeError, UnboundLocalError, ZeroDivisionError)
SAMPLES = 3  # per entry, evenly spaced
# Entries for which PyTorch itself reads out of bounds with unsuitable arguments, and crashes.
CRASHES = (
    "lu_unpack",
    "native_batch_norm",
    "_native_batch_norm_legit",
    "_batch_norm_with_update",
    "_segment_reduce lengths",
    "_segment_reduce offsets",
)


def _without_elements(t: torch.Tensor, pick: random.Random) -> torch.Tensor:
    return t.detach().narrow(pick.randrange(t.ndim), 0, 0).clone() if t.ndim else t.detach().new_empty(0)


def _longer(t: torch.Tensor, pick: random.Random) -> torch.Tensor:
    return torch.cat([t.detach(), t.detach()], pick.randrange(t.ndim)) if t.ndim else t.detach().expand(2).clone()


def _fewer_dims(t: torch.Tensor, pick: random.Random) -> torch.Tensor:
    return t.detach().flatten(0, 1) if t.ndim > 1 else t.detach().sum()


CHANGES = {
    "no elements": _without_elements,
    "longer": _longer,
    "fewer dims": _fewer_dims,
    "more dims": lambda t, pick: t.detach().unsqueeze(0).expand(2, *t.shape).clone(),
    "zero-dim": lambda t, pick: t.detach().new_ones(()),
    "int64": lambda t, pick: t.detach().to(torch.int64) if not t.is_complex() else t.detach().real.to(torch.int64),
    "bool": lambda t, pick: t.detach().to(torch.bool),
    "complex64": lambda t, pick: t.detach().to(torch.complex64),
    "bfloat16": lambda t, pick: t.detach().to(torch.bfloat16) if not t.is_complex() else t.detach(),
}
NUMBERS = (-1, 0, 7, 2.5, -(2**40), None)


@dataclasses.dataclass
class Sample:
    """The arguments of a call, with the attributes of the database's samples."""

    input: Any
    args: tuple
    kwargs: dict


def misfits(sample: Any, pick: random.Random) -> Iterator[tuple[str, Sample]]:
    """Yield every change of one tensor of the sample, and every replacement of one number."""
    flat = [sample.input, *sample.args]
    for place, x in enumerate(flat):
        for what, new in _changes(x, pick):
            yield (
                f"argument {place}: {what}",
                Sample((made := [*flat[:place], new, *flat[place + 1 :]])[0], tuple(made[1:]), sample.kwargs),
            )
    for name, x in sample.kwargs.items():
        for what, new in _changes(x, pick):
            yield f"{name}: {what}", Sample(sample.input, sample.args, {**sample.kwargs, name: new})


def _changes(x: Any, pick: random.Random) -> Iterator[tuple[str, Any]]:
    if isinstance(x, torch.Tensor) and x.layout is torch.strided:
        for what, change in CHANGES.items():
            new, refused = attempt(lambda: change(x, pick))  # noqa: B023
            if refused is None and x.numel() < 2**16:
                yield what, new
    elif isinstance(x, int | float):
        yield from ((f"{n}", n) for n in NUMBERS if n != x)
    elif isinstance(x, tuple | list) and x:
        for what, new in _changes(x[0], pick):
            yield f"[0] {what}", _rebuilt(x, [new, *x[1:]])
        yield "shorter", _rebuilt(x, x[:-1])
        yield "longer", _rebuilt(x, [*x, x[-1]])


def _rebuilt(like: tuple | list, items: Any) -> tuple | list:
    return list(items) if isinstance(like, list) else tuple(items)


def is_foreign(error: BaseException) -> bool:
    """Return whether an error was raised by JAX or NumPy and reached the user unchanged."""
    frames = [
        frame.f_globals.get("__name__", "").partition(".")[0] for frame, _ in traceback.walk_tb(error.__traceback__)
    ]
    last = next((name for name in reversed(frames) if name in FOREIGN or name in ("torchlike", "tests", "torch")), "")
    return last in FOREIGN or type(error).__module__.partition(".")[0] in FOREIGN


class Finding(NamedTuple):
    """A kind of difference ("foreign", "internal", "accepted" or "refused"), and a line about it."""

    kind: str
    line: str


def findings(entry: Entry, seed: int = 0) -> Iterator[Finding]:
    """Yield the differences in the unsuitable calls of one entry."""
    pick = random.Random(f"{entry.name} {seed}")
    dtypes = entry.dtypes
    if entry.name in CRASHES or not dtypes or not _is_there(entry):
        return
    samples = list(entry.samples("float32" if "float32" in dtypes else dtypes[0]))
    for number, sample in enumerate([samples[i * len(samples) // SAMPLES] for i in range(min(SAMPLES, len(samples)))]):
        for what, misfit in misfits(sample, pick):
            call = Call(misfit, number)
            found = judge(entry, call)
            if found is not None:
                yield Finding(found.kind, f"{entry.name}, {what} {call}: {found.line}")


def _is_there(entry: Entry) -> bool:
    """Return whether torchlike has the entry's function."""
    found, refused = attempt(lambda: translate.function(entry.info.name, entry.info.op))
    return found is not None and refused is None


def judge(entry: Entry, call: Call) -> Finding | None:
    """Return the difference between the libraries for one call."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _, theirs = attempt(lambda: call.theirs(entry.info.op))
        ours = _ours(entry, call)
    if isinstance(ours, translate.Untranslatable):
        return None
    line = f"{_said(ours, 'nothing')} | PyTorch: {_said(theirs, 'a result')}"
    if ours is None:
        return None if theirs is None else Finding("accepted", line)
    if is_foreign(ours):
        return Finding("foreign", line)
    if is_internal(ours, theirs):
        return Finding("internal", line)
    return Finding("refused", line) if theirs is None else None


def is_internal(ours: Exception, theirs: Exception | None) -> bool:
    """Return whether an error indicates a bug in torchlike, while PyTorch's error does not indicate a similar one."""
    if type(ours) is type(theirs) and (str(ours) == str(theirs) or INTERNAL.search(str(theirs))):
        return False
    of_mistakes = isinstance(ours, INTERNAL_TYPES) and not isinstance(ours, NotImplementedError)
    return (of_mistakes and type(ours) is not type(theirs)) or INTERNAL.search(str(ours)) is not None


def _said(error: Exception | None, otherwise: str) -> str:
    return otherwise if error is None else f"{type(error).__name__}: {str(error).partition(chr(10))[0][:150]}"


def _ours(entry: Entry, call: Call) -> Exception | None:
    def run() -> None:
        made: Made = call.ours(translate.function(entry.info.name, entry.info.op))
        for t in tensors(made.result):
            to_theirs(t)

    return attempt(run)[1]


# -- the table ---------------------------------------------------------------------------------------------------------


def read() -> dict[str, dict[str, int]]:
    """Return, for each entry and kind, how many of its calls only one library accepts.

    Entries without such calls are left out.
    """
    return json.loads(TABLE.read_text("utf-8")) if TABLE.exists() else {}


def counted(found: list[Finding]) -> dict[str, int]:
    """Return the counts in the row of an entry."""
    counts = Counter(each.kind for each in found)
    return {kind: counts[kind] for kind in COUNTED if counts[kind]}


def beyond(name: str, found: list[Finding], table: dict[str, dict[str, int]]) -> list[str]:
    """Return the lines of the kinds that occur more often than the entry's row allows."""
    known, counts = table.get(name, {}), Counter(each.kind for each in found)
    grown = {kind for kind in counts if counts[kind] > known.get(kind, 0)}
    return [f"{each.kind}: {each.line}" for each in found if each.kind in grown]


def write(rows: dict[str, dict[str, int]]) -> None:
    """Write the counts of entries into the table."""
    table = {**read(), **rows}
    lines = [f"{json.dumps(name)}: {json.dumps(table[name])}" for name in sorted(table) if table[name]]
    TABLE.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")


def main() -> None:
    """Print the differences; exit with 1 if there are more than in the table."""
    parser = argparse.ArgumentParser(prog="python -m tests.conformance.misfits", description=__doc__)
    parser.add_argument("--entries", nargs="*", default=[], help="patterns of entries' names; all, if there is none")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--update", action="store_true", help="write the entries' numbers into the table")
    given = parser.parse_args()
    total: Counter[str] = Counter()
    table, grown = read(), False
    for entry in chosen(given.entries):
        found = list(findings(entry, given.seed))
        total.update(each.kind for each in found)
        print(*[f"{each.kind}: {each.line}" for each in found], sep="\n", end="\n" if found else "", flush=True)
        grown = grown or bool(beyond(entry.name, found, table))
        if given.update:
            write({entry.name: counted(found)})
    print(dict(total))
    sys.exit(grown and not given.update)


if __name__ == "__main__":
    main()
