"""Reads at once: `x[i, j]`, `x[i]`, `x[i, a:b]` and iteration over rows, for host tensors without gradients.

Each function returns None if the call is not of this kind. The caller then takes the general path, which also raises
the errors. `memory.py` describes the ownership of the memory.
"""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from torchlike import _dtypes
from torchlike._autograd.versions import Stamp
from torchlike._dtypes.recorder import current
from torchlike._dtypes.strides import contiguous_strides
from torchlike._engine import Aval, Value
from torchlike._engine.trace.flush import flush
from torchlike._engine.trace.trace import Trace, latest
from torchlike._engine.trace.waiting import on_host
from torchlike._ops import REGISTRY
from torchlike._ops.schema.plan import OpPlan, Varying, make
from torchlike._tensor import views
from torchlike._tensor.elements.memory import is_free, is_on_cpu, is_plain, is_strided, shown
from torchlike._tensor.storage import SEEN, Storage, writes
from torchlike._tensor.tensor import Tensor

COPIED = 1 << 14  # bytes; a larger row is read as a view of the memory instead of a copy
COPIED_ROWS = 1 << 20  # bytes; the same for all rows of an iteration
OFTEN = 16  # operations on elements of pending results, after which the results are computed
_INDICES = frozenset((_dtypes.int64, _dtypes.int32, _dtypes.int16, _dtypes.int8))
_ndarray = np.ndarray
_new = object.__new__
_WHOLE = slice(None)


def read(t: Tensor, index: Any) -> Tensor | None:
    """Return `t[index]`, a view, if the indices are integers and slices."""
    storage, chain = t._storage, t._chain
    if t.__class__ is not Tensor or storage.__class__ is not Storage or not (is_plain() and is_free(t)):
        return None
    value = storage.value
    aval, items = value.aval if chain is None else t._aval, index if index.__class__ is tuple else (index,)
    layout = _layouts.get((aval, t._strides)) or _make_layout(aval, t._strides)
    shape = layout.shape
    if not 0 < len(items) <= len(shape):
        return None
    places, steps, offset = [], [], t._offset
    for item, n, stride, plan in zip(items, shape, layout.strides, layout.selects):
        at = item if item.__class__ is int else whole(item)
        if at is None:
            return _read_part(t, items, aval, layout)
        if at < 0:
            at += n
        if not 0 <= at < n:
            return None
        places.append(at)
        steps.append((plan, (at,)))
        offset += at * stride
    array = value.array
    if array.__class__ is not _ndarray:
        array = _elements(value, int(len(places) == len(shape)))
        if array is None:
            return None
    if len(places) < len(shape):
        return _row(t, tuple(places), tuple(steps), offset)
    if chain is None:
        found = array[tuple(places)]
    elif array.flags.c_contiguous and is_strided(t):
        found = array.ravel()[offset]
    else:
        return None
    return _view(t, tuple(steps), offset, value, np.asarray(found))


def element_at(t: Tensor, index: Any) -> int | None:
    """Return the offset of an element in memory, or None if the index is not one integer for each dim, in range."""
    aval, offset = t._aval, t._offset
    items = index if index.__class__ is tuple else (index,)
    layout = _layouts.get((aval, t._strides)) or _make_layout(aval, t._strides)
    if len(items) != len(layout.shape):
        return None
    for item, n, stride in zip(items, layout.shape, layout.strides):
        at = item if item.__class__ is int else whole(item)
        if at is None or not -n <= at < n:
            return None
        offset += (at + n if at < 0 else at) * stride
    return offset


def _read_part(t: Tensor, items: tuple, aval: Aval, layout: _Layout) -> Tensor | None:
    """Return `t[items]` if some of the indices are slices."""
    found = _places(items, layout.shape)
    if found is None:
        return None
    places, pattern = found
    plans = _plans.get((aval, t._strides, pattern)) or _make_plans(aval, t._strides, pattern)
    offset, numbers = t._offset, []
    for place, stride in zip(places, layout.strides):
        if place is not _WHOLE:
            numbers.append(place if place.__class__ is int else place.start)
            offset += numbers[-1] * stride
    return _row(t, places, tuple([(plan, (i,)) for plan, i in zip(plans, numbers)]), offset)


def _row(t: Tensor, places: tuple, steps: tuple, offset: int) -> Tensor | None:
    value = t._storage.value
    array = _elements(value, 0)
    seen = None if array is None else shown(t, array)
    if seen is None:
        return None
    found = seen[places]
    if found.nbytes <= COPIED:
        found = found.copy()  # a write to the memory then needs no copy of all of it
    return _view(t, steps, offset, value, found)


class _Layout:
    """The geometry of tensors with the same aval and strides, and the plans that select from their leading dims."""

    __slots__ = ("selects", "shape", "strides")

    def __init__(self, aval: Aval, strides: tuple[int, ...] | None) -> None:
        self.shape = tuple(aval.shape)
        self.strides = contiguous_strides(self.shape) if strides is None else strides
        self.selects = _make_plans(aval, strides, (None,) * aval.ndim)


_layouts: dict[tuple, _Layout] = {}


def _make_layout(aval: Aval, strides: tuple[int, ...] | None) -> _Layout:
    return _layouts.setdefault((aval, strides), _Layout(aval, strides))


