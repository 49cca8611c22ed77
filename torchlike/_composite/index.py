"""Gather, scatter and masked functions, which read and write at indices along a dim or under a mask.

Indices that are known on the host are checked against the size, as in PyTorch. Other indices that are out of range
read JAX's fill value (NaN for floating-point dtypes), and writes to them are dropped. Indices on an accelerator are not
known on the host, because reading them would wait for the device. PyTorch does not wait either: an assertion on the
device fails later. With `torchlike.set_executor("immediate")`, indices on an accelerator are read and checked.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from torchlike import _dtypes, _errors
from torchlike._autograd.engine import another
from torchlike._composite.views.conversions import clone_for, replace
from torchlike._composite.views.shape import broadcast_tensors
from torchlike._dtypes import modes
from torchlike._engine import at_hand, when_at_hand
from torchlike._errors.dtypes import scalar_name
from torchlike._errors.warned import once, warn
from torchlike._ops.schema.autocast_policies import WIDEST_ELSEWHERE
from torchlike._ops.schema.out_rules import Into
from torchlike._ops.schema.typing_rules import broadcast
from torchlike._tensor import factories, indexing, public_calls, views
from torchlike._tensor.argument_forms import moved_number, plain
from torchlike._tensor.autocast import casting
from torchlike._tensor.binding import CALLERS as rows
from torchlike._tensor.binding import check_history
from torchlike._tensor.tensor import Tensor, wrap
from torchlike._tensor.tracebacks import shortened


def known_range(index: Tensor) -> tuple[int, int] | None:
    """Return the smallest and the largest index if they are known without a flush, else None."""
    array = at_hand(index._value)
    if array is None or not index.numel():
        return None
    host = np.asarray(array)
    return int(host.min()), int(host.max())


def check_bounds(index: Tensor, least: int, end: int, error: Callable[[int], Exception]) -> None:
    """Raise `error(index)` for an index outside [least, end).

    Only concrete indices on the CPU are checked, and those on an accelerator if operators run immediately. A captured
    graph repeats the check at each call.
    """
    if not index.numel():
        return

    def check(array: Any) -> None:
        host = np.asarray(array)
        for bad in (int(host.min()), int(host.max())):
            if not least <= bad < end:
                raise error(bad)

    when_at_hand(index._value, check)


def _check_along(input: Tensor, dim: int, index: Tensor) -> None:
    """Check that every index of `gather` and similar functions lies in [0, size)."""
    size, dim = input.shape[dim] if input.ndim else 1, dim % max(input.ndim, 1)
    check_bounds(index, 0, size, lambda bad: _errors.indexing.index_along(bad, dim, size))


def _check_rows(input: Tensor, dim: int, index: Tensor, say: Any = None) -> None:
    """Check that every index of `index_select` and similar functions lies in [0, size)."""
    size, dim = input.shape[dim] if input.ndim else 1, dim % max(input.ndim, 1)
    error = (lambda bad: say(bad, dim, size)) if say else lambda bad: _errors.indexing.index_out_of_range()
    check_bounds(index, 0, size, error)


# -- reading -----------------------------------------------------------------------------------------------------------


def gather(input: Tensor, dim: int, index: Tensor, *, sparse_grad: bool = False) -> Tensor:
    """Gather elements along `dim`: out[i][j] = input[index[i][j]][j] for dim 0, and so on for other dims.

    Args:
      index: int32 or int64 indices, with as many dims as `input`. The result has its shape.
      sparse_grad: not supported; it must be False.

    >>> torchlike.gather(torchlike.tensor([[1, 2], [3, 4]]), 1, torchlike.tensor([[0], [1]]))
    tensor([[1],
            [4]])
    """
    if sparse_grad:
        raise _errors.arguments.unsupported("gather", "sparse_grad")
    made = rows["_gather"](input, dim, index)
    _check_along(input, dim, index)
    return made


def take_along_dim(input: Tensor, indices: Tensor, dim: int | None = None) -> Tensor:
    """Gather elements along `dim`, with the other dims broadcast and the indices taken modulo the size.

    If `dim` is None, the function selects from the flattened tensor.

    Args:
      indices: int64 indices, with as many dims as `input`.
      dim: the dim along which the indices count.

    >>> torchlike.take_along_dim(torchlike.tensor([[1, 2], [3, 4]]), torchlike.tensor([[-1]]), 0)
    tensor([[3, 4]])

    >>> torchlike.take_along_dim(torchlike.tensor([[3, 1], [2, 4]]), torchlike.tensor([[1], [0]]), dim=1)
    tensor([[1],
            [2]])
    """
    if indices.dtype is not _dtypes.int64:
        raise RuntimeError(
            f"torch.take_along_dim(): dtype of indices should be Long but got {scalar_name(indices.dtype)}"
        )
    if dim is None:
        return gather(input.reshape(-1), 0, indices.reshape(-1))
    if input.ndim != indices.ndim:
        raise RuntimeError(
            "torch.take_along_dim(): input and indices should have the same number of dimensions, but "
            f"got {input.ndim} dimensions for input, and {indices.ndim} dimensions for indices"
        )
    at = input._nonnegative(dim)
    one = [slice(None)] * input.ndim
    one[at] = slice(0, 1)
    rest = broadcast_tensors(input.detach()[tuple(one)], indices.detach()[tuple(one)])[0].shape
    ours, theirs = list(rest), list(rest)
    ours[at], theirs[at] = input.shape[at], indices.shape[at]
    smallest, largest = known_range(indices) or (-1, 0)
    if ours[at] and (smallest < 0 or largest >= ours[at]):
        indices = rows["remainder"](indices, ours[at])
    else:  # in PyTorch, the remainder is a new tensor that backward saves: use a separate Value here too
        indices = wrap(another(indices._pair()[0]))
    return gather(rows["expand"](input, tuple(ours)), at, rows["expand"](indices, tuple(theirs)))


def index_select(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """Return the slices of `input` at the indices `index` along `dim`.

    Args:
      index: the indices, a vector of int32 or int64.

    >>> torchlike.index_select(torchlike.tensor([[1, 2], [3, 4]]), 1, torchlike.tensor([1, 0]))
    tensor([[2, 1],
            [4, 3]])
    """
    say = _errors.indexing.no_such_row(tuple(input.shape))
    if not input.numel() and input.ndim:
        _check_rows(input, dim, index, say)
    made = rows["index_select"](input, dim, index)
    _check_rows(input, dim, index, say)
    return made


def take(input: Tensor, index: Tensor) -> Tensor:
    """Return the elements at `index` of the flattened tensor.

    Args:
      index: int64 indices of the flattened tensor. The result has their shape.

    >>> torchlike.take(torchlike.tensor([[1, 2], [3, 4]]), torchlike.tensor([0, 3]))
    tensor([1, 4])
    """
    if index.dtype is not _dtypes.int64:
        raise RuntimeError(f"take(): Expected a long tensor for index, but got {scalar_name(index.dtype)}")
    _check_flat(input, index)
    return rows["_take"](input, index)


def _check_flat(input: Tensor, index: Tensor) -> None:
    count = input.numel()
    check_bounds(index, -count, count, lambda bad: _errors.indexing.index_of_flat(bad, count))


def masked_select(input: Tensor, mask: Tensor) -> Tensor:
    """Return the elements at which `mask` is true as a one-dimensional tensor. The call flushes the pending trace.

    Args:
      mask: a bool tensor. It is broadcast with `input`.

    >>> torchlike.masked_select(torchlike.tensor([1, 2, 3]), torchlike.tensor([True, False, True]))
    tensor([1, 3])
    """
    if not isinstance(mask, Tensor):
        raise _errors.arguments.wrong_type("masked_select", "mask", 1, "Tensor", mask)
    if mask.dtype is not _dtypes.bool_:
        raise RuntimeError("masked_select: expected BoolTensor for mask")
    mask, input = broadcast_tensors(mask, input)
    return indexing.chosen(input, mask)


# -- writing -----------------------------------------------------------------------------------------------------------


@public_calls.overloaded
def masked_fill(input: Tensor, mask: Tensor, value: Any) -> Tensor:
    """Return a copy of `input` with `value` at the elements where `mask` is true.

    Args:
      mask: a bool tensor that broadcasts with `input`.
      value: a number or a 0-d tensor.

    >>> torchlike.tensor([1, 2, 3]).masked_fill(torchlike.tensor([True, False, True]), 0)
    tensor([0, 2, 0])
    """
    if not isinstance(mask, Tensor) or isinstance(value, str):
        raise _errors.arguments.invalid_combination("masked_fill", (mask, value), {})
    if isinstance(value, Tensor):
        if value.ndim:
            raise RuntimeError(
                "masked_fill_ only supports a 0-dimensional value tensor, but got tensor with "
                f"{value.ndim} dimension(s)."
            )
        if value.dtype.is_complex and not input.dtype.is_complex:
            _check_value(input, value.item())
        return rows["_masked_fill_by"](input, mask, moved_number(value, input.device))
    _check_value(input, value)
    return rows["_masked_fill"](input, mask, value)


def _check_value(input: Tensor, value: Any) -> None:
    """Check that a number is in the range of the dtype to which it is written."""
    _dtypes.check_number(value, input.dtype)


def masked_scatter(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """Return a copy of `input`. Elements of `source`, in order, replace the elements where `mask` is true.

    Args:
      mask: a bool tensor that broadcasts with `input`.
      source: the new elements, of the dtype of `input`; at least as many as `mask` has true elements.

    >>> torchlike.zeros(3).masked_scatter(torchlike.tensor([True, False, True]), torchlike.tensor([5.0, 6.0]))
    tensor([5., 0., 6.])
    """
    if not isinstance(mask, Tensor):
        raise _errors.arguments.wrong_type("masked_scatter", "mask", 1, "Tensor", mask)
    if mask.dtype is _dtypes.bool_:
        shape, count = broadcast([mask.shape, input.shape]), source.numel()

        def check(found: Any) -> None:
            if np.broadcast_to(np.asarray(found), shape).sum() > count:
                raise RuntimeError("Number of elements of source < number of ones in mask")

        when_at_hand(mask._value, check)
    return rows["_masked_scatter"](input, mask, source)


def scatter(
    input: Tensor, dim: int, index: Tensor, src: Any = None, *, value: Any = None, reduce: str | None = None
) -> Tensor:
    """Write `src` (a tensor or a number) at the indices `index` along `dim`.

    If `reduce` is "add" or "multiply", combine `src` with the elements instead of replacing them.

    Args:
      index: int32 or int64 indices, with as many dims as `input`.
      src: a tensor of the dtype of `input`, at least as large as `index` along each dim, or a number.
      value: a number in place of `src`.
      reduce: None, "add" or "multiply".

    >>> torchlike.zeros(2, 3).scatter(1, torchlike.tensor([[0], [2]]), 1.0)
    tensor([[1., 0., 0.],
            [0., 0., 1.]])
    """
    several = src is not None and value is not None
    src = plain(value if src is None else src)
    if several or not isinstance(src, Tensor | int | float | complex):
        raise _errors.arguments.invalid_combination("scatter", (input, dim, index, src)[: 3 if src is None else 4], {})
    if reduce is None:
        if not isinstance(src, Tensor):
            _check_value(input, src)
        made = rows["_scatter" if isinstance(src, Tensor) else "_scatter_fill"](input, dim, index, src)
        _check_along(input, dim, index)
        return made
    if reduce not in ("add", "multiply"):
        raise RuntimeError("reduce argument must be either add or multiply.")
    if isinstance(src, Tensor):
        warn(_errors.shapes.DEPRECATED_SCATTER_REDUCE)
    else:
        src = factories.full(tuple(index.shape), src, dtype=input.dtype, device=input.device)
    return scatter_reduce(input, dim, index, src, "sum" if reduce == "add" else "prod")


def scatter_add(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    """Add `src` at the indices `index` along `dim`.

    Args:
      index: int32 or int64 indices, with as many dims as `input`. An index may occur several times.
      src: the elements to add, of the dtype of `input`. It is at least as large as `index` along each dim.

    >>> torchlike.zeros(3).scatter_add(0, torchlike.tensor([0, 0, 2]), torchlike.tensor([1.0, 2.0, 3.0]))
    tensor([3., 0., 3.])
    """
    made = rows["_scatter_add"](input, dim, index, src)
    _check_along(input, dim, index)
    return made


def scatter_reduce(
    input: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, *, include_self: bool = True
) -> Tensor:
    """Reduce the elements of `src` that have the same index along `dim` into `input`.

    `reduce` is "sum", "prod", "mean", "amax" or "amin". With `include_self`, the elements of `input` take part in the
    reduction. Equal largest or smallest elements share the gradient evenly.

    Args:
      index: int32 or int64 indices, with as many dims as `input`.
      src: the elements to reduce, of the dtype of `input`. It is at least as large as `index` along each dim.
      reduce: the reduction.
      include_self: let the elements of `input` take part in the reduction.

    >>> torchlike.ones(2).scatter_reduce(0, torchlike.tensor([0, 0]), torchlike.tensor([2.0, 3.0]), "prod")
    tensor([6., 1.])
    """
    made = rows["_scatter_reduce"](input, dim, index, src, reduce, include_self)
    _check_along(input, dim, index)
    return made


def index_add(input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: Any = 1) -> Tensor:
    """Add `alpha * source` to the slices at the indices `index` along `dim`.

    Args:
      index: the indices, a vector of int32 or int64.
      source: the slices to add, of the shape of `input` except along `dim`, where it has the size of `index`.
      alpha: the factor of `source`.

    >>> torchlike.zeros(3).index_add(0, torchlike.tensor([0, 2]), torchlike.tensor([1.0, 2.0]))
    tensor([1., 0., 2.])
    """
    made = rows["_index_add"](input, dim, index, source, alpha=alpha)
    _check_rows(input, dim, index, _errors.indexing.index_added(input.ndim))
    return made


def index_copy(input: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    """Replace the slices at the indices `index` along `dim` by the slices of `source`.

    Args:
      index: the indices, a vector of int64.
      source: the new slices, of the shape of `input` except along `dim`, where it has the size of `index`.

    >>> torchlike.zeros(3).index_copy(0, torchlike.tensor([1]), torchlike.tensor([7.0]))
    tensor([0., 7., 0.])
    """
    made = rows["_index_copy"](input, dim, index, source)
    _check_rows(input, dim, index, _errors.indexing.index_copied)
    return made


def index_fill(input: Tensor, dim: int, index: Tensor, value: Any) -> Tensor:
    """Set the slices at the indices `index` along `dim` to a number.

    Args:
      index: the indices, a vector of int64.
      value: a number or a 0-d tensor.

    >>> torchlike.zeros(3).index_fill(0, torchlike.tensor([1]), 7.0)
    tensor([0., 7., 0.])
    """
    if isinstance(value, Tensor) and value.ndim:
        raise RuntimeError(
            f"index_fill_ only supports a 0-dimensional value tensor, but got tensor with {value.ndim} dimension(s)."
        )
    if not input.is_complex() and (value.is_complex() if isinstance(value, Tensor) else isinstance(value, complex)):
        raise RuntimeError("index_fill_(): Converting complex Scalar to non-complex type is not supported")
    _check_value(input, value)
    made = rows["_index_fill_by" if isinstance(value, Tensor) else "_index_fill"](input, dim, index, value)
    size, dim = input.shape[dim] if input.ndim else 1, dim % max(input.ndim, 1)
    check_bounds(index, -size, size, lambda bad: _errors.indexing.index_out_of_bounds(bad, dim, size))
    return made


def index_reduce(
    input: Tensor, dim: int, index: Tensor, source: Tensor, reduce: str, *, include_self: bool = True
) -> Tensor:
    """Reduce the slices of `source` into the slices of `input` at the indices `index` along `dim`.

    `reduce` is "prod", "mean", "amax" or "amin".

    Args:
      index: the indices, a vector of int32 or int64.
      source: the slices to reduce, of the shape of `input` except along `dim`, where it has the size of `index`.
      reduce: the reduction.
      include_self: let the elements of `input` take part in the reduction.
    """
    if reduce not in ("prod", "mean", "amax", "amin"):
        raise RuntimeError(f"index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got {reduce}.")
    once("index_reduce() is in beta and the API may change at any time.")
    made = rows["_index_reduce"](input, dim, index, source, reduce, include_self)
    _check_rows(input, dim, index)
    return made


def segment_reduce(
    data: Tensor,
    reduce: str,
    *,
    lengths: Tensor | None = None,
    indices: Tensor | None = None,
    offsets: Tensor | None = None,
    axis: int = 0,
    unsafe: bool = False,
    initial: Any = None,
) -> Tensor:
    """Reduce consecutive segments of a dim by "sum", "prod", "mean", "max" or "min".

    Args:
      data: the tensor.
      reduce: the reduction.
      lengths: the lengths of the segments, of shape data.shape[:axis] + (number of segments,).
      offsets: the start of each segment and the end of the last one, in place of `lengths`.
      initial: the initial value of each reduction, which is also the result of an empty segment.
      indices: not supported, in PyTorch neither. It must be None.
      axis: the dim of the segments.
      unsafe: do not check that the lengths add up to the size of the dim.
    """
    bounds = offsets if lengths is None else lengths
    _errors.segments.check_segments(reduce, lengths, indices, offsets, axis)
    reduce = {"amax": "max", "amin": "min"}.get(reduce, reduce)
    if not unsafe and lengths is not None:
        size = data.shape[axis]
        when_at_hand(lengths._value, lambda found: _errors.segments.check_lengths(np.asarray(found), size))
    return rows["_segment_reduce"](data, bounds, reduce, lengths is not None, initial)


def put(input: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
    """Write `source` at the indices `index` of the flattened tensor; with `accumulate`, add it.

    Args:
      index: int64 indices of the flattened tensor.
      source: the new elements, as many as indices, of the dtype of `input`.
      accumulate: add `source` to the elements.

    >>> torchlike.zeros(3).put(torchlike.tensor([1]), torchlike.tensor([5.0]))
    tensor([0., 5., 0.])
    """
    if index.dtype is not _dtypes.int64:
        raise RuntimeError(f"put_(): Expected a long tensor for index, but got {scalar_name(index.dtype)}")
    if source.dtype is not input.dtype:
        raise RuntimeError(
            f"put_(): self and source expected to have the same dtype, but got self.dtype = "
            f"{scalar_name(input.dtype)} and source.dtype = {scalar_name(source.dtype)}"
        )
    if index.numel() != source.numel():
        raise IndexError(
            f"put_(): Expected source and index to have the same number of elements, but got "
            f"source.numel() = {source.numel()}, index.numel() = {index.numel()}"
        )
    _check_flat(input, index)
    return rows["_put"](input, index, source, accumulate)


@casting(WIDEST_ELSEWHERE)
def index_put(input: Tensor, indices: Any, values: Tensor, accumulate: bool = False) -> Tensor:
    """Return a copy with `values` written at the index tensors `indices`; with `accumulate`, add them.

    Args:
      indices: a tuple of index tensors, one for each of the first dims. They are broadcast. A bool tensor is a mask.
      values: the new elements. They are broadcast to the shape of the indices and the remaining dims.
      accumulate: add `values` to the elements. Otherwise, one of the values of an index that occurs several times is
        kept.

    >>> torchlike.zeros(3).index_put((torchlike.tensor([0, 2]),), torchlike.tensor([1.0, 2.0]))
    tensor([1., 0., 2.])
    """
    _check_tensors("index_put", indices)
    made = clone_for(input, values, *indices)
    indexing.put_at(made, tuple(indices), values, accumulate)
    return made


def index_put_(self: Tensor, indices: Any, values: Tensor, accumulate: bool = False) -> Tensor:
    """Write `values` at the index tensors `indices` in place; with `accumulate`, add them.

    Args:
      indices: a tuple of index tensors, one for each of the first dims. They are broadcast. A bool tensor is a mask.
      values: the new elements. They are broadcast to the shape of the indices and the remaining dims.
      accumulate: add `values` to the elements. Otherwise, one of the values of an index that occurs several times is
        kept.
    """
    _check_tensors("index_put_", indices)
    indexing.put_at(self, tuple(indices), values, accumulate)
    return self


def _check_tensors(name: str, indices: Any) -> None:
    if not isinstance(indices, tuple | list):
        raise _errors.arguments.wrong_type(name, "indices", 2, "tuple of Tensors", indices)
    for place, index in enumerate(indices):
        if not isinstance(index, Tensor):
            raise _errors.lists.element(place, 0, index)


def fill_(self: Tensor, value: Any) -> Tensor:
    """Set every element to a number.

    Args:
      value: a number or a 0-d tensor.

    >>> torchlike.zeros(2).fill_(7)
    tensor([7., 7.])
    """
    if isinstance(value, Tensor):
        if value.ndim:
            raise RuntimeError(
                f"fill_ only supports 0-dimension value tensor but got tensor with {value.ndim} dimensions."
            )
        replace(self, value, "FillBackward3")
        return self
    if not isinstance(value, int | float | complex | np.number | np.bool_):
        raise _errors.arguments.invalid_combination("fill_", (value,), {})
    _check_value(self, value)
    return _fill(self, value, "FillBackward2")


def _fill(self: Tensor, value: Any, node: str) -> Tensor:
    """Set every element to a number.

    After a write to a view with a repeated dim, backward through the base of the view raises.
    """
    once = _once(self)
    records = once is not self and modes.local.grad and self.requires_grad and not views.is_whole(self)
    replace(once, value, node)
    if records:
        views.unplaceable(self)
    return self


def _once(t: Tensor) -> Tensor:
    """Return a view of `t` in which each memory location occurs only once.

    Each repeated dim (stride 0) is replaced by its first index. This suffices if the same number is written everywhere.
    """
    strides, shape = t._strides, t.shape
    if strides is None:
        return t
    check_history(t)  # check the original view, before `t` is replaced
    for dim in range(t.ndim - 1, -1, -1):
        if strides[dim] == 0 and shape[dim] > 1:
            t = rows["_select"](t, dim, 0)
    return t


def fill(input: Tensor, value: Any) -> Tensor:
    """Return a tensor like `input` with every element set to a number.

    Args:
      value: a number or a 0-d tensor.
    """
    return masked_fill(input, factories.full(tuple(input.shape), True, device=input.device), value)


def zero_(self: Tensor) -> Tensor:
    """Set every element to zero.

    >>> torchlike.ones(2).zero_()
    tensor([0., 0.])
    """
    return _fill(self, 0, "ZeroBackward0")


def fill_diagonal_(self: Tensor, fill_value: Any, wrap: bool = False) -> Tensor:
    """Set the main diagonal to a number.

    With `wrap`, the diagonal of a tall matrix restarts after each block of n + 1 rows, where n is the number of
    columns.

    Args:
      fill_value: a number.
      wrap: restart the diagonal of a tall matrix.

    >>> torchlike.zeros(2, 2).fill_diagonal_(3)
    tensor([[3., 0.],
            [0., 3.]])
    """
    if self.ndim < 2:
        raise RuntimeError("dimensions must larger than 1")
    if self.ndim > 2 and len(set(self.shape)) != 1:
        raise RuntimeError("all dimensions of input must be of equal length")
    from torchlike._composite.views.memory import as_strided

    shape, step, start = tuple(self.shape), sum(self.stride()), self.storage_offset()
    count = min(shape)
    fill_(as_strided(self, (count,), (step,), start), fill_value)
    if wrap and self.ndim == 2 and shape[0] > shape[1] + 1:
        rest = -(-self.numel() // (shape[1] + 1)) - count
        fill_(as_strided(self, (rest,), (step,), start + self.stride(0) * (shape[1] + 1)), fill_value)
    return self


def _reading_first(write: Callable) -> Callable:
    """Return a method that writes one number. A number that is part of the written memory is read first."""

    @functools.wraps(write)
    def call(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        try:
            value = kwargs.get("value", args[-1] if args else None)
            if isinstance(value, Tensor) and not value.ndim and value._storage is self._storage:
                apart = value.clone()
                args = tuple([apart if a is value else a for a in args])
                kwargs = {name: apart if a is value else a for name, a in kwargs.items()}
            return write(self, *args, **kwargs)
        except Exception as error:
            raise shortened(error)

    return call


def _scatter_into(*args: Any, reduce: str | None = None, **kwargs: Any) -> Into:
    called = "aten::scatter" if reduce else ""
    return Into(_errors.dtypes.exact_out, apart=1, called=called, overloads=True)


FUNCTIONS = public_calls.functions(
    index_fill,
    masked_fill,
    masked_scatter,
    put,
    index_put,
    fill,
    segment_reduce,
    out={
        gather: Into(_errors.dtypes.exact_out, apart=0),
        take_along_dim: Into(_errors.dtypes.exact_out, apart=0, called="gather"),
        index_select: Into(_errors.dtypes.same_scalar_type("index_select"), apart=0),
        take: Into(_errors.dtypes.take_out, apart=0),
        masked_select: Into(_errors.dtypes.same_scalar_type("masked_select"), apart=0),
        scatter: _scatter_into,
        **dict.fromkeys(
            (index_add, index_copy, index_reduce, scatter_add, scatter_reduce), Into(_errors.dtypes.exact_out, apart=1)
        ),
    },
)
FUNCTIONS["_segment_reduce"] = FUNCTIONS["segment_reduce"]
_BOTH = (
    index_add,
    index_copy,
    index_fill,
    masked_fill,
    masked_scatter,
    scatter,
    scatter_add,
    scatter_reduce,
    index_reduce,
    put,
)
METHODS = public_calls.methods(gather, take_along_dim, index_select, take, masked_select, index_put, index_put_, *_BOTH)
METHODS |= public_calls.in_place(*_BOTH, apart=True) | public_calls.in_place(masked_fill)
METHODS |= {f"{name}_": _reading_first(METHODS[f"{name}_"]) for name in ("index_fill", "masked_fill")}
METHODS |= {f.__name__: f for f in (fill_, zero_, fill_diagonal_)}
