"""Sorting and selection on the host, by integer keys and by partitioning. NaN counts as the largest number."""

from __future__ import annotations

import numpy as np

_LARGE = 1 << 16  # the number of elements from which sorting by keys is faster


def stable_order(x: np.ndarray, axis: int) -> np.ndarray:
    """Return the indices that sort `x` along `axis`. Equal elements keep their order."""
    keys = _keys(x.reshape(-1)) if x.size == x.shape[axis] and x.size >= _LARGE else None
    if keys is None:
        return np.argsort(x, axis=axis, kind="stable")
    if keys.dtype == np.uint16:
        return np.argsort(keys, kind="stable").reshape(x.shape)  # NumPy uses radix sort for 16-bit integers
    bits = np.uint64(int(x.size).bit_length())
    # The keys are unique, so an unstable sort, which is the fastest, suffices.
    keys = (keys << bits) | np.arange(x.size, dtype=np.uint64)
    keys.sort()
    keys &= (np.uint64(1) << bits) - np.uint64(1)
    return keys.view(np.int64).reshape(x.shape)


def _keys(x: np.ndarray) -> np.ndarray | None:
    """Return unsigned integer keys that sort as the elements do.

    The keys have 16 bits, or 64 bits with enough unused high bits that a key and an index fit into 64 bits. Return None
    for a dtype without such keys, and for integers with too wide a range.
    """
    if x.dtype.itemsize < 4 or x.dtype.kind not in "iuf":
        return None
    if x.dtype.kind == "f":
        if x.dtype.itemsize > 4:
            return None
        bits = (x + np.float32(0)).view(np.uint32)  # maps -0.0 to 0.0
        keys = np.where(bits >> 31 != 0, ~bits, bits | np.uint32(1 << 31))
        keys[np.isnan(x)] = 0xFFFFFFFF
        return keys.astype(np.uint64)
    low = x.min()
    span = int(x.max()) - int(low)
    if span.bit_length() + int(x.size).bit_length() > 64:
        return None
    return (x - low).astype(np.uint16 if span < 1 << 16 else np.uint64)


def of_rank(x: np.ndarray, rank: int, axis: int) -> np.ndarray:
    """Return the elements of the given rank (counted from 0) along `axis`, which is kept with size 1."""
    return np.take(np.partition(x, rank, axis), [rank], axis)


def place_of_rank(x: np.ndarray, value: np.ndarray, rank: int, axis: int) -> np.ndarray:
    """Return the indices of the elements that `of_rank` returned as `value`.

    Equal elements are ranked in the order of their indices.
    """
    below, equal = x < value, x == value
    if x.dtype.kind not in "biu":
        hole = value != value
        if hole.any():
            below, equal = below | (hole & (x == x)), equal | (hole & (x != x))
    nth = rank - np.count_nonzero(below, axis=axis, keepdims=True)
    if x.size == x.shape[axis]:
        return np.flatnonzero(equal)[nth.reshape(-1)].reshape(value.shape)
    return np.expand_dims(np.argmax(np.cumsum(equal, axis, np.int32) > nth, axis), axis)


def largest(x: np.ndarray, k: int, axis: int, sign: int) -> tuple[np.ndarray, np.ndarray] | None:
    """Return the `k` largest (`sign` -1: smallest) elements along `axis` in order, and their indices.

    Return None if `k` is not small against the size of the dim, or if the last selected element is NaN. With several
    slices, also return None if a selected element equals one that is not selected.
    """
    n = x.shape[axis]
    if not 0 < k < n // 8:
        return None
    edge = n - k if sign > 0 else k - 1
    last = of_rank(x, edge, axis)
    if (last != last).any():
        return None
    if x.size == n:
        row, bound = x.reshape(-1), last.reshape(())
        better = np.flatnonzero(~(row <= bound) if sign > 0 else row < bound)
        chosen = np.sort(np.concatenate((better, np.flatnonzero(row == bound)[: k - better.size]))).reshape(
            [k if size == n else 1 for size in x.shape]
        )
    else:
        chosen = np.take(np.argpartition(x, edge, axis), range(edge, n) if sign > 0 else range(k), axis)
        equal = np.count_nonzero(np.take_along_axis(x, chosen, axis) == last, axis=axis)
        if (np.count_nonzero(x == last, axis=axis) != equal).any():
            return None
        chosen = np.sort(chosen, axis)
    values = np.take_along_axis(x, chosen, axis)
    order = np.argsort(np.flip(values, axis) if sign > 0 else values, axis, kind="stable")
    if sign > 0:
        order = np.flip(k - 1 - order, axis)
    return np.take_along_axis(values, order, axis), np.take_along_axis(chosen, order, axis)