def _places(items: tuple, shape: tuple[int, ...]) -> tuple[tuple, tuple] | None:
    """Return the indices as nonnegative ints and slices, and the static part of each of them.

    The static part of an int is None, and that of a slice its length and step, or () if it is whole. Return None for
    other indices, and if an index is out of range or all slices are whole.
    """
    places, pattern = [], []
    for item, n in zip(items, shape):
        i: Any = item
        if i.__class__ is slice:
            cut = _cut(i, n)
            if cut is None:
                return None
            places.append(cut[0])
            pattern.append(cut[1])
            continue
        if i.__class__ is not int:
            i = whole(i)
            if i is None:
                return None
        if not -n <= i < n:
            return None
        places.append(i + n if i < 0 else i)
        pattern.append(None)
    return None if pattern.count(()) == len(pattern) else (tuple(places), tuple(pattern))


def _cut(item: slice, n: int) -> tuple[slice, tuple[int, ...]] | None:
    """Return a slice with nonnegative bounds, and its length and step. Return None if it is empty or not of ints."""
    if item.start is item.stop is item.step is None:
        return _WHOLE, ()
    given = bounds(item)
    if given is None:
        return None
    start, stop, step = given.indices(n)
    length = -(-(stop - start) // step)
    if length <= 0:
        return None
    if length == n and step == 1:
        return (_WHOLE, ()) if given.start in (None, 0) and (given.stop is None or given.stop >= n) else None
    return slice(start, start + (length - 1) * step + 1, step), (length, step)


def bounds(item: slice) -> slice | None:
    """Return a slice whose bounds are ints or None, and whose step is positive, or None if it is of another kind."""
    given = [item.start, item.stop, 1 if item.step is None else item.step]
    for place, x in enumerate(given):
        if x is not None and x.__class__ is not int:
            given[place] = x = whole(x)
            if x is None:
                return None
    return slice(*given) if given[2] > 0 else None


def whole(item: Any) -> int | None:
    """Return an index that is a concrete tensor of zero dims as an int, or None for any other object."""
    if item.__class__ is not Tensor:
        return None
    value = item._storage.value if item._chain is None else item._read(False)
    aval = value.aval
    return int(value.array) if not aval.ndim and aval.dtype in _INDICES and value.array.__class__ is _ndarray else None


class _Indexed:
    """Stands for a tensor in the search for the plan of a view of it."""

    def __init__(self, aval: Aval, strides: tuple[int, ...] | None) -> None:
        self.aval, self.strides = aval, strides


_plans: dict[tuple, tuple[OpPlan, ...]] = {}


def _make_plans(
    aval: Aval, strides: tuple[int, ...] | None, pattern: tuple, select: str = "_select"
) -> tuple[OpPlan, ...]:
    """Return the plans of the views that lead to a part of a tensor. Indices and starts are runtime numbers."""
    key, plans, dim = (aval, strides, pattern if select == "_select" else select), [], 0
    for cut in pattern:
        if cut != ():
            name, more = (select, ()) if cut is None else ("_slice", cut)
            given = (_Indexed(aval, strides), dim, Varying(0), *more)
            made = make(REGISTRY[name], given, {}, lambda x: (x.aval, x.strides) if isinstance(x, _Indexed) else None)
            plans.append(made)
            aval, strides = made.outputs[0], made.strides[0]
        dim += cut is not None
    return _plans.setdefault(key, tuple(plans))


def rows(t: Tensor) -> tuple[Tensor, ...] | None:
    """Return the views of all rows of a tensor, as `unbind(0)` does."""
    storage, grad = t._storage, current().grad
    if t.__class__ is not Tensor or storage.__class__ is not Storage or not (is_plain() and is_free(t)):
        return None
    value = storage.value
    array = _elements(value, value.aval.numel if value.aval.ndim == 1 else 0)
    seen = None if array is None else shown(t, array)
    if seen is None or not seen.ndim or not seen.size or getattr(t, "_frozen", None) is not None:
        return None
    if seen.nbytes <= COPIED_ROWS:
        seen = seen.copy()  # a write to the memory then needs no copy of all of it
    aval = value.aval if t._chain is None else t._chain[-1][0].outputs[0]
    step = (contiguous_strides(seen.shape) if t._strides is None else t._strides)[0]
    (plan,) = _plans.get((aval, t._strides, "_unbound")) or _make_plans(aval, t._strides, (None,), "_unbound")
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


# -- results that are not computed yet ---------------------------------------------------------------------------------


_reads: WeakKeyDictionary[Value, int] = WeakKeyDictionary()  # the number of reads of elements, by array of JAX


def _elements(value: Value, count: int) -> np.ndarray | None:
    """Return the host array of a value of which `count` elements are read, or None if the reads must be recorded.

    A pending value is computed, and the array of a program on the CPU is copied, if many elements are read one by one.
    """
    array: Any = value.array
    if array is None and count and computed(value, count):
        array = value.array
    if array.__class__ is _ndarray or array is None or not count:
        return array if array.__class__ is _ndarray else None
    if not is_on_cpu(value, COPIED_ROWS):
        return None
    _reads[value] = count = _reads.get(value, 0) + count
    if count < OFTEN:
        return None
    value.array = np.array(on_host(array), order="C")
    return value.array


def computed(value: Value, count: int = 1) -> bool:
    """Count operations on elements of a pending result. Run the pending work if there were many.

    Work that belongs to a training step is left pending.
    """
    trace, device = value.trace, value.aval.device
    if trace.__class__ is not Trace or trace is not device.trace or device.type != "cpu" or trace.before != latest.node:
        return False
    trace.elements += count
    if trace.elements < OFTEN:
        return False
    flush(device, is_read=True)
    return value.array is not None
