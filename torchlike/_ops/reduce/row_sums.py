"""Kernels over the rows of NumPy arrays, that is, over the last dim.

`row_sums` avoids the overhead of NumPy's inner loop on short rows. The other kernels are compiled C functions of
`torchlike._native`. Callers test `in_c` first and otherwise use a NumPy formula.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from torchlike import _native
from torchlike._engine.interpreter.memory_order import memory_order

# The maximum row length. Up to this length, a matrix product is as accurate as pairwise summation. For longer rows,
# NumPy's loop is as fast.
LONGEST = 4096


def row_sums(x: np.ndarray) -> np.ndarray:
    """Return the sum over the last dim, which is kept with size 1.

    The sum is computed as a product with a vector of ones, which takes a fifth of the time of `numpy.sum`.
    """
    if x.dtype not in (np.float32, np.float64) or not 0 < x.shape[-1] <= LONGEST:
        return np.sum(x, axis=-1, keepdims=True)
    return np.matmul(x.reshape(-1, x.shape[-1]), np.ones((x.shape[-1], 1), x.dtype)).reshape(*x.shape[:-1], 1)


def in_c(x: Any, columns: int = 1) -> bool:
    """Return whether the compiled kernels support this array as rows of `columns` elements."""
    return _native.is_there and x.dtype == np.float32 and 0 < columns <= LONGEST


def add_to_rows(x: Any, row: Any) -> Any:
    """Return x + row, computed in place if x is a NumPy array."""
    is_plain = isinstance(x, np.ndarray) and x.flags.c_contiguous and 1 == row.ndim <= x.ndim
    if is_plain and x.dtype == row.dtype and x.shape[-1] == len(row) and in_c(x, len(row)):
        _native.rows.add(x, np.asarray(row, order="C"))
    else:
        x += row
    return x


def activated(x: np.ndarray, name: str) -> np.ndarray:
    """Return "gelu", "silu" or "hardswish" of each element of a float32 array."""
    x = np.asarray(x)
    order = memory_order(x)
    if order is None:
        x, order = np.ascontiguousarray(x), tuple(range(x.ndim))
    out = np.empty_like(x)  # in the memory order of x
    getattr(_native.rows, name)(x.transpose(order), out.transpose(order))
    return out


def scaled(x: np.ndarray, factors: np.ndarray, terms: np.ndarray) -> np.ndarray:
    """Return x * factors + terms for the rows of a float32 array in row-major order."""
    out = np.empty(x.shape, np.float32)
    _native.rows.scale(x, factors, terms, out)
    return out


def softmax(x: np.ndarray) -> np.ndarray:
    """Return the softmax over the last dim of a float32 array."""
    out = np.empty(x.shape, np.float32)
    _native.rows.softmax(np.asarray(x, order="C"), out, x.shape[-1], 0, False)
    return out


def attention_weights(scores: Any, is_causal: bool) -> np.ndarray:
    """Return the softmax of the scores over the last dim, computed in place.

    Rows that are all -inf become zeros. With `is_causal`, row i of each matrix uses columns 0 to i.
    """
    scores = np.asarray(scores, order="C")
    _native.rows.softmax(scores, scores, scores.shape[-1], scores.shape[-2] if is_causal else 0, True)
    return scores


def standardize(x: np.ndarray, columns: int, eps: float, weight: np.ndarray | None, bias: np.ndarray | None) -> tuple:
    """Return (x - mean) / sqrt(variance + eps) * weight + bias, the means and the sums of (x - mean)**2.

    Means and variances are those of rows of `columns` elements of a float32 array.
    """
    x, (weight, bias) = np.asarray(x, order="C"), (w if w is None else np.asarray(w, order="C") for w in (weight, bias))
    out, mean, squares = (np.empty(n, np.float32) for n in (x.shape, x.size // columns, x.size // columns))
    _native.rows.standardize(x, out, mean, squares, columns, float(eps), weight, bias)
    return out, mean, squares
