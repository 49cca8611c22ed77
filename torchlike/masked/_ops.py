"""Masked operations.

Each function replaces the elements that the mask does not select by the identity of its operation.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torchlike as torch
from torchlike import _errors
from torchlike._tensor.tensor import Tensor
from torchlike.masked.maskedtensor.core import is_masked_tensor

Dims = int | tuple[int, ...] | None


def _fitting(input: Tensor, mask: Tensor) -> Tensor:
    """Return the mask as a bool tensor with the shape of the input."""
    if tuple(mask.shape) != tuple(input.shape):
        if mask.ndim > input.ndim:
            raise IndexError(
                "_input_mask expected broadcastable mask (got mask dimensionality higher than of the input)"
            )
        mask = mask.broadcast_to(tuple(input.shape))
    return mask.to(torch.bool)


def _taken(input: Tensor, mask: Tensor | None, identity: Callable[[Any], Any]) -> Tensor:
    """Replace the elements at which the mask is False by `identity(input.dtype)`.

    A masked tensor has its own mask, and `mask` is ignored, as in PyTorch.
    """
    if is_masked_tensor(input):
        input, mask = input.get_data(), input.get_mask()
    if mask is None:
        return input
    mask = _fitting(input, mask)
    return torch.where(mask, input, torch.tensor(identity(input.dtype), dtype=input.dtype, device=input.device))


def _dims(dim: Any, ndim: int) -> tuple[int, ...]:
    """Return the sorted non-negative dims to reduce. None and `()` mean all dims."""
    if dim is None or dim == ():
        return tuple(range(ndim))
    ndim, dims = max(ndim, 1), []
    for d in (dim,) if isinstance(dim, int) else dim:
        if d in dims:
            raise RuntimeError(f"dim={d} appears multiple times in the list of dims")
        if not -ndim <= d < ndim:
            raise _errors.shapes.dim_out_of_range(d, ndim)
        dims.append(d % ndim)
    return tuple(sorted(dims))


def _zero(dtype: Any) -> int:
    return 0


def _one(dtype: Any) -> int:
    return 1


def _extreme(function: str, of_floats: float, end: str) -> Callable[[Any], Any]:
    """Return a function that maps a dtype to the identity of `function`.

    The identity is `of_floats` for floating-point dtypes. For integer dtypes, it is the limit `end` ("min" or "max").
    The returned function raises NotImplementedError for other dtypes.
    """

    def identity(dtype: Any) -> Any:
        if dtype.is_floating_point or (dtype.is_complex and function == "logsumexp"):
            return of_floats
        if dtype.is_signed or dtype is torch.uint8:
            return getattr(torch.iinfo(dtype), end)
        raise NotImplementedError(f"identity of {function} on {dtype} input")

    return identity


def _of_norm(order: Any) -> Callable[[Any], Any]:
    def identity(dtype: Any) -> Any:
        if order != -torch.inf:
            return 0
        if not dtype.is_floating_point:
            raise AssertionError(f"input must be floating point, got {dtype}")
        return torch.inf

    return identity


_LEAST, _MOST = _extreme("amax", -torch.inf, "min"), _extreme("amin", torch.inf, "max")


def _summed(dtype: Any) -> Any:
    return torch.int64 if dtype in (torch.uint8, torch.bool, torch.int8, torch.int16, torch.int32) else dtype


# -- reductions --------------------------------------------------------------------------------------------------------


def sum(
    input: Tensor, dim: Dims = None, *, keepdim: bool | None = False, dtype: Any = None, mask: Any = None
) -> Tensor:
    """Return the sum of the selected elements. The sum of no elements is 0.

    Args:
        input: the input tensor.
        dim: the dim or dims to reduce. Default: all dims.
        keepdim: whether the result keeps the reduced dims with size 1.
        dtype: the dtype of the result.
        mask: a bool tensor that is broadcastable to `input`. True selects an element. Default: all elements.
    """
    dims = _dims(dim, input.ndim)
    return torch.sum(_taken(input, mask, _zero), dims, bool(keepdim), dtype=dtype or _summed(input.dtype))


def prod(
    input: Tensor, dim: Dims = None, *, keepdim: bool | None = False, dtype: Any = None, mask: Any = None
) -> Tensor:
    """Return the product of the selected elements. The product of no elements is 1.

    Args:
        input: the input tensor.
        dim: the dim or dims to reduce. Default: all dims.
        keepdim: whether the result keeps the reduced dims with size 1.
        dtype: the dtype of the result.
        mask: a bool tensor that is broadcastable to `input`. True selects an element. Default: all elements.
    """
    dims = _dims(dim, input.ndim)
    result = _taken(input, mask, _one).to(dtype or _summed(input.dtype))
    for d in reversed(dims):
        result = torch.prod(result, d, bool(keepdim))
    return result


def amax(
    input: Tensor, dim: Dims = None, *, keepdim: bool | None = False, dtype: Any = None, mask: Any = None
) -> Tensor:
    """Return the maximum of the selected elements. For no elements, it is the smallest value of the dtype or -inf.

    Args:
        input: the input tensor.
        dim: the dim or dims to reduce. Default: all dims.
        keepdim: whether the result keeps the reduced dims with size 1.
        dtype: the dtype of the result.
        mask: a bool tensor that is broadcastable to `input`. True selects an element. Default: all elements.
    """
    taken = _taken(input, mask, _LEAST)
    return torch.amax(taken, _dims(dim, input.ndim), bool(keepdim)).to(dtype or input.dtype)


def amin(
    input: Tensor, dim: Dims = None, *, keepdim: bool | None = False, dtype: Any = None, mask: Any = None
) -> Tensor:
    """Return the minimum of the selected elements. For no elements, it is the largest value of the dtype or inf.

    Args:
        input: the input tensor.
        dim: the dim or dims to reduce. Default: all dims.
        keepdim: whether the result keeps the reduced dims with size 1.
        dtype: the dtype of the result.
        mask: a bool tensor that is broadcastable to `input`. True selects an element. Default: all elements.
    """
    taken = _taken(input, mask, _MOST)
    return torch.amin(taken, _dims(dim, input.ndim), bool(keepdim)).to(dtype or input.dtype)


def argmax(
    input: Tensor, dim: int | None = None, *, keepdim: bool | None = False, dtype: Any = None, mask: Any = None
) -> Tensor:
    """Return the index of the maximum of the selected elements.

    As in PyTorch, the default dtype of the result is the dtype of the input.

    Args:
        input: the input tensor.
        dim: the dim to reduce. Default: the flattened input.
        keepdim: whether the result keeps the reduced dims with size 1.
        dtype: the dtype of the result.
        mask: a bool tensor that is broadcastable to `input`. True selects an element. Default: all elements.
    """
    taken = _taken(input, mask, _extreme("argmax", -torch.inf, "min"))
    return torch.argmax(taken, dim, bool(keepdim)).to(dtype or input.dtype)


def argmin(
    input: Tensor, dim: int | None = None, *, keepdim: bool | None = False, dtype: Any = None, mask: Any = None
) -> Tensor:
    """Return the index of the minimum of the selected elements.

    As in PyTorch, the default dtype of the result is the dtype of the input.

    Args:
        input: the input tensor.
        dim: the dim to reduce. Default: the flattened input.
        keepdim: whether the result keeps the reduced dims with size 1.
        dtype: the dtype of the result.
        mask: a bool tensor that is broadcastable to `input`. True selects an element. Default: all elements.
    """
    taken = _taken(input, mask, _extreme("argmin", torch.inf, "max"))
    return torch.argmin(taken, dim, bool(keepdim)).to(dtype or input.dtype)


def _count(input: Tensor, dim: Dims, keepdim: Any, mask: Any) -> tuple[Tensor, Any]:
    """Return the number of selected elements along `dim`, and the mask in the shape of the input."""
    if mask is None:
        ones = torch.ones(tuple(input.shape), dtype=torch.int64, device=input.device)
        return sum(ones, dim, keepdim=keepdim), None
    mask = _fitting(input, mask)
    return mask.sum(dim=dim, keepdim=bool(keepdim)), mask


def mean(
    input: Tensor, dim: Dims = None, *, keepdim: bool | None = False, dtype: Any = None, mask: Any = None
) -> Tensor:
    """Return the mean of the selected elements. The mean of no elements is NaN.

    Args:
        input: the input tensor.
        dim: the dim or dims to reduce. Default: all dims.
        keepdim: whether the result keeps the reduced dims with size 1.
        dtype: the dtype of the result.
        mask: a bool tensor that is broadcastable to `input`. True selects an element. Default: all elements.
    """
    which, dtype = "Input" if dtype is None else "Optional", dtype or input.dtype
    if not (dtype.is_floating_point or dtype.is_complex):
        raise ValueError(
            f"mean(): Could not infer output dtype. {which} dtype must be either a floating point or "
            f"complex dtype. Got: {dtype!r}"
        )
    count, mask = _count(input, dim, keepdim, mask)
    return sum(input, dim, keepdim=keepdim, dtype=dtype, mask=mask) / count


def median(input: Tensor, dim: int = -1, *, keepdim: bool = False, dtype: Any = None, mask: Any = None) -> Tensor:
    """Return the median of the selected elements along a dim.

    For an even number of elements, it is the lower of the two middle values. The median of no elements is NaN.

    Args:
        input: the input tensor.
        dim: the dim to reduce.
        keepdim: whether the result keeps the reduced dims with size 1.
        dtype: the dtype of the result if `input` is not floating-point.
        mask: a bool tensor that is broadcastable to `input`. True selects an element. Default: all elements.

    Raises:
        ValueError: The dtype is not floating-point, and a row is fully masked out.
    """
    dtype, place = dtype or input.dtype, _dims(dim, input.ndim)[0]
    if input.dtype.is_floating_point:
        return torch.nanmedian(_taken(input, mask, lambda dtype: torch.nan), place, keepdim).values
    taken = _taken(input.to(torch.float32), mask, lambda dtype: torch.nan)
    result = torch.nanmedian(taken, place, keepdim).values
    if bool(torch.isnan(result).any()):
        raise ValueError("masked median expects no fully masked out rows if dtype is not floating point")
    return result.to(dtype)


def norm(
    input: Tensor,
    ord: float | None = 2.0,
    dim: Dims = None,
    *,
    keepdim: bool | None = False,
    dtype: Any = None,
    mask: Any = None,
) -> Tensor:
    """Return the vector norm of the selected elements.

    The norm of no elements is 0, except for `ord=-inf`, where it is inf.

    Args:
        input: the input tensor.
        ord: the order of the norm.
        dim: the dim or dims to reduce. Default: all dims.
        keepdim: whether the result keeps the reduced dims with size 1.
        dtype: the dtype of the result.
        mask: a bool tensor that is broadcastable to `input`. True selects an element. Default: all elements.
    """
    taken: Any = _taken(input, mask, _of_norm(ord))
    order: Any = ord
    dims = _dims(dim, input.ndim)
    return torch.linalg.vector_norm(taken, order, dims, bool(keepdim), dtype=dtype or input.dtype)


def logsumexp(input: Tensor, dim: Dims = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None) -> Tensor:
    """Return log(sum(exp(x))) over the selected elements. For no elements, the result is -inf.

    Args:
        input: the input tensor.
        dim: the dim or dims to reduce. Default: all dims.
        keepdim: whether the result keeps the reduced dims with size 1.
        dtype: the dtype of the result.
        mask: a bool tensor that is broadcastable to `input`. True selects an element. Default: all elements.
    """
    dims = _dims(dim, input.ndim)
    taken = _taken(input, mask, _extreme("logsumexp", -torch.inf, "min"))
    return torch.logsumexp(taken, dims, keepdim=keepdim).to(dtype or input.dtype)


def _spread(
    input: Tensor, dim: Any, unbiased: bool | None, correction: Any, keepdim: bool | None, dtype: Any, mask: Any
) -> Tensor:
    if unbiased is not None and correction is not None:
        raise AssertionError("Only one of unbiased and correction may be given")
    less = float((1 if unbiased is None or unbiased else 0) if correction is None else correction)
    inexact = lambda dtype: dtype if dtype.is_floating_point or dtype.is_complex else torch.float32
    dtype = inexact(input.dtype) if dtype is None else dtype
    count, mask = _count(input, dim, True, mask)
    x = torch.sub(input, sum(input, dim, keepdim=True, dtype=dtype, mask=mask) / count)
    total = sum(x * x.conj(), dim, keepdim=keepdim, dtype=inexact(dtype), mask=mask)
    if not keepdim:
        count = count.reshape(tuple(total.shape))
    if less:
        count = torch.clamp(count.to(inexact(dtype).to_real()) - less, min=0)
    return (total / count).to(dtype)


def var(
    input: Tensor,
    dim: Dims = None,
    unbiased: bool | None = None,
    *,
    correction: Any = None,
    keepdim: bool | None = False,
    dtype: Any = None,
    mask: Any = None,
) -> Tensor:
    """Return the variance of the selected elements.

    Args:
        input: the input tensor.
        dim: the dim or dims to reduce. Default: all dims.
        unbiased: whether to use Bessel's correction. It cannot be combined with `correction`.
        correction: the number to subtract from the number of elements in the denominator. Default: 1.
        keepdim: whether the result keeps the reduced dims with size 1.
        dtype: the dtype of the result.
        mask: a bool tensor that is broadcastable to `input`. True selects an element. Default: all elements.
    """
    return _spread(input, dim, unbiased, correction, keepdim, dtype, mask)


def std(
    input: Tensor,
    dim: Dims = None,
    unbiased: bool | None = None,
    *,
    correction: Any = None,
    keepdim: bool | None = False,
    dtype: Any = None,
    mask: Any = None,
) -> Tensor:
    """Return the standard deviation of the selected elements.

    Args:
        input: the input tensor.
        dim: the dim or dims to reduce. Default: all dims.
        unbiased: whether to use Bessel's correction. It cannot be combined with `correction`.
        correction: the number to subtract from the number of elements in the denominator. Default: 1.
        keepdim: whether the result keeps the reduced dims with size 1.
        dtype: the dtype of the result.
        mask: a bool tensor that is broadcastable to `input`. True selects an element. Default: all elements.
    """
    return torch.sqrt(_spread(input, dim, unbiased, correction, keepdim, dtype, mask))


# -- along a dim -------------------------------------------------------------------------------------------------------


def cumsum(input: Tensor, dim: int, *, dtype: Any = None, mask: Any = None) -> Tensor:
    """Return the cumulative sum along a dim. Elements that the mask does not select count as 0.

    Args:
        input: the input tensor.
        dim: the dim along which to compute.
        dtype: the dtype of the result.
        mask: a bool tensor that is broadcastable to `input`. True selects an element. Default: all elements.
    """
    place = _dims(dim, input.ndim)[0]
    return torch.cumsum(_taken(input, mask, _zero), place, dtype=dtype or input.dtype)


def cumprod(input: Tensor, dim: int, *, dtype: Any = None, mask: Any = None) -> Tensor:
    """Return the cumulative product along a dim. Elements that the mask does not select count as 1.

    Args:
        input: the input tensor.
        dim: the dim along which to compute.
        dtype: the dtype of the result.
        mask: a bool tensor that is broadcastable to `input`. True selects an element. Default: all elements.
    """
    place = _dims(dim, input.ndim)[0]
    return torch.cumprod(_taken(input, mask, _one), place, dtype=dtype or input.dtype)


def softmax(input: Tensor, dim: int, *, dtype: Any = None, mask: Any = None) -> Tensor:
    """Return the softmax of the selected elements along a dim. The softmax of no elements is NaN.

    Args:
        input: the input tensor.
        dim: the dim along which to compute.
        dtype: the dtype of the result.
        mask: a bool tensor that is broadcastable to `input`. True selects an element. Default: all elements.
    """
    place = _dims(dim, input.ndim)[0]
    return torch.nn.functional.softmax(_taken(input, mask, _LEAST), place, dtype=dtype or input.dtype)


def log_softmax(input: Tensor, dim: int, *, dtype: Any = None, mask: Any = None) -> Tensor:
    """Return the logarithm of the softmax of the selected elements along a dim.

    Args:
        input: the input tensor.
        dim: the dim along which to compute.
        dtype: the dtype of the result.
        mask: a bool tensor that is broadcastable to `input`. True selects an element. Default: all elements.
    """
    place = _dims(dim, input.ndim)[0]
    return torch.nn.functional.log_softmax(_taken(input, mask, _LEAST), place, dtype=dtype or input.dtype)


def softmin(input: Tensor, dim: int, *, dtype: Any = None, mask: Any = None) -> Tensor:
    """Return the softmin (the softmax of the negated input) of the selected elements along a dim.

    Args:
        input: the input tensor.
        dim: the dim along which to compute.
        dtype: the dtype of the result.
        mask: a bool tensor that is broadcastable to `input`. True selects an element. Default: all elements.
    """
    place = _dims(dim, input.ndim)[0]
    return torch.nn.functional.softmin(_taken(input, mask, _MOST), place, dtype=dtype or input.dtype)


def normalize(
    input: Tensor, ord: float, dim: int, *, eps: float = 1e-12, dtype: Any = None, mask: Any = None
) -> Tensor:
    """Divide the input by the maximum of `eps` and the norm of the selected elements along a dim.

    Elements that the mask does not select become 0.

    Args:
        input: the input tensor.
        ord: the order of the norm.
        dim: the dim along which to compute.
        eps: the lower bound of the divisor.
        dtype: the dtype of the result.
        mask: a bool tensor that is broadcastable to `input`. True selects an element. Default: all elements.
    """
    taken = _taken(input, mask, _zero)
    size = norm(input, ord, dim, keepdim=True, dtype=dtype, mask=mask)
    return taken / torch.maximum(size, size.new_full((), eps))


def logaddexp(
    input: Tensor, other: Tensor, *, dtype: Any = None, input_mask: Any = None, other_mask: Any = None
) -> Tensor:
    """Return log(exp(input) + exp(other)). Elements that the masks do not select count as -inf.

    Args:
        input: the input tensor.
        other: the second input tensor.
        dtype: the dtype of the result.
        input_mask: the mask of `input`. Default: all elements.
        other_mask: the mask of `other`. Default: all elements.
    """
    identity = _extreme("logaddexp", -torch.inf, "min")
    both = _taken(input, input_mask, identity), _taken(other, other_mask, identity)
    return torch.logaddexp(*both).to(dtype or input.dtype)
