"""Indexing at once: `x[i, j]`, `x[i, j] = y` and iteration over rows, for host tensors without gradients.

Each function returns None or False if the call is not of this kind. The caller then takes the general path, which also
raises the errors. `host_writes.py` describes the ownership of the memory.
"""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from torchlike import _dtypes
from torchlike._autograd.versions import Stamp, note_fate
from torchlike._dtypes.recorder import current
from torchlike._dtypes.strides import contiguous_strides
from torchlike._engine import Aval, Value
from torchlike._engine.trace.flush import flush
from torchlike._engine.trace.trace import Trace, latest, lock
from torchlike._engine.trace.waiting import on_host
from torchlike._ops import REGISTRY
from torchlike._ops.schema.plan import OpPlan, Varying, make
from torchlike._tensor import views
from torchlike._tensor.from_data import filled
from torchlike._tensor.host_writes import claim, is_free, is_plain, part, takes_writes
from torchlike._tensor.storage import SEEN, Storage, writes
from torchlike._tensor.tensor import Tensor

COPIED = 1 << 14  # bytes; a larger row is read as a view of the memory instead of a copy
COPIED_ROWS = 1 << 20  # bytes; the same for all rows of an iteration
OFTEN = 16  # operations on elements of pending results, after which the results are computed
_LARGEST = float(np.finfo(np.float32).max)
_SMALLEST = 2 * float(np.finfo(np.float32).tiny)  # NumPy may report an underflow for smaller numbers
_EXACT = 1 << 24  # float32 represents every integer up to this one
_INDICES = frozenset((_dtypes.int64, _dtypes.int32, _dtypes.int16, _dtypes.int8))
_ndarray = np.ndarray
_new = object.__new__


# -- reading -----------------------------------------------------------------------------------------------------------


def read(t: Tensor, index: Any) -> Tensor | None:
    """Return `t[index]`, a view, if all indices are integers."""
    storage, chain = t._storage, t._chain
    if t.__class__ is not Tensor or storage.__class__ is not Storage or not (is_plain() and is_free(t)):
        return None
    ints = (index,) if index.__class__ is int else index
    value = storage.value
    aval = value.aval if chain is None else chain[-1][0].outputs[0] if chain else None
    if ints.__class__ is not tuple or aval is None or not 0 < len(ints) <= aval.ndim:
        return None
    places = _places(ints, aval.shape)
    array: Any = value.array
    if places is not None and array.__class__ is not _ndarray:
        array = _elements(value, int(len(ints) == aval.ndim))
    seen = None if places is None or array is None else part(t, array)
    del array
    if seen is None:
        return None
    found: Any = seen[places]
    if found.__class__ is not _ndarray:
        found = np.asarray(found)  # an element, as an array of its own
    elif found.nbytes <= COPIED:
        found = found.copy()  # a write to the memory then needs no copy of all of it
    plans = _selects.get((aval, t._strides, len(places))) or _select_plans(aval, t._strides, len(places))
    steps = contiguous_strides(aval.shape) if t._strides is None else t._strides
    offset = t._offset
    for i, step in zip(places, steps):
        offset += i * step
    return _view(t, tuple([(plan, (i,)) for plan, i in zip(plans, places)]), offset, value, found)


def _places(ints: tuple, shape: tuple[int, ...]) -> tuple[int, ...] | None:
    """Return the indices as nonnegative ints, or None if one of them is no integer or out of range."""
    places = []
    for i, n in zip(ints, shape):
        if i.__class__ is not int:
            i = _whole(i)
            if i is None:
                return None
        if not -n <= i < n:
            return None
        places.append(i + n if i < 0 else i)
    return tuple(places)


def _whole(item: Any) -> int | None:
    """Return an index that is a concrete tensor of zero dims as an int."""
    if item.__class__ is not Tensor:
        return None
    value = item._storage.value if item._chain is None else item._read(False)
    aval = value.aval
    return int(value.array) if not aval.ndim and aval.dtype in _INDICES and value.array.__class__ is _ndarray else None


class _Indexed:
    """Stands for a tensor in the search for the plan of a view of it."""

    def __init__(self, aval: Aval, strides: tuple[int, ...] | None) -> None:
        self.aval, self.strides = aval, strides


_selects: dict[tuple, tuple[OpPlan, ...]] = {}


