"""Functional collectives: they return new tensors and do not change their arguments.

The results are complete when a function returns, so `wait_tensor` does nothing. `group` is a group, a group's name, a
list of ranks, a one-dimensional mesh, or a mesh and one of its dims. Functions whose names end in `_autograd` are
differentiable.
"""

from __future__ import annotations

from typing import Any

import torchlike
from torchlike import Tensor
from torchlike._internal import unsupported
from torchlike.distributed import _collectives as c
from torchlike.distributed._group import ProcessGroup
from torchlike.distributed._reducing import RedOpType
from torchlike.distributed._world import default, new_group, world
from torchlike.distributed.device_mesh import DeviceMesh
from torchlike.distributed.nn import functional as f


class AsyncCollectiveTensor(Tensor):
    """The class of tensors that PyTorch returns before they are complete. torchlike creates no instances."""


def _group(given: Any, tag: str) -> ProcessGroup:
    if tag:
        raise unsupported("torch.distributed._functional_collectives", "tag")
    if isinstance(given, ProcessGroup):
        return given
    if isinstance(given, DeviceMesh):
        return given.get_group()
    if isinstance(given, tuple) and len(given) == 2 and isinstance(given[0], DeviceMesh):
        return given[0].get_group(given[1])
    if isinstance(given, str) and given in world.groups:
        return world.groups[given]
    if not isinstance(given, list):
        raise ValueError(f"Unsupported group type: {type(given)}, {given}")
    same = (group for group in world.groups.values() if group._ranks == given)
    return next(same, None) or (default() if not given else new_group(given, use_local_synchronization=True))


def _way(name: str) -> RedOpType:
    if name.upper() not in RedOpType.__members__:
        raise RuntimeError(f"Unrecognized reduce_op: {name}")
    return RedOpType[name.upper()]


def wait_tensor(tensor: Tensor) -> Tensor:
    """Return the tensor, which is already complete."""
    return tensor


def all_reduce(self: Tensor, reduceOp: str, group: Any, tag: str = "") -> Tensor:
    """Return the reduction of the members' tensors. `reduceOp` is the name of the reduction operator."""
    made = self.detach().clone()
    c.all_reduce(made, _way(reduceOp), _group(group, tag), async_op=True)
    return made


def all_reduce_coalesced(self: list[Tensor], reduceOp: str, group: Any, tag: str = "") -> list[Tensor]:
    """Apply `all_reduce` to each of several tensors."""
    return [all_reduce(x, reduceOp, group, tag) for x in self]


def broadcast(self: Tensor, src: int, group: Any, tag: str = "") -> Tensor:
    """Return the tensor of the process `src`."""
    made = self.detach().clone()
    c.broadcast(made, src, _group(group, tag), async_op=True)
    return made


def all_gather_tensor(self: Tensor, gather_dim: int, group: Any, tag: str = "") -> Tensor:
    """Return the tensors of all members, concatenated along a dim."""
    return all_gather_tensor_autograd(self.detach(), gather_dim, group, tag)


def all_gather_tensor_autograd(self: Tensor, gather_dim: int, group: Any, tag: str = "") -> Tensor:
    """Return the result of `all_gather_tensor`, with gradients."""
    return torchlike.cat(f.all_gather(self, _group(group, tag)), gather_dim)


def reduce_scatter_tensor(self: Tensor, reduceOp: str, scatter_dim: int, group: Any, tag: str = "") -> Tensor:
    """Reduce the members' tensors, and return this process's part of the result along a dim.

    `reduceOp` is the name of the reduction operator.
    """
    parts = [part.detach() for part in _parts(self, scatter_dim, _group(group, tag))]
    made = torchlike.empty_like(parts[0])
    c.reduce_scatter(made, parts, _way(reduceOp), _group(group, tag), async_op=True)
    return made


def reduce_scatter_tensor_autograd(self: Tensor, reduceOp: str, scatter_dim: int, group: Any, tag: str = "") -> Tensor:
    """Return the result of `reduce_scatter_tensor`, with gradients. Only sums are supported."""
    parts = _parts(self, scatter_dim, _group(group, tag))
    return f.reduce_scatter(torchlike.empty_like(parts[0]), parts, _way(reduceOp), _group(group, tag))


def _parts(tensor: Tensor, dim: int, group: ProcessGroup) -> list[Tensor]:
    if tensor.size(dim) % group.size():
        raise AssertionError(
            f"input dimension {dim} ({tensor.size(dim)} must be a multiple of group_size {group.size()})"
        )
    return [part.contiguous() for part in tensor.chunk(group.size(), dim)]


def all_to_all_single(
    self: Tensor, output_split_sizes: list[int] | None, input_split_sizes: list[int] | None, group: Any, tag: str = ""
) -> Tensor:
    """Split the tensor along its first dim, send one part to each member, and concatenate the received parts."""
    return all_to_all_single_autograd(self.detach(), output_split_sizes, input_split_sizes, group, tag)


def all_to_all_single_autograd(
    self: Tensor, output_split_sizes: list[int] | None, input_split_sizes: list[int] | None, group: Any, tag: str = ""
) -> Tensor:
    """Return the result of `all_to_all_single`, with gradients."""
    rows = self.size(0) if output_split_sizes is None else sum(output_split_sizes)
    made = self.detach().new_empty((rows, *self.shape[1:]))
    return f.all_to_all_single(made, self, output_split_sizes, input_split_sizes, _group(group, tag))
