"""Programs of one sample that run in both libraries, and the first difference between what they return or raise.

A program is a function of a side: one library, and what the sample needs from it. Each run gets new objects and the
same seed. A program returns tensors, numbers, text, and lists, tuples and dictionaries of them.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from typing import Any, Protocol

import torch

import torchlike
from tests.conformance.call import Limits, Verdict, attempt
from tests.conformance.compare import difference, of_values, tensors
from tests.conformance.refused import first_line
from tests.oracle import to_theirs

Program = Callable[[Any], Any]


class Sample(Protocol):
    """A sample of a database: the sides of both libraries, and the same one in the next wider dtype."""

    def theirs(self) -> Any: ...
    def ours(self) -> Any: ...
    def widened(self) -> Any: ...


def compared(program: Program, samples: Iterable[Any], limits: Limits) -> Verdict:
    """Run a program of every sample in both libraries. A program that returns None does not fit the sample."""
    verdict = Verdict()
    for sample in samples:
        due, refused = attempt(lambda: _run(program, sample.theirs()))  # noqa: B023
        if (due is None and refused is None) or _is_missing(refused):
            continue
        with limits.alarm():
            mine, error = attempt(lambda: _run(program, sample.ours()))  # noqa: B023
        verdict.add(_differs(program, sample, (mine, error), (due, refused)), str(sample))
    return verdict


def _is_missing(refused: Exception | None) -> bool:
    """Return whether PyTorch has no implementation for a call, so that there is nothing to compare with."""
    return refused is not None and any(text in str(refused) for text in ("not implemented for '", "is not implemented"))


def _run(program: Program, side: Any) -> Any:
    side.library.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = program(side)
        for t in tensors(result):
            if isinstance(t, torchlike.Tensor) and t.layout is torchlike.strided and t.device.type == "cpu":
                to_theirs(t)  # an error of a pending operation is an error of the program
    return result


def _differs(program: Program, sample: Sample, ours: tuple, theirs: tuple) -> str | None:
    (mine, error), (due, refused) = ours, theirs
    if error is not None or refused is not None:
        seen, wanted = said(error), said(refused)
        return None if seen == wanted else f"raises {seen}, not {wanted}"
    text = difference(mine, due)
    if text is None or "values" not in text:
        return text
    wide, _ = attempt(lambda: _run(program, sample.widened().theirs()))
    return None if _as_exact(tensors(mine), tensors(due), tensors(wide)) else text


TIMES = 2  # the largest error of torchlike may be this many times PyTorch's


def _as_exact(ours: list[Any], theirs: list[Any], wide: list[Any]) -> bool:
    """Return whether each tensor is about as close to the result in the next wider dtype as PyTorch's is."""
    if not len(ours) == len(theirs) == len(wide):
        return False
    return all(_close(to_theirs(a), b.detach(), c.detach()) for a, b, c in zip(ours, theirs, wide))


def _close(mine: torch.Tensor, due: torch.Tensor, wide: torch.Tensor) -> bool:
    if of_values(mine, due) is None:
        return True
    if not mine.is_floating_point() or mine.shape != wide.shape:
        return False
    error = lambda t: (t.double() - wide.double()).abs()
    most = error(due).max() + torch.finfo(mine.dtype).eps * wide.double().abs().max()
    return bool((error(mine) <= TIMES * most).all())


def said(error: BaseException | None) -> str:
    """Return the type of an error and the first line of its text, in PyTorch's names."""
    if error is None:
        return "nothing"
    return f"{type(error).__name__}: {first_line(error)}".replace("torchlike.", "torch.")  # type: ignore[arg-type]


def strides(result: Any) -> list[tuple[int, ...]]:
    """Return the strides of the tensors of a result. Those of dimensions with one element have no meaning."""
    held = [t for t in tensors(result) if t.layout in (torch.strided, torchlike.strided) and t.numel()]
    return [tuple(s for s, n in zip(t.stride(), t.shape) if n > 1) for t in held]


def cotangents(library: Any, results: list[Any]) -> list[Any]:
    """Return a fixed tensor of weights for each result."""
    made = []
    for number, like in enumerate(results):
        generator = library.Generator().manual_seed(number)
        kind = library.complex128 if like.is_complex() else library.float64
        made.append(library.randn(tuple(like.shape), dtype=kind, generator=generator).to(like.dtype))
    return made


def converted(result: Any, change: Callable[[Any], Any]) -> Any:
    """Return a structure with each tensor replaced."""
    if isinstance(result, torch.Tensor | torchlike.Tensor):
        return change(result)
    if hasattr(result, "batch_sizes"):
        return result._replace(data=change(result.data))
    if isinstance(result, list | tuple):
        return type(result)(converted(item, change) for item in result)
    return {k: converted(v, change) for k, v in result.items()} if isinstance(result, dict) else result
