"""Operators that join, repeat or reorder tensors or extract parts of them. The results are copies, not views."""

from __future__ import annotations

import numpy as np

from torchlike import _errors
from torchlike._dtypes import FLOAT8, FLOAT8_SIGNED
from torchlike._dtypes.strides import copied_strides
from torchlike._ops.schema.autocast_policies import WIDEST_ON_CPU
from torchlike._ops.schema.declare import Array, Arrays, declare, namespace, operator
from torchlike._ops.schema.namespace import summed_wide
from torchlike._ops.schema.typing_rules import Call, Typed, wrap_dim


def _in_memory_order(call: Call) -> Typed:
    """Return the `Typed` of one result with the input's shape and memory order."""
    shape, strides = tuple(call.input.shape), call.strides[0]
    kept = None if strides is None else copied_strides(shape, strides)
    return Typed([call.input], None, [kept])


def _is_legacy_empty(shape: tuple) -> bool:
    return tuple(shape) == (0,)  # PyTorch concatenates such tensors with tensors of any shape


def _check_cat(call: Call) -> None:
    for i, a in enumerate(call.tensors):
        if not a.ndim:
            raise RuntimeError(f"zero-dimensional tensor (at position {i}) cannot be concatenated")


def _cat_shape(call: Call) -> list:
    shapes = [tuple(a.shape) for a in call.tensors]
    real = [s for s in shapes if not _is_legacy_empty(s)] or shapes[:1]
    dim = wrap_dim(call.dim, len(real[0]))
    for i, s in enumerate(shapes):
        if _is_legacy_empty(s):
            continue
        if len(s) != len(real[0]):
            raise RuntimeError(f"Tensors must have same number of dimensions: got {len(real[0])} and {len(s)}")
        for d, (n, m) in enumerate(zip(real[0], s)):
            if d != dim and n != m:
                raise RuntimeError(
                    f"Sizes of tensors must match except in dimension {dim}. Expected size {n} but got "
                    f"size {m} for tensor number {i} in the list."
                )
    total = sum(s[dim] for s in shapes if not _is_legacy_empty(s))
    return [(*real[0][:dim], total, *real[0][dim + 1 :])]


@operator(autocast=WIDEST_ON_CPU, shape=_cat_shape, check=_check_cat, saves=(), opmath=False, where=(), float8=FLOAT8)
def cat(tensors: Arrays, dim: int = 0):
    """Return the concatenation of the tensors along `dim`.

    The shapes are (…, n, …), (…, m, …) -> (…, n + m, …).
    """
    real = [t for t in tensors if not _is_legacy_empty(t.shape)]
    return namespace(tensors[0]).concatenate(real, axis=dim) if real else tensors[0]


def _stack_shape(call: Call) -> list:
    first = tuple(call.tensors[0].shape)
    for i, a in enumerate(call.tensors):
        if tuple(a.shape) != first:
            raise RuntimeError(
                f"stack expects each tensor to be equal size, but got {list(first)} at entry 0 and "
                f"{list(a.shape)} at entry {i}"
            )
    dim = wrap_dim(call.dim, len(first) + 1)
    return [(*first[:dim], len(call.tensors), *first[dim:])]


@operator(autocast=WIDEST_ON_CPU, shape=_stack_shape, saves=(), opmath=False, where=(), float8=FLOAT8)
def stack(tensors: Arrays, dim: int = 0):
    """Return the tensors, which must have the same shape, stacked along a new dim `dim`."""
    return namespace(tensors[0]).stack(tensors, axis=dim)


@declare(
    "operator", _in_memory_order, saves=(), opmath=False, where=(), name="_flip", node="FlipBackward0", loop="flip_cpu"
)
def _flip(input: Array, dims: tuple):
    """Return the tensor with the order of elements reversed along the (non-negative) `dims`."""
    return namespace(input).flip(input, dims) if input.ndim else input


def _rolled(call: Call) -> Typed:
    """Return the `Typed` of one result with the input's shape.

    The result is row-major, unless it has no elements: then it is a copy with the input's memory order.
    """
    return _in_memory_order(call) if not call.input.numel else Typed([call.input], None, [None])


@declare("operator", _rolled, saves=(), opmath=False, where=(), name="_roll", node="RollBackward0", float8=FLOAT8)
def _roll(input: Array, shifts: tuple, dims: tuple | None):
    """Return the elements shifted along the (non-negative) `dims`. Elements shifted past the end wrap around.

    If `dims` is None, the flattened tensor is shifted.
    """
    xp = namespace(input)
    if not input.ndim:
        return input
    return xp.roll(input, shifts[0]) if dims is None else xp.roll(input, shifts, dims)


