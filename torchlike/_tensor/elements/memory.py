"""Reads and writes at once in the host memory of a storage.

Recording an operator pays if a program runs many of them together. A Python loop over elements reads and writes a few
bytes at a time, so it works on the NumPy array of the storage instead. A write still gives the storage another Value.
The new Value takes the array of the old one if nothing else refers to the old Value or to the array; otherwise it
gets a copy.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from sys import getrefcount
from typing import Any

import numpy as np

from torchlike._autograd import versions
from torchlike._dtypes import float32
from torchlike._dtypes.devices import cpu
from torchlike._dtypes.recorder import current, plain
from torchlike._dtypes.strides import contiguous_strides, is_apart
from torchlike._engine import Value, aval
from torchlike._engine.trace import flush as _flush
from torchlike._engine.trace.ownership import LOCAL
from torchlike._engine.trace.trace import ahead, lock, observers
from torchlike._engine.trace.waiting import on_host
from torchlike._engine.xla.mesh import active
from torchlike._ops.schema.plan import OpPlan
from torchlike._tensor.storage import SEEN, WRITE, Storage

COPIED = 1 << 22  # bytes; a write that must copy a larger array is recorded
TAKEN = 1 << 18  # bytes; a write to a larger array of JAX is recorded, so that a program can donate it
_UNREAD = Value(aval((), float32, cpu))  # stands for the value of a view that is read again at its next use
_EXECUTORS = ("auto", "numpy")  # the other executors compile every operator
_ndarray = np.ndarray
_new = object.__new__
_is_apart = lru_cache(256)(is_apart)


def is_plain() -> bool:
    """Return whether this thread is in no mode but grad mode, without a mesh and without ahead-of-time compiling."""
    recorder = current()
    return (recorder is plain or recorder is plain.variant) and ahead.session is None and active.mesh is None


def is_free(tensor: Any) -> bool:
    """Return whether neither a tensor nor its base has a gradient history, and whether its memory is its base's."""
    origin = tensor._origin
    if tensor._edge is not None or tensor._counter is not None:
        return False
    return origin is None or (
        origin._edge is None
        and origin._origin is None
        and origin._chain is None
        and origin._counter is None
        and origin._storage is tensor._storage
        and getattr(origin, "_shown", None) is None
    )


def is_strided(tensor: Any) -> bool:
    """Return whether the offset and strides of a tensor describe its part of the array of its storage."""
    chain = tensor._chain
    if chain is None:
        return True
    if tensor._storage.strides is not None or not chain or not chain[-1][0].outputs[0].numel:
        return False
    for plan, _ in chain:
        rules = plan.op.view
        if rules.pending or rules.result is not None or rules.inverse is not None:
            return False
    return True


def part(tensor: Any, array: np.ndarray) -> np.ndarray:
    """Return the part of the array of a storage that a strided tensor shows. The array of a view is row-major."""
    chain = tensor._chain
    if chain is None:
        return array
    shape, item, strides = chain[-1][0].outputs[0].shape, array.itemsize, tensor._strides
    if strides is None:
        strides = contiguous_strides(shape)
    return _ndarray(shape, array.dtype, array, tensor._offset * item, [s * item for s in strides])


def shown(tensor: Any, array: np.ndarray) -> np.ndarray | None:
    """Return the part of the array of a storage that a tensor shows, or None if no strides describe it."""
    if tensor._chain is None:
        return array
    return part(tensor, array) if array.flags.c_contiguous and is_strided(tensor) else None


def takes_writes(tensor: Any) -> bool:
    """Return whether a write to a tensor may happen at once, if the caller has checked `is_plain`."""
    storage = tensor._storage
    if storage.__class__ is not Storage or not (is_free(tensor) and is_strided(tensor)):
        return False
    strides, held = tensor._strides, storage.value
    if strides is not None and (tensor._chain is None or not _is_apart(tuple(tensor.shape), strides)):
        return False
    if held.aval.device.type != "cpu" or held.aval.dtype.numpy.isbuiltin != 1:
        return False
    return held.array.__class__ is _ndarray or is_on_cpu(held, TAKEN)


def forget_read(tensor: Any) -> Any:
    """Drop the cached value of a view, which may show the memory that is about to be written, and return the cache."""
    cache = tensor._cache
    if tensor._tracks:
        tensor._cache = (-1, None, _UNREAD)
    elif cache is not None:
        tensor._cache = (-1, cache[1], _UNREAD)
    return tensor._cache


def is_on_cpu(value: Value, most: int) -> bool:
    """Return whether a value is an array of JAX with at most `most` bytes on the CPU."""
    array = value.array
    return array is not None and value.aval.device.type == "cpu" and array.nbytes <= most


def claim(storage: Storage, owner: Any) -> np.ndarray | None:
    """Give a storage a Value whose array only this Value refers to, and return the array for a write by `owner`.

    The version is counted before the write, so an interrupt in between leaves no outdated view. Return None if the
    array is too large to copy. The caller holds the lock.
    """
    old = storage.value
    array, stamp = old.array, old.stamp
    is_seen = getrefcount(old) > LOCAL
    if array.__class__ is not _ndarray:
        array = np.array(on_host(array), order="C")
    elif is_seen or getrefcount(array) > LOCAL or array.base is not None or not array.flags.carray:
        if array.nbytes > COPIED:
            return None
        array = np.array(array, order="C")
    # A view of the value shares its saved version. Without other references, nothing can observe it.
    if is_seen or (stamp is not None and getrefcount(stamp) > LOCAL):
        versions.note_write(old, storage, None, owner)
        stamp = None
    made = _new(Value)
    made.aval, made.array, made.slot, made.trace, made.stamp = old.aval, array, 0, None, stamp
    storage.version += WRITE
    storage.value = made
    return array


def place(tensor: Any, value: Value) -> bool:
    """Write a host value to the memory that a view shows, at once. Return False if the write must be recorded.

    The caller has checked that the write has no gradient.
    """
    given = value.array
    if given.__class__ is not _ndarray or tensor._chain is None or not (is_plain() and takes_writes(tensor)):
        return False
    storage, cache = tensor._storage, forget_read(tensor)
    with lock:
        array = claim(storage, tensor)
        if array is None:
            return False
        part(tensor, array)[...] = given
    if not tensor._tracks:
        tensor._cache = (storage.version, cache and cache[1], value)
        value.stamp = value.stamp or versions.stamp_of(storage.value)
    versions.note_fate(tensor if tensor._origin is None else tensor._origin)
    return True


def at_once(plan: OpPlan, values: Sequence[Value], numbers: Sequence) -> Value | None:
    """Run an operator of elements at once, or return None if it must be recorded.

    One operand must be a number on the host or a part of an array that was read at once. An operator of other values,
    such as the results of programs, is recorded, because the next program may contain it.
    """
    if not is_plain() or _flush._executor not in _EXECUTORS or observers:
        return None
    arrays, is_element = [], False
    for value in values:
        array = value.array
        if array.__class__ is not _ndarray:
            return None
        arrays.append(array)
        is_element = is_element or (value.trace is None and (value.slot == SEEN or not value.aval.ndim))
    made = plan.early(arrays, numbers) if is_element else None  # type: ignore[misc]
    return None if made is None else Value(plan.outputs[0], made, SEEN)
