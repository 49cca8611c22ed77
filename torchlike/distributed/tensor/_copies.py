"""Replicated inputs whose gradients are partial: the gradients are summed over the processes in the backward pass.

The uses of one tensor share one sum. If the tensor was gathered from parts, its gradient is summed and scattered in one
step.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torchlike import Tensor
from torchlike._internal import Function
from torchlike.distributed.device_mesh import DeviceMesh
from torchlike.distributed.tensor import _collectives as c
from torchlike.distributed.tensor._layout import Sharded
from torchlike.distributed.tensor._redistribute import redistributed, steps
from torchlike.distributed.tensor.placement_types import Placement

Copies = Sequence[tuple[int, str]]  # the dims of the mesh along which a gradient is partial, and the reduction


def prepared(
    tensor: Tensor,
    shape: Sequence[int],
    mesh: DeviceMesh,
    before: tuple[Placement, ...],
    after: tuple[Placement, ...],
    copies: Copies,
) -> Tensor:
    """Return a tensor with the placements `after`, whose gradients are partial as `copies` tells."""
    if before == after:
        return _shared(tensor, mesh, copies) if copies else tensor
    gathers = {i for i, old, new in steps(before, after) if isinstance(old, Sharded) and new.is_replicate()}
    summed = {i for i, op in copies if op == "sum" and i in gathers}
    tensor = redistributed(tensor, shape, mesh, before, after, summed)
    return _copied(tensor, mesh, [each for each in copies if each[0] not in summed])


def _copied(tensor: Tensor, mesh: DeviceMesh, copies: Copies) -> Tensor:
    for i, op in copies:
        tensor = c.copied(tensor, op, mesh.get_group(i))
    return tensor


def _shared(tensor: Tensor, mesh: DeviceMesh, copies: Copies) -> Tensor:
    """Return the copy that earlier uses of the tensor have made."""
    if tensor.is_leaf:  # a leaf outlives its graphs
        return _copied(tensor, mesh, copies)
    key = (tensor._edge, tensor._storage.version, tuple(copies))
    known = tensor.__dict__.get("_copy")
    if known is None or known[0] != key:
        known = tensor.__dict__["_copy"] = (key, _regathered(tensor, mesh, copies))
    return known[1]


class _Regathered(Function):
    """A gathered tensor as a function of the parts. Its backward sums and divides the gradients in one step."""

    @staticmethod
    def forward(ctx: Any, local: Tensor, whole: Tensor, placement: Sharded, group: Any) -> Tensor:
        ctx.given = placement, group
        return whole.view_as(whole)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple:
        return c.scattered(grad, *ctx.given), None, None, None


def _regathered(tensor: Tensor, mesh: DeviceMesh, copies: Copies) -> Tensor:
    edge, local, spec = tensor.__dict__.get("_source", (None, None, None))
    if edge is None or edge != tensor._edge or len(copies) != 1 or copies[0][1] != "sum":
        return _copied(tensor, mesh, copies)
    changed = [(i, old) for i, old in enumerate(spec.placements) if isinstance(old, Sharded)]
    i = copies[0][0]
    if len(changed) != 1 or changed[0][0] != i or not tensor.__dict__["_spec"].placements[i].is_replicate():
        return _copied(tensor, mesh, copies)
    if any(
        old != new for j, (old, new) in enumerate(zip(spec.placements, tensor.__dict__["_spec"].placements)) if j != i
    ):
        return _copied(tensor, mesh, copies)
    return _Regathered.apply(local, tensor.detach(), changed[0][1], mesh.get_group(i))