def _repeat_shape(call: Call) -> list:
    shape, repeats = tuple(call.input.shape), call.repeats
    if len(repeats) < len(shape):
        raise RuntimeError("Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor")
    shape = (1,) * (len(repeats) - len(shape)) + shape
    for n, r in zip(shape, repeats):
        if r < 0:
            whole = tuple(n * r for n, r in zip(shape, repeats))
            raise _errors.making.negative_dim(n * r, whole)
    return [tuple(n * r for n, r in zip(shape, repeats))]


@operator(
    shape=lambda call: [call.size],
    saves=(),
    opmath=False,
    where=(),
    name="_unsafe_view",
    node="UnsafeViewBackward0",
    float8=FLOAT8,
)
def _unsafe_view(input: Array, size: tuple):
    """Return the input in another shape.

    The input is a fresh copy that is not used elsewhere, so the result need not be a view of it.
    """
    return namespace(input).reshape(input, size)


@operator(shape=_repeat_shape, saves=(), opmath=False, where=(), name="_repeat", node="RepeatBackward0", float8=FLOAT8)
def _repeat(input: Array, repeats: tuple):
    """Return the tensor tiled `repeats[d]` times along each dim d."""
    return namespace(input).tile(summed_wide(input), repeats).astype(input.dtype)


def _matrix(call: Call) -> list:
    if call.input.ndim < 2:
        raise RuntimeError(f"{call.op.name}: input tensor must have at least 2 dimensions")
    return [tuple(call.input.shape)]


@operator(shape=_matrix, saves=(), opmath=False, inplace=True, loop="tril")
def tril(input: Array, diagonal: int = 0):
    """Return the lower triangle of each matrix, with zeros above the given diagonal.

    `diagonal` 0 is the main diagonal. Positive numbers are above it.

    Args:
      input: matrices, (..., m, n).
      diagonal: the last diagonal that is kept.

    >>> torchlike.tril(torchlike.tensor([[1, 2], [3, 4]]))
    tensor([[1, 0],
            [3, 4]])
    """
    return namespace(input).tril(input, diagonal)


@operator(shape=_matrix, saves=(), opmath=False, inplace=True, loop="triu")
def triu(input: Array, diagonal: int = 0):
    """Return the upper triangle of each matrix, with zeros below the given diagonal.

    `diagonal` 0 is the main diagonal. Positive numbers are above it.

    Args:
      input: matrices, (..., m, n).
      diagonal: the first diagonal that is kept.

    >>> torchlike.triu(torchlike.tensor([[1, 2], [3, 4]]))
    tensor([[1, 2],
            [0, 4]])
    """
    return namespace(input).triu(input, diagonal)


def _interleaved(call: Call) -> list:
    shape = tuple(call.input.shape)
    if call.dim is None:
        return [(int(np.prod(shape)) * call.repeats,)]
    dim = wrap_dim(call.dim, len(shape))
    return [(*shape[:dim], shape[dim] * call.repeats, *shape[dim + 1 :])]


@operator(shape=_interleaved, saves=(), opmath=False, where=(), name="_repeat_interleave", float8=FLOAT8)
def _repeat_interleave(input: Array, repeats: int, dim: int | None = None):
    """Return the tensor with each slice along `dim` repeated `repeats` times.

    If `dim` is None, the elements of the flattened tensor are repeated.
    """
    return namespace(input).repeat(summed_wide(input), repeats, axis=dim).astype(input.dtype)


def _embedded(call: Call) -> list:
    shape = tuple(call.input.shape)
    n = shape[-1] + abs(call.offset)
    rest = list(shape[:-1])
    for d in sorted((call.dim1, call.dim2)):
        rest.insert(d, n)
    return [tuple(rest)]


@operator(
    shape=_embedded,
    saves=(),
    opmath=False,
    where=(),
    name="_diag_embed",
    node="DiagEmbedBackward0",
    float8=FLOAT8_SIGNED,
)
def _diag_embed(input: Array, offset: int, dim1: int, dim2: int):
    """Return matrices in the (non-negative) dims `dim1` and `dim2` with the last dim on their diagonals."""
    count = input.shape[-1]
    place = np.arange(count)
    line, column = place + max(-offset, 0), place + max(offset, 0)
    n = count + abs(offset)
    xp = namespace(input)
    made = xp.zeros((*input.shape[:-1], n, n), input.dtype)
    if xp is np:
        made[..., line, column] = input
    else:
        made = made.at[..., line, column].set(input)
    return xp.moveaxis(made, (-2, -1), (dim1, dim2))


def _diagonal_shape(call: Call) -> list:
    n, m = call.input.shape
    offset = call.offset
    return [(max(0, min(n, m - offset) if offset >= 0 else min(n + offset, m)),)]


@operator(
    shape=_diagonal_shape,
    saves=(),
    opmath=False,
    where=(),
    name="_diagonal_copy",
    node="DiagonalBackward0_copy",
    float8=FLOAT8,
)
def _diagonal_copy(input: Array, offset: int):
    """Return a copy of one diagonal of a matrix. A positive `offset` selects a diagonal above the main diagonal."""
    return namespace(input).diagonal(input, offset)
