"""Parts of a tensor: how a dim is sharded over the processes of a mesh, and how the parts are joined again."""

from __future__ import annotations

from collections.abc import Sequence

import torchlike
from torchlike import Tensor
from torchlike.distributed.device_mesh import DeviceMesh
from torchlike.distributed.tensor.placement_types import Partial, Placement, Replicate, Shard, _StridedShard

Sharded = Shard | _StridedShard


def lengths(length: int, count: int) -> list[int]:
    """Return the lengths of `count` parts of a dim, split as `torch.chunk` does. The last parts may be empty."""
    return [Shard.local_shard_size_and_offset(length, count, rank)[0] for rank in range(count)]


def part_lengths(placement: Sharded, length: int, count: int) -> list[int]:
    """Return the length of each process's part of a dim."""
    if isinstance(placement, Shard):
        return lengths(length, count)
    return [sum(each) for each in zip(*[lengths(n, count) for n in lengths(length, placement.split_factor)])]


def part_length(placement: Sharded, length: int, count: int, rank: int) -> int:
    """Return the length of one process's part of a dim."""
    own = Shard.local_shard_size_and_offset
    if isinstance(placement, Shard):
        return own(length, count, rank)[0]
    group = max(-(-length // placement.split_factor), 1)
    return length // group * own(group, count, rank)[0] + own(length % group, count, rank)[0]


def indices(placement: Sharded, length: int, count: int, rank: int) -> list[int]:
    """Return the indices along a dim that belong to a process."""
    groups = [length] if isinstance(placement, Shard) else lengths(length, placement.split_factor)
    found, begin = [], 0
    for size in groups:
        own = lengths(size, count)
        start = begin + sum(own[:rank])
        found += range(start, start + own[rank])
        begin += size
    return found


def parts(tensor: Tensor, placement: Sharded, count: int) -> list[Tensor]:
    """Split a tensor along the dim of the placement into a part for each of `count` processes."""
    dim = placement.dim
    if isinstance(placement, Shard):
        return list(tensor.split(lengths(tensor.shape[dim], count), dim))
    groups = tensor.split(lengths(tensor.shape[dim], placement.split_factor), dim)
    divided = [group.split(lengths(group.shape[dim], count), dim) for group in groups]
    return [torchlike.cat(each, dim) for each in zip(*divided)]


def joined(found: Sequence[Tensor], placement: Sharded, length: int) -> Tensor:
    """Join the parts of all processes. This is the inverse of `parts`, for a dim of the given length."""
    dim = placement.dim
    if isinstance(placement, Shard):
        return torchlike.cat(list(found), dim)
    groups = [lengths(n, len(found)) for n in lengths(length, placement.split_factor)]
    divided = [part.split(list(each), dim) for part, each in zip(found, zip(*groups))]
    return torchlike.cat([piece for group in zip(*divided) for piece in group], dim)


def local_shape(shape: Sequence[int], mesh: DeviceMesh, placements: Sequence[Placement]) -> tuple[int, ...]:
    """Return the shape of this process's part of a tensor. Placements apply from the first mesh dim to the last."""
    place = mesh.get_coordinate()
    return (0,) if place is None else shape_at(place, shape, mesh, placements)


def shape_at(
    place: Sequence[int], shape: Sequence[int], mesh: DeviceMesh, placements: Sequence[Placement]
) -> tuple[int, ...]:
    """Return the shape of the part of the process at some coordinates of the mesh."""
    found = list(shape)
    for placement, rank, count in zip(placements, place, mesh.shape):
        if isinstance(placement, Sharded):
            found[placement.dim] = part_length(placement, found[placement.dim], count, rank)
    return tuple(found)


def global_geometry(
    local: Tensor, mesh: DeviceMesh, placements: Sequence[Placement]
) -> tuple[torchlike.Size, tuple[int, ...]]:
    """Return the global shape and strides, if all processes have local tensors of the same shape."""
    shape, stride = list(local.shape), list(local.stride())
    for placement, count in zip(placements, mesh.shape):
        if isinstance(placement, Sharded):
            dim = placement.dim
            stride = [
                s * count if i != dim and s >= stride[dim] * max(shape[dim], 1) else s for i, s in enumerate(stride)
            ]
            shape[dim] *= count
    return torchlike.Size(shape), tuple(stride)


def normalized(placements: Sequence[Placement], ndim: int) -> tuple[Placement, ...]:
    """Return the placements with nonnegative dims. Raise AssertionError if the tensor does not have such a dim."""
    found: list[Placement] = []
    for placement in placements:
        if isinstance(placement, Shard) and placement.dim < 0:
            placement = Shard(placement.dim + ndim)
        elif isinstance(placement, _StridedShard) and placement.dim < 0:
            placement = _StridedShard(placement.dim + ndim, split_factor=placement.split_factor)
        if isinstance(placement, Sharded) and not 0 <= placement.dim < ndim:
            raise AssertionError(f"Sharding dim {placement.dim} greater than tensor ndim {ndim}")
        found.append(placement)
    return tuple(found)


def of_gradient(placements: Sequence[Placement]) -> tuple[Placement, ...]:
    """Return the placements of the gradient of a tensor: a partial tensor has a replicated gradient."""
    return tuple(Replicate() if isinstance(placement, Partial) else placement for placement in placements)


def contiguous_strides(shape: Sequence[int]) -> tuple[int, ...]:
    """Return the strides of a row-major tensor."""
    found, step = [], 1
    for size in reversed(shape):
        found.append(step)
        step *= max(size, 1)
    return tuple(reversed(found))
