"""What becomes of a trace that cannot be run whole: the error of an operator concerns nobody but what depends on it.

Each operator is run by itself. One that fails leaves its error in place of its results, and so does what needs them;
all others have their results. The error is raised where a failed result is first asked for, and then the storages that
were given such results have again what they had before.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any
from weakref import ref

import numpy as np

from torchlike._core.value import Value

if TYPE_CHECKING:
    from torchlike._core.trace import Trace
    from torchlike._device import device as Device


class Failed:
    """In place of a result, and then of its Value's trace: the error of the kernel that was to make it, or that was to
    make what it needs."""

    __slots__ = ("before", "error", "puts")

    def __init__(self, error: Exception, before: Sequence[tuple[ref, Value, Value]] = ()) -> None:
        self.error = error
        self.puts: list = []  # as a trace has them: what is put of this result is not undone
        self.before = before  # storages with the failed Value that they were given, and what they had before

    def take_back(self) -> None:
        """Give the storages what they had before."""
        for held, failed, before in self.before:
            storage = held()
            if storage is not None and storage.value is failed:
                storage.value = before
        self.before = ()


def check(value: Value) -> None:
    """Raise the error that a value is left with: of a kernel, or of a function that it was made inside of."""
    error = getattr(value.trace, "error", None)
    if error is not None:
        if value.trace.__class__ is Failed:
            value.trace.take_back()
        raise error


def isolate(device: Device, trace: Trace, live: tuple[int, ...], values: list, cause: Exception | None) -> None:
    """Run the operators of a trace one by one, and end it. `cause` is why it could not be run whole."""
    from torchlike._core.numpy_executor import Interpreted
    from torchlike._core.trace import end

    lost = [is_deleted(array) for array in trace.arrays]
    if cause is not None and any(lost):  # by a program that failed while it overwrote them
        trace.arrays = [Failed(cause) if gone else array for gone, array in zip(lost, trace.arrays)]
    told = {slot for _, *both in trace.puts for slot in both if isinstance(slot, int) and slot >= 0}
    wanted = tuple(sorted({*live, *told}))
    results = dict(zip(wanted, Interpreted(trace, wanted)(trace)))
    before = _before(trace, results)
    objects, names, found = [], [], []
    for slot, value in zip(live, values):
        result = results[slot]
        has_failed = result.__class__ is Failed
        objects.append(value)
        names.append("trace" if has_failed else "array")
        found.append(Failed(result.error, before) if has_failed else result)
    rest = map(setattr, (trace, trace), ("arrays", "puts"), ([], []))
    deque(chain(map(setattr, objects, names, found), rest, map(end, (device,), (None,))), 0)


def _before(trace: Trace, results: dict[int, Any]) -> list[tuple[ref, Value, Value]]:
    """The storages that hold a failed result, each with that and the last contents that did not fail."""
    had: dict[int, Any] = {}
    for held, old, new in trace.puts:
        storage = held()
        if storage is None:
            continue
        key = id(storage)
        if key not in had or not _failed(old, results):
            had[key] = old
        if not _failed(new, results):
            had[key] = new
    found = []
    for held in dict.fromkeys(held for held, *_ in trace.puts):
        storage = held()
        if storage is None or storage.value.trace is not trace or not _failed(storage.value.slot, results):
            continue
        old = had[id(storage)]
        if isinstance(old, int):
            array = results[old] if old >= 0 else trace.arrays[~old]
            old = Value(storage.value.aval, array)
        found.append((held, storage.value, old))
    return found


def _failed(slot: int | Value, results: dict[int, Any]) -> bool:
    return isinstance(slot, int) and slot >= 0 and results[slot].__class__ is Failed


def is_deleted(array: Any) -> bool:
    """Whether a program has overwritten an array."""
    return not isinstance(array, np.ndarray) and array.is_deleted()
