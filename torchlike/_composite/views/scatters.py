"""Scatter variants of view functions: a copy of a tensor with the elements of a view replaced."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torchlike import _errors
from torchlike._composite.views import conversions, memory, split
from torchlike._composite.views.copies import _slice
from torchlike._ops.schema.out_rules import EXACT
from torchlike._tensor import public_calls
from torchlike._tensor.binding import CALLERS as rows
from torchlike._tensor.tensor import Tensor


def _written(input: Tensor, src: Tensor, view: Callable, *where: Any) -> Tensor:
    made = conversions.clone_for(input, src)
    shown = view(made, *where)
    if shown.shape != src.shape:
        raise _errors.indexing.no_such_slice(tuple(src.shape), tuple(shown.shape))
    shown.copy_(src)
    return made


def select_scatter(input: Tensor, src: Tensor, dim: int, index: int) -> Tensor:
    """Return a copy of `input` with `src` at one index of a dim.

    Args:
      src: the new elements, with the shape that `select` returns.
      index: the index along `dim`.
    """
    return _written(input, src, split.select, dim, index)


def slice_scatter(
    input: Tensor, src: Tensor, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1
) -> Tensor:
    """Return a copy of `input` with `src` at the indices of a dim from `start` to `end` in steps of `step`.

    Args:
      src: the new elements, with the shape of the slice.
      start, end: the first index, and the index after the last. Default: from 0 to the size. Negative ones count from
        the end.
      step: the distance between indices, at least 1.
    """
    return _written(input, src, _slice, dim, start, end, step)


def diagonal_scatter(input: Tensor, src: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """Return a copy of `input` with `src` on its diagonal.

    Args:
      src: the new elements, with the shape that `diagonal` returns.
      offset: the diagonal: 0 for the main one, positive above it, negative below it.
      dim1, dim2: the dims of the matrices.
    """
    return _written(input, src, rows["diagonal"], offset, dim1, dim2)


def as_strided_scatter(
    input: Tensor, src: Tensor, size: tuple[int, ...], stride: tuple[int, ...], storage_offset: int | None = None
) -> Tensor:
    """Return a copy of `input` with `src` at the elements that `as_strided` would return.

    Args:
      src: the new elements, with the shape `size`.
      size, stride: the shape and the strides of the part that `src` replaces.
      storage_offset: the position of the first element of the part. Default: that of `input`.
    """
    return _written(input, src, memory.as_strided, size, stride, storage_offset)


_EVERY = (select_scatter, diagonal_scatter, as_strided_scatter)
FUNCTIONS = public_calls.functions(*_EVERY, out={slice_scatter: EXACT._replace(called="aten::slice_scatter")})
METHODS = public_calls.methods(*_EVERY, slice_scatter)
