"""The NumPy executor: a trace is interpreted entry by entry, with the very kernels that XLA compiles.

A compile costs tens of milliseconds an operator, NumPy microseconds: what runs once is best not compiled at all.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from torchlike._engine.interpreter.rules import Unsupported
from torchlike._engine.trace.failures import Failed
from torchlike._engine.trace.plan import COMPILED, FLAT, NUMBERS, NUMPY, ONCE, Plan
from torchlike._engine.trace.trace import Trace
from torchlike._engine.trace.waiting import on_host

# The model by which cold and hot are told apart, in seconds: deterministic, so that two runs of a script choose alike.
COMPILE_ENTRY = 5e-3
COMPILE_LOOP = 0.2
INTERPRET_ENTRY = 5e-6
INTERPRET_PROGRAM = 1e-4  # an entry that is a program of its own
INTERPRET_BYTE = 1 / 4e9
UPDATE_BYTE = 2e-9  # of an optimizer's step on the host, parameters and state being moved there and back ...
COMPILE_UPDATE = 2e-3  # ... and of its compile, for each tensor that it writes
FEW, QUICK = 20, 2e-2  # operators and seconds: what trains and takes no more is interpreted when it first comes
LARGE = 1 << 22  # bytes, from which on it counts that some of NumPy's loops are quicker than XLA's
# Of XLA's pool on the CPU.
THREADS = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Step(NamedTuple):
    """One operator of an interpreted program, whatever its shapes."""

    position: int  # of its plan in the trace's code
    slots: tuple[int, ...]  # of its inputs, as a trace counts them
    first: int  # the slot of its first result
    end: int  # ... and of the next operator's
    numbers: int  # which of the trace's sequences of numbers is its own
    dead: tuple[int, ...]  # the results that nothing after it looks at


class Interpreted:
    """A program that is interpreted: `program(trace) -> results`. It overwrites no input."""

    donated_bytes = 0

    def __init__(self, trace: Trace, live: tuple[int, ...]) -> None:
        code = trace.code
        self.live, self.steps = live, _steps(_form(code), live)
        self.plans: list[Plan] = [code[step.position] for step in self.steps]
        self.account: Any = None
        self._left: float | None = None  # of the rent that a compile is worth; reckoned when it comes again

    def _appraise(self) -> None:
        """What it costs to interpret, and what to compile: most programs of new shapes never come again."""
        plans, moved, loops = self.plans, sum(map(_moved, self.plans)), _loops(self.plans)
        self._cost = _rent(plans)
        self._left = COMPILE_ENTRY * len(plans) + COMPILE_LOOP * len(loops)
        self._trains = any(plan.executor == FLAT for plan in plans)
        self._repeats = any(plan.executor == ONCE for plan in plans)
        on_host = sum(_moved(plan) for plan in plans if plan.host >= THREADS)
        self._stays = not self._trains and on_host >= max(LARGE, moved / 2)

    def is_hot(self) -> bool:
        """Whether interpreting once more would have cost more, all told, than a compile; or whether what trains came
        twice running, and so is there to stay, or came again where graphs do stay. Never, where most of the work is
        what NumPy does best."""
        if self._left is None:
            self._appraise()
        if self._repeats:
            return True
        if self._stays:
            return False
        self._left -= self._cost  # type: ignore[operator]
        again = self._trains and self.account.came_again()
        return self._left < 0 or again or (self._trains and self.account.at_once)

    def __call__(self, trace: Trace) -> list[Any]:
        arrays = [x if x.__class__ is Failed else on_host(x) for x in trace.arrays]
        results: list = [None] * len(trace.results)
        failed: Failed | None = None
        with np.errstate(all="ignore"):
            for plan, (_, slots, first, end, numbers, dead) in zip(self.plans, self.steps):
                given = [results[s] if s >= 0 else arrays[~s] for s in slots]
                if plan.scalars:
                    given += [NUMBERS[kind](x) for kind, x in zip(plan.scalars, trace.scalars[numbers])]
                cause = failed and next((x for x in given if x.__class__ is Failed), None)
                if cause is None:
                    try:
                        results[first:end] = made = _run(plan, given)
                        if not plan.checked:
                            plan.check(made)
                    except Exception as error:
                        cause = failed = Failed(error)
                if cause is not None:
                    results[first:end] = [cause] * (end - first)
                for i in dead:
                    results[i] = None
        return _owned([results[i] for i in self.live], arrays)


def _moved(plan: Plan) -> int:
    """The bytes that an operator reads and writes."""
    return sum(a.numel * a.dtype.itemsize for a in (*plan.inputs, *plan.outputs))


def _loops(plans: Sequence[Plan]) -> list[int]:
    """How many functions each loop calls."""
    programs = [plan.flat() for plan in plans if plan.flat is not None]
    return [calls for program in programs if program is not None for calls in program.loops]


def _rent(plans: Sequence[Plan]) -> float:
    """The seconds that it takes to interpret them once."""
    calls, programs = len(plans) + sum(_loops(plans)), sum(plan.flat is not None for plan in plans)
    return INTERPRET_ENTRY * calls + INTERPRET_PROGRAM * programs + INTERPRET_BYTE * sum(map(_moved, plans))


def is_cold(trace: Trace, at_once: bool) -> bool:
    """Whether a trace of a first key is for NumPy: work in types that NumPy has, and forward alone, unless it is small,
    or the same operators came in other shapes before, or their line brings other operators again and again (not
    `at_once`). What trains as it did would only be compiled one step later."""
    plans = {x for x in trace.code if x.__class__ is not int}
    executors = {plan.executor for plan in plans}
    if ONCE in executors:  # alone, since only these compute to the bit what XLA does
        return all(p.executor == ONCE and _moved(p) * UPDATE_BYTE < COMPILE_UPDATE * len(p.outputs) for p in plans)
    if COMPILED in executors or any(
        dt.numpy.isbuiltin != 1 for dt in {a.dtype for plan in plans for a in (*plan.inputs, *plan.outputs)}
    ):
        return False
    return not (at_once and FLAT in executors) or _is_small([x for x in trace.code if x.__class__ is not int])


def _is_small(plans: list[Plan]) -> bool:
    """Whether what trains is done at once without a compile, which takes ten times as long as to trace its gradients:
    it may be a try at a prompt, or a test."""
    if len(plans) > FEW or INTERPRET_BYTE * sum(map(_moved, plans)) > QUICK:
        return False
    gradients = [plan.flat() for plan in plans if plan.executor == FLAT and plan.flat is not None]
    return None not in gradients and _rent(plans) <= QUICK


def _form(code: Sequence) -> tuple:
    """A trace's code without its plans: of each only how many results it has, and whether it takes numbers; None for
    one result and no numbers."""
    return tuple(
        [
            x
            if x.__class__ is int
            else None
            if x.single is not None and not x.scalars
            else (len(x.outputs), bool(x.scalars))
            for x in code
        ]
    )


@lru_cache(64)  # shapes that never stay are programs of one form
def _steps(form: tuple, live: tuple[int, ...]) -> tuple[Step, ...]:
    """What has to be run: an operator whose results nobody looks at is left out."""
    found: list[Step] = []
    position = first = numbers = 0
    while position < len(form):
        outputs, takes_numbers = form[position] or (1, False)
        after = next((i for i in range(position + 1, len(form)) if form[i].__class__ is not int), len(form))
        found.append(Step(position, form[position + 1 : after], first, first + outputs, numbers, ()))
        position, first, numbers = after, first + outputs, numbers + takes_numbers
    needed, steps = set(live), []
    for step in reversed(found):
        made = range(step.first, step.end)
        if needed.isdisjoint(made):
            continue
        dead = {i for i in (*made, *step.slots) if i >= 0} - needed
        needed |= dead
        steps.append(step._replace(dead=tuple(dead)))
    return tuple(steps[::-1])


def _run(plan: Plan, given: list) -> list[np.ndarray]:
    """One entry's results. A kernel that NumPy cannot run has an executable of its own, and so has one that NumPy
    refuses to run on these data, such as a singular matrix, for which XLA has numbers."""
    executor = plan.executor
    if plan.flat is not None:
        program = plan.flat()
        if program is not None and not _is_worn(program):
            try:
                return program(*given)
            except Unsupported:
                plan.flat = _none
    elif executor in (NUMPY, ONCE):
        try:
            return [x if x.__class__ is _ARRAY else np.asarray(x) for x in plan.function(*given)]
        except np.linalg.LinAlgError:
            pass
    return _by_own(plan, given)


def _none() -> None:
    """In place of `plan.flat`: NumPy has no way to run it."""


def _is_worn(program: Any) -> bool:
    """Whether a program's loops have cost as much as their compile: graphs may differ always, around one layer."""
    if not program.loops:
        return False
    program.runs += 1
    return program.runs * INTERPRET_ENTRY * sum(program.loops) > COMPILE_LOOP * len(program.loops)


_ARRAY = np.ndarray


def _by_own(plan: Plan, given: list) -> list[np.ndarray]:
    """One entry's results from an executable of its own."""
    return [*map(on_host, plan.run_alone(*given))]


def _owned(outputs: list, inputs: list[np.ndarray]) -> list:
    """Arrays of their own memory: a result may be a view of an input or of another result."""
    taken = {id(a) for a in inputs}
    found: list[Any] = []
    for array in outputs:
        if array.__class__ is not Failed and (not array.flags.owndata or id(array) in taken):
            array = np.array(array, order="C")
        taken.add(id(array))
        found.append(array)
    return found
