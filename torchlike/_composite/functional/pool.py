"""Pooling as functions."""

from __future__ import annotations

from typing import Any

from torchlike import _errors
from torchlike._composite.random import random
from torchlike._ops.nn.windows import expand
from torchlike._ops.schema.out_rules import EXACT
from torchlike._tensor.argument_forms import settled
from torchlike._tensor.binding import CALLERS as rows
from torchlike._tensor.out import accepting_out
from torchlike._tensor.tensor import Tensor

Size = Any  # an int, or one for each dim
Pooled = Any  # Tensor, or (Tensor, indices)


def _max_pool(
    dims: int,
    input: Tensor,
    kernel_size: Size,
    stride: Size,
    padding: Size,
    dilation: Size,
    ceil_mode: bool,
    indices: bool,
) -> Pooled:
    row = rows[f"_max_pool_at{dims}d" if indices else f"_max_pool{dims}d"]
    stride = settled(stride)
    stride = kernel_size if stride is None or stride == () else stride
    return row(input, settled(kernel_size), settled(stride), settled(padding), settled(dilation), ceil_mode)


def max_pool1d(
    input: Tensor,
    kernel_size: Size,
    stride: Size = None,
    padding: Size = 0,
    dilation: Size = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Pooled:
    """Return the maximum of each window of (N, C, L) or (C, L), and its index if `return_indices` is True.

    The first of several equal maxima gets the gradient.

    >>> import torchlike as torch
    >>> torch.nn.functional.max_pool1d(torch.tensor([[1., 3., 2., 5.]]), 2).tolist()
    [[3.0, 5.0]]
    """
    return _max_pool(1, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


def max_pool2d(
    input: Tensor,
    kernel_size: Size,
    stride: Size = None,
    padding: Size = 0,
    dilation: Size = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Pooled:
    """Return the maximum of each window of (N, C, H, W) or (C, H, W); see `max_pool1d`."""
    return _max_pool(2, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


def max_pool3d(
    input: Tensor,
    kernel_size: Size,
    stride: Size = None,
    padding: Size = 0,
    dilation: Size = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Pooled:
    """Return the maximum of each window of (N, C, D, H, W) or (C, D, H, W); see `max_pool1d`."""
    return _max_pool(3, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


def max_pool1d_with_indices(
    input: Tensor,
    kernel_size: Size,
    stride: Size = None,
    padding: Size = 0,
    dilation: Size = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Pooled:
    """Return the results of `max_pool1d` and their indices."""
    return _max_pool(1, input, kernel_size, stride, padding, dilation, ceil_mode, True)


def max_pool2d_with_indices(
    input: Tensor,
    kernel_size: Size,
    stride: Size = None,
    padding: Size = 0,
    dilation: Size = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Pooled:
    """Return the results of `max_pool2d` and their indices."""
    return _max_pool(2, input, kernel_size, stride, padding, dilation, ceil_mode, True)


def max_pool3d_with_indices(
    input: Tensor,
    kernel_size: Size,
    stride: Size = None,
    padding: Size = 0,
    dilation: Size = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Pooled:
    """Return the results of `max_pool3d` and their indices."""
    return _max_pool(3, input, kernel_size, stride, padding, dilation, ceil_mode, True)


# -- mean --------------------------------------------------------------------------------------------------------------


def avg_pool1d(
    input: Tensor,
    kernel_size: Size,
    stride: Size = None,
    padding: Size = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Tensor:
    """Return the mean of each window of (N, C, L) or (C, L).

    The padding counts as zeros, unless `count_include_pad` is False.
    """
    return rows["_avg_pool1d"](
        input, settled(kernel_size), settled(stride), settled(padding), ceil_mode, count_include_pad
    )


@accepting_out(EXACT)
def avg_pool2d(
    input: Tensor,
    kernel_size: Size,
    stride: Size = None,
    padding: Size = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Tensor:
    """Return the mean of each window of (N, C, H, W) or (C, H, W).

    The padding counts as zeros, unless `count_include_pad` is False. If `divisor_override` is given, it divides the
    sums instead of the number of elements.
    """
    return rows["_avg_pool2d"](
        input, settled(kernel_size), settled(stride), settled(padding), ceil_mode, count_include_pad, divisor_override
    )


@accepting_out(EXACT)
def avg_pool3d(
    input: Tensor,
    kernel_size: Size,
    stride: Size = None,
    padding: Size = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Tensor:
    """Return the mean of each window of (N, C, D, H, W) or (C, D, H, W); see `avg_pool2d`."""
    return rows["_avg_pool3d"](
        input, settled(kernel_size), settled(stride), settled(padding), ceil_mode, count_include_pad, divisor_override
    )


def _lp_pool(dims: int, input: Tensor, norm_type: float, kernel_size: Size, stride: Size, ceil_mode: bool) -> Tensor:
    kernel = (kernel_size,) * dims if isinstance(kernel_size, int) else tuple(kernel_size)
    count = 1
    for k in kernel:
        count *= k
    mean = rows[f"_avg_pool{dims}d"](input**norm_type, kernel, settled(stride), 0, ceil_mode)
    return (mean.sign() * rows["relu"](mean.abs()) * count) ** (1.0 / norm_type)


def lp_pool1d(
    input: Tensor, norm_type: float, kernel_size: Size, stride: Size = None, ceil_mode: bool = False
) -> Tensor:
    """Return the p-norm, (sum of x**p)**(1/p), of each window of (N, C, L) or (C, L)."""
    return _lp_pool(1, input, norm_type, kernel_size, stride, ceil_mode)


def lp_pool2d(
    input: Tensor, norm_type: float, kernel_size: Size, stride: Size = None, ceil_mode: bool = False
) -> Tensor:
    """Return the p-norm, (sum of x**p)**(1/p), of each window of (N, C, H, W) or (C, H, W)."""
    return _lp_pool(2, input, norm_type, kernel_size, stride, ceil_mode)


def lp_pool3d(
    input: Tensor, norm_type: float, kernel_size: Size, stride: Size = None, ceil_mode: bool = False
) -> Tensor:
    """Return the p-norm, (sum of x**p)**(1/p), of each window of (N, C, D, H, W) or (C, D, H, W)."""
    return _lp_pool(3, input, norm_type, kernel_size, stride, ceil_mode)


# -- adaptive ----------------------------------------------------------------------------------------------------------


def _adaptive_size(input: Tensor, output_size: Size, dims: int) -> tuple:
    given = tuple(output_size) if isinstance(output_size, list | tuple) else (output_size,) * dims
    if dims > 1 and isinstance(output_size, list | tuple) and input.ndim <= len(given):
        raise ValueError(f"Input dimension should be at least {len(given) + 1}")
    if len(given) != dims or input.ndim < dims:
        return given
    return tuple(n if n is not None else input.shape[i - dims] for i, n in enumerate(given))


def adaptive_avg_pool1d(input: Tensor, output_size: Size) -> Tensor:
    """Return the means of `output_size` windows of (N, C, L) or (C, L)."""
    return rows["_adaptive_avg_pool1d"](input, _adaptive_size(input, output_size, 1))


def adaptive_avg_pool2d(input: Tensor, output_size: Size) -> Tensor:
    """Return the means of `output_size` windows of (N, C, H, W) or (C, H, W); None keeps the size of a dim."""
    return rows["_adaptive_avg_pool2d"](input, _adaptive_size(input, output_size, 2))


def adaptive_avg_pool3d(input: Tensor, output_size: Size) -> Tensor:
    """Return the means of `output_size` windows of (N, C, D, H, W) or (C, D, H, W); None keeps the size of a dim."""
    return rows["_adaptive_avg_pool3d"](input, _adaptive_size(input, output_size, 3))


def adaptive_max_pool1d(input: Tensor, output_size: Size, return_indices: bool = False) -> Pooled:
    """Return the maxima of `output_size` windows of (N, C, L) or (C, L).

    If `return_indices` is True, return their indices too.
    """
    return _adaptive_max(1, input, output_size, return_indices)


def adaptive_max_pool2d(input: Tensor, output_size: Size, return_indices: bool = False) -> Pooled:
    """Return the maxima of `output_size` windows of (N, C, H, W) or (C, H, W).

    If `return_indices` is True, return their indices too. A size of None keeps the size of a dim.
    """
    return _adaptive_max(2, input, output_size, return_indices)


def adaptive_max_pool3d(input: Tensor, output_size: Size, return_indices: bool = False) -> Pooled:
    """Return the maxima of `output_size` windows of (N, C, D, H, W) or (C, D, H, W).

    If `return_indices` is True, return their indices too. A size of None keeps the size of a dim.
    """
    return _adaptive_max(3, input, output_size, return_indices)


def _adaptive_max(dims: int, input: Tensor, output_size: Size, return_indices: bool) -> Pooled:
    found = rows[f"_adaptive_max_pool{dims}d"](input, _adaptive_size(input, output_size, dims))
    return found if return_indices else found[0]


# -- windows at random positions ---------------------------------------------------------------------------------------


def _fractional_max(
    dims: int, input: Tensor, kernel_size: Size, output_size: Size, output_ratio: Any, samples: Tensor | None
) -> Pooled:
    each = lambda v: expand(settled(v), dims)
    for n in kernel_size if isinstance(kernel_size, tuple | list) else (kernel_size,):
        if not hasattr(n, "__index__"):
            raise _errors.arguments.wrong_type(f"fractional_max_pool{dims}d", "kernel_size", 2, "tuple of ints", n)
    if output_size is None:
        if output_ratio is None:
            raise _errors.pooling.fractional_size_missing(f"fractional_max_pool{dims}d")
        if dims == 2:
            len(output_ratio)  # raise TypeError for a single number, as PyTorch does
        ratio = output_ratio if dims == 2 or isinstance(output_ratio, tuple | list) else (output_ratio,) * dims
        output_size = [int(input.size(d - len(ratio)) * r) for d, r in enumerate(ratio)]
    if samples is None:
        batch = 1 if input.dim() == dims + 1 else input.size(0)
        shape = (batch, input.size(-dims - 1), dims)
        samples = random.rand(*shape, dtype=input.dtype, device=input.device)
    return rows[f"_fractional_max_pool{dims}d"](input, samples, each(kernel_size), each(output_size))


def fractional_max_pool2d_with_indices(
    input: Tensor,
    kernel_size: Size,
    output_size: Size = None,
    output_ratio: Any = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> Pooled:
    """Return the results of `fractional_max_pool2d` and their indices."""
    return _fractional_max(2, input, kernel_size, output_size, output_ratio, _random_samples)


def fractional_max_pool2d(
    input: Tensor,
    kernel_size: Size,
    output_size: Size = None,
    output_ratio: Any = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> Pooled:
    """Return the maxima of `output_size` windows at random positions of (N, C, H, W) or (C, H, W) (Graham, 2014).

    Args:
      input: (N, C, H, W) or (C, H, W).
      kernel_size: the size of the windows.
      output_size: the number of windows along each dim.
      output_ratio: the output size as a fraction of the input size, if `output_size` is None.
      return_indices: if True, return the indices of the maxima too.
      _random_samples: (N, C, 2), the random numbers in [0, 1) that determine the positions of the windows.
    """
    found = _fractional_max(2, input, kernel_size, output_size, output_ratio, _random_samples)
    return found if return_indices else found[0]


def fractional_max_pool3d_with_indices(
    input: Tensor,
    kernel_size: Size,
    output_size: Size = None,
    output_ratio: Any = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> Pooled:
    """Return the results of `fractional_max_pool3d` and their indices."""
    return _fractional_max(3, input, kernel_size, output_size, output_ratio, _random_samples)


def fractional_max_pool3d(
    input: Tensor,
    kernel_size: Size,
    output_size: Size = None,
    output_ratio: Any = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> Pooled:
    """Return the maxima of `output_size` windows at random positions of (N, C, D, H, W) or (C, D, H, W).

    See `fractional_max_pool2d`. `_random_samples` has the shape (N, C, 3).
    """
    found = _fractional_max(3, input, kernel_size, output_size, output_ratio, _random_samples)
    return found if return_indices else found[0]


# -- the inverse -------------------------------------------------------------------------------------------------------


def _max_unpool(
    dims: int, input: Tensor, indices: Tensor, kernel_size: Size, stride: Size, padding: Size, output_size: Any
) -> Tensor:
    each = lambda v: expand(settled(v), dims)
    kernel, pad = each(kernel_size), each(padding)
    strides = kernel if stride is None else each(stride)
    default = [(n - 1) * s - 2 * p + k for n, s, p, k in zip(input.shape[-dims:], strides, pad, kernel)]
    if output_size is None:
        size = tuple(default)
    else:
        size = tuple(output_size)[-dims:]
        for d, (n, wanted, s) in enumerate(zip(size, default, strides)):
            if not wanted - s < n < wanted + s:
                raise ValueError(
                    f'invalid output_size "{list(size)}" (dim {d} must be between {(wanted - s)} and {(wanted + s)})'
                )
    if indices.dtype.name != "int64":
        raise _errors.pooling.unpool_indices(indices.dtype)
    if indices.shape != input.shape:
        raise _errors.pooling.unpool_shape(input.shape, indices.shape, dims == 1)
    return rows["_max_unpool"](input, indices, size)


def max_unpool1d(
    input: Tensor, indices: Tensor, kernel_size: Size, stride: Size = None, padding: Size = 0, output_size: Any = None
) -> Tensor:
    """Place the results of `max_pool1d` at their indices, with zeros elsewhere."""
    return _max_unpool(1, input, indices, kernel_size, stride, padding, output_size)


def max_unpool2d(
    input: Tensor, indices: Tensor, kernel_size: Size, stride: Size = None, padding: Size = 0, output_size: Any = None
) -> Tensor:
    """Place the results of `max_pool2d` at their indices, with zeros elsewhere."""
    return _max_unpool(2, input, indices, kernel_size, stride, padding, output_size)


def max_unpool3d(
    input: Tensor, indices: Tensor, kernel_size: Size, stride: Size = None, padding: Size = 0, output_size: Any = None
) -> Tensor:
    """Place the results of `max_pool3d` at their indices, with zeros elsewhere."""
    return _max_unpool(3, input, indices, kernel_size, stride, padding, output_size)
