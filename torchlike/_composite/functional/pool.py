"""Pooling as functions."""

from __future__ import annotations

from typing import Any

from torchlike import _errors
from torchlike._tensor.argument_forms import settled
from torchlike._tensor.binding import CALLERS as rows
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
    """Return the maximum of each window of (N, C, L) or (C, L).

    The first of several equal maxima gets the gradient.

    Args:
      input: (N, C, L) or (C, L).
      kernel_size: the size of the windows, one number or one number per dim.
      stride: the distance of the windows, `kernel_size` by default.
      padding: the number of -inf around each side, at most half of `kernel_size`.
      dilation: the distance of the elements of a window.
      ceil_mode: round the number of windows up instead of down.
      return_indices: return the pair of the maxima and their positions in the input.

    Returns:
      (N, C, n) or (C, n), with n = floor((L + 2 padding - dilation (kernel_size - 1) - 1) / stride) + 1.

    Raises:
      RuntimeError: `padding` is more than half of `kernel_size`, or a window is larger than the padded input.

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
    """Return the maximum of each window of (N, C, H, W) or (C, H, W).

    The first of several equal maxima gets the gradient.

    Args:
      input: (N, C, H, W) or (C, H, W).
      kernel_size: the size of the windows, one number or one number per dim.
      stride: the distance of the windows, `kernel_size` by default.
      padding: the number of -inf around each side, at most half of `kernel_size`.
      dilation: the distance of the elements of a window.
      ceil_mode: round the number of windows up instead of down.
      return_indices: return the pair of the maxima and their positions in the flattened image.

    Returns:
      (N, C, h, w) or (C, h, w), with floor((H + 2 padding - dilation (kernel_size - 1) - 1) / stride) + 1 windows in a
      dim.

    Raises:
      RuntimeError: `padding` is more than half of `kernel_size`, or a window is larger than the padded input.

    >>> import torchlike as torch
    >>> torch.nn.functional.max_pool2d(torch.arange(4.0).reshape(1, 2, 2), 2).tolist()
    [[[3.0]]]
    """
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
    """Return the maximum of each window of (N, C, D, H, W) or (C, D, H, W).

    Args:
      input: (N, C, D, H, W) or (C, D, H, W).
      kernel_size: the size of the windows, one number or one number per dim.
      stride: the distance of the windows, `kernel_size` by default.
      padding: the number of -inf around each side, at most half of `kernel_size`.
      dilation: the distance of the elements of a window.
      ceil_mode: round the number of windows up instead of down.
      return_indices: return the pair of the maxima and their positions in the flattened volume.

    Returns:
      (N, C, d, h, w) or (C, d, h, w), as for `max_pool2d`.

    Raises:
      RuntimeError: `padding` is more than half of `kernel_size`, or a window is larger than the padded input.

    >>> import torchlike as torch
    >>> torch.nn.functional.max_pool3d(torch.ones(1, 4, 4, 4), 2).shape
    torch.Size([1, 2, 2, 2])
    """
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
    """Return the results of `max_pool1d` and their indices.

    Args:
      input: (N, C, L) or (C, L).
      kernel_size: the size of the windows, one number or one number per dim.
      stride: the distance of the windows, `kernel_size` by default.
      padding: the number of -inf around each side, at most half of `kernel_size`.
      dilation: the distance of the elements of a window.
      ceil_mode: round the number of windows up instead of down.
      return_indices: has no effect.

    >>> import torchlike as torch
    >>> values, indices = torch.nn.functional.max_pool1d_with_indices(torch.tensor([[1., 3., 2., 5.]]), 2)
    >>> indices.tolist()
    [[1, 3]]
    """
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
    """Return the results of `max_pool2d` and their indices in the flattened image.

    Args:
      input: (N, C, H, W) or (C, H, W).
      kernel_size: the size of the windows, one number or one number per dim.
      stride: the distance of the windows, `kernel_size` by default.
      padding: the number of -inf around each side, at most half of `kernel_size`.
      dilation: the distance of the elements of a window.
      ceil_mode: round the number of windows up instead of down.
      return_indices: has no effect.

    >>> import torchlike as torch
    >>> values, indices = torch.nn.functional.max_pool2d_with_indices(torch.arange(4.0).reshape(1, 2, 2), 2)
    >>> indices.tolist()
    [[[3]]]
    """
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
    """Return the results of `max_pool3d` and their indices in the flattened volume.

    Args:
      input: (N, C, D, H, W) or (C, D, H, W).
      kernel_size: the size of the windows, one number or one number per dim.
      stride: the distance of the windows, `kernel_size` by default.
      padding: the number of -inf around each side, at most half of `kernel_size`.
      dilation: the distance of the elements of a window.
      ceil_mode: round the number of windows up instead of down.
      return_indices: has no effect.

    >>> import torchlike as torch
    >>> values, indices = torch.nn.functional.max_pool3d_with_indices(torch.arange(8.0).reshape(1, 2, 2, 2), 2)
    >>> indices.tolist()
    [[[[7]]]]
    """
    return _max_pool(3, input, kernel_size, stride, padding, dilation, ceil_mode, True)


# -- the inverse -------------------------------------------------------------------------------------------------------


def _each(given: Size, dims: int) -> tuple:
    """Return one number for each dim. Raise PyTorch's error for another number of them."""
    numbers = tuple(given) if isinstance(given, tuple) else (given,) * dims
    if len(numbers) != dims:
        raise IndexError("tuple index out of range")
    for place, n in enumerate(numbers):
        if not hasattr(n, "__index__"):
            raise _errors.arguments.wrong_element(f"max_unpool{max(dims, 2)}d", "output_size", 3, place, n)
    return numbers


