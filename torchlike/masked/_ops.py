"""Each function puts what changes nothing in place of the elements that the mask leaves out."""

from __future__ import annotations

from typing import Any

import torchlike as torch
from torchlike import _errors
from torchlike._tensor import Tensor

Dims = int | tuple[int, ...] | None


def _taken(input: Tensor, mask: Tensor | None, instead: Any, dtype: Any = None) -> Tensor:
    """The input in the dtype asked for, with `instead` where the mask is False."""
    input = input if dtype is None else input.to(dtype)
    if mask is None:
        return input
    return torch.where(mask, input, torch.tensor(instead, dtype=input.dtype, device=input.device))


def _dims(input: Tensor, dim: Any) -> tuple[int, ...]:
    """The dims to reduce; none and `()` are all of them."""
    if dim is None or (not isinstance(dim, int) and not len(dim)):
        return tuple(range(input.ndim))
    return (dim % max(input.ndim, 1),) if isinstance(dim, int) else tuple(d % max(input.ndim, 1) for d in dim)


def _summed(dtype: Any) -> Any:
    return dtype if dtype.is_floating_point or dtype.is_complex else torch.int64


def _least(dtype: Any) -> Any:
    return (
        -torch.inf
        if dtype.is_floating_point or dtype.is_complex
        else torch.iinfo(dtype).min
        if dtype is not torch.bool
        else False
    )


def _most(dtype: Any) -> Any:
    return torch.inf if dtype.is_floating_point else torch.iinfo(dtype).max if dtype is not torch.bool else True


# -- reductions --------------------------------------------------------------------------------------------------------


def sum(input: Tensor, dim: Dims = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None) -> Tensor:
    """The sum; 0 of no elements."""
    dtype = dtype or _summed(input.dtype)
    return torch.sum(_taken(input, mask, 0, dtype), _dims(input, dim), keepdim, dtype=dtype)


def prod(input: Tensor, dim: Dims = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None) -> Tensor:
    """The product; 1 of no elements."""
    result = _taken(input, mask, 1, dtype or _summed(input.dtype))
    for d in sorted(_dims(input, dim), reverse=True):
        result = torch.prod(result, d, keepdim)
    return result


def amax(input: Tensor, dim: Dims = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None) -> Tensor:
    """The largest element; the least number of the dtype of no elements."""
    return torch.amax(_taken(input, mask, _least(dtype or input.dtype), dtype), _dims(input, dim), keepdim)


def amin(input: Tensor, dim: Dims = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None) -> Tensor:
    """The smallest element; the largest number of the dtype of no elements."""
    return torch.amin(_taken(input, mask, _most(dtype or input.dtype), dtype), _dims(input, dim), keepdim)


def argmax(input: Tensor, dim: int | None = None, *, keepdim: bool = False, dtype: Any = None,
           mask: Any = None) -> Tensor:  # fmt: skip
    """The place of the largest element, in the dtype of the input as PyTorch has it."""
    return torch.argmax(_taken(input, mask, _least(dtype or input.dtype), dtype), dim, keepdim).to(dtype or input.dtype)


def argmin(input: Tensor, dim: int | None = None, *, keepdim: bool = False, dtype: Any = None,
           mask: Any = None) -> Tensor:  # fmt: skip
    """The place of the smallest element, in the dtype of the input as PyTorch has it."""
    return torch.argmin(_taken(input, mask, _most(dtype or input.dtype), dtype), dim, keepdim).to(dtype or input.dtype)


def _count(input: Tensor, dims: tuple[int, ...], keepdim: bool, mask: Any) -> Tensor:
    ones = torch.ones(tuple(input.shape), dtype=torch.int64, device=input.device)
    return sum(ones, dims, keepdim=keepdim, mask=mask)


def mean(input: Tensor, dim: Dims = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None) -> Tensor:
    """The mean; NaN of no elements."""
    which, dims, dtype = "Input" if dtype is None else "Optional", _dims(input, dim), dtype or input.dtype
    if not (dtype.is_floating_point or dtype.is_complex):
        raise _errors.arithmetic.masked_mean_of_integers(dtype, which)
    total = sum(input, dims, keepdim=keepdim, dtype=dtype, mask=mask)
    return total / _count(input, dims, keepdim, mask)


def median(input: Tensor, dim: int = -1, *, keepdim: bool = False, dtype: Any = None, mask: Any = None) -> Tensor:
    """The median, of an even number of elements the lower one; NaN of none."""
    dtype = dtype or input.dtype
    if not dtype.is_floating_point:
        if mask is not None and not bool(mask.all()):
            raise ValueError("masked median expects no fully masked out rows if dtype is not floating point")
        return torch.median(input.to(dtype), dim, keepdim).values
    return torch.nanmedian(_taken(input, mask, torch.nan, dtype), dim, keepdim).values


