"""`input_reshard`: division of the tensors that a module saves for its backward pass."""

from __future__ import annotations

from typing import Any

from torchlike import Tensor
from torchlike.autograd.graph import saved_tensors_hooks
from torchlike.distributed.tensor import DeviceMesh, DTensor, Replicate, Shard
from torchlike.nn import Module


def input_reshard(module: Module, tp_device_mesh: DeviceMesh, input_reshard_dim: int | None = None) -> Module:
    """Divide the tensors that a module saves for backward over a mesh, on which all processes have the same tensors.

    Args:
      module (Module): the module. It gets hooks.
      tp_device_mesh (DeviceMesh): the mesh.
      input_reshard_dim (int, optional): the dim that is divided. Without it, nothing is divided.

    Returns:
      The module.
    """
    if input_reshard_dim is None:
        return module
    dim, open_hooks = input_reshard_dim, []

    def begin(_: Module, inputs: Any) -> None:
        hooks = saved_tensors_hooks(
            lambda x: _divided(tp_device_mesh, dim, x), lambda x: _whole(tp_device_mesh, dim, x)
        )
        hooks.__enter__()
        open_hooks.append(hooks)

    def end(_: Module, inputs: Any, output: Any) -> None:
        open_hooks.pop().__exit__()

    module.register_forward_pre_hook(begin)
    module.register_forward_hook(end)
    return module


def _divided(mesh: DeviceMesh, dim: int, x: Any) -> Any:
    """Return the part of a tensor that this process keeps."""
    if isinstance(x, DTensor):
        is_whole = all(placement.is_replicate() for placement in x.placements)
        return x.redistribute(device_mesh=mesh, placements=[Shard(dim)]) if is_whole else x
    if isinstance(x, Tensor) and x.numel() >= mesh.size():
        return DTensor.from_local(x, mesh).redistribute(device_mesh=mesh, placements=[Shard(dim)]).to_local()
    return x


def _whole(mesh: DeviceMesh, dim: int, x: Any) -> Any:
    """Return the tensor whose local part this process keeps."""
    if isinstance(x, DTensor):
        is_part = len(x.placements) == 1 and isinstance(x.placements[0], Shard)
        return x.redistribute(device_mesh=mesh, placements=[Replicate()]) if is_part else x
    if isinstance(x, Tensor) and x.numel() >= mesh.size():
        return (
            DTensor.from_local(x, mesh, [Shard(dim)])
            .redistribute(device_mesh=mesh, placements=[Replicate()])
            .to_local()
        )
    return x
