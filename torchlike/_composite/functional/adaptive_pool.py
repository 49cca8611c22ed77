"""Pooling into a given number of windows as functions: adaptive and fractional pooling."""

from __future__ import annotations

from typing import Any

from torchlike import _errors
from torchlike._composite.functional.pool import Pooled, Size
from torchlike._composite.random import random
from torchlike._ops.nn.windows import expand
from torchlike._ops.schema.binding import is_whole
from torchlike._tensor.argument_forms import settled
from torchlike._tensor.binding import CALLERS as rows
from torchlike._tensor.tensor import Tensor


def _adaptive_size(input: Tensor, output_size: Size, dims: int, name: str) -> tuple:
    given = tuple(output_size) if isinstance(output_size, list | tuple) else (output_size,) * dims
    if output_size.__class__ is not int:
        _check_adaptive_size(output_size, given, dims, name)
    if dims > 1 and isinstance(output_size, list | tuple) and input.ndim <= len(given):
        raise ValueError(f"Input dimension should be at least {len(given) + 1}")
    if len(given) != dims or input.ndim < dims:
        return given
    return tuple(n if n is not None else input.shape[i - dims] for i, n in enumerate(given))


def _check_adaptive_size(output_size: Size, given: tuple, dims: int, name: str) -> None:
    """Raise PyTorch's error for a size that is a bool, or None where None is not allowed.

    None is allowed only as an element of a list of several sizes.
    """
    listed = isinstance(output_size, list | tuple)
    for place, n in enumerate(given):
        if n.__class__ is bool or (n is None and (dims == 1 or not listed)):
            of_list = _errors.arguments.wrong_element(name, "output_size", 2, place, n)
            raise of_list if listed else _errors.arguments.wrong_type(name, "output_size", 2, "tuple of ints", n)


def _whole_mean(input: Tensor, size: tuple, dims: int) -> Tensor | None:
    """Return the mean over the last dims if there is one window and the pooling operator rejects the shape, else None.

    PyTorch allows any shape for a single window.
    """
    if size != (1,) * dims or input.ndim < dims or (input.ndim in (dims + 1, dims + 2) and input.numel()):
        return None
    return input.mean(tuple(range(-dims, 0)), True)


def adaptive_avg_pool1d(input: Tensor, output_size: Size) -> Tensor:
    """Return the means of `output_size` windows of (N, C, L) or (C, L), which cover the input evenly.

    Window i of n extends from floor(i L / n) up to ceil((i + 1) L / n).

    Args:
      input: (N, C, L) or (C, L).
      output_size: the number of windows n.

    Returns:
      (N, C, n) or (C, n).

    >>> import torchlike as torch
    >>> torch.nn.functional.adaptive_avg_pool1d(torch.tensor([[1., 3., 2., 6.]]), 2).tolist()
    [[2.0, 4.0]]
    """
    return rows["_adaptive_avg_pool1d"](input, _adaptive_size(input, output_size, 1, "adaptive_avg_pool1d"))


def adaptive_avg_pool2d(input: Tensor, output_size: Size) -> Tensor:
    """Return the means of `output_size` windows of (N, C, H, W) or (C, H, W), which cover the input evenly.

    Args:
      input: (N, C, H, W) or (C, H, W).
      output_size: the number of windows in each dim, or one number for both. None keeps the size of a dim.

    Returns:
      (N, C, *output_size) or (C, *output_size).

    >>> import torchlike as torch
    >>> torch.nn.functional.adaptive_avg_pool2d(torch.ones(1, 4, 6), (2, None)).shape
    torch.Size([1, 2, 6])
    """
    size = _adaptive_size(input, output_size, 2, "adaptive_avg_pool2d")
    whole = _whole_mean(input, size, 2)
    return rows["_adaptive_avg_pool2d"](input, size) if whole is None else whole


def adaptive_avg_pool3d(input: Tensor, output_size: Size) -> Tensor:
    """Return the means of `output_size` windows of (N, C, D, H, W) or (C, D, H, W), which cover the input evenly.

    Args:
      input: (N, C, D, H, W) or (C, D, H, W).
      output_size: the number of windows in each dim, or one number for all. None keeps the size of a dim.

    Returns:
      (N, C, *output_size) or (C, *output_size).

    >>> import torchlike as torch
    >>> torch.nn.functional.adaptive_avg_pool3d(torch.ones(1, 4, 4, 6), (2, 1, None)).shape
    torch.Size([1, 2, 1, 6])
    """
    size = _adaptive_size(input, output_size, 3, "adaptive_avg_pool3d")
    whole = _whole_mean(input, size, 3)
    return rows["_adaptive_avg_pool3d"](input, size) if whole is None else whole


