"""Compares one operator's call with `out=` in both libraries."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import torch

import torchlike
from tests.conformance import translate
from tests.conformance.call import Call, attempt
from tests.conformance.compare import difference, tensors
from tests.conformance.entries import Entry, chosen
from tests.conformance.exclusions import WITHOUT_VALUES
from tests.exclusions import OUT
from tests.oracle._convert import name_of
from tests.out.targets import DTYPES, KINDS, Kind, Target, of_several

INPUTS = ("float32", "int64", "complex64")
RESIZED = "An output with one or more elements was resized"
# The error for memory that is written twice, or both written and read. PyTorch does not detect every such case, and its
# result is then arbitrary. torchlike may refuse these calls, which is not counted as a fault.
TWICE = "unsupported operation: "


SHARED = ("the input", "beside the input")


class Fault(NamedTuple):
    """A difference for one operator, one dtype of its input, and one kind of target."""

    entry: str
    dtype: str
    target: str
    text: str


class Seen(NamedTuple):
    """The outcome of a call with `out=`."""

    error: tuple[str, str] | None
    memory: tuple[Any, ...] = ()
    written: tuple[Any, ...] = ()
    returned: bool = True
    resized: int = 0


def chosen_entries(patterns: list[str]) -> list[Entry]:
    """Return the chosen operators that support `out=`."""
    return [entry for entry in chosen(patterns) if entry.info.supports_out]


def excluded(fault: Fault) -> bool:
    """Return whether `OUT` excludes the fault's operator with this kind of target."""
    return fault.entry in OUT and fault.target.partition(" at ")[0] in OUT[fault.entry][0]


def faults(
    entry: Entry, most: int, kinds: tuple[Kind, ...] = KINDS, one_dtype: bool = False, count: list[int] | None = None
) -> Iterator[Fault]:
    """Yield every difference of one operator, for at most `most` samples of each dtype.

    `count[0]` is incremented with every comparison.
    """
    supported = {str(d).removeprefix("torch.") for d in entry.info.supported_dtypes("cpu")}
    for dtype in [dtype for dtype in INPUTS if dtype in supported][: 1 if one_dtype else None]:
        for call, plain in _samples(entry, dtype, most):
            ours = translate.function(entry.info.name, entry.info.op)
            mine, error = attempt(lambda: call.ours(ours).result)  # noqa: B023
            # Compare values only if the call without `out=` agrees. It may differ, as in the order of equal elements.
            same = error is None and difference(mine, plain) is None
            values = same and entry.name not in WITHOUT_VALUES
            for name, make in _targets(call, plain, kinds):
                if count is not None:
                    count[0] += 1
                due = _seen(lambda f: call.theirs(f), entry.info.op, torch, make)  # noqa: B023
                mine = _seen(lambda f: call.ours(f), ours, torchlike, make)  # noqa: B023
                if name in SHARED and due.error is None and difference(due.written[0], plain) is not None:
                    continue  # PyTorch overwrote input that it had not yet read
                if text := _differs(mine, due, values, _is_wide(plain)):
                    yield Fault(entry.name, dtype, name, f"{text} [{call}]")


def _samples(entry: Entry, dtype: str, most: int) -> Iterator[tuple[Call, Any]]:
    """Yield samples that differ in their call signature or in the number of dims of their results."""
    forms: set = set()
    for number, sample in enumerate(entry.samples(dtype)):
        call = Call(sample, number)
        plain, refused = attempt(lambda: call.theirs(entry.info.op).result)  # noqa: B023
        results = tensors(plain)
        parts = [*results, *tensors([sample.input, sample.args, sample.kwargs])]
        if refused is not None or not results or any(t.layout is not torch.strided or not t.numel() for t in parts):
            continue
        form = (*map(type, sample.args), *sample.kwargs, results[0].ndim > 1)
        if form not in forms:
            forms.add(form)
            yield call, plain
        if len(forms) == most:
            return


