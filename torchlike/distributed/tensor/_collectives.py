"""Differentiable changes of the placement along one dim of a mesh, on local tensors.

The gradient of a sharded tensor is sharded in the same way. The gradient of a replicated or partial tensor is
replicated. The exceptions are `copied` and `gathered_for_parts`: their results are replicated, and their gradients are
partial.
"""

from __future__ import annotations

from typing import Any

import torchlike
from torchlike import Tensor
from torchlike._internal import Function
from torchlike.distributed import _functional_collectives as functional
from torchlike.distributed._group import ProcessGroup
from torchlike.distributed.tensor._layout import Sharded, joined, part_lengths, parts


def _padded(tensor: Tensor, dim: int, length: int) -> Tensor:
    missing = length - tensor.shape[dim]
    if not missing:
        return tensor
    shape = [missing if i == dim else n for i, n in enumerate(tensor.shape)]
    return torchlike.cat([tensor, tensor.new_zeros(shape)], dim)


def gather(local: Tensor, placement: Sharded, length: int, group: ProcessGroup) -> Tensor:
    """Return the whole tensor. Parts are padded to the same length only inside the collective."""
    count, dim = group.size(), placement.dim
    sizes = part_lengths(placement, length, count)
    longest = max(sizes)
    whole = functional.all_gather_tensor(_padded(local, dim, longest).contiguous(), dim, group)
    if sizes == [longest] * count and whole.shape[dim] == length and type(placement).__name__ == "Shard":
        return whole
    pieces = [part.narrow(dim, 0, size) for part, size in zip(whole.split(max(longest, 1), dim), sizes)]
    return joined(pieces, placement, length) if longest else whole


def scatter_sum(local: Tensor, placement: Sharded, group: ProcessGroup, op: str = "sum") -> Tensor:
    """Reduce the tensors of all processes, and return this process's part of the result."""
    count, dim = group.size(), placement.dim
    divided = parts(local, placement, count)
    longest = divided[0].shape[dim]
    own = divided[group.rank()].shape[dim]
    stacked = torchlike.cat([_padded(part, dim, longest) for part in divided], dim).contiguous()
    return functional.reduce_scatter_tensor(stacked, op, dim, group).narrow(dim, 0, own)


def exchange(local: Tensor, before: Sharded, after: Sharded, length: int, group: ProcessGroup) -> Tensor:
    """Change the dim along which a tensor is sharded. `length` is the length of the dim that becomes whole."""
    count, rank = group.size(), group.rank()
    sizes = part_lengths(before, length, count)
    divided = parts(local, after, count)
    longest, own = max(part.shape[after.dim] for part in divided), divided[rank].shape[after.dim]
    sent = [_padded(_padded(part, before.dim, max(sizes)), after.dim, longest) for part in divided]
    received = functional.all_to_all_single(torchlike.stack(sent), None, None, group).unbind(0)
    pieces = [part.narrow(before.dim, 0, n).narrow(after.dim, 0, own) for part, n in zip(received, sizes)]
    return joined(pieces, before, length).contiguous()


class _Gathered(Function):
    @staticmethod
    def forward(ctx: Any, local: Tensor, placement: Sharded, length: int, group: ProcessGroup) -> Tensor:
        ctx.given = placement, length, group
        return gather(local, placement, length, group)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple:
        return own_part(grad, ctx.given[0], ctx.given[2]), None, None, None


class _GatheredForParts(_Gathered):
    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple:
        placement, _, group = ctx.given
        return scattered(grad, placement, group), None, None, None


class _OwnPart(Function):
    @staticmethod
    def forward(ctx: Any, whole: Tensor, placement: Sharded, group: ProcessGroup) -> Tensor:
        ctx.given = placement, whole.shape[placement.dim], group
        return parts(whole, placement, group.size())[group.rank()].clone()

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple:
        return gathered(grad, *ctx.given), None, None


class _Reduced(Function):
    @staticmethod
    def forward(ctx: Any, local: Tensor, op: str, group: ProcessGroup) -> Tensor:
        return functional.all_reduce(local.contiguous(), op, group)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple:
        return grad, None, None


class _Scattered(Function):
    @staticmethod
    def forward(ctx: Any, local: Tensor, placement: Sharded, group: ProcessGroup, op: str) -> Tensor:
        ctx.given = placement, local.shape[placement.dim], group
        return scatter_sum(local, placement, group, op)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple:
        return gathered(grad, *ctx.given), None, None, None


class _Exchanged(Function):
    @staticmethod
    def forward(ctx: Any, local: Tensor, before: Sharded, after: Sharded, length: int, group: ProcessGroup) -> Tensor:
        ctx.given = after, before, local.shape[after.dim], group
        return exchange(local, before, after, length, group)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple:
        return exchanged(grad, *ctx.given), None, None, None, None


class _Copied(Function):
    @staticmethod
    def forward(ctx: Any, local: Tensor, op: str, group: ProcessGroup) -> Tensor:
        ctx.given = op, group
        return local.view_as(local)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple:
        return reduced(grad, *ctx.given), None, None


class _Divided(Function):
    """The forward is the identity, and the backward divides by the number of processes."""

    @staticmethod
    def forward(ctx: Any, local: Tensor, count: int) -> Tensor:
        ctx.count = count
        return local.view_as(local)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple:
        return grad / ctx.count, None


class _Quotient(Function):
    """The forward divides by the number of processes, and the backward is the identity."""

    @staticmethod
    def forward(ctx: Any, local: Tensor, count: int) -> Tensor:
        return local / count

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple:
        return grad, None


def gathered(local: Tensor, placement: Sharded, length: int, group: ProcessGroup) -> Tensor:
    """Shard to Replicate. The gradient of the result is replicated."""
    return _Gathered.apply(local, placement, length, group)


def gathered_for_parts(local: Tensor, placement: Sharded, length: int, group: ProcessGroup) -> Tensor:
    """Shard to Replicate. The gradient of the result is partial."""
    return _GatheredForParts.apply(local, placement, length, group)


def own_part(whole: Tensor, placement: Sharded, group: ProcessGroup) -> Tensor:
    """Replicate to Shard."""
    return _OwnPart.apply(whole, placement, group)


def reduced(local: Tensor, op: str, group: ProcessGroup) -> Tensor:
    """Partial to Replicate."""
    return _Reduced.apply(local, op, group)


def scattered(local: Tensor, placement: Sharded, group: ProcessGroup, op: str = "sum") -> Tensor:
    """Partial to Shard."""
    return _Scattered.apply(local, placement, group, op)


def exchanged(local: Tensor, before: Sharded, after: Sharded, length: int, group: ProcessGroup) -> Tensor:
    """Shard to Shard along another dim."""
    return _Exchanged.apply(local, before, after, length, group)


def copied(local: Tensor, op: str, group: ProcessGroup) -> Tensor:
    """Return a replicated tensor whose gradient is partial, to be reduced with `op`."""
    return _Copied.apply(local, op, group)


def divided_gradient(local: Tensor, count: int) -> Tensor:
    """Return a partial mean whose gradient is that of the mean, for a function that computes the local mean."""
    return _Divided.apply(local, count)


def with_whole_gradient(local: Tensor, count: int) -> Tensor:
    """Replicate to Partial: return the quotient. On each process, its gradient is that of the sum."""
    return _Quotient.apply(local, count)
