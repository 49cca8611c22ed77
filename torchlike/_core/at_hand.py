"""Values that can be looked at without running the trace: what is concrete, and integers made of a few integers.

PyTorch refuses an index that is out of range at the line that indexes. Where the index is still to be computed, but
from integers at hand and in a few steps, NumPy computes it for that question alone: integers are exact, so the answer
holds for whatever runs the trace. What depends on floating-point numbers, on much or on long ago is left to the trace.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from torchlike._core.numpy_executor import Entry
from torchlike._core.plan import NUMPY, Plan
from torchlike._core.trace import Trace, lock
from torchlike._core.value import Aval, Value

MOST_ITEMS = 64  # of the trace's code that are looked at
MOST_ELEMENTS = 1 << 16  # that are computed for one look


def at_hand(value: Value) -> Any:
    """The array of a value, to be looked at and let go at once; None where it would have to be waited for."""
    array = value.peek()
    trace = value.trace
    if array is not None or trace.__class__ is not Trace or not _is_exact(value.aval):
        return array
    with lock:
        if trace is not value.aval.device.trace:
            return None
        entries = _needed(trace, value.slot)
        return entries and _computed(trace, entries, value.slot)


def _is_exact(aval: Aval) -> bool:
    return not (aval.dtype.is_floating_point or aval.dtype.is_complex) and aval.device.type == "cpu"


def _is_cheap(plan: Plan) -> bool:
    return (plan.executor == NUMPY and float not in plan.scalars
            and all(_is_exact(a) and a.numel <= MOST_ELEMENTS for a in (*plan.inputs, *plan.outputs)))  # fmt: skip


def _needed(trace: Trace, slot: int) -> list[Entry] | None:
    """The entries that a result is made by, or None where they are too many, or not all exact."""
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
        if not _is_cheap(plan) or any(s < 0 and not isinstance(trace.arrays[~s], np.ndarray) for s in slots):
            return None
        wanted = (wanted - made) | {s for s in slots if s >= 0}
        found.append(Entry(plan, slots, first, numbers, []))
        if not wanted:
            return found[::-1]
    return None


def _computed(trace: Trace, entries: list[Entry], slot: int) -> np.ndarray | None:
    """What the entries make of the trace's inputs; None where a kernel fails, of which the trace will tell."""
    results: dict[int, np.ndarray] = {}
    try:
        with np.errstate(all="ignore"):
            for plan, slots, first, numbers, _ in entries:
                given = [results[s] if s >= 0 else trace.arrays[~s] for s in slots]
                if plan.scalars:
                    given += [np.asarray(x)[()] for x in trace.scalars[numbers]]
                results.update(enumerate(map(np.asarray, plan.function(*given)), first))
    except Exception:
        return None
    return results[slot]