def adaptive_max_pool1d(input: Tensor, output_size: Size, return_indices: bool = False) -> Pooled:
    """Return the maxima of `output_size` windows of (N, C, L) or (C, L), which cover the input evenly.

    Args:
      input: (N, C, L) or (C, L).
      output_size: the number of windows.
      return_indices: return the pair of the maxima and their positions in the input.

    Returns:
      (N, C, output_size) or (C, output_size).

    >>> import torchlike as torch
    >>> torch.nn.functional.adaptive_max_pool1d(torch.tensor([[1., 3., 2., 6.]]), 2).tolist()
    [[3.0, 6.0]]
    """
    return _adaptive_max(1, input, output_size, return_indices)


def adaptive_max_pool2d(input: Tensor, output_size: Size, return_indices: bool = False) -> Pooled:
    """Return the maxima of `output_size` windows of (N, C, H, W) or (C, H, W), which cover the input evenly.

    Args:
      input: (N, C, H, W) or (C, H, W).
      output_size: the number of windows in each dim, or one number for both. None keeps the size of a dim.
      return_indices: return the pair of the maxima and their positions in the flattened image.

    Returns:
      (N, C, *output_size) or (C, *output_size).

    >>> import torchlike as torch
    >>> torch.nn.functional.adaptive_max_pool2d(torch.ones(1, 4, 6), (2, None)).shape
    torch.Size([1, 2, 6])
    """
    return _adaptive_max(2, input, output_size, return_indices)


def adaptive_max_pool3d(input: Tensor, output_size: Size, return_indices: bool = False) -> Pooled:
    """Return the maxima of `output_size` windows of (N, C, D, H, W) or (C, D, H, W), which cover the input evenly.

    Args:
      input: (N, C, D, H, W) or (C, D, H, W).
      output_size: the number of windows in each dim, or one number for all. None keeps the size of a dim.
      return_indices: return the pair of the maxima and their positions in the flattened volume.

    Returns:
      (N, C, *output_size) or (C, *output_size).

    >>> import torchlike as torch
    >>> torch.nn.functional.adaptive_max_pool3d(torch.ones(1, 4, 4, 6), (2, 1, None)).shape
    torch.Size([1, 2, 1, 6])
    """
    return _adaptive_max(3, input, output_size, return_indices)


def adaptive_max_pool1d_with_indices(input: Tensor, output_size: Size, return_indices: bool = False) -> Pooled:
    """Return the results of `adaptive_max_pool1d` and their indices in the input.

    Args:
      input: (N, C, L) or (C, L).
      output_size: the number of windows.
      return_indices: has no effect.

    >>> import torchlike as torch
    >>> values, indices = torch.nn.functional.adaptive_max_pool1d_with_indices(torch.tensor([[1., 3., 2., 6.]]), 2)
    >>> indices.tolist()
    [[1, 3]]
    """
    return _adaptive_max(1, input, output_size, True)


def adaptive_max_pool2d_with_indices(input: Tensor, output_size: Size, return_indices: bool = False) -> Pooled:
    """Return the results of `adaptive_max_pool2d` and their indices in the flattened image.

    Args:
      input: (N, C, H, W) or (C, H, W).
      output_size: the number of windows in each dim, or one number for all. None keeps the size of a dim.
      return_indices: has no effect.

    >>> import torchlike as torch
    >>> values, indices = torch.nn.functional.adaptive_max_pool2d_with_indices(torch.arange(4.0).reshape(1, 2, 2), 1)
    >>> indices.tolist()
    [[[3]]]
    """
    return _adaptive_max(2, input, output_size, True)


def adaptive_max_pool3d_with_indices(input: Tensor, output_size: Size, return_indices: bool = False) -> Pooled:
    """Return the results of `adaptive_max_pool3d` and their indices in the flattened volume.

    Args:
      input: (N, C, D, H, W) or (C, D, H, W).
      output_size: the number of windows in each dim, or one number for all. None keeps the size of a dim.
      return_indices: has no effect.

    >>> import torchlike as torch
    >>> values, indices = torch.nn.functional.adaptive_max_pool3d_with_indices(torch.arange(8.0).reshape(1, 2, 2, 2), 1)
    >>> indices.tolist()
    [[[[7]]]]
    """
    return _adaptive_max(3, input, output_size, True)


