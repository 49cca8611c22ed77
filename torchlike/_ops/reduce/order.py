"""Order on the host: sorting by keys, and elements of one rank without sorting. NaN counts as the largest number."""

from __future__ import annotations

import numpy as np

_LARGE = 1 << 16  # elements from which sorting by keys pays


def stable_order(x: np.ndarray, axis: int) -> np.ndarray:
    """Where the sorted elements of an axis are; equal ones keep their order."""
    keys = _keys(x.reshape(-1)) if x.size == x.shape[axis] and x.size >= _LARGE else None
    if keys is None:
        return np.argsort(x, axis=axis, kind="stable")
    if keys.dtype == np.uint16:
        return np.argsort(keys, kind="stable").reshape(x.shape)  # which NumPy counts
    bits = np.uint64(int(x.size).bit_length())
    keys = (keys << bits) | np.arange(x.size, dtype=np.uint64)  # an order that needs no care, by the quickest of sorts
    keys.sort()
    keys &= (np.uint64(1) << bits) - np.uint64(1)
    return keys.view(np.int64).reshape(x.shape)


def _keys(x: np.ndarray) -> np.ndarray | None:
    """Unsigned whole numbers in the order of the elements: 16 bits, or 64 with room for an index, or None."""
    if x.dtype.itemsize < 4 or x.dtype.kind not in "iuf":
        return None
    if x.dtype.kind == "f":
        if x.dtype.itemsize > 4:
            return None
        bits = (x + np.float32(0)).view(np.uint32)  # of the two zeros one is left
        keys = np.where(bits >> 31 != 0, ~bits, bits | np.uint32(1 << 31))
        keys[np.isnan(x)] = 0xFFFFFFFF
        return keys.astype(np.uint64)
    low = x.min()
    span = int(x.max()) - int(low)
    if span.bit_length() + int(x.size).bit_length() > 64:
        return None
    return (x - low).astype(np.uint16 if span < 1 << 16 else np.uint64)


def of_rank(x: np.ndarray, rank: int, axis: int) -> np.ndarray:
    """The elements of this rank (counted from 0) along an axis, which keeps size one."""
    return np.take(np.partition(x, rank, axis), [rank], axis)


def place_of_rank(x: np.ndarray, value: np.ndarray, rank: int, axis: int) -> np.ndarray:
    """Where the elements `of_rank` are, if equal ones keep their order."""
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
    """The `k` largest (`sign` -1: smallest) elements of an axis in order, and their indices; None where an element that
    is left out equals one that is not."""
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
