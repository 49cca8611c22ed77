"""The functions that make a `DTensor` from a tensor."""

from __future__ import annotations

from collections.abc import Sequence

import torchlike
from torchlike import Tensor
from torchlike.distributed import _functional_collectives as functional
from torchlike.distributed.device_mesh import DeviceMesh, current_mesh
from torchlike.distributed.tensor import _layout
from torchlike.distributed.tensor._api import DTensor, of_spec
from torchlike.distributed.tensor._dtensor_spec import DTensorSpec, TensorMeta
from torchlike.distributed.tensor._layout import Sharded
from torchlike.distributed.tensor._nodes import _FromTorchTensor
from torchlike.distributed.tensor._redistribute import redistributed
from torchlike.distributed.tensor.placement_types import Partial, Placement, Replicate


def from_local(
    local: Tensor,
    mesh: DeviceMesh | None,
    placements: Sequence[Placement] | None,
    run_check: bool,
    shape: Sequence[int] | None,
    stride: Sequence[int] | None,
    grad_placements: Sequence[Placement] | None,
) -> DTensor:
    """Return a `DTensor` whose local tensor is `local` (see `DTensor.from_local`)."""
    if isinstance(local, DTensor):
        raise RuntimeError(f"the local_tensor argument only accepts torch.Tensor but got {type(local)} value.")
    mesh = mesh or current_mesh()
    if local.device.type not in (mesh.device_type, "meta"):
        local = local.to(mesh.device_type)
    placed = _layout.normalized(placements or [Replicate()] * mesh.ndim, local.ndim)
    check_partials(placed)
    if bool(shape) != bool(stride):
        raise RuntimeError(
            f"Found shape:{shape}, stride:{stride}.", "Please pass both shape and stride at the same time."
        )
    if shape and stride:
        size, strides = torchlike.Size(shape), tuple(stride)
    else:
        size, strides = _layout.global_geometry(local, mesh, placed)
    if mesh.get_coordinate() is None:
        local = local.new_empty(0, requires_grad=local.requires_grad)
    elif run_check:
        local = _checked(local, mesh, placed)
    spec = DTensorSpec(mesh, placed, TensorMeta(size, strides, local.dtype))
    if not (local.requires_grad and torchlike.is_grad_enabled()):
        return of_spec(local.detach(), spec)
    wanted = _layout.of_gradient(placed)
    after = wanted if grad_placements is None else tuple(grad_placements)
    return of_spec(_FromTorchTensor.apply(local, spec, wanted, after), spec)


def _checked(local: Tensor, mesh: DeviceMesh, placements: Sequence[Placement]) -> Tensor:
    """Broadcast a replicated tensor from the first process of each mesh dim."""
    for i, placement in enumerate(placements):
        if placement.is_replicate():
            group = mesh.get_group(i)
            with torchlike.no_grad():
                local.copy_(functional.broadcast(local.detach().contiguous(), group._ranks[0], group))
    return local


def check_partials(placements: Sequence[Placement]) -> None:
    """Raise ValueError if partial placements have different reductions."""
    ops = {placement.reduce_op for placement in placements if isinstance(placement, Partial)}
    if len(ops) > 1:
        raise ValueError(f"Mixing different Partial reduce types is not supported: {placements}")


def distribute_tensor(
    tensor: Tensor,
    device_mesh: DeviceMesh | None = None,
    placements: Sequence[Placement] | None = None,
    *,
    src_data_rank: int | None = 0,
) -> DTensor:
    """Distribute a leaf tensor, such as a parameter, over a mesh.

    Args:
      tensor: the global tensor.
      device_mesh: the mesh. By default, the mesh of the enclosing `with` statement.
      placements: the placement along each dim of the mesh. By default, all are `Replicate()`.
      src_data_rank: the index, along each dim of the mesh, of the process whose tensor is distributed. None: each
        process uses its own tensor, and nothing is sent.

    Raises:
      RuntimeError: the tensor is not a leaf.
      ValueError: there are more or fewer placements than dims of the mesh.

    >>> import torchlike as torch
    >>> from torchlike.distributed.tensor import Shard, distribute_tensor
    >>> store = torch.distributed.HashStore()
    >>> torch.distributed.init_process_group("gloo", rank=0, world_size=1, store=store)
    >>> mesh = torch.distributed.init_device_mesh("cpu", (1,))
    >>> x = distribute_tensor(torch.ones(4, 2), mesh, [Shard(0)])
    >>> x.placements, x.full_tensor().sum()
    ((Shard(dim=0),), tensor(8.))
    >>> torch.distributed.destroy_process_group()
    """
    mesh = device_mesh or current_mesh()
    if not tensor.is_leaf:
        raise RuntimeError("`distribute_tensor` should be used to distribute leaf tensors! but found non-leaf tensor!")
    wanted = [Replicate()] * mesh.ndim if placements is None else list(placements)
    if len(wanted) != mesh.ndim:
        raise ValueError(
            f"`placements` must have the same length as `device_mesh.ndim`! "
            f"Found placements length: {len(wanted)}, and device_mesh.ndim: {mesh.ndim}."
        )
    check_partials(wanted)
    if isinstance(tensor, DTensor):
        return _same(tensor, mesh, tuple(wanted))
    if tensor.device.type not in (mesh.device_type, "meta"):
        tensor = tensor.to(mesh.device_type)
    placed = _layout.normalized(wanted, tensor.ndim)
    meta = TensorMeta(tensor.shape, tensor.stride(), tensor.dtype)
    local = tensor.detach()
    place = mesh.get_coordinate()
    for i, placement in enumerate(placed if place is not None else ()):
        group = mesh.get_group(i)
        if src_data_rank is not None and not local.is_meta:
            local = functional.broadcast(local.contiguous(), group._ranks[src_data_rank], group)
        if isinstance(placement, Sharded):
            local = _layout.parts(local, placement, group.size())[group.rank()].clone()
        elif isinstance(placement, Partial):
            local = redistributed(local, tensor.shape, mesh, _one(mesh, i, Replicate()), _one(mesh, i, placement))
    return DTensor(local, DTensorSpec(mesh, placed, meta), requires_grad=tensor.requires_grad)


def _one(mesh: DeviceMesh, i: int, placement: Placement) -> list[Placement]:
    return [placement if j == i else Replicate() for j in range(mesh.ndim)]


def _same(tensor: DTensor, mesh: DeviceMesh, placements: tuple[Placement, ...]) -> DTensor:
    """Return a tensor that is already distributed in this way. Raise ValueError for any other."""
    if tensor.device_mesh != mesh:
        raise ValueError(
            f"Cannot distribute a DTensor with device mesh {tensor.device_mesh} to a different device mesh {mesh}."
        )
    if tensor.placements != placements:
        raise ValueError(
            f"Cannot distribute a DTensor with placements {tensor.placements} to a different placements {placements}. "
            "do you want to call `redistribute` instead?"
        )
    return tensor
