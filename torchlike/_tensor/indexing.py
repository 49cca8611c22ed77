"""Indexing, `x[...]` and `x[...] = y`. Basic indices create views. Tensor indices gather and scatter."""

from __future__ import annotations

import contextlib
import functools
from operator import index as as_int
from typing import Any

import numpy as np

from torchlike import _dtypes, _errors
from torchlike._dtypes.recorder import current
from torchlike._engine import Value, when_at_hand
from torchlike._engine.trace.known import at_hand
from torchlike._engine.trace.subtrace import SubTrace
from torchlike._engine.trace.trace import lock
from torchlike._errors.dtypes import c_name
from torchlike._errors.warned import warn
from torchlike._ops import REGISTRY
from torchlike._tensor import dispatch, factories, overriding
from torchlike._tensor.argument_forms import moved_number
from torchlike._tensor.binding import CALLERS as rows
from torchlike._tensor.binding import before_write, check_history
from torchlike._tensor.elements import reads, writes
from torchlike._tensor.from_data import inferred, is_sequence, scalar
from torchlike._tensor.overriding import ask as ask
from torchlike._tensor.overriding import would_ask as would_ask
from torchlike._tensor.tensor import Tensor, wrap

_MASKS = (_dtypes.bool_, _dtypes.uint8)
_PLACES = (_dtypes.int64, _dtypes.int32)


def get(t: Tensor, index: Any) -> Tensor:
    """Return `t[index]`."""
    made = reads.read(t, index)
    if made is not None:
        return made
    if index.__class__ is int:  # fast path of the most common case
        return _select(t, 0, index, 0)
    if index.__class__ is slice:
        return _slice_alone(t, index)
    viewed, advanced = _basic(t, index, reads=True)
    if not advanced:
        return viewed if viewed is not t else rows["view_as_self"](t)
    try:
        return _gather(viewed, advanced)
    except _errors.layouts.Elsewhere:
        return overriding.instead(Tensor.__getitem__, t, index)


def put(t: Tensor, index: Any, value: Any) -> None:
    """Execute `t[index] = value`."""
    if writes.write(t, index, value):
        return
    if index.__class__ is slice and not t.ndim:
        raise _errors.indexing.slice_of_scalar()
    if _is_one_mask(index) and _tensors(index)[0].dtype is _dtypes.uint8 and _is_one_element(value):
        raise RuntimeError("masked_fill_ only supports boolean masks, but got mask with dtype unsigned char")
    if index is False:
        return  # PyTorch checks nothing else in this case
    if index is True:
        t, index = rows["unsqueeze"](t, 0), ...
    if not isinstance(value, Tensor):
        if not isinstance(value, int | float | complex | np.integer):
            raise _errors.indexing.cannot_assign(value, t)
        number = _number(value, t.dtype)
        narrow = t.dtype in _dtypes.FLOAT8  # float8 dtypes saturate instead of raising for an out-of-range number
        host = _dtypes.cast(np.array(number), t.dtype) if narrow else scalar(number, t.dtype)
        value = factories.of_array(host, t.device)
    else:
        value = moved_number(value, t.device)
    if value.numel() == 1 and _is_one_mask(index) and _fill_pending(t, index, value):
        return
    viewed, advanced = _basic(t, index, reads=_shares(t, value, index))
    if advanced:
        if value.numel() == 1 and _is_one_mask(index):  # PyTorch implements this case as a masked fill
            check_history(viewed, (value,))
            value = _filling(value, t.dtype)
        else:
            value = _without_leading_ones(value)
            before_write(viewed, (value, *advanced.values()), apart=True)
        try:
            _scatter(viewed, advanced, value)
        except _errors.layouts.Elsewhere:
            overriding.instead(Tensor.__setitem__, t, index, value)
        return
    if not value.ndim and viewed.ndim and value.device.type == "cpu":
        viewed.fill_(value)
        return
    if value.shape != viewed.shape:
        value = rows["expand"](_without_leading_ones(value), tuple(viewed.shape))
    viewed.copy_(value)


def _fill_pending(t: Tensor, index: Any, value: Tensor) -> bool:
    """Execute `t[mask] = value` without a read of the mask, and return True. Return False if the mask is known."""
    mask = _tensors(index)[0]
    if not mask.ndim or mask.dtype is not _dtypes.bool_ or at_hand(mask._value) is not None:
        return False
    viewed, advanced = _basic(t, index, keeps_masks=True)
    ((dim, mask),) = advanced.items()
    _check_mask(viewed, dim, mask)
    check_history(viewed, (value,))
    before_write(viewed, (mask,))
    value = _filling(value, t.dtype).reshape(())
    mask = mask.reshape(*mask.shape, *[1] * (viewed.ndim - dim - mask.ndim))
    viewed._write(*rows["_masked_put"](viewed, mask, moved_number(value, viewed.device))._pair())
    return True


