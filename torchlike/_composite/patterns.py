"""Structured matrices and combinations: diagonals, blocks, grids, products and powers of the elements of vectors."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from torchlike import _dtypes, _errors
from torchlike._composite.views.conversions import reshape
from torchlike._composite.views.split import cat, stack
from torchlike._errors.warned import once
from torchlike._ops.schema.autocast_policies import Casts, as_given
from torchlike._ops.schema.out_rules import EXACT, Into
from torchlike._tensor import factories, public_calls
from torchlike._tensor.autocast import casting
from torchlike._tensor.binding import CALLERS as rows
from torchlike._tensor.tensor import Tensor


def diag(input: Tensor, diagonal: int = 0) -> Tensor:
    """Return the diagonal of a matrix, or a matrix with the given vector on its diagonal.

    Args:
      diagonal: the diagonal: 0 for the main one, positive above it, negative below it.

    >>> torchlike.diag(torchlike.tensor([1, 2]))
    tensor([[1, 0],
            [0, 2]])
    """
    if input.ndim == 2:
        return rows["_diagonal_copy"](input, diagonal)
    if input.ndim != 1:
        raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {input.ndim}D")
    return rows["_diag_embed"](input, diagonal, 0, 1)


def _misfit(result: Any, out: Any) -> RuntimeError:
    """Return the error for an `out` tensor that cannot take the result of `diag`."""
    castable = _dtypes.can_cast(result, out)
    return (_errors.dtypes.exact_out if castable else _errors.outs.cannot_become("diag", "out="))(result, out)


_OF_MATRIX = EXACT._replace(called="aten::diagonal_copy")
_OF_VECTOR = Into(_misfit, called="aten::diag_embed")


def _diag_into(input: Tensor, *_: Any) -> Into:
    return _OF_VECTOR if input.ndim == 1 else _OF_MATRIX


def diag_embed(input: Tensor, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """Return matrices in the dims `dim1` and `dim2` with the last dim of `input` on their diagonals.

    (..., n) -> (..., n, n) by default.

    Args:
      offset: the diagonal: 0 for the main one, positive above it, negative below it.
      dim1, dim2: the dims of the rows and the columns in the result.

    >>> torchlike.diag_embed(torchlike.tensor([1, 2]))
    tensor([[1, 0],
            [0, 2]])
    """
    a, b = (d + input.ndim + 1 if d < 0 else d for d in (dim1, dim2))
    for given, d in ((dim1, a), (dim2, b)):
        if not 0 <= d <= input.ndim:
            raise IndexError(
                f"Dimension out of range (expected to be in range of [{-input.ndim - 1}, {input.ndim}], "
                f"but got {given})"
            )
    if a == b:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    return rows["_diag_embed"](input, offset, a, b)


def diagflat(input: Tensor, offset: int = 0) -> Tensor:
    """Return a matrix with all elements of `input` on its diagonal.

    Args:
      offset: the diagonal: 0 for the main one, positive above it, negative below it.
    """
    return rows["_diag_embed"](reshape(input, (-1,)), offset, 0, 1)


def block_diag(*tensors: Tensor) -> Tensor:
    """Return the block-diagonal matrix of the given matrices. A vector is a matrix with one row.

    Args:
      tensors: tensors of at most two dims.

    >>> torchlike.block_diag(torchlike.tensor([[1]]), torchlike.tensor([[2, 3]]))
    tensor([[1, 0, 0],
            [0, 2, 3]])
    """
    if not tensors:
        return factories.empty(1, 0)
    for i, t in enumerate(tensors):
        if t.ndim > 2:
            raise RuntimeError(
                f"torch.block_diag: Input tensors must have 2 or fewer dimensions. Input {i} has {t.ndim} dimensions"
            )
    blocks = [reshape(t, (1, t.numel())) if t.ndim < 2 else t for t in tensors]
    width, start, lines = sum(b.shape[1] for b in blocks), 0, []
    for b in blocks:
        height, own = b.shape
        left, right = (factories.zeros(height, n, dtype=b.dtype, device=b.device) for n in (start, width - start - own))
        lines.append(cat([left, b, right], 1))
        start += own
    return cat(lines, 0)


def meshgrid(*tensors: Any, indexing: str | None = None) -> tuple[Tensor, ...]:
    """Return coordinate grids of vectors.

    `indexing` is "ij" (rows first) or "xy". Without it, a warning is issued, and "ij" applies.

    Args:
      tensors: one-dimensional tensors or numbers, or one sequence of them.
      indexing: "ij" (the first tensor varies along dim 0) or "xy" (along dim 1).

    >>> x, y = torchlike.meshgrid(torchlike.tensor([1, 2]), torchlike.tensor([3, 4, 5]), indexing="ij")
    >>> x.shape
    torch.Size([2, 3])
    """
    if len(tensors) == 1 and isinstance(tensors[0], list | tuple):
        tensors = tuple(tensors[0])
    if not isinstance(indexing, str | None):
        raise _errors.arguments.wrong_type("meshgrid", "indexing", None, "str", indexing)
    if indexing is None:
        once(_errors.shapes.MESHGRID_INDEXING)
    given = public_calls.tensors("meshgrid", tensors)
    for t in given:
        if t.ndim > 1:
            raise RuntimeError(f"torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: {t}")
        if t.dtype is not given[0].dtype:
            raise RuntimeError("meshgrid expects all tensors to have the same dtype")
    if indexing not in (None, "ij", "xy"):
        raise RuntimeError(f'torch.meshgrid: indexing must be one of "xy" or "ij", but received: {indexing}')
    if indexing == "xy" and len(given) > 1:
        second, first, *rest = _grids([given[1], given[0], *given[2:]])
        return (first, second, *rest)
    return _grids(given)


def _grids(tensors: list[Tensor]) -> tuple[Tensor, ...]:
    shape = tuple(t.numel() for t in tensors)
    ones = [(1,) * i + (-1,) + (1,) * (len(shape) - i - 1) for i in range(len(shape))]
    return tuple(rows["expand"](rows["view"](t, one), shape) for t, one in zip(tensors, ones))


def cartesian_prod(*tensors: Tensor) -> Tensor:
    """Return the Cartesian product of vectors, one row for each combination.

    Args:
      tensors: one-dimensional tensors of one dtype.

    >>> torchlike.cartesian_prod(torchlike.tensor([1, 2]), torchlike.tensor([3, 4]))
    tensor([[1, 3],
            [1, 4],
            [2, 3],
            [2, 4]])
    """
    public_calls.tensors("meshgrid", tensors)
    for t in tensors:
        if t.ndim != 1:
            raise RuntimeError(f"Expect a 1D vector, but got shape {list(t.shape)}")
    if len(tensors) == 1:
        return tensors[0]
    if len({t.dtype for t in tensors}) > 1:
        raise RuntimeError("meshgrid expects all tensors to have the same dtype")
    return stack([reshape(g, (-1,)) for g in _grids(public_calls.tensors("meshgrid", tensors))], 1)


def combinations(input: Tensor, r: int = 2, with_replacement: bool = False) -> Tensor:
    """Return all combinations of `r` elements of a vector, in order, one row for each.

    Args:
      input: a one-dimensional tensor.
      r: the number of elements of a combination.
      with_replacement: use an element several times.

    >>> torchlike.combinations(torchlike.tensor([1, 2, 3]))
    tensor([[1, 2],
            [1, 3],
            [2, 3]])
    """
    if input.ndim != 1:
        raise RuntimeError(f"Expect a 1D vector, but got shape {list(input.shape)}")
    if r < 0:
        raise RuntimeError(f"Expect a non-negative number, but got {r}")
    if r == 0:
        return factories.empty(0, dtype=input.dtype, device=input.device)
    choose = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    places = np.array(list(choose(range(input.numel()), r)), np.int64).reshape(-1, r)
    chosen = rows["index_select"](input, 0, factories.of_array(places.reshape(-1), input.device))
    return rows["view"](chosen, places.shape)


@casting(Casts(as_given, as_given))
def vander(x: Tensor, N: int | None = None, increasing: bool = False) -> Tensor:
    """Return the Vandermonde matrix of a vector: the powers of its elements, from high to low unless `increasing`.

    (n,) -> (n, N), where N is n by default.

    Args:
      x: a vector.
      N: the number of columns.
      increasing: begin with the power 0.
    """
    if x.ndim != 1:
        raise RuntimeError("x must be a one-dimensional tensor.")
    if N is not None and N < 0:
        raise RuntimeError("N must be non-negative.")
    count = x.shape[-1] if N is None else N
    whole = x.dtype.category < _dtypes.FLOATING
    powers = np.arange(count) if increasing else np.arange(count)[::-1].copy()
    base = x.long() if whole else x if count > 1 else x.detach()  # one column of ones has no gradient
    return rows["pow"](rows["unsqueeze"](base, -1), factories.of_array(powers, x.device))


def _columns(indices: Tensor, shape: tuple[int, ...]) -> list[Tensor]:
    columns, step = [], 1
    for n in reversed(shape):
        columns.append(rows["remainder"](rows["floor_divide"](indices, step), n))
        step *= n
    return columns[::-1]


def unravel_index(indices: Tensor, shape: Any) -> tuple[Tensor, ...]:
    """Convert indices into a flattened tensor to indices into a tensor of `shape`, one index tensor for each dim.

    Args:
      indices: an integer tensor.
      shape: the shape, an int or a sequence of ints.

    >>> torchlike.unravel_index(torchlike.tensor([3]), (2, 2))
    (tensor([1]), tensor([1]))
    """
    if indices.dtype.category != _dtypes.INTEGER:
        raise TypeError(f"expected 'indices' to be integer dtype, but got {indices.dtype!r}")
    if isinstance(shape, str):
        raise TypeError(f"expected 'shape' sequence to only contain ints, but got {type(shape[:1])}")
    sizes = (shape,) if isinstance(shape, int) else tuple(int(n) for n in shape)
    if any(n < 0 for n in sizes):
        raise ValueError(f"'shape' cannot have negative values, but got {sizes}")
    if not sizes:
        return ()
    table = stack(_columns(indices.to(_dtypes.int64), sizes), -1)
    return tuple(rows["_select"](table, table.ndim - 1, i) for i in range(len(sizes)))


FUNCTIONS = public_calls.functions(
    block_diag, diag_embed, diagflat, cartesian_prod, combinations, vander, unravel_index, out={diag: _diag_into}
)
FUNCTIONS |= {"meshgrid": meshgrid}
METHODS = public_calls.methods(diag, diag_embed, diagflat)
