"""Emulation of fused multiply-add, which rounds only once. PyTorch's kernels use it, but NumPy does not have it."""

from __future__ import annotations

from typing import Any

import numpy as np

_SPLIT = 2.0**27 + 1.0


def fma32(a: np.ndarray, b: float, c: float) -> np.ndarray:
    """Return a * b + c rounded once to float32.

    All arguments are float32 values. `a` is stored as float64 and is below 16.

    The product is exact in float64. The sum is rounded to float64 and then to float32, which differs from a single
    rounding about once in 10^9. If `c` is tiny relative to the product, the sum is rounded to odd, because `c` then
    decides the direction of rounding at midpoints.
    """
    wide = a * b
    if 0 < abs(c) < 2.0**-48 * abs(b):
        wide = _odd_sum(wide, c)
    else:
        wide += c
    return wide.astype(np.float32)


def fma64(a: np.ndarray, b: float, c: float) -> np.ndarray:
    """Return a * b + c rounded once to float64 (Dekker's product and Knuth's sum).

    All values must be finite, and `a` below 2^50.
    """
    product = a * b
    if c == 0:
        return product + c  # a negative zero becomes a positive one
    a_high, b_high = _high_half(a), _high_half(b)
    a_low, b_low = a - a_high, b - b_high
    lost = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
    if abs(c) < 2.0**-100 * abs(b):
        return product + _odd_sum(lost, c)
    total = product + c
    back = total - product
    return total + ((product - (total - back)) + (c - back) + lost)


def _odd_sum(a: np.ndarray, b: float) -> np.ndarray:
    """Return a + b rounded to odd: an inexact sum is rounded to the neighbor with an odd last bit.

    Rounding such a sum again gives the same result as rounding the exact sum once.
    """
    total = a + b
    back = total - a
    rest = (a - (total - back)) + (b - back)
    bits = total.view(np.int64)
    bits += np.where((rest != 0) & (bits & 1 == 0), np.where((rest > 0) == (total > 0), 1, -1), 0)
    return total


def _high_half(x: Any) -> Any:
    shifted = x * _SPLIT
    return shifted - (shifted - x)


def narrow(x: Any, dtype: np.dtype) -> np.ndarray:
    """Convert a float64 or float32 array (or one number) to `dtype`.

    As in PyTorch, half precision is rounded through float32.
    """
    if dtype.itemsize <= 2 and dtype.kind != "i":
        x = np.asarray(x, np.float32)
    with np.errstate(over="ignore"):  # large values of a wide distribution overflow in a narrow dtype
        return x.astype(dtype, copy=False)