def _without_leading_ones(value: Tensor) -> Tensor:
    """Return a value without its leading dims of size one. If it has such dims, the result is a view, as in PyTorch."""
    while value.shape[:1] == (1,):
        value = value.squeeze(0)
    return value


def _tensors(index: Any) -> list[Tensor]:
    return [i for i in (index if isinstance(index, tuple) else (index,)) if isinstance(i, Tensor)]


def _shares(t: Tensor, value: Tensor, index: Any) -> bool:
    """Return whether the value or an index of a write shares memory with `t`.

    Whether the value overlaps the written elements then depends on the elements of the index.
    """
    return any(x._storage is t._storage for x in (value, *_tensors(index)))


def _is_one_mask(index: Any) -> bool:
    found = _tensors(index)
    return len(found) == 1 and found[0].dtype in _MASKS and found[0].ndim > 0


def _is_one_element(value: Any) -> bool:
    return value.numel() == 1 if isinstance(value, Tensor) else isinstance(value, int | float | complex)


def _number(value: Any, dtype: _dtypes.dtype) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, int):
        _errors.dtypes.check_width(value)
    if isinstance(value, complex) and dtype.name == "bool":
        return bool(value)
    if isinstance(value, complex) and not dtype.is_complex:
        if value.imag:
            raise _errors.dtypes.overflow(c_name(dtype))
        value = value.real
    return value


# -- ints, slices, None and Ellipsis -----------------------------------------------------------------------------------


def _of_scalar(index: int) -> IndexError:
    """Return PyTorch's error for an integer index of a tensor without dims."""
    _errors.dtypes.check_width(index)
    return _errors.indexing.index_out_of_bounds(index, 0, 0) if index else _errors.indexing.index_of_scalar()


def _select(t: Tensor, dim: int, index: int, position: int) -> Tensor:
    shape = t._value.aval.shape
    if dim >= len(shape):
        raise _of_scalar(index) if not shape else _errors.indexing.too_many_indices(len(shape))
    size = tuple.__getitem__(shape, dim)
    if not -size <= index < size:
        _errors.dtypes.check_width(index)
        raise _errors.indexing.index_out_of_bounds(index, position, size)
    return rows["_select"](t, dim, index % size)


def _slice_alone(t: Tensor, part: slice) -> Tensor:
    """Return `t[part]`, where the index is a single slice.

    The result is a view with a slice node even if the slice covers the whole dim.
    """
    if not t.ndim:
        _step(part)
        raise _errors.indexing.slice_of_scalar()
    made = _slice(t, 0, part)
    return made if made is not t else rows["_slice"](t, 0, 0, t.shape[0], 1)


def _step(part: slice) -> int:
    step = 1 if part.step is None else as_int(part.step)
    if step <= 0:
        raise ValueError("step must be greater than zero" if step else "slice step cannot be zero")
    return step


