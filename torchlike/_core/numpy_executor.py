"""The NumPy executor: a trace is interpreted entry by entry, with the very kernels that XLA compiles.

A compile costs tens of milliseconds an operator, NumPy microseconds: what runs once is best not compiled at all.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from torchlike._core.plan import COMPILED, NUMPY, Plan
from torchlike._core.trace import Trace

# The model by which cold and hot are told apart, in seconds: deterministic, so that two runs of a script choose alike.
COMPILE_ENTRY = 5e-3
INTERPRET_ENTRY = 5e-6
INTERPRET_BYTE = 1 / 4e9

_NUMBERS = {float: np.float64, int: np.int64, bool: np.bool_, complex: np.complex128}


class KernelError(Exception):
    """A kernel raised `cause`; `arrays` are the results that were there by then, None for the others."""

    def __init__(self, cause: Exception, arrays: list) -> None:
        super().__init__(str(cause))
        self.cause, self.arrays = cause, arrays


class Interpreted:
    """A program that is interpreted: `program(trace) -> output arrays`, as a compiled one is called."""

    def __init__(self, trace: Trace, live: tuple[int, ...]) -> None:
        self.live = live
        self.entries = _entries(trace, live)
        plans = [plan for plan, _, _ in self.entries]
        moved = sum(a.numel * a.dtype.itemsize for plan in plans for a in (*plan.inputs, *plan.outputs))
        self.cost = INTERPRET_ENTRY * len(plans) + INTERPRET_BYTE * moved
        self.left = COMPILE_ENTRY * len(plans)

    def is_hot(self) -> bool:
        """Whether interpreting once more would have cost more, all told, than a compile."""
        self.left -= self.cost
        return self.left < 0

    def __call__(self, trace: Trace) -> list[np.ndarray]:
        arrays = [np.asarray(a) for a in trace.arrays]
        numbers = iter(trace.scalars)
        results: list = []
        try:
            with np.errstate(all="ignore"):
                for plan, slots, dead in self.entries:
                    given = [results[s] if s >= 0 else arrays[~s] for s in slots]
                    if plan.scalars:
                        given += [_NUMBERS[kind](x) for kind, x in zip(plan.scalars, next(numbers))]
                    results += _run(plan, given)
                    for i in dead:
                        results[i] = None
        except Exception as error:
            done = [results[i] if i < len(results) else None for i in self.live]
            raise KernelError(error, _owned(done, arrays)) from None
        return _owned([results[i] for i in self.live], arrays)


def is_cold(trace: Trace) -> bool:
    """Whether a trace of a first key is for NumPy: forward work alone, in types that NumPy has."""
    plans = [item for item in trace.code if not isinstance(item, int)]
    return all(
        plan.executor != COMPILED and all(a.dtype.numpy.isbuiltin == 1 for a in (*plan.inputs, *plan.outputs))
        for plan in plans
    )


def _entries(trace: Trace, live: tuple[int, ...]) -> list[tuple[Plan, list[int], list[int]]]:
    """Each plan with the slots of its inputs and the results that nothing after it looks at."""
    found, position, code = [], 0, trace.code
    while position < len(code):
        plan = code[position]
        end = position + 1 + len(plan.inputs)
        found.append((plan, code[position + 1 : end]))
        position = end
    needed, entries, results = set(live), [], len(trace.results)
    for plan, slots in reversed(found):
        made = range(results - len(plan.outputs), results)
        results -= len(plan.outputs)
        dead = {i for i in (*made, *slots) if i >= 0} - needed
        needed |= dead
        entries.append((plan, slots, sorted(dead)))
    return entries[::-1]


def _run(plan: Plan, given: list) -> list[np.ndarray]:
    """One entry's results. A kernel that NumPy cannot run has an executable of its own, and so has one that NumPy
    refuses to run on these data, such as a singular matrix, for which XLA has numbers."""
    if plan.executor == NUMPY:
        try:
            return [np.asarray(x) for x in plan.function(*given)]
        except np.linalg.LinAlgError:
            pass
    return [np.asarray(x) for x in plan.traced()(*given)]


def _owned(outputs: list, inputs: list[np.ndarray]) -> list:
    """Arrays of their own memory: a result may be a view of an input or of another result."""
    taken = {id(a) for a in inputs}
    found: list[Any] = []
    for array in outputs:
        if array is not None and (not array.flags.owndata or id(array) in taken):
            array = np.array(array, order="C")
        taken.add(id(array))
        found.append(array)
    return found
