"""Sums and matrix products in NumPy. Sums have the accuracy of pairwise summation.

NumPy uses pairwise summation only along the dim with the smallest stride. A long sum of float32 or complex64 over other
dims is therefore computed in double precision. Cumulative sums and products always are, as in PyTorch.
"""

from __future__ import annotations

import math

import numpy as np

from torchlike import _native

LONG = 4096  # elements; the rounding error of a shorter naive sum is negligible
_WIDER = {np.dtype(np.float32): np.dtype(np.float64), np.dtype(np.complex64): np.dtype(np.complex128)}


def total(x: np.ndarray, axes: tuple[int, ...], keepdims: bool = False) -> np.ndarray:
    """Return the sum over some dims.

    The sum of a float32 array over adjacent dims has the same bits as PyTorch's, which adds on the CPU in the same
    order. PyTorch adds long sums of several threads, and those over other dims, in another order.
    """
    if _native.is_there and axes and x.dtype == np.float32 and x.size and x.flags.c_contiguous:
        first, end = min(axes), max(axes) + 1
        if end - first == len(axes):
            out = np.empty(x.shape[:first] + (1,) * len(axes) * keepdims + x.shape[end:], np.float32)
            _native.rows.sum(x, out, math.prod(x.shape[first:end]), math.prod(x.shape[end:]))
            return out
    wide = _WIDER.get(x.dtype) if x.size >= LONG else None
    if wide is None or math.prod([x.shape[a] for a in axes]) < LONG or _fastest(x) in axes:
        return np.sum(x, axis=axes, keepdims=keepdims)
    return np.asarray(np.sum(x, axis=axes, keepdims=keepdims, dtype=wide)).astype(x.dtype)


def product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return `a @ b`.

    A column times a row is no sum. It keeps the sign of -0.0, as in PyTorch, where a batch of such products loses it.
    """
    return a * b if a.ndim == b.ndim == 2 and a.shape[1] == 1 else np.matmul(a, b)


def _fastest(x: np.ndarray) -> int:
    """Return the dim with the smallest stride, ignoring dims of size 1, or -1 if there is no other dim."""
    return min([(abs(step), d) for d, (step, n) in enumerate(zip(x.strides, x.shape)) if n > 1], default=(0, -1))[1]


def running(accumulate: np.ufunc, x: np.ndarray, axis: int, dtype: np.dtype | None = None) -> np.ndarray:
    """Return the cumulative result of a ufunc, such as a sum or a product, along a dim."""
    dtype = x.dtype if dtype is None else dtype
    return accumulate.accumulate(x, axis, _WIDER.get(dtype, dtype)).astype(dtype, copy=False)
