"""NumPy's sums, as exact as sums by pairs.

NumPy adds by pairs only along the dim whose elements lie side by side. A long sum of float32 over other dims is made in
float64, and so is a running one, as PyTorch makes it.
"""

from __future__ import annotations

import math

import numpy as np

LONG = 4096  # numbers, from which on the rounding of a plain sum is seen
_WIDER = {np.dtype(np.float32): np.dtype(np.float64), np.dtype(np.complex64): np.dtype(np.complex128)}


def total(x: np.ndarray, axes: tuple[int, ...], keepdims: bool = False) -> np.ndarray:
    """The sum over some dims."""
    wide = _WIDER.get(x.dtype) if x.size >= LONG else None
    if wide is None or math.prod([x.shape[a] for a in axes]) < LONG or _fastest(x) in axes:
        return np.sum(x, axis=axes, keepdims=keepdims)
    return np.asarray(np.sum(x, axis=axes, keepdims=keepdims, dtype=wide)).astype(x.dtype)


def _fastest(x: np.ndarray) -> int:
    """The dim whose elements lie nearest to each other."""
    return min([(abs(step), d) for d, (step, n) in enumerate(zip(x.strides, x.shape)) if n > 1], default=(0, -1))[1]


def running(accumulate: np.ufunc, x: np.ndarray, axis: int, dtype: np.dtype | None = None) -> np.ndarray:
    """The running sum or product along a dim."""
    dtype = x.dtype if dtype is None else dtype
    return accumulate.accumulate(x, axis, _WIDER.get(dtype, dtype)).astype(dtype, copy=False)
