"""Joined tensors: `cat` and `stack`."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from torchlike.distributed.tensor._layout import Sharded
from torchlike.distributed.tensor._rules.table import REPLICATE, Call, Way, row, shifted
from torchlike.distributed.tensor.placement_types import Partial, Placement, is_made_of_whole


def _joined(call: Call, now: Sequence[Placement], count: int) -> list[Way]:
    """The tensors are sharded or partial in the same way, as one of them is."""
    dim = call.dim(1, "dim", 0)
    assert dim is not None
    found = []
    for each in dict.fromkeys(now):
        if (isinstance(each, Sharded) and each.dim != dim) or _is_common(each, now):
            found.append(Way((each,), (each,) * len(now)))
    return found


def _is_common(placement: Placement, now: Sequence[Placement]) -> bool:
    """Return whether the placement is partial and all tensors can get it."""
    return isinstance(placement, Partial) and (is_made_of_whole(placement) or all(each == placement for each in now))


def _stacked(call: Call, now: Sequence[Placement], count: int) -> list[Way]:
    """The tensors get the placement that `_merged` gives all of them."""
    dim = call.dim(1, "dim", 0, ndim=len(call.shapes[0]) + 1)
    assert dim is not None
    common = functools.reduce(_merged, now)
    after = shifted(common, common.dim + (common.dim >= dim)) if isinstance(common, Sharded) else common
    return [Way((after,), (common,) * len(now))]


def _merged(first: Placement, second: Placement) -> Placement:
    """Return the placement that two tensors get: a sharded one wins over a partial one, which wins over a whole one."""
    if first == second:
        return first
    if any(isinstance(each, Partial) and not is_made_of_whole(each) for each in (first, second)):
        return next((each for each in (first, second) if isinstance(each, Sharded)), REPLICATE)
    if second.is_replicate():
        return first
    if first.is_replicate() or (isinstance(first, Partial) and isinstance(second, Sharded)):
        return second
    return first if isinstance(first, Sharded) and isinstance(second, Partial) else REPLICATE


row("cat", "concat", "concatenate", ways=_joined, uneven=True)
row("stack", ways=_stacked, uneven=True)