def _select_plans(
    aval: Aval, strides: tuple[int, ...] | None, count: int, name: str = "_select"
) -> tuple[OpPlan, ...]:
    """Return the plans that select an index of the first dim, `count` times. The indices are runtime numbers."""
    key, plans = (aval, strides, count if name == "_select" else name), []
    for _ in range(count):
        given = (_Indexed(aval, strides), 0, Varying(0))
        made = make(REGISTRY[name], given, {}, lambda x: (x.aval, x.strides) if isinstance(x, _Indexed) else None)
        plans.append(made)
        aval, strides = made.outputs[0], made.strides[0]
    return _selects.setdefault(key, tuple(plans))


def rows(t: Tensor) -> tuple[Tensor, ...] | None:
    """Return the views of all rows of a tensor, as `unbind(0)` does."""
    storage, grad = t._storage, current().grad
    if t.__class__ is not Tensor or storage.__class__ is not Storage or not (is_plain() and is_free(t)):
        return None
    value = storage.value
    array = _elements(value, value.aval.numel if value.aval.ndim == 1 else 0)
    seen = None if array is None else part(t, array)
    if seen is None or not seen.ndim or not seen.size or getattr(t, "_frozen", None) is not None:
        return None
    step = (contiguous_strides(seen.shape) if t._strides is None else t._strides)[0]
    if seen.nbytes <= COPIED_ROWS:
        seen = seen.copy()  # a write to the memory then needs no copy of all of it
    aval = value.aval if t._chain is None else t._chain[-1][0].outputs[0]
    (plan,) = _selects.get((aval, t._strides, "_unbound")) or _select_plans(aval, t._strides, 1, "_unbound")
    made = []
    for i in range(len(seen)):
        row = _view(t, ((plan, (i,)),), t._offset + i * step, value, seen[i, ...])
        if grad:  # results of a function with several views do not follow their base
            views.freeze(row, views.Frozen.ONE_OF_SEVERAL)
        made.append(row)
    return tuple(made)


def _view(t: Tensor, steps: tuple, offset: int, value: Value, found: np.ndarray) -> Tensor:
    """Return a view of a tensor without a gradient history. `found` are its elements."""
    made = _new(Tensor)
    storage = made._storage = t._storage
    plan: OpPlan = steps[-1][0]
    made._chain = steps if t._chain is None else (*t._chain, *steps)
    made._strides, made._offset = plan.strides[0], offset
    made._grad = made._counter = made._edge = None
    origin, follows = t._origin, current().grad
    if origin is None:
        origin = t
    elif not t._tracks:
        follows = False
        views.inherit(made, t)
    made._origin, made._tracks = origin, follows
    stamp = value.stamp  # views of a value share its saved version
    if stamp is None:
        stamp = value.stamp = Stamp()
    viewed = _new(Value)
    viewed.aval, viewed.array, viewed.slot, viewed.trace, viewed.stamp = plan.outputs[0], found, SEEN, None, stamp
    made._cache = (storage.version, None if follows else writes(origin), viewed)
    return made


# -- writing -----------------------------------------------------------------------------------------------------------


def write(t: Tensor, index: Any, value: Any) -> bool:
    """Execute `t[index] = value`, if the indices are integers and slices. Return whether it was done."""
    if t.__class__ is not Tensor or not is_plain() or not takes_writes(t):
        return t.__class__ is Tensor and _is_pending(t) and write(t, index, value)
    place = _basic(index)
    shape = None if place is None else _shape(t, place)
    if shape is None:
        return False
    given = _tensor(value, t, shape) if isinstance(value, Tensor) else _number(value, t._storage.value.aval.dtype)
    if given is None:
        return False
    storage, cache = t._storage, t._cache
    if cache is not None:  # the cached value may be a view of the array
        t._cache = None if t._tracks else (-1, cache[1], Value(cache[2].aval))
    del cache
    with lock:
        array = claim(storage, t)
        if array is None:
            return False
        part(t, array)[place] = given  # type: ignore[index]
    note_fate(t if t._origin is None else t._origin)
    return True


def _basic(index: Any) -> Any:
    """Return an index of integers, slices, None and Ellipsis as NumPy takes it, or None for any other index."""
    if index.__class__ is int:
        return index
    if index.__class__ is not tuple:
        return index if _is_slice(index) else _whole(index)
    made = []
    for item in index:
        if not (item.__class__ is int or item is Ellipsis or item is None or _is_slice(item)):
            item = _whole(item)
            if item is None:
                return None
        made.append(item)
    return tuple(made)


