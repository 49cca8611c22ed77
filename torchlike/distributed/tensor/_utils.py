"""Shapes and offsets of the parts of a `DTensor`."""

from __future__ import annotations

from collections.abc import Sequence

from torchlike.distributed.device_mesh import DeviceMesh
from torchlike.distributed.tensor._layout import Sharded, indices, part_lengths
from torchlike.distributed.tensor.placement_types import Placement


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
    shape, known = list(global_shape), {dim: list(range(n)) for dim, n in enumerate(global_shape)}
    for placement, rank, count in zip(placements, place, mesh.shape):
        if isinstance(placement, Sharded):
            dim = placement.dim
            if not skip_offset:
                known[dim] = [known[dim][i] for i in indices(placement, shape[dim], count, rank)]
            shape[dim] = part_lengths(placement, shape[dim], count)[rank]
    if skip_offset:
        return tuple(shape), ()
    return tuple(shape), tuple(known[dim][0] if known[dim] else n for dim, n in enumerate(global_shape))


def compute_local_shape(
    global_shape: Sequence[int], mesh: DeviceMesh, placements: Sequence[Placement]
) -> tuple[int, ...]:
    """Return the shape of this process's part of a tensor."""
    return compute_local_shape_and_global_offset(global_shape, mesh, placements, skip_offset=True)[0]
