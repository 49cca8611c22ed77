"""Random tensors for tests."""

from __future__ import annotations

import math
from typing import Any

import torchlike
from torchlike import Tensor


def make_tensor(
    *shape: Any,
    dtype: Any,
    device: Any,
    low: float | None = None,
    high: float | None = None,
    requires_grad: bool = False,
    noncontiguous: bool = False,
    exclude_zero: bool = False,
    memory_format: Any = None,
) -> Tensor:
    """Create a tensor with random values from a uniform distribution over [low, high).

    The default range is [-9, 9]. It is [0, 9] for unsigned integers and [0, 1] for bool.

    Args:
      shape: the shape, as one sequence or as separate integers.
      dtype: the dtype of the tensor.
      device: the device of the tensor.
      low: the lower bound (inclusive).
      high: the upper bound (exclusive).
      requires_grad: whether the tensor requires grad.
      noncontiguous: whether to return a noncontiguous tensor. Tensors with at most one element stay contiguous.
      exclude_zero: whether to replace zeros by ones.
      memory_format: the memory format. It cannot be combined with `noncontiguous`.

    Raises:
      ValueError: the arguments contradict each other.

    >>> import torchlike as torch
    >>> torch.testing.make_tensor(2, 3, dtype=torch.float32, device="cpu", noncontiguous=True).is_contiguous()
    False
    """
    _check(dtype, low, high, requires_grad, noncontiguous, memory_format)
    size = shape[0] if len(shape) == 1 and not isinstance(shape[0], int) else shape
    size = tuple(size)
    if noncontiguous and math.prod(size) > 1:
        made = _sampled((*size[:-1], 2 * size[-1]), dtype, device, low, high)[..., 1::2]
    else:
        made = _sampled(size, dtype, device, low, high)
    if memory_format is not None:
        made = made.clone(memory_format=memory_format)
    if exclude_zero:
        made[made == 0] = 1
    return made._require_grad() if requires_grad else made


def _check(dtype: Any, low: Any, high: Any, requires_grad: bool, noncontiguous: bool, memory_format: Any) -> None:
    if noncontiguous and memory_format is not None:
        raise ValueError(
            "The parameters `noncontiguous` and `memory_format` are mutually exclusive, but got "
            f"{noncontiguous=} and {memory_format=}"
        )
    if requires_grad and not (dtype.is_floating_point or dtype.is_complex):
        raise ValueError(f"`requires_grad=True` is not supported for boolean and integral dtypes, but got {dtype=}")
    if low is not None and high is not None and low >= high:
        raise ValueError(f"`low` must be less than `high`, but got {low} >= {high}")


def _sampled(size: tuple[int, ...], dtype: Any, device: Any, low: float | None, high: float | None) -> Tensor:
    if dtype is torchlike.bool:
        first, end = 0 if low is None else max(int(low), 0), 2 if high is None else min(int(high), 2)
        return torchlike.randint(first, end, size, device=device).bool()
    if dtype.is_floating_point or dtype.is_complex:
        made = torchlike.empty(size, dtype=dtype, device=device)
        parts = torchlike.view_as_real(made) if dtype.is_complex else made
        parts.uniform_(-9 if low is None else low, 9 if high is None else high)
        return made
    low = (-9 if dtype.is_signed else 0) if low is None else low
    return torchlike.randint(int(low), int(10 if high is None else high), size, dtype=dtype, device=device)
