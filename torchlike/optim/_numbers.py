"""Arithmetic on the numbers of a step that is the same for Python numbers, tensors and numbers that JAX traces."""

from __future__ import annotations

from typing import Any

import numpy as np

import torchlike
from torchlike import Tensor
from torchlike._internal import namespace, rounding
from torchlike.optim.optimizer import scalar_dtype


def chosen(condition: Any, one: Any, other: Any) -> Any:
    """Return `one` where the condition is true, and `other` elsewhere."""
    if isinstance(condition, (bool, np.bool_)):
        return one if condition else other
    return namespace(condition).where(condition, one, other)


def rounded(value: Any, dtype: torchlike.dtype | None = None) -> Any:
    """Round a number to a dtype, by default the dtype of counters, because PyTorch keeps such numbers in tensors."""
    dtype = dtype or scalar_dtype()
    if isinstance(value, Tensor):
        return value.to(dtype)
    if isinstance(value, (int, float)):
        return float(dtype.numpy.type(value))
    return rounding(dtype.numpy)(value) if dtype.itemsize < value.dtype.itemsize else value
