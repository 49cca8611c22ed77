"""Views and functions that only move elements: how the dims of the result follow from those of the input."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import torchlike
from torchlike.distributed.tensor._layout import Sharded, local_shape
from torchlike.distributed.tensor._rules.table import REPLICATE, Call, Way, row, shifted, way
from torchlike.distributed.tensor.placement_types import Placement, Shard, _StridedShard

Groups = list[tuple[list[int], list[int]]]  # dims of the input, and the dims of the result that they become


def groups_of(before: Sequence[int], after: Sequence[int]) -> Groups:
    """Split the dims of two shapes with equal numbers of elements into the smallest groups of equal products."""
    found: Groups = []
    i = j = 0
    while i < len(before) or j < len(after):
        left, right, n, m = [], [], 1, 1
        if i < len(before):
            left, n, i = [i], before[i], i + 1
        if j < len(after) and not (left and n == 1 and after[j] != 1):
            right, m, j = [j], after[j], j + 1
            if left and m == 1 and n != 1:  # a new dim of length one
                left, n, i = [], 1, i - 1
        while n != m and left and right:
            if n < m and i < len(before):
                left, n, i = [*left, i], n * before[i], i + 1
            elif j < len(after):
                right, m, j = [*right, j], m * after[j], j + 1
            else:
                break
        found.append((left, right))
    return found


def _dtype_of(call: Call) -> torchlike.dtype | None:
    """Return the dtype as which a view reads the memory of a tensor, or None for a view of another shape."""
    given = (*call.args[1:], *call.kwargs.values())
    return next((each for each in given if isinstance(each, torchlike.dtype)), None)


def _of_memory(call: Call, placements: Sequence[Placement], wanted: torchlike.dtype) -> list[Way]:
    """Return the ways of a view of another dtype. Elements that are joined or split are along a dim that is whole."""
    is_alike, last = call.tensors[0].dtype.itemsize == wanted.itemsize, len(call.shapes[0]) - 1
    free = [isinstance(each, Sharded) and (is_alike or each.dim != last) for each in placements]
    return [way(*[each if is_free else REPLICATE] * 2) for each, is_free in zip(placements, free)]


def _view_steps(call: Call, placements: Sequence[Sequence[Placement]]) -> list[Way]:
    wanted = _dtype_of(call)
    if wanted is not None:
        return _of_memory(call, placements[0], wanted)
    shape, out = call.shapes[0], call.out_shapes[0]
    groups = groups_of(shape, out)
    sizes, found = list(shape), []  # `sizes` are divided by the mesh dims before the current one
    for i, before in enumerate(placements[0]):
        count = call.mesh.size(i)
        after, after_input = before, before
        if isinstance(before, Sharded):
            result = _divided(before, groups, shape, sizes, out, i, count)
            after, after_input = (result, before) if result is not None else (REPLICATE, REPLICATE)
            if result is not None:
                sizes[before.dim] //= count
        found.append(way(after, after_input, *[placed[i] for placed in placements[1:]]))
    return found


def _divided(
    before: Placement, groups: Groups, shape: Sequence[int], sizes: list[int], out: Sequence[int], i: int, count: int
) -> Placement | None:
    """Return the placement of the result for a sharded dim. None: the input must be whole."""
    assert isinstance(before, Sharded)
    left, right = next(group for group in groups if before.dim in group[0])
    right = [dim for dim in right if out[dim] != 1] or right
    if not right:
        raise _removed(before.dim)
    if len(left) == len(right) == 1:
        return shifted(before, right[0])
    earlier = [dim for dim in left[: left.index(before.dim)] if shape[dim] != 1]
    if len(right) == 1:
        return _flattened(before, left, earlier, shape, sizes, right[0], i, count)
    if earlier:
        return None
    if isinstance(before, _StridedShard):
        return _unflattened(before, right, out)
    if out[right[0]] % count:
        raise RuntimeError(
            f"Cannot unflatten unevenly sharded tensor: output dimension {right[0]} (size {out[right[0]]}) is not "
            f"evenly divisible by mesh dimension {i} (size {count}). Please redistribute the tensor before this "
            "operation."
        )
    return Shard(right[0])


def _flattened(
    before: Any,
    left: list[int],
    earlier: list[int],
    shape: Sequence[int],
    sizes: list[int],
    to: int,
    i: int,
    count: int,
) -> Placement:
    """Return the placement of a dim that is joined with others. Parts of a later dim become strided parts."""
    if shape[before.dim] % count and before.dim != left[-1]:
        raise RuntimeError(
            f"Cannot flatten unevenly sharded tensor: dimension {before.dim} (size {shape[before.dim]}) is not evenly "
            f"divisible by mesh dimension {i} (size {count}). Please redistribute the tensor before this operation."
        )
    factor = math.prod(sizes[dim] for dim in earlier)
    if isinstance(before, _StridedShard):
        return _StridedShard(to, split_factor=factor * before.split_factor)
    return _StridedShard(to, split_factor=factor) if factor > 1 else Shard(to)


def _unflattened(before: _StridedShard, right: Sequence[int], out: Sequence[int]) -> Placement:
    factor = 1
    for dim in right:
        if factor == before.split_factor:
            return Shard(dim)
        factor *= out[dim]
    raise RuntimeError(
        f"Cannot unflatten tensor with _StridedShard placement: split_factor={before.split_factor} does not match any "
        "output dimension. This typically means the _StridedShard placement was constructed with a split_factor that "
        "is incompatible with the unflatten shape. Please redistribute the tensor before this operation."
    )


def _removed(dim: int) -> RuntimeError:
    return RuntimeError(
        f"This operation would remove or reshape sharded dimension {dim}, which requires redistribution. "
        "Please redistribute the input first."
    )


def _reshaped(call: Call, args: tuple, kwargs: dict, steps: Sequence[Way]) -> Any:
    """Give the local tensor the local shape of the result."""
    if _dtype_of(call) is not None:
        return call.func(*args, **kwargs)
    shape = local_shape(call.out_shapes[0], call.mesh, [each.outputs[0] for each in steps])
    return args[0].view(shape) if call.name in ("view", "view_as", "unflatten") else args[0].reshape(shape)


def _expanded(call: Call, args: tuple, kwargs: dict, steps: Sequence[Way]) -> Any:
    return args[0].expand(local_shape(call.out_shapes[0], call.mesh, [each.outputs[0] for each in steps]))


def _expand_ways(call: Call, now: Sequence[Placement], count: int) -> list[Way]:
    before, shape, out = now[0], call.shapes[0], call.out_shapes[0]
    if not isinstance(before, Sharded):
        return [way(before, *now)]
    to = before.dim + len(out) - len(shape)
    return [way(shifted(before, to), *now)] if out[to] == shape[before.dim] else []


def moving(order: Callable[[Call], Sequence[int | None]]) -> Callable:
    """Return the ways of a function that moves dims. `order(call)` has the dim of the input for each dim."""

    def ways(call: Call, now: Sequence[Placement], count: int) -> list[Way]:
        before = now[0]
        if not isinstance(before, Sharded):
            return [Way((before,), tuple(now))]
        dims = list(order(call))
        return [way(shifted(before, dims.index(before.dim)), before)] if before.dim in dims else []

    return ways


def _transposed(call: Call) -> list[int]:
    order = list(range(len(call.shapes[0])))
    if order:
        a, b = call.given(1, "dim0", call.kwargs.get("axis0")), call.given(2, "dim1", call.kwargs.get("axis1"))
        order[a], order[b] = order[b], order[a]
    return order


def _permuted(call: Call) -> list[int]:
    dims = call.given(1, "dims")
    dims = dims if isinstance(dims, list | tuple) else call.args[1:]
    return [dim % len(dims) for dim in dims]


def _reversed(call: Call) -> list[int]:
    return list(reversed(range(len(call.shapes[0]))))


def _last_two(call: Call) -> list[int]:
    order = list(range(len(call.shapes[0])))
    return [*order[:-2], order[-1], order[-2]]


def _moved(call: Call) -> list[int]:
    n = len(call.shapes[0])
    given = [call.given(place, name) for place, name in ((1, "source"), (2, "destination"))]
    source, target = ([d % n for d in ([each] if isinstance(each, int) else each)] for each in given)
    order: list[int] = [-1] * n
    for a, b in zip(source, target):
        order[b] = a
    rest = iter(dim for dim in range(n) if dim not in source)
    return [next(rest) if dim < 0 else dim for dim in order]


def _unsqueezed(call: Call) -> list[int | None]:
    n = len(call.shapes[0])
    dim = call.given(1, "dim") % (n + 1)
    order: list[int | None] = list(range(n))
    return [*order[:dim], None, *order[dim:]]


def squeezed_dims(call: Call) -> tuple[int, ...]:
    """Return the dims that `squeeze` removes: those of global length one."""
    shape, dim = call.shapes[0], call.given(1, "dim")
    asked = range(len(shape)) if dim is None else [dim] if isinstance(dim, int) else dim
    return tuple(d % len(shape) for d in asked if shape[d % len(shape)] == 1)


def _squeezed(call: Call) -> list[int]:
    return [dim for dim in range(len(call.shapes[0])) if dim not in squeezed_dims(call)]


def _squeeze(call: Call, args: tuple, kwargs: dict, steps: Sequence[Way]) -> Any:
    dims = squeezed_dims(call)
    return call.func(args[0], dims) if dims else args[0].view_as(args[0])


row("view", "view_as", "reshape", "reshape_as", "flatten", "unflatten", "ravel", steps=_view_steps, local=_reshaped)
row("expand", "expand_as", "broadcast_to", ways=_expand_ways, local=_expanded, uneven=True)
row("transpose", "swapaxes", "swapdims", ways=moving(_transposed), uneven=True, moves=True)
row("permute", ways=moving(_permuted), uneven=True)
row("t", "T", "H", "adjoint", ways=moving(_reversed), uneven=True, moves=True)
row("mT", "mH", ways=moving(_last_two), uneven=True)
row("movedim", "moveaxis", ways=moving(_moved), uneven=True)
row("unsqueeze", ways=moving(_unsqueezed), uneven=True, moves=True)
row("squeeze", ways=moving(_squeezed), local=_squeeze, uneven=True, moves=True)
row(
    "view_as_self",
    "alias",
    "conj",
    "resolve_conj",
    "real",
    "imag",
    ways=moving(lambda call: range(len(call.shapes[0]))),
)
