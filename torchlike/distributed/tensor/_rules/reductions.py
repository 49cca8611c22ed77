"""Reductions: a sharded dim gives a partial result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torchlike
from torchlike import Tensor
from torchlike._internal import Function
from torchlike.distributed import _functional_collectives as functional
from torchlike.distributed._group import ProcessGroup
from torchlike.distributed.tensor import _collectives as c
from torchlike.distributed.tensor._layout import Sharded
from torchlike.distributed.tensor._rules.table import REPLICATE, Call, Way, row, shifted, way
from torchlike.distributed.tensor.placement_types import Partial, Placement, Shard, _NormPartial


def dims_of(given: Any, ndim: int) -> tuple[int, ...]:
    """Return the reduced dims as nonnegative numbers. None and an empty list mean all."""
    if given is None or (isinstance(given, list | tuple) and not given):
        return tuple(range(ndim))
    return tuple(d % max(ndim, 1) for d in ([given] if isinstance(given, int) else given))


def kept(placement: Sharded, dims: Sequence[int], keepdim: bool) -> Placement:
    """Return the placement after a reduction of other dims."""
    return placement if keepdim else shifted(placement, placement.dim - sum(d < placement.dim for d in dims))


def _dims(call: Call, place: int = 1) -> tuple[tuple[int, ...], bool]:
    dims = call.given(place, "dim", call.kwargs.get("axis"))
    if isinstance(dims, torchlike.dtype):
        dims = None
    return dims_of(dims, len(call.shapes[0])), bool(call.given(place + 1, "keepdim", False))


def reduced_to(partial: Callable[[Call], Placement | None], place: int = 1, of_partial: bool = True) -> Callable:
    """Return the ways of a reduction. `partial(call)` is the placement of a result of a sharded dim, if it has one.

    `of_partial` says whether the reduction of partial terms gives partial terms of the result.
    """

    def ways(call: Call, now: Sequence[Placement], count: int) -> list[Way]:
        dims, keepdim = _dims(call, place)
        before, result = now[0], partial(call)
        if isinstance(before, Sharded):
            if before.dim not in dims:
                return [way(kept(before, dims, keepdim), before)]
            return [way(result, before)] if result is not None and _keeps(call, dims, result, of_partial) else []
        is_kept = of_partial and isinstance(before, Partial) and result is not None and _is_same(before, result)
        return [way(before, before)] if is_kept and _keeps(call, dims, before, of_partial) else []

    return ways


def _keeps(call: Call, dims: Sequence[int], result: Placement, of_partial: bool) -> bool:
    """Return whether the parts may be reduced first: no other partial results, and means of parts of equal lengths."""
    for placement, count in zip(call.placed[0], call.mesh.shape):
        if isinstance(placement, Partial) and not (of_partial and _is_same(placement, result)):
            return False
        length = call.shapes[0][placement.dim] if isinstance(placement, Sharded) and placement.dim in dims else 0
        if length % count and result == Partial("avg"):
            return False
    return True


def _is_same(before: Placement, result: Placement) -> bool:
    return type(before) is type(result) is Partial and before == result


def _mean(call: Call, args: tuple, kwargs: dict, steps: Sequence[Way]) -> Tensor:
    """Return the local mean. Its gradient is that of the global mean."""
    found = call.func(*args, **kwargs)
    for dim, each in enumerate(steps):
        if each.outputs[0] == Partial("avg") and isinstance(each.inputs[0], Sharded) and found.requires_grad:
            found = c.divided_gradient(found, call.mesh.size(dim))
    return found


class _Product(Function):
    """The product of the local elements. Its gradient is that of the global product."""

    @staticmethod
    def forward(ctx: Any, found: Tensor, groups: Sequence[ProcessGroup]) -> Tensor:
        ctx.groups = groups
        ctx.save_for_backward(found.detach())
        return found.view_as(found)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple:
        (whole,) = ctx.saved_tensors
        for group in ctx.groups:
            factors = c.gathered(whole.unsqueeze(0), Shard(0), group.size(), group)
            is_own = torchlike.arange(group.size(), device=grad.device) == group.rank()
            grad = grad * factors.masked_fill(is_own.view(-1, *[1] * whole.ndim), 1).prod(0)
            whole = factors.prod(0)
        return grad, None


def _product(call: Call, args: tuple, kwargs: dict, steps: Sequence[Way]) -> Tensor:
    found = call.func(*args, **kwargs)
    joins = [each.outputs[0].is_partial() and not each.inputs[0].is_partial() for each in steps]
    groups = [call.mesh.get_group(dim) for dim, is_joined in enumerate(joins) if is_joined]
    return _Product.apply(found, groups) if groups and found.requires_grad else found


class _Extreme(Function):
    """The largest or smallest elements. The gradient goes to the elements that are equal to the global extreme."""

    @staticmethod
    def forward(ctx: Any, local: Tensor, dims: tuple[int, ...], keepdim: bool, op: str, groups: list) -> Tensor:
        reduce = torchlike.amax if op == "max" else torchlike.amin
        found = reduce(local, dims, keepdim=True)
        ctx.given = dims, op, groups
        ctx.save_for_backward(local.detach(), found)
        return found if keepdim else found.reshape([n for i, n in enumerate(local.shape) if i not in dims])

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple:
        (local, found), (dims, op, groups) = ctx.saved_tensors, ctx.given
        for group in groups:
            found = functional.all_reduce(found, op, group)
        mask = (local == found).to(grad.dtype)
        total = mask.sum(dims, keepdim=True)
        for group in groups:
            total = functional.all_reduce(total, "sum", group)
        return grad.reshape(found.shape) * mask / total, None, None, None, None


def _extreme(op: str) -> Callable:
    def local(call: Call, args: tuple, kwargs: dict, steps: Sequence[Way]) -> Any:
        groups: list[ProcessGroup] = [
            call.mesh.get_group(dim) for dim, each in enumerate(steps) if isinstance(each.outputs[0], Partial)
        ]
        if not groups or not args[0].requires_grad or not torchlike.is_grad_enabled():
            return call.func(*args, **kwargs)
        is_norm = call.name in ("norm", "vector_norm")
        dims, keepdim = _dims(call, 2 if is_norm else 1)
        return _Extreme.apply(args[0].abs() if is_norm else args[0], dims, keepdim, op, groups)

    return local


def _norm(call: Call, args: tuple, kwargs: dict, steps: Sequence[Way]) -> Any:
    op = next((each.outputs[0].reduce_op for each in steps if isinstance(each.outputs[0], Partial)), "")
    if op in ("max", "min"):
        return _extreme(op)(call, args, kwargs, steps)
    return call.func(*args, **kwargs)


def _norm_partial(call: Call) -> Placement | None:
    order = call.given(1, "p" if call.name == "norm" else "ord", 2)
    order = 2 if order in (None, "fro") else order
    if not isinstance(order, int | float):
        return None
    if order in (float("inf"), float("-inf")):
        return Partial("max" if order > 0 else "min")
    return Partial("sum") if order == 0 else _NormPartial(order)


def _of_one(ways: Callable) -> Callable:
    """Return the ways of a function that is a reduction only without a dim, and else keeps the other dims."""
    without = kept_dims()

    def chosen(call: Call, now: Sequence[Placement], count: int) -> list[Way]:
        has_dim = call.given(1, "dim") is not None
        return without(call, now, count) if has_dim else ways(call, now, count)

    return chosen


def kept_dims(place: int = 1, default: int | None = None) -> Callable:
    """Return the ways of a function along one dim, which must be whole. The results have the other dims."""

    def ways(call: Call, now: Sequence[Placement], count: int) -> list[Way]:
        dim, before = call.dim(place, default=default), now[0]
        keepdim = bool(call.given(place + 1, "keepdim", False))
        if len(call.tensors) > 1 or not isinstance(before, Sharded) or dim is None or before.dim == dim:
            return []
        return [way(kept(before, (dim,), keepdim), before)]

    return ways


def same_shape(place: int = 1, default: int | None = None) -> Callable:
    """Return the ways of a function along one dim, which must be whole. The result has the same shape."""

    def ways(call: Call, now: Sequence[Placement], count: int) -> list[Way]:
        dim, before = call.dim(place, default=default), now[0]
        is_free = isinstance(before, Sharded) and dim is not None and before.dim != dim
        return [Way((before,), (before, *[REPLICATE] * (len(now) - 1)))] if is_free else []

    return ways


def other_dims(place: int = 1) -> Callable:
    """Return the ways of a function along one dim that may shard any other dim."""

    def ways(call: Call, now: Sequence[Placement], count: int) -> list[Way]:
        dim = call.dim(place, default=-1)
        return [way(Shard(d), Shard(d)) for d in range(len(call.shapes[0])) if d != dim]

    return ways


def _fixed(placement: Placement | None, of_partial: bool = True) -> Callable:
    return reduced_to(lambda call: placement, of_partial=of_partial)


row("sum", ways=_fixed(Partial("sum")), uneven=True)
row("nansum", "any", "count_nonzero", ways=_fixed(Partial("sum"), of_partial=False), uneven=True)
row("all", "prod", ways=_fixed(Partial("product")), local=_product, uneven=True)
row("mean", ways=_fixed(Partial("avg")), local=_mean, uneven=True)
row("amax", ways=_fixed(Partial("max")), local=_extreme("max"))
row("amin", ways=_fixed(Partial("min")), local=_extreme("min"))
row("max", ways=_of_one(_fixed(Partial("max"))), local=_extreme("max"))
row("min", ways=_of_one(_fixed(Partial("min"))), local=_extreme("min"))
row("argmax", "argmin", "var", "std", "var_mean", "std_mean", "logsumexp", ways=_fixed(None), uneven=True)
row("norm", "vector_norm", ways=reduced_to(_norm_partial, 2, of_partial=False), local=_norm, uneven=True)
row("median", "nanmedian", "mode", ways=kept_dims(), uneven=True)
row("kthvalue", ways=kept_dims(2, -1), uneven=True)
row("cumsum", "cumprod", "logcumsumexp", ways=same_shape(), uneven=True)
row("softmax", "log_softmax", "softmin", ways=same_shape(default=-1), uneven=True)
row("sort", "argsort", "cummax", "cummin", ways=other_dims(), uneven=True, always=True)
row("topk", ways=other_dims(2), uneven=True, always=True)
