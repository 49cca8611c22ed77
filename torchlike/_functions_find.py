"""Finding: what is not zero, the distinct elements, the place of numbers in a sorted sequence.

How many there are depends on the data, so most of these are observations: pending work runs.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from torchlike import _dtypes, _errors, _facade, _factories, _layout
from torchlike._bind import CALLERS as rows
from torchlike._core import concrete
from torchlike._factories import of_array
from torchlike._functions_split import unbind
from torchlike._tensor import Tensor

# -- what is not zero --------------------------------------------------------------------------------------------------


def nonzero(input: Tensor, *, as_tuple: bool = False) -> Any:
    """The indices of the elements that are not zero, one row each (with `as_tuple`, one tensor for each dim)."""
    found = np.nonzero(np.atleast_1d(input._host()))
    if as_tuple and not input.ndim:
        return (of_array(found[0].astype(np.int64), input.device),)
    count = len(found[0])
    table = np.stack(found, 1).astype(np.int64) if input.ndim else np.zeros((count, 0), np.int64)
    made = of_array(np.ascontiguousarray(table), input.device)
    made = _factories.with_strides(made, (1, count)) if input.ndim else made
    return unbind(made, 1) if as_tuple else made


def argwhere(input: Tensor) -> Tensor:
    """The indices of the elements that are not zero, one row each."""
    return nonzero(input)


def nonzero_static(input: Tensor, *, size: int, fill_value: int = -1) -> Tensor:
    """The first `size` indices of elements that are not zero, filled up with `fill_value`."""
    if size < 0:
        raise RuntimeError("nonzero_static: 'size' must be an non-negative integer")
    found = nonzero(input)._host()[:size]
    table = np.full((size, input.ndim), fill_value, np.int64)
    table[: len(found)] = found
    return of_array(table, input.device)


def is_nonzero(input: Tensor) -> bool:
    """Whether the one element is not zero."""
    return bool(input)


# -- distinct elements -------------------------------------------------------------------------------------------------


def unique(input: Tensor, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False,
           dim: int | None = None) -> Any:  # fmt: skip
    """The distinct elements (or indices of a dim) in ascending order; every NaN is distinct.

    With `return_inverse` also the place of each element among them, with `return_counts` how often each occurs.
    """
    host = np.asarray(concrete(input._value))
    axis = None if dim is None else input._wrap(dim)
    values, inverse, counts = np.unique(host, return_inverse=True, return_counts=True, axis=axis, equal_nan=False)
    return _tables(input, axis, values, inverse, counts, return_inverse, return_counts)


def unique_consecutive(input: Tensor, return_inverse: bool = False, return_counts: bool = False,
                       dim: int | None = None) -> Any:  # fmt: skip
    """The elements (or indices of a dim) without those equal to the one before."""
    host = np.asarray(concrete(input._value))
    axis = None if dim is None else input._wrap(dim)
    flat = host.reshape(-1) if axis is None else np.moveaxis(host, axis, 0)
    same = (flat[1:] == flat[:-1]).all(axis=tuple(range(1, flat.ndim)))
    first = np.concatenate([np.ones(min(len(flat), 1), bool), ~same])
    starts = np.flatnonzero(first)
    values = flat[first] if axis is None else np.moveaxis(flat[first], 0, axis)
    counts = np.diff(np.append(starts, len(flat)))
    return _tables(input, axis, values, np.cumsum(first) - 1, counts, return_inverse, return_counts)


def _tables(input: Tensor, axis: int | None, values: Any, inverse: Any, counts: Any, want_inverse: bool,
            want_counts: bool) -> Any:  # fmt: skip
    inverse = inverse.reshape(tuple(input.shape)) if axis is None else inverse.reshape(-1)
    found = [values] + [inverse.astype(np.int64)] * want_inverse + [counts.astype(np.int64)] * want_counts
    made = tuple([of_array(np.ascontiguousarray(a), input.device) for a in found])
    if axis:  # found along the first dim, which then takes its place
        shape = list(made[0].shape)
        strides = list(_layout.contiguous_strides((shape.pop(axis), *shape)))
        _factories.with_strides(made[0], (*strides[1 : axis + 1], strides[0], *strides[axis + 1 :]))
    return made if len(made) > 1 else made[0]


# -- in a sorted sequence ----------------------------------------------------------------------------------------------


def searchsorted(sorted_sequence: Tensor, input: Any, *, out_int32: bool = False, right: bool = False,
                 side: str | None = None, sorter: Tensor | None = None) -> Tensor:  # fmt: skip
    """For each number the place before (`right`: after) which it would keep the last dim of the sequence sorted.

    >>> torchlike.searchsorted(torchlike.tensor([1, 3, 5]), torchlike.tensor([0, 3, 6]))
    tensor([0, 1, 3])
    """
    if side not in (None, "left", "right"):
        raise RuntimeError(f"torch.searchsorted(): side can only be 'left' or 'right' but got {side}")
    if side == "left" and right:
        raise RuntimeError("torch.searchsorted(): side and right can't be set to opposites, got side of left while right "
                           "was True")  # fmt: skip
    if sorter is not None:
        sorted_sequence = _in_order(sorted_sequence, sorter)
    given = isinstance(input, Tensor)
    if given:
        _check_search(sorted_sequence, input)
    else:
        if sorted_sequence.ndim != 1:
            raise RuntimeError("torch.searchsorted(): input value can be a scalar only when boundaries tensor dimension is "
                               f"1, but we got boundaries tensor dim({sorted_sequence.ndim}) and input value's dim(0) "
                               "numel(1)")  # fmt: skip
        input = _factories.tensor(input, dtype=_dtypes.float64 if isinstance(input, float) else None)
    result = _dtypes.int32 if out_int32 else _dtypes.int64
    return rows["_searchsorted"](sorted_sequence.detach(), input.detach(), right or side == "right", result)


def _in_order(sequence: Tensor, sorter: Tensor) -> Tensor:
    if sorter.shape != sequence.shape:
        raise RuntimeError("torch.searchsorted(): boundary and sorter must have the same size, but got boundary tensor "
                           f"{list(sequence.shape)}and got sorter tensor {list(sorter.shape)}")  # fmt: skip
    if sorter.dtype is not _dtypes.int64:
        raise RuntimeError("torch.searchsorted(): sorter must be a tensor of long dtype but got dtype "
                           f"{_errors.scalar_name(sorter.dtype)}")  # fmt: skip
    return rows["_gather"](sequence, -1, sorter)


def _check_search(sequence: Tensor, input: Tensor) -> None:
    if sequence.ndim != 1 and sequence.shape[:-1] != input.shape[:-1]:
        raise RuntimeError("torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 dimensions of "
                           "boundaries tensor and input value tensor must match, but we got boundaries tensor "
                           f"{list(sequence.shape)} and input value tensor {list(input.shape)}")  # fmt: skip


def bucketize(input: Any, boundaries: Tensor, *, out_int32: bool = False, right: bool = False) -> Tensor:
    """For each number the index of the bucket, between sorted boundaries, into which it falls."""
    if boundaries.ndim != 1:
        raise RuntimeError(f"boundaries tensor must be 1 dimension, but got dim({boundaries.ndim})")
    return searchsorted(boundaries, input, out_int32=out_int32, right=right)


FUNCTIONS = _facade.functions(nonzero_static, argwhere, is_nonzero, unique, unique_consecutive,
                              out=(nonzero, searchsorted, bucketize))  # fmt: skip
METHODS = _facade.methods(nonzero, nonzero_static, argwhere, is_nonzero, unique, unique_consecutive)
