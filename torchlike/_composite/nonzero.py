"""Nonzero and distinct elements.

The size of the result depends on the data, so most of these functions flush the pending trace.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from torchlike import _errors
from torchlike._composite.views.split import unbind
from torchlike._dtypes import int64
from torchlike._dtypes import strides as _layout
from torchlike._engine import to_numpy
from torchlike._errors.dtypes import scalar_name
from torchlike._ops.schema.out_rules import CASTABLE
from torchlike._tensor import binding, factories, public_calls
from torchlike._tensor.factories import of_array
from torchlike._tensor.out import fit_out
from torchlike._tensor.tensor import Tensor
from torchlike._tensor.tracebacks import shortened
from torchlike._transforms.underived import refused

# -- nonzero elements --------------------------------------------------------------------------------------------------


def nonzero(input: Tensor, *, as_tuple: bool = False) -> Any:
    """Return the indices of the nonzero elements, one row for each; with `as_tuple`, one tensor for each dim.

    Args:
      as_tuple: return a tuple of index vectors, which can be used as an index.

    >>> torchlike.nonzero(torchlike.tensor([0, 5, 6]))
    tensor([[1],
            [2]])
    """
    if as_tuple.__class__ is not bool:
        raise _errors.arguments.wrong_type("nonzero", "as_tuple", None, "bool", as_tuple)
    _errors.dtypes.not_eight_bits("nonzero_count_cpu", input.dtype)
    found = np.nonzero(np.atleast_1d(input._host()))
    if as_tuple and not input.ndim:
        return (of_array(found[0].astype(np.int64), input.device),)
    count = len(found[0])
    table = np.stack(found, 1).astype(np.int64) if input.ndim else np.zeros((count, 0), np.int64)
    made = of_array(np.ascontiguousarray(table), input.device)
    made = factories.with_strides(made, (1, count)) if input.ndim else made
    return unbind(made, 1) if as_tuple else made


@functools.wraps(nonzero)
def _nonzero(input: Tensor, *, as_tuple: bool = False, out: Tensor | None = None) -> Any:
    if out is None:
        return nonzero(input, as_tuple=as_tuple)
    if not isinstance(out, Tensor):
        raise _errors.arguments.out_is_no_tensor("nonzero", out)
    if as_tuple:
        raise RuntimeError("nonzero does not support the out kwarg when as_tuple is True")
    if out.dtype is not int64:
        raise RuntimeError(
            f"nonzero: Expected out tensor to have scalar type Long but got scalar type{scalar_name(out.dtype)}"
        )
    made = nonzero(input)
    if out.shape != made.shape:
        fit_out(CASTABLE, made, out)
        if made.ndim == 2:
            out.as_strided_(made.shape, made.stride())  # column-major, as in PyTorch
    return out.copy_(made)


def argwhere(input: Tensor) -> Tensor:
    """Return the indices of the nonzero elements, one row for each.

    >>> torchlike.argwhere(torchlike.tensor([0, 5]))
    tensor([[1]])
    """
    return nonzero(input)


def nonzero_static(input: Tensor, *, size: int, fill_value: int = -1) -> Tensor:
    """Return the indices of the first `size` nonzero elements, padded with `fill_value`.

    Args:
      size: the number of rows of the result.
      fill_value: the index in the rows that are left over.
    """
    if size < 0:
        raise RuntimeError("nonzero_static: 'size' must be an non-negative integer")
    found = nonzero(input)._host()[:size]
    table = np.full((size, input.ndim), fill_value, np.int64)
    table[: len(found)] = found
    return of_array(table, input.device)


def is_nonzero(input: Tensor) -> bool:
    """Return whether the only element is not zero."""
    return bool(input)


# -- distinct elements -------------------------------------------------------------------------------------------------


def _axis(input: Tensor, dim: int | None) -> int | None:
    """Return the dim whose slices are compared, or None to compare the elements of the flattened tensor."""
    if dim is None:
        return None
    if not input.ndim:
        raise _errors.shapes.dim_of_scalar(dim)
    return input._nonnegative(dim)


def _check_distinct(input: Tensor, axis: int | None, name: str) -> None:
    _errors.dtypes.not_eight_bits(name if axis is None else "unique_dim", input.dtype)
    if input.dtype.is_complex:
        raise _errors.dtypes.not_implemented(name if axis is None else "unique_dim", input.dtype)
    if axis is not None and not input.numel() and input.shape[axis]:
        raise RuntimeError("There are 0 sized dimensions, and they aren't selected, so unique cannot be applied")


def unique(
    input: Tensor,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Any:
    """Return the distinct elements, or distinct slices of a dim, in ascending order. Every NaN is distinct.

    With `return_inverse`, also return the index in the result of each element; with `return_counts`, the number of
    occurrences of each distinct element.

    Args:
      sorted: has no effect. The result is always sorted.
      return_inverse: also return indices with `result[inverse] = input`.
      return_counts: also return the number of occurrences of each element.
      dim: the dim whose slices are compared. By default, elements are compared.

    >>> torchlike.unique(torchlike.tensor([3, 1, 3]))
    tensor([1, 3])
    """
    axis = _axis(input, dim)
    _check_distinct(input, axis, "unique")
    host = to_numpy(input._value)
    exact = host.astype(np.float32) if host.dtype.kind == "V" else host  # NumPy cannot order NaN in bfloat16
    wanted: Any = {"return_inverse": return_inverse, "return_counts": return_counts}
    if axis is None and not any(wanted.values()):
        values, more = _distinct(np.sort(exact, axis=None)), []
    else:
        found = np.unique(exact, axis=axis, equal_nan=False, **wanted)
        values, *more = found if any(wanted.values()) else (found,)
    inverse = more.pop(0) if return_inverse else None
    derivative = ("_unique2", "Unique2Backward0") if axis is None else ("unique_dim", "UniqueDimBackward0")
    return _tables(input, axis, values.astype(host.dtype), inverse, more.pop() if return_counts else None, derivative)


def _distinct(row: np.ndarray) -> np.ndarray:
    """Return the elements of a sorted vector that differ from their predecessor."""
    return row[np.concatenate([np.ones(min(len(row), 1), bool), row[1:] != row[:-1]])]


def unique_consecutive(
    input: Tensor, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Any:
    """Remove elements, or slices of a dim, that are equal to their predecessor.

    Args:
      return_inverse: also return indices with `result[inverse] = input`.
      return_counts: also return the length of each run.
      dim: the dim whose slices are compared. By default, the elements of the flattened tensor are compared.

    >>> torchlike.unique_consecutive(torchlike.tensor([1, 1, 2, 1]), return_counts=True)
    (tensor([1, 2, 1]), tensor([2, 1, 1]))
    """
    axis = _axis(input, dim)
    _check_distinct(input, axis, "unique_consecutive")
    host = to_numpy(input._value)
    flat = host.reshape(-1) if axis is None else np.moveaxis(host, axis, 0)
    same = (flat[1:] == flat[:-1]).all(axis=tuple(range(1, flat.ndim)))
    first = np.concatenate([np.ones(min(len(flat), 1), bool), ~same])
    starts = np.flatnonzero(first)
    values = flat[first] if axis is None else np.moveaxis(flat[first], 0, axis)
    counts = np.diff(np.append(starts, len(flat))) if return_counts else None
    derivative = "unique_consecutive", "UniqueConsecutiveBackward0"
    return _tables(input, axis, values, np.cumsum(first) - 1 if return_inverse else None, counts, derivative)


def _tables(
    input: Tensor, axis: int | None, values: Any, inverse: Any, counts: Any, derivative: tuple[str, str]
) -> Any:
    if inverse is not None:
        inverse = inverse.reshape(tuple(input.shape)) if axis is None else inverse.reshape(-1)
    found = [values, *[a.astype(np.int64) for a in (inverse, counts) if a is not None]]
    made: tuple[Any, ...] = tuple([of_array(np.require(a, requirements="C"), input.device) for a in found])
    if axis:  # the slices were found along the first dim, which stays the outermost one in memory
        shape = list(made[0].shape)
        strides = list(_layout.contiguous_strides((shape.pop(axis), *shape)))
        factories.with_strides(made[0], (*strides[1 : axis + 1], strides[0], *strides[axis + 1 :]))
    refused(made[0], input, name=derivative[0], node=derivative[1])
    return made[0] if len(made) == 1 else made


def where(condition: Tensor, *choices: Any, **named: Any) -> Any:
    """Select from `input` where the condition is true, else from `other`.

    Without `input` and `other`, return the indices at which the condition is true, one tensor for each dim.

    Args:
      condition: a bool tensor.
      choices: `input` and `other`, tensors or numbers. All three are broadcast, and the dtypes are promoted.
      named: `input` and `other` by name.

    >>> torchlike.where(torchlike.tensor([True, False]), torchlike.tensor([1, 2]), 0)
    tensor([1, 0])
    """
    try:
        if choices or named:
            return binding.PUBLIC["where"](condition, *choices, **named)
        return nonzero(condition, as_tuple=True)
    except Exception as error:
        raise shortened(error)


def _where(self: Tensor, condition: Tensor, other: Any) -> Tensor:
    """Select from this tensor where the condition is true, else from `other`.

    Args:
      condition: a bool tensor. All three are broadcast.
      other: a tensor or number.

    >>> torchlike.tensor([1, 2]).where(torchlike.tensor([True, False]), 0)
    tensor([1, 0])
    """
    return binding.PUBLIC["where"](condition, self, other)


FUNCTIONS = public_calls.functions(nonzero_static, argwhere, is_nonzero, unique, unique_consecutive)
FUNCTIONS |= public_calls.named({"nonzero": _nonzero})
FUNCTIONS["where"] = where
METHODS = {"where": _where} | public_calls.methods(
    nonzero, nonzero_static, argwhere, is_nonzero, unique, unique_consecutive
)
