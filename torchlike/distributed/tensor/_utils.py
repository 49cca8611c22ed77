"""Shapes and offsets of the parts of a `DTensor`."""

from __future__ import annotations

from collections.abc import Sequence

from torchlike.distributed.device_mesh import DeviceMesh
from torchlike.distributed.tensor.placement_types import Placement, Shard, _StridedShard

Pieces = list[tuple[int, int]]  # (offset, length) of adjacent ranges of a dim


def compute_local_shape_and_global_offset(
    global_shape: Sequence[int], mesh: DeviceMesh, placements: Sequence[Placement], skip_offset: bool = False
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the shape of this process's part of a tensor, and the global index of its first element.

    Args:
      global_shape: the shape of the whole tensor.
      mesh: the mesh.
      placements: the placement along each dim of the mesh.
      skip_offset: whether to return an empty offset.

    Returns:
      The shape and the offset. A process outside of the mesh has the shape `(0,)` and an empty offset. The offset of
      an empty part is the length of the dim.
    """
    place = mesh.get_coordinate()
    if place is None:
        return (0,), ()
    pieces: dict[int, Pieces] = {}
    for count, rank, placement in zip(mesh.shape, place, placements):
        if isinstance(placement, Shard | _StridedShard):
            before = pieces.get(placement.dim, [(0, global_shape[placement.dim])])
            groups = placement.split_factor if isinstance(placement, _StridedShard) else 1
            pieces[placement.dim] = _part(before, groups, count, rank)
    shape, offset = list(global_shape), [0] * len(global_shape)
    for dim, found in pieces.items():
        shape[dim] = sum(length for _, length in found)
        offset[dim] = found[0][0] if found else global_shape[dim]
    return tuple(shape), () if skip_offset else tuple(offset)


def compute_local_shape(
    global_shape: Sequence[int], mesh: DeviceMesh, placements: Sequence[Placement]
) -> tuple[int, ...]:
    """Return the shape of this process's part of a tensor."""
    return compute_local_shape_and_global_offset(global_shape, mesh, placements, skip_offset=True)[0]


def _part(pieces: Pieces, groups: int, count: int, rank: int) -> Pieces:
    """Return the part of a rank: its chunk of each of `groups` chunks."""
    total = sum(length for _, length in pieces)
    found: Pieces = []
    for begin, length in _chunks(total, groups):
        chunks = _chunks(length, count)
        if rank < len(chunks):
            found += _slice(pieces, begin + chunks[rank][0], chunks[rank][1])
    return found


def _chunks(length: int, count: int) -> Pieces:
    """Return the offsets and lengths of the chunks into which `torch.chunk` splits a dim."""
    step = max(-(-length // count), 1)
    return [(begin, min(step, length - begin)) for begin in range(0, length, step)]


def _slice(pieces: Pieces, begin: int, length: int) -> Pieces:
    """Return the ranges of `length` elements that start at element `begin` of the concatenated pieces."""
    found: Pieces = []
    for offset, size in pieces:
        first, last = max(begin, 0), min(begin + length, size)
        if first < last:
            found.append((offset + first, last - first))
        begin -= size
    return found
