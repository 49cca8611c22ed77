"""Geometry of tensors in plain Python: strides, memory order, and whether a shape can be viewed as another shape."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

Ints = tuple[int, ...]

_remembered = lru_cache(8192)  # a program repeats the same calls at every step


@_remembered
def contiguous_strides(shape: Ints) -> Ints:
    """Return row-major strides, in elements.

    >>> contiguous_strides((2, 3, 4))
    (12, 4, 1)
    """
    strides, step = [], 1
    for n in reversed(shape):
        strides.append(step)
        step *= max(n, 1)
    return tuple(reversed(strides))


def is_contiguous(shape: Ints, strides: Ints) -> bool:
    """Return whether the elements are in row-major order without gaps.

    Dims of size one may have any stride. A tensor without elements is always contiguous.
    """
    step = 1
    for n, s in zip(reversed(shape), reversed(strides)):
        if n != 1:
            if s != step:
                return 0 in shape
            step *= n
    return True


def is_dense(shape: Ints, strides: Ints) -> bool:
    """Return whether the elements fill one block of memory without gaps or overlaps, in some order of the dims."""
    step = 1
    for s, n in sorted((s, n) for s, n in zip(strides, shape) if n != 1):
        if s != step:
            return 0 in shape
        step *= n
    return True


def is_apart(shape: Ints, strides: Ints) -> bool:
    """Return whether the strides rule out overlaps: each dim steps over the whole extent of the narrower dims."""
    extent = 1
    for s, n in sorted((s, n) for s, n in zip(strides, shape) if n > 1):
        if s < extent:
            return 0 in shape
        extent += (n - 1) * s
    return True


def extent(shape: Ints, strides: Ints, offset: int = 0) -> int:
    """Return the number of elements from the start of memory to the end of a strided view."""
    return 0 if 0 in shape else offset + 1 + sum((n - 1) * s for n, s in zip(shape, strides))


def places(shape: Ints, strides: Ints) -> np.ndarray:
    """Return the memory location of each element, relative to the first one."""
    grids = np.ogrid[tuple(slice(n) for n in shape)]
    return np.broadcast_to(sum(g * s for g, s in zip(grids, strides)), shape)


def normal(shape: Ints, strides: Ints) -> Ints | None:
    """Return `strides`, or None if they are the row-major ones. Tensors store strides in this form."""
    return None if tuple(strides) == contiguous_strides(shape) else tuple(strides)


@_remembered
def view_strides(old_shape: Ints, old_strides: Ints, new_shape: Ints) -> Ints | None:
    """Return strides that show the same memory in `new_shape`, or None if no such strides exist."""
    if 0 in old_shape:
        return old_strides if old_shape == new_shape else contiguous_strides(new_shape)
    chunks = _contiguous_chunks(old_shape, old_strides)
    strides: list[int] = []
    dim = len(new_shape) - 1
    for size, base in chunks:  # from the innermost outward
        covered, step = 1, base
        while dim >= 0 and (covered < size or new_shape[dim] == 1):
            strides.append(step)
            step *= new_shape[dim]
            covered *= new_shape[dim]
            dim -= 1
        if covered != size:
            return None
    return tuple(reversed(strides)) if dim < 0 else None


def _contiguous_chunks(shape: Ints, strides: Ints) -> list[tuple[int, int]]:
    """Return the maximal groups of dims that are contiguous, innermost first, as (elements, innermost stride)."""
    chunks: list[tuple[int, int]] = []
    size, base = 1, strides[-1] if strides else 1
    for d in range(len(shape) - 1, -1, -1):
        size *= shape[d]
        if d == 0 or (shape[d - 1] != 1 and strides[d - 1] != size * base):
            chunks.append((size, base))
            size, base = 1, strides[d - 1] if d else 1
    return chunks or [(1, 1)]


def pointwise_strides(shape: Ints, operands: list[tuple[Ints, Ints]]) -> Ints | None:
    """Return the strides of an element-wise result, which keeps the memory order of its operands. None is row-major.

    `operands` are the (shape, strides) of the inputs, in order.
    """
    same = [st for sh, st in operands if sh == shape]
    if same and len(same) == len(operands):
        if all(is_contiguous(shape, st) for st in same):
            return None
        if len(shape) == 4 and all(_is_channels_last(shape, st) for st in same):
            return normal(shape, _channels_last(shape))
        if all(st == same[0] for st in same) and is_dense(shape, same[0]):
            return normal(shape, same[0])
    return ordered_strides(shape, operands)


def _channels_last(shape: Ints) -> Ints:
    _, c, h, w = shape
    return (h * w * c, 1, w * c, c)


def _is_channels_last(shape: Ints, strides: Ints) -> bool:
    return all(n == 1 or s == t for n, s, t in zip(shape, strides, _channels_last(shape)))


def ordered_strides(shape: Ints, operands: list[tuple[Ints, Ints]]) -> Ints | None:
    """Return strides without gaps whose dims have the same memory order as in the operands. None is row-major."""
    expanded = [_expand(sh, st, shape) for sh, st in operands]
    order = _memory_order(shape, expanded)
    if order == list(range(len(shape)))[::-1]:
        return None
    strides, step = [0] * len(shape), 1
    for d in order:  # innermost first
        strides[d] = step
        step *= shape[d]  # becomes 0 after a dim of size 0, as in PyTorch
    return normal(shape, tuple(strides))


@_remembered
def copied_strides(shape: Ints, strides: Ints) -> Ints | None:
    """Return the strides of a copy that preserves the memory order: the same strides if dense, else without gaps."""
    return normal(shape, strides) if is_dense(shape, strides) else pointwise_strides(shape, [(shape, strides)])


def _expand(shape: Ints, strides: Ints, out: Ints) -> Ints:
    lead = len(out) - len(shape)
    return (0,) * lead + tuple(0 if n == 1 and m != 1 else s for n, s, m in zip(shape, strides, out[lead:]))


def _memory_order(shape: Ints, operands: list[Ints]) -> list[int]:
    """Return the dims from the innermost outward, sorted by the operands' strides. Ties keep row-major order."""
    order = list(range(len(shape) - 1, -1, -1))
    for i in range(1, len(order)):
        at = i
        for j in range(i - 1, -1, -1):
            verdict = _compare(order[j], order[at], shape, operands)
            if verdict > 0:
                order[j], order[at] = order[at], order[j]
                at = j
            elif verdict < 0:
                break
    return order


def _compare(inner: int, outer: int, shape: Ints, operands: list[Ints]) -> int:
    """Return 1 if `inner` should be outside of `outer`, -1 if not, and 0 if the operands do not determine it."""
    for strides in operands:
        a, b = strides[inner], strides[outer]
        if a == 0 or b == 0:
            continue
        if a != b:
            return -1 if a < b else 1
        if shape[inner] > shape[outer]:
            return 1
    return 0


def span(shape: Sequence[int], strides: Sequence[int]) -> int:
    """Return the number of memory elements from the first element to the last. The tensor must not be empty."""
    return 1 + sum((n - 1) * s for n, s in zip(shape, strides))
