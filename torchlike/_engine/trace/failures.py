"""Isolation of failing operators.

A trace that cannot run as one program runs operator by operator. An operator that fails, or that depends on a failed
result, stores the error in place of its results. All other operators produce their results. The error is raised at the
first read of a failed result. Storages that were written with failed results are then restored to their
previous contents. The operators run on the device of the trace.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any
from weakref import ref

import numpy as np

from torchlike._engine.trace.value import Value

if TYPE_CHECKING:
    from torchlike._dtypes.devices import device as Device
    from torchlike._engine.trace.trace import Trace


class Failed:
    """A result that could not be computed.

    It is the `trace` of the Value. `error` is the error of the operator, or of an operator that it depends on. It has
    no traceback: the frames of a traceback would keep the user's tensors alive.
    """

    __slots__ = ("before", "error", "puts")

    def __init__(self, error: Exception, before: Sequence[tuple[ref, Value, Value]] = ()) -> None:
        self.error = _without_tracebacks(error)
        self.puts: list = []  # later writes of this result to storages, as in `Trace.puts`; never undone
        self.before = before  # storages, each with its failed Value and its previous Value

    def take_back(self) -> None:
        """Restore the storages to their previous contents."""
        for held, failed, before in self.before:
            storage = held()
            if storage is not None and storage.value is failed:
                storage.value = before
        self.before = ()


def check(value: Value) -> None:
    """Raise the error of a value if its operator failed, if it outlived a sub-recording, or if it is a Row."""
    error = getattr(value.trace, "error", None)
    if error is not None:
        if value.trace.__class__ is Failed:
            value.trace.take_back()
        raise _copied(error)


def _without_tracebacks(error: Exception) -> Exception:
    """Return an error after the removal of its traceback, and of those of the errors that led to it."""
    each: BaseException | None = error
    while each is not None:
        each.__traceback__ = None
        each = each.__cause__ or each.__context__
    return error


def _copied(error: Exception) -> Exception:
    """Return a copy of an error, so that raising it adds no traceback to the stored one."""
    copy = error.__class__.__new__(error.__class__, *error.args)
    copy.__dict__.update(error.__dict__)
    for name in [name for kind in error.__class__.__mro__ for name in getattr(kind, "__slots__", ())]:
        if hasattr(error, name):
            setattr(copy, name, getattr(error, name))
    copy.__cause__, copy.__context__ = error.__cause__, error.__context__
    copy.__suppress_context__ = error.__suppress_context__
    return copy


def isolate(device: Device, trace: Trace, live: tuple[int, ...], values: list, cause: Exception | None) -> None:
    """Run the operators of a trace one by one, and end the trace.

    `cause` is the error of the whole program, or None if the program was interpreted.
    """
    from torchlike._engine.interpreter.executor import Interpreted
    from torchlike._engine.trace.trace import end
    from torchlike._engine.xla import one_by_one

    if cause is not None:  # the failed program may have overwritten its donated inputs
        trace.arrays = [Failed(cause) if is_deleted(array) else array for array in trace.arrays]
    lost = [array.__class__ is Failed or is_deleted(array) for array in trace.arrays]
    told = {slot for _, *both in trace.puts for slot in both if isinstance(slot, int) and slot >= 0}
    wanted = tuple(sorted({*live, *told}))
    program = Interpreted(trace, wanted)
    if device.type == "cpu":
        made = program(trace, any(lost))
    else:
        made = one_by_one.run(device, trace, program)
    results = dict(zip(wanted, made))
    before = _before(trace, results)
    objects, names, found = [], [], []
    for slot, value in zip(live, values):
        result = results[slot]
        has_failed = result.__class__ is Failed
        objects.append(value)
        names.append("trace" if has_failed else "array")
        found.append(Failed(result.error, before) if has_failed else result)
    deque(chain(map(setattr, objects, names, found), trace.emptied(), map(end, (device,), (None,))), 0)


def abandon(device: Device, trace: Trace, values: list, error: Exception) -> None:
    """End a trace that cannot run. Each of its results raises the error at its first read."""
    from torchlike._engine.trace.trace import end

    failed = {slot: Failed(error) for slot in range(len(trace.results))}
    before = _before(trace, failed)
    for value in values:
        value.trace = Failed(error, before)
    deque(trace.emptied(), 0)
    end(device, None)


def _before(trace: Trace, results: dict[int, Any]) -> list[tuple[ref, Value, Value]]:
    """Return the storages with a failed result, each with that Value and with its last contents that did not fail."""
    had: dict[int, Any] = {}
    for held, *slots in trace.puts:
        for slot in slots:
            if id(held()) not in had or not _failed(slot, results):
                had[id(held())] = slot
    found = []
    for storage, held in {id(held()): (held(), held) for held, *_ in trace.puts}.values():
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
    """Return whether an array was donated to a program that has run."""
    return not isinstance(array, np.ndarray | Failed) and array.is_deleted()