def norm(input: Tensor, ord: float | None = 2.0, dim: Dims = None, *, keepdim: bool = False, dtype: Any = None,
         mask: Any = None) -> Tensor:  # fmt: skip
    """The vector norm; 0 of no elements, inf in the least norms."""
    order = 2.0 if ord is None else float(ord)
    taken = _taken(input, mask, torch.inf if order < 0 else 0, dtype)
    return torch.linalg.vector_norm(taken, order, _dims(input, dim), keepdim)


def logsumexp(input: Tensor, dim: Dims = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None) -> Tensor:
    """log(sum(exp(x))); -inf of no elements."""
    dtype = dtype or input.dtype
    return torch.logsumexp(_taken(input, mask, _least(dtype), dtype), _dims(input, dim), keepdim).to(dtype)


def _spread(input: Tensor, dim: Any, unbiased: bool | None, correction: Any, keepdim: bool, dtype: Any,
            mask: Any) -> Tensor:  # fmt: skip
    dims = _dims(input, dim)
    correction = (1 if unbiased is None or unbiased else 0) if correction is None else correction
    dtype = dtype or (input.dtype if input.dtype.is_floating_point or input.dtype.is_complex else torch.float32)
    x = input.to(dtype)
    count = _count(input, dims, True, mask)
    distance = x - sum(x, dims, keepdim=True, mask=mask) / count
    total = sum(distance * distance.conj(), dims, keepdim=True, mask=mask)
    result = total / torch.clamp(count - correction, min=0).to(dtype)
    return result if keepdim else result.squeeze(dims)


def var(input: Tensor, dim: Dims = None, unbiased: bool | None = None, *, correction: Any = None, keepdim: bool = False,
        dtype: Any = None, mask: Any = None) -> Tensor:  # fmt: skip
    """The variance."""
    return _spread(input, dim, unbiased, correction, keepdim, dtype, mask)


def std(input: Tensor, dim: Dims = None, unbiased: bool | None = None, *, correction: Any = None, keepdim: bool = False,
        dtype: Any = None, mask: Any = None) -> Tensor:  # fmt: skip
    """The standard deviation."""
    return torch.sqrt(_spread(input, dim, unbiased, correction, keepdim, dtype, mask))


# -- along a dim -------------------------------------------------------------------------------------------------------


def cumsum(input: Tensor, dim: int, *, dtype: Any = None, mask: Any = None) -> Tensor:
    """The running sum."""
    return torch.cumsum(_taken(input, mask, 0, dtype), dim, dtype=dtype or input.dtype)


def cumprod(input: Tensor, dim: int, *, dtype: Any = None, mask: Any = None) -> Tensor:
    """The running product."""
    return torch.cumprod(_taken(input, mask, 1, dtype), dim, dtype=dtype or input.dtype)


def softmax(input: Tensor, dim: int, *, dtype: Any = None, mask: Any = None) -> Tensor:
    """The softmax; NaN of no elements."""
    return torch.nn.functional.softmax(_taken(input, mask, -torch.inf, dtype), dim)


def log_softmax(input: Tensor, dim: int, *, dtype: Any = None, mask: Any = None) -> Tensor:
    """The logarithm of the softmax."""
    return torch.nn.functional.log_softmax(_taken(input, mask, -torch.inf, dtype), dim)


def softmin(input: Tensor, dim: int, *, dtype: Any = None, mask: Any = None) -> Tensor:
    """The softmax of the negatives."""
    return torch.nn.functional.softmin(_taken(input, mask, torch.inf, dtype), dim)


def normalize(
    input: Tensor, ord: float, dim: int, *, eps: float = 1e-12, dtype: Any = None, mask: Any = None
) -> Tensor:
    """Divided by the norm along the dim, which counts as `eps` where it is smaller."""
    size = norm(input, ord, dim, keepdim=True, dtype=dtype, mask=mask)
    return _taken(input, mask, 0, dtype) / torch.clamp(size, min=eps)


def logaddexp(input: Tensor, other: Tensor, *, dtype: Any = None, input_mask: Any = None,
              other_mask: Any = None) -> Tensor:  # fmt: skip
    """log(exp(input) + exp(other)), where what is left out of either counts as -inf."""
    dtype = dtype or input.dtype
    return torch.logaddexp(_taken(input, input_mask, -torch.inf, dtype), _taken(other, other_mask, -torch.inf, dtype))
