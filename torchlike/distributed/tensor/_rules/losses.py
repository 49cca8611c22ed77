"""Losses: the class dim must be whole, and a sharded batch gives a partial sum or mean."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torchlike.distributed.tensor import _collectives as c
from torchlike.distributed.tensor._layout import Sharded
from torchlike.distributed.tensor._rules.pointwise import broadcast
from torchlike.distributed.tensor._rules.table import AVG, REPLICATE, SUM, Call, Way, row, shifted
from torchlike.distributed.tensor.placement_types import Placement, Shard


def reduction_of(call: Call, place: int) -> str:
    """Return the reduction of a loss."""
    return call.given(place, "reduction", "mean")


def _result(call: Call, place: int, unreduced: Placement, length: int, count: int) -> Placement | None:
    """Return the placement of a loss whose elements are sharded along a dim of this length."""
    reduction = reduction_of(call, place)
    if reduction == "none":
        return unreduced
    if reduction == "mean":
        return AVG if length % count == 0 else None
    return SUM


def _by_class(call: Call, now: Sequence[Placement], count: int) -> list[Way]:
    """The ways of a loss of scores `(batch, classes, ...)` and class indices `(batch, ...)`."""
    before, shape = now[0], call.shapes[0]
    channel = 1 if len(shape) > 1 else 0
    if not isinstance(before, Sharded) or before.dim == channel:
        return []
    target = shifted(before, before.dim - (before.dim > channel))
    if call.shapes[1] == shape:  # probabilities
        target = before
    result = _result(call, _REDUCTIONS[call.name], target, shape[before.dim], count)
    if result == AVG and (call.given(2, "weight") is not None or call.given(4, "ignore_index", -100) != -100):
        return []  # the parts of the mean have different weights
    if result == AVG and call.shapes[1] == shape:
        return []
    return [Way((result,), (before, target, *[REPLICATE] * (len(now) - 2)))] if result is not None else []


_REDUCTIONS = {"nll_loss": 6, "cross_entropy": 6}
_POINTWISE = dict.fromkeys(["mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "soft_margin_loss"], 4)
_POINTWISE |= {"binary_cross_entropy": 5, "binary_cross_entropy_with_logits": 5, "kl_div": 4}


def _by_element(call: Call, now: Sequence[Placement], count: int) -> list[Way]:
    """The ways of a loss of two tensors, element by element."""
    common, found = broadcast(call.shapes), []
    for dim, length in enumerate(common):
        places = []
        for shape in call.shapes:
            own = dim - len(common) + len(shape)
            places.append(Shard(own) if own >= 0 and shape[own] == length else REPLICATE)
        result = _result(call, _POINTWISE[call.name], Shard(dim), length, count)
        if result is not None and reduction_of(call, _POINTWISE[call.name]) != "batchmean":
            found.append(Way((result,), tuple(places)))
    return found


def _local(call: Call, args: tuple, kwargs: dict, steps: Sequence[Way]) -> Any:
    """Return the local loss. The gradient of a mean is that of the global mean."""
    found = call.func(*args, **kwargs)
    for dim, each in enumerate(steps):
        if each.outputs[0] == AVG:
            found = c.divided_gradient(found, call.mesh.size(dim))
    return found


row(*_REDUCTIONS, ways=_by_class, local=_local)
row(*_POINTWISE, ways=_by_element, local=_local)
