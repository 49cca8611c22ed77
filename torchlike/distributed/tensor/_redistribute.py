"""Redistribution: find the steps between two lists of placements, and apply them to a local tensor."""

from __future__ import annotations

from collections.abc import Container, Sequence

from torchlike import Tensor
from torchlike.distributed._group import ProcessGroup
from torchlike.distributed.device_mesh import DeviceMesh
from torchlike.distributed.tensor import _collectives as c
from torchlike.distributed.tensor._layout import Sharded, local_shape
from torchlike.distributed.tensor.placement_types import Partial, Placement, Replicate, _NormPartial, is_made_of_whole


def steps(before: Sequence[Placement], after: Sequence[Placement]) -> list[tuple[int, Placement, Placement]]:
    """Return the changes `(mesh dim, from, to)`, in order.

    If several mesh dims shard the same dim of the tensor, they shard it in order, the first mesh dim first. A change of
    one mesh dim must therefore first gather the later mesh dims that shard the same dim of the tensor.
    """
    current, found = list(before), []
    for i in reversed(range(len(current))):
        placement = current[i]
        if isinstance(placement, Sharded) and _is_disturbed(i, placement.dim, current, after):
            found.append((i, placement, Replicate()))
            current[i] = Replicate()
    for i, wanted in enumerate(after):
        if current[i] != wanted:
            found.append((i, current[i], wanted))
    return found


def _is_disturbed(i: int, dim: int, current: Sequence[Placement], after: Sequence[Placement]) -> bool:
    """Return whether a mesh dim before `i` starts or stops sharding this dim of the tensor."""
    return any(
        old != new and any(isinstance(each, Sharded) and each.dim == dim for each in (old, new))
        for old, new in zip(current[:i], after[:i])
    )


def redistributed(
    local: Tensor,
    shape: Sequence[int],
    mesh: DeviceMesh,
    before: Sequence[Placement],
    after: Sequence[Placement],
    partial: Container[int] = (),
) -> Tensor:
    """Return the local tensor of the new placements. The result is differentiable.

    Args:
      local: the local tensor of the old placements.
      shape: the global shape.
      mesh: the mesh.
      before, after: the old and the new placements.
      partial: the mesh dims along which the gradient of the result is partial, if this call gathers the tensor there.
    """
    if tuple(before) == tuple(after) or mesh.get_coordinate() is None:
        return local
    current = list(before)
    for i, old, new in steps(before, after):
        length = 0
        if isinstance(old, Sharded):
            length = local_shape(shape, mesh, [*current[:i], *[Replicate()] * (mesh.ndim - i)])[old.dim]
        if i in partial and isinstance(old, Sharded) and new.is_replicate():
            local = c.gathered_for_parts(local, old, length, mesh.get_group(i))
        else:
            local = _changed(local, old, new, length, mesh, i)
        current[i] = new
    return local


def _changed(local: Tensor, old: Placement, new: Placement, length: int, mesh: DeviceMesh, i: int) -> Tensor:
    """Change the placement along one mesh dim."""
    group = mesh.get_group(i)
    if isinstance(old, Sharded) and isinstance(new, Sharded):
        if old.dim != new.dim:
            return c.exchanged(local, old, new, length, group)
        return c.own_part(c.gathered(local, old, length, group), new, group)
    if isinstance(old, Sharded) and new.is_replicate():
        return c.gathered(local, old, length, group)
    if isinstance(old, Partial) and new.is_replicate():
        return _reduced(local, old, group)
    if isinstance(old, Partial) and isinstance(new, Sharded):
        return _scattered(local, old, new, group)
    if old.is_replicate() and isinstance(new, Sharded):
        return c.own_part(local, new, group)
    if old.is_replicate() and isinstance(new, Partial):
        return _partitioned(local, new, group)
    if isinstance(old, Sharded) and isinstance(new, Partial):
        return _partitioned(c.gathered(local, old, length, group), new, group)
    raise RuntimeError(f"redistribute from {old} to {new} not supported yet")


def _reduced(local: Tensor, placement: Partial, group: ProcessGroup) -> Tensor:
    """Partial to Replicate."""
    if isinstance(placement, _NormPartial):
        order = placement.norm_type
        return c.reduced(local**order, "sum", group) ** (1.0 / order)
    return c.reduced(local, placement.reduce_op, group)


def _scattered(local: Tensor, placement: Partial, new: Sharded, group: ProcessGroup) -> Tensor:
    """Partial to Shard."""
    if placement.reduce_op == "sum" and not isinstance(placement, _NormPartial):
        return c.scattered(local, new, group)
    return c.own_part(_reduced(local, placement, group), new, group)


def _partitioned(local: Tensor, placement: Partial, group: ProcessGroup) -> Tensor:
    """Replicate to Partial: return values whose reduction is the given value."""
    if not is_made_of_whole(placement):
        raise ValueError(f"Replicate to {placement!r} conversion is not supported.")
    return c.with_whole_gradient(local, group.size()) if placement.reduce_op == "sum" else local
