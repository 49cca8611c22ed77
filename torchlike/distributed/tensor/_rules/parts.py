"""Parts of a tensor: selections, slices, splits and indexed elements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torchlike
from torchlike import Tensor
from torchlike.distributed.tensor._layout import Sharded
from torchlike.distributed.tensor._rules.reductions import dims_of
from torchlike.distributed.tensor._rules.table import REPLICATE, Call, Way, composed, row, shifted, way
from torchlike.distributed.tensor.placement_types import Partial, Placement, Shard


def whole_along(place: int, name: str = "dim", default: int = 0, removes: bool = False) -> Callable:
    """Return the ways of a function along one dim, which must be whole. `removes`: the results lack this dim."""

    def ways(call: Call, now: Sequence[Placement], count: int) -> list[Way]:
        before, dim = now[0], call.dim(place, name, default)
        if not isinstance(before, Sharded):
            return [way(before, before)] if len(now) == 1 else []
        if before.dim == dim or dim is None:
            return []
        after = shifted(before, before.dim - 1) if removes and before.dim > dim else before
        return [Way((after,), (before, *[REPLICATE] * (len(now) - 1)))]

    return ways


def _unbind(call: Call, now: Sequence[Placement], count: int) -> list[Way]:
    dim = call.dim(1, "dim", 0)
    if isinstance(now[0], Sharded) and now[0].dim == dim:
        raise RuntimeError(
            f"Attempted to unbind along the sharded dimension {dim}. ",
            "It cannot be performed without redistribution, which is disallowed by the current operator.",
        )
    return whole_along(1, removes=True)(call, now, count)


def _narrow(call: Call, now: Sequence[Placement], count: int) -> list[Way]:
    return whole_along(1)(call, now, count)


def _index_select(call: Call, now: Sequence[Placement], count: int) -> list[Way]:
    dim = call.dim(1)
    assert dim is not None
    found = [way(Shard(d), Shard(d), REPLICATE) for d in range(len(call.shapes[0])) if d != dim]
    found.append(way(Shard(dim), REPLICATE, Shard(0)))
    return found + [way(Partial(op), Partial(op), REPLICATE) for op in ("sum", "avg", "min", "max", "product")]


def _gather(call: Call, now: Sequence[Placement], count: int) -> list[Way]:
    dim, (source, index) = call.dim(1), call.shapes[:2]
    alike = [d for d in range(len(index)) if d != dim and source[d] == index[d]]
    found = [way(Shard(d), Shard(d), Shard(d)) for d in alike]
    return [*found, way(Shard(dim), REPLICATE, Shard(dim))] if isinstance(dim, int) and index else found


@composed("take_along_dim")
def take_along_dim(input: Tensor, indices: Tensor, dim: int | None = None) -> Tensor:
    """Compute `take_along_dim` by distributed operators: its rows must be whole along `dim` only."""
    if dim is None:
        return input.flatten().gather(0, indices.flatten() % input.numel())
    at = dim % max(input.ndim, 1)
    sides = [list(each.shape) for each in (input, indices)]
    rest = torchlike.broadcast_shapes(*[side[:at] + [1] + side[at + 1 :] for side in sides])
    shapes = [(*rest[:at], side[at], *rest[at + 1 :]) for side in sides]
    return input.expand(shapes[0]).gather(at, (indices % input.shape[at]).expand(shapes[1]))


def _rearranged(place: int) -> Callable:
    """Return the ways of a function that changes the order along some dims, which must be whole."""

    def ways(call: Call, now: Sequence[Placement], count: int) -> list[Way]:
        dims = call.given(place, "dims")
        if place == 1 and isinstance(dims, int) and len(call.args) > 2:
            dims = call.args[1:]
        changed = dims_of(dims, len(call.shapes[0]))
        is_kept = isinstance(now[0], Partial) or (isinstance(now[0], Sharded) and now[0].dim not in changed)
        return [way(now[0], now[0])] if is_kept else []

    return ways


def _full(index: Any, ndim: int) -> list[Any]:
    """Return an index as a list with one entry for each dim of the tensor, and None for new dims."""
    given = list(index) if isinstance(index, tuple) else [index]
    used = sum(each is not None and each is not Ellipsis for each in given)
    at = next((i for i, each in enumerate(given) if each is Ellipsis), None)
    if at is None:
        return given + [slice(None)] * (ndim - used)
    return given[:at] + [slice(None)] * (ndim - used) + given[at + 1 :]


def _getitem(call: Call, now: Sequence[Placement], count: int) -> list[Way]:
    shape = call.shapes[0]
    index = _full(call.args[1], len(shape))
    if any(not isinstance(each, int | slice | Tensor | None) or isinstance(each, bool) for each in index):
        return []
    indices = [each for each in index if isinstance(each, Tensor)]
    if any(each.dtype.itemsize == 1 for each in indices):  # a mask
        return []
    inserted = max((each.ndim for each in indices), default=0)
    rest = [REPLICATE] * (len(now) - 1)
    found = [Way((Shard(to),), (Shard(dim), *rest)) for dim, to in _kept_dims(index, shape, inserted)]
    if len(indices) == 1 and len(now) == 2:
        start = _place_of_indices(index)
        found += [way(Shard(start + d), REPLICATE, Shard(d)) for d in range(inserted)]
    return found + [Way((each,), (each, *rest)) for each in (now[0],) if isinstance(each, Partial)]


def _place_of_indices(index: Sequence[Any]) -> int:
    """Return the dim of the result at which the dims of the index tensors begin."""
    places = [i for i, each in enumerate(index) if isinstance(each, Tensor | int) and each is not None]
    tensors = [i for i, each in enumerate(index) if isinstance(each, Tensor)]
    first, last = min(tensors), max(tensors)
    between = range(min([p for p in places if p <= first], default=first), last + 1)
    if any(i not in places for i in between):
        return 0
    return sum(isinstance(each, slice) or each is None for each in index[:first])


def _kept_dims(index: Sequence[Any], shape: Sequence[int], inserted: int) -> list[tuple[int, int]]:
    """Return, for each dim that the index leaves whole, the dim of the result."""
    has_tensors = any(isinstance(each, Tensor) for each in index)
    start = _place_of_indices(index) if has_tensors else -1
    found, dim, to = [], 0, 0
    for each in index:
        if has_tensors and to == start:
            to += inserted
        if each is None:
            to += 1
            continue
        if isinstance(each, slice):
            if each.indices(shape[dim]) == (0, shape[dim], 1):
                found.append((dim, to))
            to += 1
        dim += 1
    return found


row("select", ways=whole_along(1, removes=True), uneven=True)
row("unbind", ways=_unbind, uneven=True)
row("narrow", ways=_narrow, uneven=True)
row("split", "chunk", "tensor_split", ways=whole_along(2), uneven=True)
row("split_with_sizes", ways=whole_along(2), uneven=True)
row("index_select", ways=_index_select, uneven=True)
row("gather", ways=_gather)
row("getitem", ways=_getitem, uneven=True)
row("flip", ways=_rearranged(1))
row("roll", ways=_rearranged(2))