def _max_unpool(
    dims: int, input: Tensor, indices: Tensor, kernel_size: Size, stride: Size, padding: Size, output_size: Any
) -> Tensor:
    each = lambda v: _each(settled(v), dims)
    kernel, pad = each(kernel_size), each(padding)
    strides = kernel if stride is None else each(stride)
    default = [(n - 1) * s - 2 * p + k for n, s, p, k in zip(input.shape[-dims:], strides, pad, kernel)]
    if output_size is None:
        size = tuple(default)
    else:
        size = tuple(output_size)
        if len(size) not in (dims, dims + 2):
            raise ValueError(
                f"output_size should be a sequence containing {dims} or {dims + 2} elements, but it has a length of "
                f"'{len(size)}'"
            )
        size = size[-dims:]
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
    """Place the results of `max_pool1d` at their indices, with zeros elsewhere.

    Args:
      input: (N, C, L) or (C, L), the maxima.
      indices: the shape of `input`, int64, the indices that `max_pool1d` returned.
      kernel_size, stride, padding: as given to `max_pool1d`. They determine the default size of the result.
      output_size: the size of the pooled tensor, which differs from the default by less than `stride`.

    Raises:
      ValueError: `output_size` is not within this range.
      RuntimeError: the indices are not int64 or have another shape.

    >>> import torchlike as torch
    >>> torch.nn.functional.max_unpool1d(torch.tensor([[3., 5.]]), torch.tensor([[1, 3]]), 2).tolist()
    [[0.0, 3.0, 0.0, 5.0]]
    """
    return _max_unpool(1, input, indices, kernel_size, stride, padding, output_size)


def max_unpool2d(
    input: Tensor, indices: Tensor, kernel_size: Size, stride: Size = None, padding: Size = 0, output_size: Any = None
) -> Tensor:
    """Place the results of `max_pool2d` at their indices, with zeros elsewhere.

    Args:
      input: (N, C, H, W) or (C, H, W), the maxima.
      indices: the shape of `input`, int64, the indices that `max_pool2d` returned.
      kernel_size, stride, padding: as given to `max_pool2d`. They determine the default size of the result.
      output_size: the size of the pooled tensor, which differs from the default by less than `stride` in each dim.

    Raises:
      ValueError: `output_size` is not within this range.
      RuntimeError: the indices are not int64 or have another shape.

    >>> import torchlike as torch
    >>> torch.nn.functional.max_unpool2d(torch.tensor([[[3.]]]), torch.tensor([[[2]]]), 2).tolist()
    [[[0.0, 0.0], [3.0, 0.0]]]
    """
    return _max_unpool(2, input, indices, kernel_size, stride, padding, output_size)


def max_unpool3d(
    input: Tensor, indices: Tensor, kernel_size: Size, stride: Size = None, padding: Size = 0, output_size: Any = None
) -> Tensor:
    """Place the results of `max_pool3d` at their indices, with zeros elsewhere.

    Args:
      input: (N, C, D, H, W) or (C, D, H, W), the maxima.
      indices: the shape of `input`, int64, the indices that `max_pool3d` returned.
      kernel_size, stride, padding: as given to `max_pool3d`. They determine the default size of the result.
      output_size: the size of the pooled tensor, which differs from the default by less than `stride` in each dim.

    Raises:
      ValueError: `output_size` is not within this range.
      RuntimeError: the indices are not int64 or have another shape.

    >>> import torchlike as torch
    >>> torch.nn.functional.max_unpool3d(torch.ones(1, 1, 1, 1), torch.zeros(1, 1, 1, 1, dtype=torch.int64), 2).shape
    torch.Size([1, 2, 2, 2])
    """
    return _max_unpool(3, input, indices, kernel_size, stride, padding, output_size)
