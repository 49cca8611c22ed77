"""Arithmetic with exactly one rounding: PyTorch's kernels are compiled with fused multiply-add, which NumPy lacks."""

from __future__ import annotations

from typing import Any

import numpy as np

_SPLIT = 2.0**27 + 1.0


def fma32(a: np.ndarray, b: float, c: float) -> np.ndarray:
    """a * b + c rounded once to float32; all float32 values, `a` held as float64 and below 16.

    The product is exact in float64; the sum is rounded there and again to float32, which differs from one rounding
    about once in 10^9. Only a `c` that vanishes beside the product must be kept in sight: it says where halves go.
    """
    wide = a * b
    if 0 < abs(c) < 2.0**-48 * abs(b):
        wide = _odd_sum(wide, c)
    else:
        wide += c
    return wide.astype(np.float32)


def fma64(a: np.ndarray, b: float, c: float) -> np.ndarray:
    """a * b + c rounded once to float64 (Dekker's product and Knuth's sum), finite values only, `a` below 2^50."""
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
    """a + b, inexact sums rounded to the neighbour with an odd last bit: as if never, once they are rounded again."""
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
    """A float64 or float32 array (or one number) in `dtype`; PyTorch reaches the half types by way of float32."""
    if dtype.itemsize <= 2 and dtype.kind != "i":
        x = np.asarray(x, np.float32)
    with np.errstate(over="ignore"):  # the tails of a wide distribution are infinite in a narrow dtype
        return x.astype(dtype, copy=False)
