"""Pooling by means and p-norms as functions."""

from __future__ import annotations

import math

from torchlike import _errors
from torchlike._composite.functional.pool import Size
from torchlike._ops.schema.out_rules import EXACT
from torchlike._tensor.argument_forms import settled
from torchlike._tensor.binding import CALLERS as rows
from torchlike._tensor.out import accepting_out
from torchlike._tensor.tensor import Tensor


def avg_pool1d(
    input: Tensor,
    kernel_size: Size,
    stride: Size = None,
    padding: Size = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Tensor:
    """Return the mean of each window of (N, C, L) or (C, L).

    Args:
      input: (N, C, L) or (C, L).
      kernel_size: the size of the windows, one number or one number per dim.
      stride: the distance of the windows, `kernel_size` by default.
      padding: the number of zeros around each side, at most half of `kernel_size`.
      ceil_mode: round the number of windows up instead of down.
      count_include_pad: whether the padding counts as elements of the mean.

    Returns:
      (N, C, windows) or (C, windows), with floor((L + 2 padding - kernel_size) / stride) + 1 windows.

    Raises:
      RuntimeError: `padding` is more than half of `kernel_size`, or a window is larger than the padded input.

    >>> import torchlike as torch
    >>> torch.nn.functional.avg_pool1d(torch.tensor([[1., 3., 2., 6.]]), 2).tolist()
    [[2.0, 4.0]]
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

    Args:
      input: (N, C, H, W) or (C, H, W).
      kernel_size: the size of the windows, one number or one number per dim.
      stride: the distance of the windows, `kernel_size` by default.
      padding: the number of zeros around each side, at most half of `kernel_size`.
      ceil_mode: round the number of windows up instead of down.
      count_include_pad: whether the padding counts as elements of the mean.
      divisor_override: divides the sums instead of the number of elements; not 0.
      out: the tensor to write the result to.

    Returns:
      (N, C, h, w) or (C, h, w), with floor((H + 2 padding - kernel_size) / stride) + 1 windows in a dim.

    Raises:
      RuntimeError: `padding` is more than half of `kernel_size`, or a window is larger than the padded input.

    >>> import torchlike as torch
    >>> torch.nn.functional.avg_pool2d(torch.arange(4.0).reshape(1, 2, 2), 2).tolist()
    [[[1.5]]]
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
    """Return the mean of each window of (N, C, D, H, W) or (C, D, H, W).

    Args:
      input: (N, C, D, H, W) or (C, D, H, W).
      kernel_size: the size of the windows, one number or one number per dim.
      stride: the distance of the windows, `kernel_size` by default.
      padding: the number of zeros around each side, at most half of `kernel_size`.
      ceil_mode: round the number of windows up instead of down.
      count_include_pad: whether the padding counts as elements of the mean.
      divisor_override: divides the sums instead of the number of elements; not 0.
      out: the tensor to write the result to.

    Returns:
      (N, C, d, h, w) or (C, d, h, w), as for `avg_pool2d`.

    Raises:
      RuntimeError: `padding` is more than half of `kernel_size`, or a window is larger than the padded input.

    >>> import torchlike as torch
    >>> torch.nn.functional.avg_pool3d(torch.ones(1, 4, 4, 4), 2).shape
    torch.Size([1, 2, 2, 2])
    """
    return rows["_avg_pool3d"](
        input, settled(kernel_size), settled(stride), settled(padding), ceil_mode, count_include_pad, divisor_override
    )


def _lp_pool(dims: int, input: Tensor, norm_type: float, kernel_size: Size, stride: Size, ceil_mode: bool) -> Tensor:
    sizes = settled(kernel_size)
    kernel = sizes if isinstance(sizes, tuple) else (sizes,) * dims
    if dims > 1 and len(kernel) != dims:
        few = f"not enough values to unpack (expected {dims}, got {len(kernel)})"
        raise ValueError(few if len(kernel) < dims else f"too many values to unpack (expected {dims})")
    if math.isinf(norm_type):
        sign = math.copysign(1, norm_type)
        return rows[f"_max_pool{dims}d"](input.abs() * sign, kernel, settled(stride), 0, 1, ceil_mode) * sign
    count = 1
    for k in kernel:
        count *= k
    mean = rows[f"_avg_pool{dims}d"](input**norm_type, kernel, settled(stride), 0, ceil_mode)
    if dims == 1 and sizes is kernel:
        raise _errors.arguments.wrong_type("mul", "other", 1, "Tensor", kernel_size)
    return (mean.sign() * rows["relu"](mean.abs()) * count) ** (1.0 / norm_type)


def lp_pool1d(
    input: Tensor, norm_type: float, kernel_size: Size, stride: Size = None, ceil_mode: bool = False
) -> Tensor:
    """Return the p-norm, (sum of x**p)**(1/p), of each window of (N, C, L) or (C, L).

    Args:
      input: (N, C, L) or (C, L).
      norm_type: the exponent p.
      kernel_size: the size of the windows, one number or one number per dim.
      stride: the distance of the windows, `kernel_size` by default.
      ceil_mode: round the number of windows up instead of down.

    >>> import torchlike as torch
    >>> torch.nn.functional.lp_pool1d(torch.tensor([[3., 4.]]), 2, 2)
    tensor([[5.]])
    """
    return _lp_pool(1, input, norm_type, kernel_size, stride, ceil_mode)


def lp_pool2d(
    input: Tensor, norm_type: float, kernel_size: Size, stride: Size = None, ceil_mode: bool = False
) -> Tensor:
    """Return the p-norm, (sum of x**p)**(1/p), of each window of (N, C, H, W) or (C, H, W).

    Args:
      input: (N, C, H, W) or (C, H, W).
      norm_type: the exponent p.
      kernel_size: the size of the windows, one number or one number per dim.
      stride: the distance of the windows, `kernel_size` by default.
      ceil_mode: round the number of windows up instead of down.

    >>> import torchlike as torch
    >>> torch.nn.functional.lp_pool2d(torch.ones(1, 2, 2), 2, 2)
    tensor([[[2.]]])
    """
    return _lp_pool(2, input, norm_type, kernel_size, stride, ceil_mode)


def lp_pool3d(
    input: Tensor, norm_type: float, kernel_size: Size, stride: Size = None, ceil_mode: bool = False
) -> Tensor:
    """Return the p-norm, (sum of x**p)**(1/p), of each window of (N, C, D, H, W) or (C, D, H, W).

    Args:
      input: (N, C, D, H, W) or (C, D, H, W).
      norm_type: the exponent p.
      kernel_size: the size of the windows, one number or one number per dim.
      stride: the distance of the windows, `kernel_size` by default.
      ceil_mode: round the number of windows up instead of down.

    >>> import torchlike as torch
    >>> torch.nn.functional.lp_pool3d(torch.ones(1, 4, 4, 4), 2, 2).shape
    torch.Size([1, 2, 2, 2])
    """
    return _lp_pool(3, input, norm_type, kernel_size, stride, ceil_mode)