def _is_slice(item: Any) -> bool:
    if item.__class__ is not slice:
        return False
    start, stop, step = item.start, item.stop, item.step
    return (
        (start is None or start.__class__ is int)
        and (stop is None or stop.__class__ is int)
        and (step is None or (step.__class__ is int and step > 0))
    )


def _shape(t: Tensor, place: Any) -> tuple[int, ...] | None:
    """Return the shape of the written part, or None if it is empty or if the index is out of range."""
    array = t._storage.value.array
    seen = part(t, array if array.__class__ is _ndarray else on_host(array))
    if seen is None:
        return None
    try:
        found: Any = seen[place]
    except IndexError:
        return None
    return found.shape if found.size else None


def _number(value: Any, dtype: _dtypes.dtype) -> Any:
    """Return a number in the form that NumPy stores as PyTorch does, or None if it does not fit the dtype."""
    kind = value.__class__
    if kind is float:
        if dtype is _dtypes.float64 or (dtype is _dtypes.float32 and (not value or _SMALLEST < abs(value) < _LARGEST)):
            return value
    elif kind is int:
        if dtype is _dtypes.int64:
            return value if -(1 << 63) <= value < 1 << 63 else None
        if -_EXACT <= value <= _EXACT and (dtype is _dtypes.float32 or dtype is _dtypes.float64):
            return value
        if not -(1 << 63) <= value < 1 << 63:
            return None
    elif kind is not bool:
        return None
    try:
        return filled((), value, dtype)
    except Exception:  # the general path raises it, after the checks that come first
        return None


def _tensor(value: Any, t: Tensor, shape: tuple[int, ...]) -> np.ndarray | None:
    """Return the elements of a tensor that is assigned to a part of `t`, or None if they are not at hand."""
    origin = value._origin
    if value.__class__ is not Tensor or value._edge is not None:
        return None
    if origin is not None and value._root()._edge is not None:
        return None
    held = value._storage.value if value._chain is None else value._read(False)
    if held.aval.ndim and (held.aval.shape != shape or value._storage is t._storage):
        return None
    array = held.array if held.__class__ is Value else held.peek()
    return array if array.__class__ is _ndarray and _fits(held.aval.dtype, t._storage.value.aval.dtype) else None


def _fits(source: _dtypes.dtype, target: _dtypes.dtype) -> bool:
    """Return whether NumPy casts between two dtypes as PyTorch does."""
    if source is target:
        return True
    whole = source.category <= _dtypes.INTEGER and target in (_dtypes.float32, _dtypes.float64)
    return source.numpy.isbuiltin == 1 and (whole or np.can_cast(source.numpy, target.numpy, "safe"))


# -- results that are not computed yet ---------------------------------------------------------------------------------


_reads: WeakKeyDictionary[Value, int] = WeakKeyDictionary()  # the number of reads of elements, by array of JAX


def _elements(value: Value, count: int) -> np.ndarray | None:
    """Return the host array of a value of which `count` elements are read, or None if the reads must be recorded.

    A pending value is computed, and the array of a program on the CPU is copied, if many elements are read one by one.
    """
    if value.array is None and not (count and _computed(value, count)):
        return None
    array = value.array
    if array.__class__ is _ndarray or not count or value.aval.device.type != "cpu" or array.nbytes > COPIED_ROWS:
        return array if array.__class__ is _ndarray else None
    _reads[value] = count = _reads.get(value, 0) + count
    if count < OFTEN:
        return None
    value.array = np.array(on_host(array), order="C")
    return value.array


def _is_pending(t: Tensor) -> bool:
    """Return whether the contents of a tensor were pending and are now computed, so that a write may happen at once."""
    storage = t._storage
    if storage.__class__ is not Storage or storage.value.array is not None or not (is_plain() and is_free(t)):
        return False
    return _computed(storage.value) and takes_writes(t)


def _computed(value: Value, count: int = 1) -> bool:
    """Count operations on elements of a pending result. Run the pending work if there were many.

    Work that belongs to a training step is left pending.
    """
    trace, device = value.trace, value.aval.device
    if trace.__class__ is not Trace or trace is not device.trace or device.type != "cpu" or trace.before != latest.node:
        return False
    trace.elements += count
    if trace.elements < OFTEN:
        return False
    flush(device)
    return value.array is not None
