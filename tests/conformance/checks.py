"""The checks. Each check runs one entry, sample by sample, and returns a verdict.

A sample that PyTorch itself refuses is not counted.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

import torchlike
from tests.conformance import rounding, translate
from tests.conformance.call import Call, Limits, Made, Verdict, attempt
from tests.conformance.compare import difference, tensors
from tests.conformance.entries import Entry
from tests.conformance.exclusions import ILL_CONDITIONED, UP_TO_A_CHOICE, WITHOUT_VALUES
from tests.oracle import to_ours, to_theirs

Judge = Callable[[Call, Made, Any], str | None]  # returns the difference between torchlike's result and PyTorch's


def forward(entry: Entry, dtype: str, limits: Limits) -> Verdict:
    """Check the result of every sample."""
    return _judged(entry, dtype, limits, entry.info.op, lambda: function_of(entry))


def method(entry: Entry, dtype: str, limits: Limits) -> Verdict:
    """Check the result of the tensor method, if PyTorch has one."""
    theirs = entry.info.method_variant
    return _judged(entry, dtype, limits, theirs, lambda: translate.method(theirs)) if theirs else Verdict()


def in_place(entry: Entry, dtype: str, limits: Limits) -> Verdict:
    """Check the result of the in-place method, if PyTorch has one, and that it returns the written tensor."""
    theirs = entry.info.inplace_variant
    return _judged(entry, dtype, limits, theirs, lambda: translate.method(theirs), True) if theirs else Verdict()


def _judged(
    entry: Entry, dtype: str, limits: Limits, theirs: Callable, find: Callable, writes: bool = False
) -> Verdict:
    verdict = Verdict()
    for call in _calls(entry, dtype, limits):
        due, refused = attempt(lambda: call.theirs(theirs))  # noqa: B023
        if refused is None:
            again = theirs if limits.rounding else None
            how = lambda: _differs(entry, call, call.ours(find()), due, writes, again)  # noqa: B023
            verdict.add(_tried(how, limits), str(call))
    return verdict


def _differs(
    entry: Entry, call: Call, ours: Made, theirs: Made, writes: bool = False, again: Callable | None = None
) -> str | None:
    """Return the difference. With `again`, PyTorch's function, differences of rounding are none."""
    if writes and not _same_target(ours, theirs):
        return "does not return the tensor written into"
    settle = lambda c, result: settled(c, result) if entry.name in UP_TO_A_CHOICE else result
    mine, due = settle(call, ours.result), settle(call, theirs.result)
    text = difference(mine, due, theirs.memories, entry.name not in WITHOUT_VALUES)
    nudged = lambda other: settle(other, other.theirs(again).result)
    return None if text and again and rounding.is_rounding(call, nudged, mine, due) else text


def _same_target(ours: Made, theirs: Made) -> bool:
    return (ours.result is ours.args[0]) == (theirs.result is theirs.args[0])


def out(entry: Entry, dtype: str, limits: Limits) -> Verdict:
    """Check results written to `out=` tensors, of the right shape and without elements."""
    verdict = Verdict()
    for call in _calls(entry, dtype, limits) if entry.info.supports_out else ():
        plain, refused = attempt(lambda: call.theirs(entry.info.op).result)  # noqa: B023
        for empty in (False, True) if refused is None and tensors(plain) else ():
            due, refused = attempt(lambda: _into(call.theirs, entry.info.op, torch, plain, empty))  # noqa: B023
            if refused is None:
                mine = lambda: _into(call.ours, function_of(entry), torchlike, plain, empty)  # noqa: B023
                how = lambda: _differs(entry, call, mine(), due)  # noqa: B023
                verdict.add(_tried(how, limits), str(call))
    return verdict


def _into(call: Callable, function: Callable, library: Any, plain: Any, empty: bool) -> Made:
    """Call with `out=`. The result contains the tensors that were passed as `out=`."""
    one = lambda t: library.zeros((0,) if empty else tuple(t.shape), dtype=getattr(library, str(t.dtype)[6:]))
    made = tuple(one(t) for t in tensors(plain))
    ours = call(function, out=made[0] if isinstance(plain, torch.Tensor) else made)
    if any(a is not b for a, b in zip(tensors(ours.result), made)):
        raise AssertionError("out= is not what is returned")
    ours.result = made
    return ours


