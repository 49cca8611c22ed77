"""Arithmetic with exactly one rounding, and the C library's functions over arrays.

PyTorch's kernels are compiled with fused multiply-add, which NumPy does not have, and call the C library's scalar
functions, from which NumPy's vector loops differ in the last bit. Both matter to a stream that is equal bit for bit.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

_SPLIT = 2.0**27 + 1.0
_WORTH_SCIPY = 1 << 18  # elements, from which on importing it costs less than doing without


def fma32(a: np.ndarray, b: np.ndarray | float, c: np.ndarray | float) -> np.ndarray:
    """a * b + c rounded once to float32; all float32 values, `a` held as float64.

    The product is exact in float64; the sum is rounded there and again to float32, which differs from one rounding
    about once in 10^9.
    """
    wide = a * b
    wide += c
    return wide.astype(np.float32)


def fma64(a: np.ndarray, b: float, c: float) -> np.ndarray:
    """a * b + c rounded once to float64 (Dekker's product and Knuth's sum), finite values only."""
    product = a * b
    if c == 0:
        return product
    a_high, b_high = _high_half(a), _high_half(b)
    a_low, b_low = a - a_high, b - b_high
    lost = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
    total = product + c
    back = total - product
    return total + ((product - (total - back)) + (c - back) + lost)


def _high_half(x: Any) -> Any:
    shifted = x * _SPLIT
    return shifted - (shifted - x)


def libm(function: Callable[[float], float], x: np.ndarray) -> np.ndarray:
    """The C library's `function`, through Python's `math`, of every element of a float64 array."""
    return np.fromiter(map(function, x.ravel().tolist()), np.float64, x.size).reshape(x.shape)


def log(x: np.ndarray) -> np.ndarray:
    """The C library's logarithm of a float64 array: SciPy's `xlogy` calls it and takes a sixth of the time, but is
    imported for large arrays only. Both give the same bits."""
    if x.size < _WORTH_SCIPY and "scipy.special" not in sys.modules:
        return libm(math.log, x)
    from scipy import special

    with np.errstate(divide="ignore"):
        return special.xlogy(1.0, x)


def cos_sin(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The C library's cosine and sine of a float64 array, through NumPy's complex exponential."""
    turned = np.exp(1j * x)
    return turned.real, turned.imag


def exp(x: np.ndarray) -> np.ndarray:
    """The C library's exponential of a float64 array: NumPy's complex one calls it, its real one does not."""
    return np.ascontiguousarray(np.exp(x.astype(np.complex128)).real)


def narrow(x: Any, dtype: np.dtype) -> np.ndarray:
    """A float64 or float32 array (or one number) in `dtype`; PyTorch reaches the half types by way of float32."""
    if dtype.itemsize <= 2 and dtype.kind != "i":
        x = np.asarray(x, np.float32)
    with np.errstate(over="ignore"):  # the tails of a wide distribution are infinite in a narrow dtype
        return x.astype(dtype, copy=False)
