"""Kernels along the rows of NumPy arrays: sums, since NumPy's own loop over short rows begins anew with each, and what
`torchlike._native` does in C where it is there. Callers ask `in_c`, and have NumPy's formula otherwise."""

from __future__ import annotations

from typing import Any

import numpy as np

from torchlike import _native

LONGEST = 4096  # numbers, of which a product's sum is as exact as one by pairs; NumPy's loop is no slower from here on


def row_sums(x: np.ndarray) -> np.ndarray:
    """The sum over the last dim, which is kept: as a product with ones, a fifth of the time of `numpy.sum`."""
    if x.dtype not in (np.float32, np.float64) or not 0 < x.shape[-1] <= LONGEST:
        return np.sum(x, axis=-1, keepdims=True)
    return np.matmul(x.reshape(-1, x.shape[-1]), np.ones((x.shape[-1], 1), x.dtype)).reshape(*x.shape[:-1], 1)


def in_c(x: Any, columns: int = 1) -> bool:
    """Whether the compiled kernels take this array as rows of so many numbers."""
    return _native.is_there and x.dtype == np.float32 and 0 < columns <= LONGEST


def add_to_rows(x: Any, row: Any) -> Any:
    """x += row, in place where x is NumPy's."""
    is_plain = isinstance(x, np.ndarray) and x.flags.c_contiguous and 1 == row.ndim <= x.ndim
    if is_plain and x.dtype == row.dtype and x.shape[-1] == len(row) and in_c(x, len(row)):
        _native.rows.add(x, np.asarray(row, order="C"))
    else:
        x += row
    return x


def gelu(x: np.ndarray) -> np.ndarray:
    """x times the normal distribution at x, of a float32 array."""
    out = np.empty(x.shape, np.float32)
    _native.rows.gelu(np.asarray(x, order="C"), out)
    return out


def softmax(x: np.ndarray) -> np.ndarray:
    """The softmax over the last dim of a float32 array."""
    out = np.empty(x.shape, np.float32)
    _native.rows.softmax(np.asarray(x, order="C"), out, x.shape[-1], 0, False)
    return out


def attention_weights(scores: Any, is_causal: bool) -> np.ndarray:
    """The softmax over the last dim, in place of the scores; zeros where all are -inf. Causal: row i of a matrix has
    columns 0 to i."""
    scores = np.asarray(scores, order="C")
    _native.rows.softmax(scores, scores, scores.shape[-1], scores.shape[-2] if is_causal else 0, True)
    return scores


def standardize(x: np.ndarray, columns: int, eps: float, weight: np.ndarray | None, bias: np.ndarray | None) -> tuple:
    """(x - mean) / sqrt(variance + eps) * weight + bias of rows of so many numbers of a float32 array; with the means
    and the sums of (x - mean)**2."""
    x, (weight, bias) = np.asarray(x, order="C"), (w if w is None else np.asarray(w, order="C") for w in (weight, bias))
    out, mean, squares = (np.empty(n, np.float32) for n in (x.shape, x.size // columns, x.size // columns))
    _native.rows.standardize(x, out, mean, squares, columns, float(eps), weight, bias)
    return out, mean, squares