def _is_wide(plain: Any) -> bool:
    return any(t.dtype in (torch.float64, torch.complex128) for t in tensors(plain))


Make = Callable[[Any, tuple], tuple[Target, tuple]]  # (library, arguments) -> (target, the arguments to pass)


def _targets(call: Call, plain: Any, kinds: tuple[Kind, ...]) -> Iterator[tuple[str, Make]]:
    results = tensors(plain)
    for kind in kinds:
        if isinstance(plain, torch.Tensor):
            if kind.fits(plain):
                yield kind.name, lambda library, args, kind=kind: (kind.make(library, plain), args)
            continue
        for place, result in enumerate(results):
            if kind.fits(result) and kind.name not in ("a list", "a text"):
                make = of_several(kind, place)
                yield f"{kind.name} at {place}", lambda library, args, make=make: (make(library, results), args)
    first = call.sample.input
    if isinstance(plain, torch.Tensor) and isinstance(first, torch.Tensor):
        if first.dtype is plain.dtype and first.shape == plain.shape and plain.is_contiguous():
            yield "the input", lambda library, args: (Target(args[0], (args[0],)), args)
            yield "beside the input", _beside
        if first.is_floating_point():
            yield "of an input that requires grad", lambda library, args: _requiring(library, args, plain)


def _beside(library: Any, args: tuple) -> tuple[Target, tuple]:
    memory = library.ones(args[0].numel() + 1, dtype=args[0].dtype)
    shape = tuple(args[0].shape)
    memory[:-1].view(shape).copy_(args[0])
    return Target(memory[1:].view(shape), (memory,)), (memory[:-1].view(shape), *args[1:])


def _requiring(library: Any, args: tuple, plain: torch.Tensor) -> tuple[Target, tuple]:
    return KINDS[DTYPES.index("float32")].make(library, plain), (args[0].clone().requires_grad_(), *args[1:])


def _seen(call: Callable, function: Callable, library: Any, make: Make) -> Seen:
    target: Target

    def into(*args: Any, **kwargs: Any) -> Any:
        nonlocal target
        target, args = make(library, args)
        return function(*args, **kwargs, out=target.out)

    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        made, error = attempt(lambda: call(into))
    if error is not None:
        text = str(error).replace("<class 'torchlike.", "<class 'torch.").partition(" - got (")[0]
        return Seen((type(error).__name__, text))
    outs = tensors(target.out)
    returned = all(a is b for a, b in zip(tensors(made.result), outs))
    return Seen(None, target.memory, tuple(outs), returned, sum(str(w.message).startswith(RESIZED) for w in said))


def _differs(ours: Seen, theirs: Seen, values: bool, wide: bool) -> str | None:
    if ours.error != theirs.error:
        refuses = theirs.error is None and ours.error is not None and ours.error[1].startswith(TWICE)
        return None if refuses else f"{ours.error}, not {theirs.error}"
    if ours[3:] != theirs[3:]:
        return f"(returned, resized) {ours[3:]}, not {theirs[3:]}"
    for mine, due in zip(ours.written, theirs.written):
        if name_of(mine.dtype) != name_of(due.dtype) or tuple(mine.stride()) != due.stride():
            return f"{name_of(mine.dtype)} of strides {mine.stride()}, not {name_of(due.dtype)} of {due.stride()}"
        if mine.requires_grad != due.requires_grad:
            return f"requires_grad {mine.requires_grad}"
    pairs = zip((*ours.written, *ours.memory), (*theirs.written, *theirs.memory))
    return next((text for a, b in pairs if (text := _of_values(a, b, values, wide))), None)


def _of_values(ours: Any, theirs: torch.Tensor, values: bool, wide: bool) -> str | None:
    """Compare the written values. If a narrower result was written to float64, compare in float32."""
    text = difference(ours, theirs, values=values)
    if text and not wide and theirs.dtype is torch.float64 and difference(ours, theirs, values=False) is None:
        return difference(ours.to(torchlike.float32), theirs.to(torch.float32))
    return text