def _adaptive_max(dims: int, input: Tensor, output_size: Size, return_indices: bool) -> Pooled:
    found = rows[f"_adaptive_max_pool{dims}d"](
        input, _adaptive_size(input, output_size, dims, f"adaptive_max_pool{dims}d")
    )
    return found if return_indices else found[0]


# -- windows at random positions ---------------------------------------------------------------------------------------


def _check_sizes(dims: int, name: str, position: int, given: Any) -> None:
    function = f"fractional_max_pool{dims}d"
    sizes = given if isinstance(given, tuple | list) else (given,) * dims
    for n in sizes:
        if not is_whole(n) and not (given is None and name == "output_size"):
            raise _errors.arguments.wrong_type(function, name, position, "tuple of ints", n)
    if len(sizes) != dims:
        words = {2: "tuple of Ints", 3: "tuple of three Ints"}[dims]
        raise RuntimeError(f"{function}: {name} must either be a single Int or {words}")


def _fractional_max(
    dims: int, input: Tensor, kernel_size: Size, output_size: Size, output_ratio: Any, samples: Tensor | None
) -> Pooled:
    each = lambda v: expand(settled(v), dims)
    for place, (name, given) in enumerate((("kernel_size", kernel_size), ("output_size", output_size)), 2):
        _check_sizes(dims, name, place, given)
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
    """Return the results of `fractional_max_pool2d` and their indices in the flattened image.

    Args:
      input: (N, C, H, W) or (C, H, W).
      kernel_size: the size of the windows.
      output_size: the number of windows along each dim.
      output_ratio: the output size as a fraction of the input size, a pair, if `output_size` is None.
      return_indices: has no effect.
      _random_samples: (N, C, 2), the random numbers in [0, 1) that determine the positions of the windows.

    >>> import torchlike as torch
    >>> values, indices = torch.nn.functional.fractional_max_pool2d_with_indices(torch.ones(1, 4, 4), 2, 3)
    >>> indices.shape
    torch.Size([1, 3, 3])
    """
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
      output_ratio: the output size as a fraction of the input size, a pair, if `output_size` is None.
      return_indices: if True, return the indices of the maxima too.
      _random_samples: (N, C, 2), the random numbers in [0, 1) that determine the positions of the windows.

    Raises:
      ValueError: neither `output_size` nor `output_ratio` is given.

    >>> import torchlike as torch
    >>> torch.nn.functional.fractional_max_pool2d(torch.ones(1, 4, 4), 2, output_size=3).shape
    torch.Size([1, 3, 3])
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
    """Return the results of `fractional_max_pool3d` and their indices in the flattened volume.

    Args:
      input: (N, C, D, H, W) or (C, D, H, W).
      kernel_size: the size of the windows.
      output_size: the number of windows along each dim.
      output_ratio: the output size as a fraction of the input size, if `output_size` is None.
      return_indices: has no effect.
      _random_samples: (N, C, 3), the random numbers in [0, 1) that determine the positions of the windows.

    >>> import torchlike as torch
    >>> values, indices = torch.nn.functional.fractional_max_pool3d_with_indices(torch.ones(1, 4, 4, 4), 2, 3)
    >>> indices.shape
    torch.Size([1, 3, 3, 3])
    """
    return _fractional_max(3, input, kernel_size, output_size, output_ratio, _random_samples)


def fractional_max_pool3d(
    input: Tensor,
    kernel_size: Size,
    output_size: Size = None,
    output_ratio: Any = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> Pooled:
    """Return the maxima of `output_size` windows at random positions of (N, C, D, H, W) or (C, D, H, W) (Graham, 2014).

    Args:
      input: (N, C, D, H, W) or (C, D, H, W).
      kernel_size: the size of the windows.
      output_size: the number of windows along each dim.
      output_ratio: the output size as a fraction of the input size, if `output_size` is None.
      return_indices: if True, return the indices of the maxima too.
      _random_samples: (N, C, 3), the random numbers in [0, 1) that determine the positions of the windows.

    Raises:
      ValueError: neither `output_size` nor `output_ratio` is given.

    >>> import torchlike as torch
    >>> torch.nn.functional.fractional_max_pool3d(torch.ones(1, 4, 4, 4), 2, output_size=3).shape
    torch.Size([1, 3, 3, 3])
    """
    found = _fractional_max(3, input, kernel_size, output_size, output_ratio, _random_samples)
    return found if return_indices else found[0]