def _slice(t: Tensor, dim: int, part: slice) -> Tensor:
    size, step = t.shape[dim], _step(part)
    start, stop, _ = slice(part.start, part.stop, step).indices(size)
    length = max(0, -(-(stop - start) // step))
    if length == size and step == 1:
        # As in PyTorch, a full slice with a negative start creates a view.
        whole = part.start in (None, 0) and (part.stop is None or (part.stop >= size and not current().resizes))
        return t if whole else rows["_slice"](t, dim, 0, size, 1)
    return rows["_slice"](t, dim, start, length, step)


def _basic(t: Tensor, index: Any, keeps_masks: bool = False, reads: bool = False) -> tuple[Tensor, dict[int, Tensor]]:
    """Apply ints, slices, None and Ellipsis. Return the view, and the remaining tensor indices by dim of the view.

    Masks become indices of their true elements, unless `keeps_masks` is True. If `reads` is True, a zero-dim index is
    read even if that flushes the pending trace, so that it makes a view.
    """
    items = _unpack(index)
    used = sum([_consumes(i) for i in items])
    if used > t.ndim:
        lone = not t.ndim and index.__class__ is not tuple and isinstance(items[0], int)
        raise _of_scalar(items[0]) if lone else _errors.indexing.too_many_indices(t.ndim)
    dim, rank, advanced = 0, t.ndim, {}
    for position, item in enumerate(items):
        if item is Ellipsis:
            dim += rank - used
        elif item is None:
            t = rows["unsqueeze"](t, dim)
            dim += 1
        elif isinstance(item, bool):
            t, dim = _zero_dim_mask(t, bool(item), dim, advanced)
        elif isinstance(item, slice):
            t, dim = _slice(t, dim, item), dim + 1
        elif isinstance(item, Tensor):
            t, dim = _take_tensor(t, item, dim, position, advanced, reads)
        else:
            t = _select(t, dim, item, position)
    return t, _without_masks(t, advanced) if advanced and not keeps_masks else advanced


def _unpack(index: Any) -> list:
    if _is_list(index) and len(index) < 32 and any(_makes_a_tuple(i) for i in index):
        warn(_errors.indexing.LIST_AS_TUPLE)
        index = tuple(index)
    elif isinstance(index, str) and index:
        with contextlib.suppress(UserWarning):  # an error follows, which PyTorch raises even if warnings are errors
            warn(_errors.indexing.LIST_AS_TUPLE)
    items = list(index) if isinstance(index, tuple) else [index]
    return [_normal(i) for i in items]


def _is_list(index: Any) -> bool:
    """Return whether an index is a sequence that may count as a tuple of indices: no tuple, array or tensor."""
    if index.__class__ in (int, slice, tuple, Tensor, np.ndarray) or isinstance(index, str | Tensor | tuple):
        return False
    return is_sequence(index)


def _makes_a_tuple(item: Any) -> bool:
    """Return whether a list with this item counts as a tuple of indices. PyTorch keeps this old rule of NumPy."""
    return item is None or item is Ellipsis or isinstance(item, slice | Tensor | np.ndarray) or is_sequence(item)


def _normal(item: Any) -> Any:
    if item is None or item is Ellipsis or isinstance(item, int | slice | Tensor):
        return item
    if isinstance(item, np.integer):
        return int(item)
    if isinstance(item, np.ndarray) or is_sequence(item):
        return factories.of_data(item, _dtype_of_places(item))
    if hasattr(type(item), "__index__"):
        with contextlib.suppress(Exception):  # of any class: PyTorch only asks whether there is an index
            return as_int(item)
    raise IndexError(
        "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices "
        f"(got {_errors.arguments.type_name(item)})"
    )


def _dtype_of_places(given: Any) -> _dtypes.dtype:
    """Return the dtype of an index tensor made from a sequence. Numbers that are not masks become int64."""
    found = inferred(given)
    return found if found in _MASKS else _dtypes.int64


def _consumes(item: Any) -> int:
    if item is None or item is Ellipsis or isinstance(item, bool):
        return 0
    return item.ndim if isinstance(item, Tensor) and item.dtype in _MASKS else 1


# -- tensors as indices ------------------------------------------------------------------------------------------------


def _zero_dim_mask(t: Tensor, chosen: bool, dim: int, advanced: dict) -> tuple[Tensor, int]:
    """Apply a bool index: it adds a dim of size one (True) or zero (False)."""
    advanced[dim] = factories.of_array(np.zeros(int(chosen), np.int64), t.device)
    return rows["unsqueeze"](t, dim), dim + 1


def _take_tensor(t: Tensor, item: Tensor, dim: int, position: int, advanced: dict, reads: bool) -> tuple[Tensor, int]:
    if item.dtype in _MASKS:
        if not item.ndim:
            return _zero_dim_mask(t, bool(item), dim, advanced)
        advanced[dim] = item
        return t, dim + item.ndim
    if item.dtype not in _PLACES:
        if not item.ndim and item.dtype.category == _dtypes.INTEGER:
            return _select(t, dim, int(item), position), dim
        raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
    if not item.ndim and (item._value.peek() is not None or (reads and _is_readable(item._value))):
        known = at_hand(item._value)
        return _select(t, dim, int(item if known is None else known), position), dim
    advanced[dim] = item
    return t, dim + 1


def _is_readable(index: Value) -> bool:
    """Return whether a zero-dim index that is not yet computed can be read.

    Mapped indices, indices of a sub-recording and meta tensors have no elements to read.
    """
    recorder = current()
    is_recorded = isinstance(recorder.capture, SubTrace) or any([mode.generalizes for mode in recorder.modes])
    return index.__class__ is Value and index.aval.device.type != "meta" and not is_recorded


def _without_masks(t: Tensor, advanced: dict[int, Tensor]) -> dict[int, Tensor]:
    """Replace each mask by the indices of its true elements, one index tensor for each dim of the mask."""
    found = {}
    for dim, item in advanced.items():
        if item.dtype not in _MASKS:
            found[dim] = item
            continue
        if item.dtype is _dtypes.uint8:
            warn(_errors.indexing.BYTE_INDEX)
        _check_mask(t, dim, item)
        for i, w in enumerate(np.nonzero(item._host())):
            found[dim + i] = factories.of_array(w.astype(np.int64, copy=False), t.device)
    return found


def _check_mask(t: Tensor, dim: int, mask: Tensor) -> None:
    for i, n in enumerate(mask.shape):
        if t.shape[dim + i] != n:
            raise IndexError(
                f"The shape of the mask {list(mask.shape)} at index {i} does not match the shape of the indexed "
                f"tensor {list(t.shape)} at index {(dim + i)}"
            )


def _check_bounds(t: Tensor, advanced: dict[int, Tensor]) -> None:
    """Raise PyTorch's error for an index out of range, if the indices are concrete.

    A pending index out of range reads JAX's fill value instead, which is NaN for floating-point dtypes.
    """
    if 0 in [t.shape[dim] for dim in advanced] and all([i.numel() for i in advanced.values()]):
        raise IndexError("index is out of bounds for dimension with size 0")
    for number, (dim, index) in enumerate(advanced.items()):
        if index.numel():
            when_at_hand(index._value, functools.partial(_check_bound, t.shape[dim], number))


def _check_bound(size: int, number: int, array: Any) -> None:
    host = np.asarray(array)
    for bad in (host.min(), host.max()):
        if not -size <= bad < size:
            raise _errors.indexing.index_out_of_bounds(bad, number, size)


def _gather(t: Tensor, advanced: dict[int, Tensor], row: str = "_index") -> Tensor:
    try:
        _check_bounds(t, advanced)
    except IndexError:
        t._pair()  # the error for an unusable view comes first
        raise
    return _moved(row, t, [_on(i, t) for i in advanced.values()], tuple(advanced))


def chosen(t: Tensor, mask: Tensor) -> Tensor:
    """Return the elements of a tensor where a mask of its shape is true."""
    viewed, advanced = _basic(t, mask)
    return _gather(viewed, advanced, "_masked_select")


def _scatter(t: Tensor, advanced: dict[int, Tensor], value: Tensor, accumulate: bool = False) -> None:
    _check_bounds(t, advanced)
    indices = [_on(i, t) for i in advanced.values()]
    with lock:  # other threads may write to other elements of this tensor
        new = _moved("_index_put", t, indices, value, tuple(advanced), accumulate)
        new_value, edge = new._pair()
        t._write(new_value, edge)


def _moved(name: str, *args: Any) -> Tensor:
    """Call an operator that only moves data. For host arrays, NumPy executes it immediately.

    The number of elements that a mask selects varies from call to call, and each number would compile another program.
    """
    op, values, edges, scalars = REGISTRY[name], [], [], []
    plan, needs = dispatch._gather(op, args, {}, values, edges, scalars)
    arrays, recorder = [v.peek() for v in values], current()
    if not (recorder.moves and all(a.__class__ is np.ndarray for a in arrays)):
        return dispatch._finish(plan, values, edges, scalars, needs)
    node = recorder.node(plan, values, edges, scalars) if needs and recorder.grad else None
    made = Value(plan.outputs[0], np.asarray(plan.function(*arrays)[0]))
    return wrap(made, node and (node, 0), plan.strides[0])


def _cast(value: Tensor, dtype: _dtypes.dtype) -> Tensor:
    return value if value.dtype is dtype else rows["_to"](value, dtype)


def _filling(value: Tensor, dtype: _dtypes.dtype) -> Tensor:
    """Return the single element of a masked fill, cast to `dtype`.

    Raise if the element is complex with a nonzero imaginary part and `dtype` is real.
    """
    if value.dtype.is_complex and not dtype.is_complex:
        _number(value.item(), dtype)
    return _cast(value, dtype)


def _on(index: Tensor, t: Tensor) -> Tensor:
    index = _cast(index, _dtypes.int64)
    return index if index.device is t.device else index.to(t.device)


def put_at(t: Tensor, indices: tuple, values: Tensor, accumulate: bool) -> None:
    """Execute `t[indices] = values`, or add `values` if `accumulate`. Values at repeated indices are then summed."""
    check_history(t, (values,))
    if len(indices) > t.ndim:
        raise _errors.indexing.too_many_indices(t.ndim, len(indices))
    values = moved_number(values, t.device)
    viewed, advanced = _basic(t, indices)
    if advanced:
        if not accumulate and values.numel() == 1 and _is_one_mask(indices):
            check_history(viewed, (values,))
            values = _filling(values, t.dtype)
        else:
            before_write(viewed, (values, *advanced.values()), apart=True)
        _scatter(viewed, advanced, values, accumulate)
    else:
        viewed.copy_(viewed + values if accumulate else values)
