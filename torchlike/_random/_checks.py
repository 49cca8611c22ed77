"""Dtype checks of random numbers: which dtypes are allowed, and the bounds of their values."""

from __future__ import annotations

from functools import cache

import ml_dtypes
import numpy as np

from torchlike import _errors
from torchlike._errors.dtypes import c_name
from torchlike._errors.warned import warn

_BF16 = np.dtype(ml_dtypes.bfloat16)


def is_floating(dtype: np.dtype) -> bool:
    """Return whether PyTorch's distributions accept the dtype as floating-point. They do not accept 8-bit floats."""
    return dtype == _BF16 or (dtype.kind == "f" and dtype.itemsize in (2, 4, 8))


def is_not_sampled(dtype: np.dtype) -> bool:
    """Return whether PyTorch cannot sample numbers of this dtype: complex dtypes and 8-bit floats."""
    return dtype.kind in "cfV" and not is_floating(dtype)


@cache
def mantissa_digits(dtype: np.dtype) -> int:
    """Return the number of bits of the significand, including the hidden bit."""
    return ml_dtypes.finfo(dtype).nmant + 1


@cache
def bounds(dtype: np.dtype) -> tuple[float, float]:
    """Return the smallest and largest finite values."""
    if dtype.kind == "b":
        return 0, 1
    info = ml_dtypes.finfo(dtype) if is_floating(dtype) else np.iinfo(dtype)
    number = float if is_floating(dtype) else int
    return number(info.min), number(info.max)


def require_floating(dtype: np.dtype, kernel: str) -> None:
    if not is_floating(dtype):
        raise _errors.dtypes.not_implemented(kernel, dtype)


def require_in_bounds(value: float, name: str, dtype: np.dtype) -> None:
    low, high = bounds(dtype)
    if not low <= value <= high:
        raise _errors.random.out_of_bounds_of(name, dtype)


def warn_beyond_precision(value: int, name: str, dtype: np.dtype) -> None:
    digits = mantissa_digits(dtype)
    if abs(value) > 1 << digits:
        warn(
            f"{name} is out of bounds [-(2^{digits}), 2^{digits}]. Due to precision limitations "
            f"{c_name(dtype)} can support discrete uniform distribution only within this range. "
            "This warning will become an error in version 1.7 release, please fix the code in advance"
        )
