"""One parameter of a group: its shard, its geometry, and the modules that hold it."""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np

import torchlike
from torchlike import Tensor
from torchlike._internal import adopt, wrap
from torchlike.distributed.device_mesh import DeviceMesh
from torchlike.distributed.fsdp._fully_shard._fsdp_common import MeshInfo
from torchlike.distributed.tensor import DTensor, Placement, Replicate, Shard
from torchlike.distributed.tensor.placement_types import _StridedShard
from torchlike.nn import Module, Parameter

Holder = tuple[Module, str]


class FSDPParam:
    """A parameter that is sharded along one dim.

    The modules hold the shard, a `DTensor`, or the full parameter. The shard is the tensor that the modules hold while
    the group is sharded, so that it may be replaced (`to_empty`, `load_state_dict(assign=True)`).

    A tensor-parallel parameter is a `DTensor` already. Its local tensor is sharded further, and its full form is the
    original `DTensor`.
    """

    def __init__(self, param: Parameter, holders: list[Holder], info: MeshInfo, placement: Shard) -> None:
        self.holders, self.info, self.dim = holders, info, placement.dim
        self.original = weakref.ref(param)  # equal for two calls of `fully_shard` only if they took the same tensor
        self.tensor_parallel = param._spec if isinstance(param, DTensor) else None
        whole = _local(param)
        self.shape = tuple(whole.shape)
        self.rows = -(-self.shape[self.dim] // info.shard_size)  # the length of the first shards along the dim
        begin = min(self.rows * info.shard_rank, self.shape[self.dim])
        self.length = min(self.rows, self.shape[self.dim] - begin)
        self.padded_shape = (*self.shape[: self.dim], self.rows, *self.shape[self.dim + 1 :])
        self._set_placements(param)
        self.sharded = self._parameter(whole.narrow(self.dim, begin, self.length).clone(), param)
        self.accumulated: Tensor | None = None  # the gradient of the full parameter that is not reduced yet
        self.partial: Tensor | None = None  # the flat reduced gradient that is not summed over the replicas yet
        self.register(self.sharded)

    def _set_placements(self, param: Tensor) -> None:
        """Set the mesh, the placements and the global geometry of the shard."""
        info, inner = self.info, self.tensor_parallel
        copies: tuple[Placement, ...] = (Replicate(),) * (info.mesh.ndim - 1)
        self.global_shape, self.global_stride = tuple(param.shape), tuple(param.stride())
        if inner is None:
            own = Replicate() if info.is_replicated else Shard(self.dim)
            self.mesh, self.placements = info.mesh, (*copies, own)
            return
        parts = [size for size, each in zip(inner.mesh.shape, inner.placements) if each.is_shard(self.dim)]
        factor = int(np.prod(parts))
        shard = _StridedShard(self.dim, split_factor=factor) if factor > 1 else Shard(self.dim)
        self.mesh, self.placements = outer_mesh(info.mesh, inner.mesh), (*copies, shard, *inner.placements)

    def _parameter(self, local: Tensor, param: Tensor) -> Parameter:
        made = Parameter(self.distributed(local), param.requires_grad)
        made.__dict__.update({k: v for k, v in vars(param).items() if k not in ("_spec", "_is_param")})
        return made

    def distributed(self, local: Tensor) -> DTensor:
        """Return a local shard as a `DTensor`."""
        shape, stride = self.global_shape, self.global_stride
        return DTensor.from_local(local, self.mesh, self.placements, run_check=False, shape=shape, stride=stride)

    # -- registration --------------------------------------------------------------------------------------------------

    def registered(self) -> Any:
        """Return the tensor that the modules hold."""
        module, name = self.holders[0]
        return module._parameters[name]

    def take_registered(self) -> None:
        """Use the tensor that the modules hold as the shard.

        Raises:
          RuntimeError: it is not distributed as the parameter was.
        """
        found = self.registered()
        layout = (found.device_mesh, tuple(found.placements)) if isinstance(found, DTensor) else ()
        if layout != (self.mesh, tuple(self.placements)) or tuple(found.shape) != self.global_shape:
            name = self.holders[0][1]
            has = (
                f"a DTensor of shape {tuple(found.shape)} with the placements {found.placements}"
                if layout
                else "a Tensor"
            )
            raise RuntimeError(
                f"The sharded parameter {name!r} was replaced by {has}, so fully_shard cannot gather it. It must be a "
                f"DTensor of shape {self.global_shape} with the placements {self.placements}. load_state_dict with "
                "assign=True needs such DTensors, which distribute_tensor makes."
            )
        self.sharded = found

    def register(self, tensor: Tensor) -> None:
        """Make the modules hold a tensor. `Module.__setattr__` would refuse a tensor that is not a leaf."""
        for module, name in self.holders:
            module._parameters[name] = tensor  # type: ignore[assignment]

    @property
    def dtype(self) -> torchlike.dtype:
        """The dtype of the shard, which `Module.to` may change."""
        return self.sharded.dtype

    # -- geometry ------------------------------------------------------------------------------------------------------

    def flat_shard(self, dtype: torchlike.dtype | None) -> Tensor:
        """Return the padded shard in one dim, in the dtype in which it is gathered."""
        return self._padded(_local(self.sharded).to(dtype or self.dtype), self.rows).reshape(-1)

    def assembled(self, rows: Tensor) -> Tensor:
        """Return the full local parameter from the flat shards of all members, of shape (members, n)."""
        count = self.info.shard_size
        parts = rows.reshape(count, *self.padded_shape).movedim(0, self.dim)
        whole = (*self.shape[: self.dim], count * self.rows, *self.shape[self.dim + 1 :])
        return wrap(parts.reshape(whole).narrow(self.dim, 0, self.shape[self.dim]).contiguous()._value)

    def split(self, grad: Tensor) -> Tensor:
        """Return the flat padded parts of a gradient for all members, in a tensor of shape (members, n)."""
        count = self.info.shard_size
        parts = self._padded(grad, count * self.rows).unflatten(self.dim, (count, self.rows))
        return parts.movedim(self.dim, 0).reshape(count, -1)

    def unpadded(self, flat: Tensor) -> Tensor:
        """Return the local gradient from its flat padded form."""
        return flat.reshape(self.padded_shape).narrow(self.dim, 0, self.length).to(_local(self.sharded).dtype)

    def _padded(self, tensor: Tensor, length: int) -> Tensor:
        missing = length - tensor.shape[self.dim]
        if not missing:
            return tensor
        shape = list(tensor.shape)
        shape[self.dim] = missing
        return torchlike.cat([tensor, tensor.new_zeros(shape)], self.dim)

    def shown(self, full: Tensor) -> Tensor:
        """Return the full local parameter in the form that the modules use."""
        inner = self.tensor_parallel
        if inner is None:
            return adopt(Parameter, full)
        return DTensor.from_local(full, inner.mesh, inner.placements, shape=inner.shape, stride=inner.stride)


def _local(param: Any) -> Tensor:
    return param._local_tensor if isinstance(param, DTensor) else param.detach()


def outer_mesh(outer: DeviceMesh, inner: DeviceMesh) -> DeviceMesh:
    """Return the mesh whose dims are those of both meshes. The groups are those of the two meshes."""
    if outer.mesh_dim_names is None or inner.mesh_dim_names is None:
        raise ValueError("fully_shard of tensor-parallel parameters needs meshes with mesh_dim_names")
    offsets = np.array(inner.mesh.tolist()) - inner.get_rank()
    ranks = np.add.outer(np.array(outer.mesh.tolist()), offsets)
    names = (*outer.mesh_dim_names, *inner.mesh_dim_names)
    groups = outer.get_all_groups() + inner.get_all_groups()
    return DeviceMesh.from_group(groups, outer.device_type, ranks.tolist(), mesh_dim_names=names)
