"""Differentiable collectives. All members must call them, and run backward, in the same order.

Each function returns the values that the function of the same name in `torch.distributed` would write. The backward
pass sends the gradient of a received tensor back to the process that sent the tensor, and sums the gradients of several
receivers.
"""

from __future__ import annotations

from typing import Any

from torchlike import Tensor
from torchlike._internal import Function, _errors
from torchlike.distributed import _collectives as c
from torchlike.distributed import _errors as errors
from torchlike.distributed._reducing import RedOpType, ReduceOp
from torchlike.distributed._world import member


def _copy(tensor: Tensor) -> Tensor:
    return tensor.detach().clone()


def _empty(tensor: Tensor, count: int) -> list[Tensor]:
    return [tensor.detach().new_empty(tensor.shape) for _ in range(count)]


def _sum_only(name: str, op: Any) -> None:
    """Raise an error if `op` is not SUM.

    PyTorch accepts other reductions, but computes their gradients as if they were sums.
    """
    if op != RedOpType.SUM:
        raise _errors.arguments.unsupported(f"torch.distributed.nn.functional.{name}", "op")


class _AllReduce(Function):
    @staticmethod
    def forward(ctx: Any, group: Any, tensor: Tensor) -> Tensor:
        ctx.group, made = group, _copy(tensor)
        c.all_reduce(made, group=group, async_op=True)
        return made

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple:
        return None, _AllReduce.apply(ctx.group, grad)


class _Broadcast(Function):
    @staticmethod
    def forward(ctx: Any, source: int, group: Any, tensor: Tensor) -> Tensor:
        ctx.source, ctx.group, made = source, group, _copy(tensor)
        c.broadcast(made, source, group, async_op=True)
        return made

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple:
        found = _Reduce.apply(ctx.source, ctx.group, grad)
        is_source = member(ctx.group)._ranks[member(ctx.group).rank()] == ctx.source
        return None, None, found if is_source else found * 0


class _Reduce(Function):
    @staticmethod
    def forward(ctx: Any, target: int, group: Any, tensor: Tensor) -> Tensor:
        ctx.target, ctx.group, made = target, group, _copy(tensor)
        c.reduce(made, target, group=group, async_op=True)
        return made

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple:
        return None, None, _Broadcast.apply(ctx.target, ctx.group, grad)


class _AllGather(Function):
    @staticmethod
    def forward(ctx: Any, group: Any, tensor: Tensor) -> tuple:
        ctx.group, made = group, _empty(tensor, member(group).size())
        c.all_gather(made, tensor.detach(), group, async_op=True)
        return tuple(made)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple:
        return None, _Reduce_Scatter.apply(ctx.group, *grads)


class _Reduce_Scatter(Function):
    @staticmethod
    def forward(ctx: Any, group: Any, *tensors: Tensor) -> Tensor:
        ctx.group, made = group, _empty(tensors[0], 1)[0]
        c.reduce_scatter(made, [x.detach() for x in tensors], group=group, async_op=True)
        return made

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple:
        return None, *_AllGather.apply(ctx.group, grad)


class _Gather(Function):
    @staticmethod
    def forward(ctx: Any, target: int, group: Any, tensor: Tensor) -> tuple:
        ctx.target, ctx.group, ctx.shape = target, group, tensor.shape
        made = [x.zero_() for x in _empty(tensor, member(group).size())]
        is_target = member(group)._ranks[member(group).rank()] == target
        c.gather(tensor.detach(), made if is_target else None, target, group, async_op=True)
        return tuple(made)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple:
        return None, None, _Scatter.apply(ctx.target, ctx.group, *grads)


class _Scatter(Function):
    @staticmethod
    def forward(ctx: Any, source: int, group: Any, *tensors: Tensor) -> Tensor:
        ctx.source, ctx.group, made = source, group, _empty(tensors[0], 1)[0]
        is_source = member(group)._ranks[member(group).rank()] == source
        c.scatter(made, [x.detach() for x in tensors] if is_source else None, source, group, async_op=True)
        return made

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple:
        return None, None, *_Gather.apply(ctx.source, ctx.group, grad)


class _AlltoAll(Function):
    @staticmethod
    def forward(ctx: Any, group: Any, outputs: list[Tensor], *tensors: Tensor) -> tuple:
        ctx.group, ctx.shapes = group, [x.shape for x in tensors]
        made = [x.detach() for x in outputs]
        c.all_to_all(made, [x.detach() for x in tensors], group, async_op=True)
        return tuple(made)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple:
        back = [grads[0].new_empty(shape) for shape in ctx.shapes]
        return None, None, *_AlltoAll.apply(ctx.group, back, *grads)


def all_reduce(tensor: Tensor, op: Any = ReduceOp.SUM, group: Any = None) -> Tensor:
    """Return the sum of the tensors of all members."""
    _sum_only("all_reduce", op)
    return _AllReduce.apply(group, tensor)


def broadcast(tensor: Tensor, src: int, group: Any = None) -> Tensor:
    """Return the tensor of the process `src`."""
    return _Broadcast.apply(src, group, tensor)


def reduce(tensor: Tensor, dst: int, op: Any = ReduceOp.SUM, group: Any = None) -> Tensor:
    """Return the sum of all tensors in the process `dst`, and a copy of `tensor` in the other processes."""
    _sum_only("reduce", op)
    return _Reduce.apply(dst, group, tensor)


def all_gather(tensor: Tensor, group: Any = None) -> tuple[Tensor, ...]:
    """Return the tensors of all members, in the order of their ranks."""
    return _AllGather.apply(group, tensor)


def reduce_scatter(output: Tensor, input_list: list[Tensor], op: Any = ReduceOp.SUM, group: Any = None) -> Tensor:
    """Return the sum of the tensors at this process's index in the `input_list` of all members.

    `output` must have the shape of the result. It is not written.
    """
    _sum_only("reduce_scatter", op)
    if output.shape != input_list[member(group).rank()].shape:
        raise errors.parts(output.shape, member(group).size())
    return _Reduce_Scatter.apply(group, *input_list)


def gather(tensor: Tensor, dst: int = 0, group: Any = None) -> tuple[Tensor, ...]:
    """Return the tensors of all members in the process `dst`, and zeros in the other processes."""
    return _Gather.apply(dst, group, tensor)


def scatter(tensors: list[Tensor], src: int = 0, group: Any = None) -> Tensor:
    """Return the tensor at this process's index in the list `tensors` of the process `src`."""
    return _Scatter.apply(src, group, *tensors)


def all_to_all(
    output_tensor_list: list[Tensor], input_tensor_list: list[Tensor], group: Any = None
) -> tuple[Tensor, ...]:
    """Return the tensors that the other members send to this process. `output_tensor_list` gives their shapes."""
    return _AlltoAll.apply(group, output_tensor_list, *input_tensor_list)


def all_to_all_single(
    output: Tensor,
    input: Tensor,
    output_split_sizes: list[int] | None = None,
    input_split_sizes: list[int] | None = None,
    group: Any = None,
) -> Tensor:
    """Split `input` along the first dim, exchange the parts with `all_to_all`, and concatenate the received parts.

    `output` determines the shapes of the received parts. It is not written.
    """
    size = member(group).size()
    sent = c.parts(input, input_split_sizes, size)
    received = c.parts(output.detach(), output_split_sizes, size)
    from torchlike import cat

    return cat(all_to_all(received, sent, group))
