"""Calls that do not fit: samples of the operator database with one argument replaced.

`python -m tests.conformance.misfits` runs them under both libraries. Where PyTorch refuses a call, torchlike refuses it
too, in words of its own: no text of JAX or NumPy reaches the user.
"""

from __future__ import annotations

import argparse
import dataclasses
import random
import traceback
import warnings
from collections.abc import Iterator
from typing import Any

import torch

from tests.conformance import translate
from tests.conformance.call import Call, Made, attempt
from tests.conformance.compare import tensors
from tests.conformance.entries import Entry, chosen
from tests.oracle import to_theirs

FOREIGN = ("jax", "jaxlib", "numpy", "scipy", "ml_dtypes")
SAMPLES = 3  # of each entry, spread evenly
# Entries of which PyTorch itself reads outside of what does not fit, and crashes.
CRASHES = ("lu_unpack", "native_batch_norm", "_native_batch_norm_legit", "_batch_norm_with_update")


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
    """Arguments as the database's samples hold them."""

    input: Any
    args: tuple
    kwargs: dict


def misfits(sample: Any, pick: random.Random) -> Iterator[tuple[str, Sample]]:
    """Every change of one tensor, and every other number in place of one, of a sample."""
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
    """Whether an error was raised by JAX or NumPy and reached the user as it was."""
    frames = [
        frame.f_globals.get("__name__", "").partition(".")[0] for frame, _ in traceback.walk_tb(error.__traceback__)
    ]
    last = next((name for name in reversed(frames) if name in FOREIGN or name in ("torchlike", "tests", "torch")), "")
    return last in FOREIGN or type(error).__module__.partition(".")[0] in FOREIGN


def findings(entry: Entry, seed: int = 0) -> Iterator[tuple[str, str]]:
    """What differs of the misfits of one entry: the kind of difference, and a line about it."""
    pick = random.Random(f"{entry.name} {seed}")
    dtypes = entry.dtypes
    samples = list(entry.samples("float32" if "float32" in dtypes else dtypes[0])) if dtypes else []
    chosen_samples = [samples[i * len(samples) // SAMPLES] for i in range(min(SAMPLES, len(samples)))]
    for number, sample in enumerate(chosen_samples):
        for what, misfit in misfits(sample, pick):
            call = Call(misfit, number)
            kind, line = judge(entry, call)
            if kind:
                yield kind, f"{entry.name}, {what} {call}: {line}"


def judge(entry: Entry, call: Call) -> tuple[str, str]:
    """The kind of difference between the libraries of one call, and a line about it; nothing if there is none."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        due, theirs = attempt(lambda: call.theirs(entry.info.op))
        ours = _ours(entry, call)
    said = f"{type(ours).__name__}: {str(ours).partition(chr(10))[0][:150]}" if ours is not None else "nothing"
    expected = (
        f"{type(theirs).__name__}: {str(theirs).partition(chr(10))[0][:150]}" if theirs is not None else "a result"
    )
    if isinstance(ours, translate.Untranslatable):
        return "", ""
    if ours is not None and is_foreign(ours):
        return "foreign", f"{said} | PyTorch: {expected}"
    if isinstance(ours, AssertionError | KeyError | AttributeError | UnboundLocalError | ZeroDivisionError) and type(
        ours
    ) is not type(theirs):
        return "internal", f"{said} | PyTorch: {expected}"
    if ours is None and theirs is not None:
        return "accepted", f"PyTorch: {expected}"
    if ours is not None and theirs is None:
        return "refused", said
    return "", ""


def _ours(entry: Entry, call: Call) -> Exception | None:
    def run() -> None:
        made: Made = call.ours(translate.function(entry.info.name, entry.info.op))
        for t in tensors(made.result):
            to_theirs(t)

    return attempt(run)[1]


def main() -> None:
    """Print what differs."""
    parser = argparse.ArgumentParser(prog="python -m tests.conformance.misfits", description=__doc__)
    parser.add_argument("--entries", nargs="*", default=[], help="patterns of entries' names; all, if there is none")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    counts: dict[str, int] = {}
    for entry in chosen(given.entries):
        if entry.name in CRASHES:
            continue
        for kind, line in findings(entry, given.seed):
            counts[kind] = counts.get(kind, 0) + 1
            print(f"{kind}: {line}", flush=True)
    print(counts)


if __name__ == "__main__":
    main()
