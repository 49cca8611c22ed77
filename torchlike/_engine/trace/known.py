"""Values that are known on the host without running the trace: concrete values, and cheap functions of integers.

PyTorch raises an error for an index out of range at the line that indexes. If the index is pending, but depends on
concrete integers through a few operators, NumPy computes it for this check. Integer results are exact, so they are the
same whichever executor runs the trace later. Values that depend on floating-point numbers, on large arrays or on many
operators are not computed here.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from torchlike._dtypes.recorder import current
from torchlike._engine.interpreter.executor import Step
from torchlike._engine.trace.batched_values import Row, outermost
from torchlike._engine.trace.flush import concrete
from torchlike._engine.trace.interrupts import reraise
from torchlike._engine.trace.plan import NUMPY, Plan
from torchlike._engine.trace.trace import Trace, limit, lock
from torchlike._engine.trace.value import Aval, Value
from torchlike._engine.xla.transfers import to_host

MOST_ITEMS = 64  # the number of items of the trace's code that are searched
MOST_ELEMENTS = 1 << 16  # the maximum size of an array that is computed


def at_hand(value: Value) -> Any:
    """Return the array of a value for reading only, or None if it is not known on the host.

    An array on an accelerator is not known, because reading it would wait for the device. If operators run immediately
    (the executor "immediate"), it is read. The caller must not keep the array.
    """
    value = outermost(value)
    if value.aval.device.type != "cpu":
        return None if limit.length or value.array is None else to_host(value.array)
    array = value.peek()
    trace = value.trace
    if array is not None or trace.__class__ is not Trace or not _is_exact(value.aval):
        return array
    with lock:
        if trace is not value.aval.device.trace:
            return None
        entries = _needed(trace, value.slot, lambda array: isinstance(array, np.ndarray))
        return entries and _computed(trace.arrays, trace.scalars, entries, value.slot)


def when_at_hand(value: Value, check: Callable[[Any], None]) -> None:
    """Call `check(array)` if the array is known on the host. In a captured call, each replay repeats the check.

    `check` must not reference a Value, because it would keep the Value alive.
    """
    if value.aval.device.type != "cpu" and limit.length:
        return
    if value.__class__ is Row:
        value, check = outermost(value), functools.partial(_of_each, tuple(value.aval.shape), check)
    capture = current().capture
    if capture is None:
        array = at_hand(value)
        if array is not None:
            check(array)
    elif capture.trace is value.trace or id(value) in capture.known:
        trace = capture.trace
        look = Look(trace, value)
        array = look.now({i: _of_cpu(trace.held[i].aval, trace.arrays[i]) for i in look.inputs}, trace.scalars)
        if array is not None:
            check(array)
            capture.checks.append((look, check))
    elif value.array is not None:
        check(value.array)


def _of_each(shape: tuple[int, ...], check: Callable[[Any], None], array: Any) -> None:
    """Call `check` with the array of each example."""
    for one in np.asarray(array).reshape(-1, *shape):
        check(np.asarray(one))


def elements(value: Value) -> np.ndarray | None:
    """Return the elements of an input of a captured call, or None if it is not on the CPU.

    Pending integers are computed, which blocks but rarely takes long. The elements of any other dtype are returned only
    if they are already computed; otherwise the result is None.
    """
    return _of_cpu(value.aval, concrete(value) if _is_exact(value.aval) else value.array)


def _of_cpu(aval: Aval, array: Any) -> np.ndarray | None:
    """Return a CPU array as a NumPy array. Return None for another device, or for floats that XLA still computes."""
    if array is None or isinstance(array, np.ndarray):
        return array
    return np.asarray(array) if _is_exact(aval) or (aval.device.type == "cpu" and array.is_ready()) else None


class Look:
    """The computation of a value of a captured trace. `inputs` are the indices of the trace's inputs that it reads."""

    __slots__ = ("_entries", "_slot", "inputs")

    def __init__(self, trace: Trace, value: Value) -> None:
        if value.trace is not trace:
            trace.adopt(value)
        self._slot = value.slot
        is_computed = value.slot >= 0 and _is_exact(value.aval)
        self._entries = _needed(trace, value.slot, lambda array: array is not None) if is_computed else None
        self.inputs = {~s for _, step in self._entries or () for s in step.slots if s < 0}
        if value.slot < 0:
            self.inputs.add(~value.slot)

    def now(self, arrays: Mapping[int, np.ndarray | None], scalars: Sequence) -> np.ndarray | None:
        """Return the array, given the arrays of the inputs and the trace's runtime numbers.

        Return None if an input is unknown.
        """
        if any(arrays.get(i) is None for i in self.inputs):
            return None
        if self._slot < 0:
            return arrays[~self._slot]
        return _computed(arrays, scalars, self._entries, self._slot) if self._entries else None


def _is_exact(aval: Aval) -> bool:
    return not (aval.dtype.is_floating_point or aval.dtype.is_complex) and aval.device.type == "cpu"


def _is_cheap(plan: Plan) -> bool:
    return (
        plan.executor == NUMPY
        and float not in plan.scalars
        and all(_is_exact(a) and a.numel <= MOST_ELEMENTS for a in (*plan.inputs, *plan.outputs))
    )


def _needed(trace: Trace, slot: int, is_there: Callable[[Any], bool]) -> list[tuple[Plan, Step]] | None:
    """Return the entries that compute a result.

    Return None if there are too many, if not all are exact and cheap, or if `is_there` is False for the array of an
    input.
    """
    code, wanted, found = trace.code, {slot}, []
    first, numbers = len(trace.results), len(trace.scalars)
    for position in range(len(code) - 1, max(len(code) - MOST_ITEMS, 0) - 1, -1):
        plan = code[position]
        if plan.__class__ is int:
            continue
        first, numbers = first - len(plan.outputs), numbers - bool(plan.scalars)
        made = wanted.intersection(range(first, first + len(plan.outputs)))
        if not made:
            continue
        slots = code[position + 1 : position + 1 + len(plan.inputs)]
        if not _is_cheap(plan) or any(s < 0 and not is_there(trace.arrays[~s]) for s in slots):
            return None
        wanted = (wanted - made) | {s for s in slots if s >= 0}
        found.append((plan, Step(position, tuple(slots), first, first + len(plan.outputs), numbers, ())))
        if not wanted:
            return found[::-1]
    return None


def _computed(arrays: Any, scalars: Sequence, entries: list[tuple[Plan, Step]], slot: int) -> np.ndarray | None:
    """Return the result of the entries for the trace's inputs.

    Return None if a kernel fails: the flush of the trace raises that error.
    """
    results: dict[int, np.ndarray] = {}
    try:
        with np.errstate(all="ignore"):
            for plan, step in entries:
                given = [results[s] if s >= 0 else arrays[~s] for s in step.slots]
                if plan.scalars:
                    given += [np.asarray(x)[()] for x in scalars[step.numbers]]
                results.update(enumerate(map(np.asarray, plan.function(*given)), step.first))
    except Exception as error:
        reraise(error)
        return None
    return results[slot]
