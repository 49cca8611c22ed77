"""Writes at once: `x[i, j] = y` and `x[a:b] = y` for host tensors without gradients.

`write` returns False if the call is not of this kind. The caller then takes the general path, which also raises the
errors. `memory.py` describes the ownership of the memory.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from torchlike import _dtypes
from torchlike._autograd.versions import note_fate
from torchlike._engine import Value
from torchlike._engine.trace.trace import lock
from torchlike._engine.trace.waiting import on_host
from torchlike._ops import Op
from torchlike._ops.schema.at_once import EXACT_UP_TO, LARGEST, SMALLEST
from torchlike._ops.schema.plan import OpPlan, make
from torchlike._tensor.argument_forms import NUMBERS
from torchlike._tensor.dispatch import describe
from torchlike._tensor.elements import memory
from torchlike._tensor.elements.reads import bounds, computed, element_at, whole
from torchlike._tensor.from_data import scalar
from torchlike._tensor.storage import Storage, are_apart
from torchlike._tensor.tensor import Tensor

_SAME = object()
_ndarray = np.ndarray


def write(t: Tensor, index: Any, value: Any) -> bool:
    """Execute `t[index] = value`, if the indices are integers and slices. Return whether it was done."""
    if t.__class__ is not Tensor or not memory.is_plain():
        return False
    if not memory.takes_writes(t) and not _is_computed(t):
        return False
    at = element_at(t, index)
    if at is not None:
        return _write_element(t, at, value)
    place = _basic(index)
    shape = None if place is None else _shape(t, place)
    given = None if shape is None else _given(t, value, shape, lambda: _is_part(value, t, place))
    return given is not None and _store(t, given, place)


def _write_element(t: Tensor, at: int, value: Any) -> bool:
    """Write to the element at an offset in memory."""
    given = _given(t, value, (), lambda: value._offset == at and not value.ndim and memory.is_strided(value))
    return given is not None and _store(t, given, at)


def _given(t: Tensor, value: Any, shape: tuple[int, ...], is_part: Callable[[], bool]) -> Any:
    """Return what a write of `value` to a part of `t` of this shape stores, or None if it must be recorded."""
    if isinstance(value, Tensor):
        return _tensor(value, t, shape, is_part)
    return _number(value, t._storage.value.aval.dtype)


def _store(t: Tensor, given: Any, place: Any) -> bool:
    """Write to a part of a tensor: an index of the tensor, or the offset of an element in memory.

    Return False if the array is too large to copy.
    """
    memory.forget_read(t)
    with lock:
        array = memory.claim(t._storage, t)
        if array is None:
            return False
        if place.__class__ is int:
            array = array.reshape(-1)
        elif given is not _SAME:
            array = memory.part(t, array)
        if given is not _SAME:
            array[place] = given
    note_fate(t if t._origin is None else t._origin)
    return True


def update(t: Tensor, op: Op, other: Any) -> bool:
    """Execute an in-place operator on a small tensor, such as `t += other`. Return whether it was done."""
    if t.__class__ is not Tensor or t._strides is not None or op.guard is not None or op.public.autocast is not None:
        return False
    if not memory.is_plain() or not memory.takes_writes(t):
        return False
    aval, kind, values, numbers = t._aval, other.__class__, [], []
    if kind is Tensor:
        if other._strides is not None or not memory.is_free(other):
            return False
        if other._storage is t._storage and not are_apart(t, other, False):
            return False
        values.append(other._storage.value if other._chain is None else other._read(False))
        key = (aval, values[0].aval)
    elif kind in NUMBERS and not op.public.special and not (kind is int and not -EXACT_UP_TO <= other <= EXACT_UP_TO):
        key = (aval, kind)
        numbers.append(other)
    else:
        return False
    plan = op.plans.get(key) or _plan(op, key, (t, other))
    if plan is None or plan.early is None or plan.outputs[0] is not aval:
        return False
    values.insert(0, t._storage.value if t._chain is None else t._read(False))
    made = memory.at_once(plan, values, numbers)
    if made is None:
        return False
    values.clear()  # the write reuses the memory if nothing else refers to it
    t._write(made)
    return True


def _plan(op: Op, key: tuple, operands: tuple) -> OpPlan | None:
    """Return the plan of an operator, or None if it does not take the operands. The general path raises the error."""
    try:
        return op.plans.setdefault(key, make(op, operands, {}, describe))
    except Exception:
        return None


def _basic(index: Any) -> Any:
    """Return an index of integers, slices, None and Ellipsis as NumPy takes it, or None for any other index."""
    made = []
    for item in index if index.__class__ is tuple else (index,):
        place = item
        if not (item is None or item is Ellipsis or item.__class__ is int):
            place = bounds(item) if item.__class__ is slice else whole(item)
            if place is None:
                return None
        made.append(place)
    return tuple(made)


def _shape(t: Tensor, place: Any) -> tuple[int, ...] | None:
    """Return the shape of the written part, or None if it is empty or if the index is out of range."""
    array = t._storage.value.array
    seen = memory.shown(t, array if array.__class__ is _ndarray else on_host(array))
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
        if dtype is _dtypes.float64 or (dtype is _dtypes.float32 and (not value or SMALLEST < abs(value) < LARGEST)):
            return value
    elif kind is int:
        if dtype is _dtypes.int64:
            return value if -(1 << 63) <= value < 1 << 63 else None
        if -EXACT_UP_TO <= value <= EXACT_UP_TO and (dtype is _dtypes.float32 or dtype is _dtypes.float64):
            return value
        if not -(1 << 63) <= value < 1 << 63:
            return None
    elif kind is not bool:
        return None
    try:
        return scalar(value, dtype)
    except Exception:  # the general path raises it, after the checks that come first
        return None


def _tensor(value: Any, t: Tensor, shape: tuple[int, ...], is_part: Callable[[], bool]) -> Any:
    """Return the elements of a tensor that is assigned to a part of `t`, or None if they are not at hand.

    Return `_SAME` for that part itself, as in `t[place] += 1`.
    """
    origin = value._origin
    if value.__class__ is not Tensor or value._edge is not None:
        return None
    if origin is not None and value._root()._edge is not None:
        return None
    is_inside = value._storage is t._storage
    if is_inside and is_part():
        return _SAME
    held = value._storage.value if value._chain is None else value._read(False)
    if held.aval.ndim and (is_inside or held.aval.shape != shape):
        return None
    array = held.array if held.__class__ is Value else held.peek()
    return array if array.__class__ is _ndarray and _fits(held.aval.dtype, t._storage.value.aval.dtype) else None


def _is_part(value: Tensor, t: Tensor, place: Any) -> bool:
    """Return whether a tensor shows exactly the memory of `t[place]`, as in `t[place] += 1`."""
    array = t._storage.value.array
    if array.__class__ is not _ndarray or not array.flags.c_contiguous or not memory.is_strided(value):
        return False
    a, b = memory.part(value, array), memory.part(t, array)[place if Ellipsis in place else (*place, ...)]
    if a.shape != b.shape or a.strides != b.strides:
        return False
    return a.__array_interface__["data"] == b.__array_interface__["data"]


def _fits(source: _dtypes.dtype, target: _dtypes.dtype) -> bool:
    """Return whether NumPy casts between two dtypes as PyTorch does."""
    if source is target:
        return True
    whole = source.category <= _dtypes.INTEGER and target in (_dtypes.float32, _dtypes.float64)
    return source.numpy.isbuiltin == 1 and (whole or np.can_cast(source.numpy, target.numpy, "safe"))


def _is_computed(t: Tensor) -> bool:
    """Return whether the contents of a tensor were pending and are now computed, so that a write may happen at once."""
    storage = t._storage
    if storage.__class__ is not Storage or storage.value.array is not None or not memory.is_free(t):
        return False
    return computed(storage.value) and memory.takes_writes(t)