# -- gradients ---------------------------------------------------------------------------------------------------------


def gradients(entry: Entry, dtype: str, limits: Limits) -> Verdict:
    """Check the gradients of every sample's results, each weighted by a fixed cotangent."""
    return _gradients(entry, dtype, limits, 1)


def second_gradients(entry: Entry, dtype: str, limits: Limits) -> Verdict:
    """Check the gradients of the gradients."""
    return _gradients(entry, dtype, limits, 2) if entry.info.supports_gradgrad else Verdict()


def _gradients(entry: Entry, dtype: str, limits: Limits, order: int) -> Verdict:
    verdict = Verdict()
    theirs = lambda call: derived(call, call.theirs(entry.info.op), order)
    mine = lambda call: derived(call, call.ours(function_of(entry)), order)
    rounded = limits.rounding or (order == 2 and entry.name in ILL_CONDITIONED)
    for call in _calls(entry, dtype, limits, requires_grad=True):
        due, refused = attempt(lambda: theirs(call))  # noqa: B023
        if refused is None and due is not None:
            how = lambda: gradients_differ(call, mine(call), due, theirs if rounded else None)  # noqa: B023
            verdict.add(_tried(how, limits), str(call))
    return verdict


def derived(call: Call, made: Made, order: int) -> list[Any] | None:
    """Return the derivatives of this order of the results with respect to the leaves, or None if there are none.

    The leaves are the tensors of the call that require grad.
    """
    library = torch if any(isinstance(t, torch.Tensor) for t in made.leaves) else torchlike
    roots = tensors(settled(call, made.result))
    for still in reversed(range(order)):
        roots = [t for t in roots if t is not None and t.requires_grad]
        if not roots or not made.leaves:
            return None
        weights = [_cotangent(library, t, number) for number, t in enumerate(roots)]
        roots = list(library.autograd.grad(roots, made.leaves, weights, allow_unused=True, create_graph=bool(still)))
    return roots


def _cotangent(library: Any, like: Any, number: int) -> Any:
    generator = torch.Generator().manual_seed(number)
    kind = torch.complex128 if like.is_complex() else torch.float64
    made = torch.randn(tuple(like.shape), dtype=kind, generator=generator)
    return (made if library is torch else to_ours(made)).to(like.device, like.dtype)


def gradients_differ(
    call: Call, ours: list[Any] | None, theirs: list[Any], again: Callable | None = None
) -> str | None:
    """Return the difference. With `again`, which returns PyTorch's gradients of a call, rounding is no difference."""
    rooms: list[Any] | None = None
    for number, (mine, due) in enumerate(zip(ours or [None] * len(theirs), theirs)):
        if mine is None and due is None:
            continue
        # The gradient of an unused input may be None or zeros.
        mine = to_ours(torch.zeros_like(due)) if mine is None else mine
        due = torch.zeros_like(to_theirs(mine)) if due is None else due
        text = difference(mine, due)
        if text and again:
            rooms = rounding.rooms(call, again, theirs) if rooms is None else rooms
            text = difference(mine, due, room=rooms[number])
        if text:
            return f"gradient {number}: {text}"
    return None


# -- shared ------------------------------------------------------------------------------------------------------------


def function_of(entry: Entry) -> Callable:
    return translate.function(entry.info.name, entry.info.op)


def _calls(entry: Entry, dtype: str, limits: Limits, requires_grad: bool = False) -> list[Call]:
    return limits(entry.samples(dtype, requires_grad), requires_grad)


def settled(call: Call, result: Any) -> Any:
    """Return the result without free choices such as the signs of eigenvectors.

    PyTorch's database has a function for each sample that removes them.
    """
    settle = call.sample.output_process_fn_grad
    theirs = any(isinstance(t, torch.Tensor) for t in tensors(result))
    return (settle if theirs else translate.function("", settle))(result)


def _tried(judge: Callable[[], str | None], limits: Limits) -> str | None:
    """Return the difference, or the error that torchlike raises."""
    try:
        with limits.alarm():
            return judge()
    except Exception as error:
        return f"{type(error).__name__}: {error}".partition("\n")[0]
