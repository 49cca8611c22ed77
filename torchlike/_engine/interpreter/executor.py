"""The NumPy executor. It interprets a trace entry by entry, with the same kernels that XLA compiles.

XLA takes tens of milliseconds to compile an operator, and NumPy takes microseconds to run it. A program that runs only
once is therefore faster without a compile.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import jax
import numpy as np

from torchlike._engine.interpreter import blas, costs
from torchlike._engine.interpreter.jaxpr import Program, flatten
from torchlike._engine.interpreter.rules import Unsupported
from torchlike._engine.trace.failures import Failed
from torchlike._engine.trace.interrupts import reraise
from torchlike._engine.trace.plan import FLAT, NUMBERS, NUMPY, ONCE, Plan, specs
from torchlike._engine.trace.trace import Trace, operators
from torchlike._engine.trace.waiting import on_host
from torchlike._engine.xla import allocation
from torchlike._engine.xla.forked import forked
from torchlike._engine.xla.target import tracing_for


class Step(NamedTuple):
    """One operator of an interpreted program, independent of shapes."""

    position: int  # the index of its plan in the trace's code
    slots: tuple[int, ...]  # the slots of its inputs, as in the trace's code
    first: int  # the slot of its first result
    end: int  # the slot after its last result
    numbers: int  # the index of its sequence in the trace's `scalars`
    dead: tuple[int, ...]  # the results that no later operator reads


class Interpreted:
    """An interpreted program: `program(trace) -> results`. It does not overwrite its inputs."""

    donated_bytes = 0

    def __init__(self, trace: Trace, live: tuple[int, ...]) -> None:
        code = trace.code
        self.live, self.steps = (
            live,
            _steps(_form_of_code(code), live if trace.mesh is None else _with_collectives(code, live)),
        )
        self.plans: list[Plan] = [code[step.position] for step in self.steps]
        self.account: Any = None
        self._streak = 0  # the number of consecutive runs with the same shapes
        self.compiling: Any = None  # the program that is being compiled in the background
        self._runs = 1  # the number of runs, the present one included
        self._trains = any(plan.executor == FLAT for plan in self.plans)
        self._long = costs.of_long_compile(self.plans) if costs.runs_on_one_device(trace) else 0.0
        self._budget: float | None = None  # seconds of interpretation until the program is hot; set at the second run

    def _estimate_costs(self) -> None:
        """Estimate the costs of interpreting and of compiling.

        This waits until the second run, because most programs of new shapes run only once.
        """
        plans = self.plans
        self._is_exact = all(plan.executor == ONCE for plan in plans)
        light = costs.of_light_run(plans) if self._long and not self._is_exact else None
        self._is_light = light is not None
        self._cost = light if light is not None else (costs.of_run if self._trains else costs.of_slower_run)(plans)
        self._repeats = any(plan.executor == ONCE for plan in plans)
        self._budget = (costs.LIGHT_RUNS * self._long if self._is_light else self._long) or costs.of_compile(plans)
        self._is_patient = costs.is_patient(plans)
        self._is_quick = not self._trains and costs.is_below_dispatch(plans)
        self._stays_interpreted = not self._trains and costs.is_as_fast_as_compiled(plans)

    def is_hot(self, trace: Trace, is_read: bool) -> bool:
        """Return whether the program should be compiled now.

        Some programs have rules of their own:

        - A short optimizer step is compiled at its second run, or later if its line compiled many programs.
        - A program is never compiled if NumPy is as fast as XLA for most of its work.
        - A small forward program is not compiled if its inputs are host arrays, or if its results are read now
          (`is_read`). In other cases XLA may still be computing its inputs. A compiled program is then queued, and an
          interpreted one would wait for them.
        - A program whose compile takes long follows the rule of `_is_replaced`.

        Any other program is compiled when one more interpreted run would raise the total cost of interpretation above
        the cost of a compile. A training program is also compiled if the previous interpreted run of its source line
        ran the same program, or if its line runs few graphs (`at_once`). The exception is a program with loops written
        by hand whose compile costs as much as many runs, and the first runs of a program whose line compiled many
        programs.
        """
        if self._budget is None:
            self._estimate_costs()
        if self._long:
            return self._is_replaced()
        self._runs += 1
        may = self._runs >= costs.LATER or self.account.group.line.replaced < costs.MANY
        if self._repeats:
            return may
        if self._stays_interpreted or (
            self._is_quick and (is_read or all(array.__class__ is _ARRAY for array in trace.arrays))
        ):
            return False
        self._budget -= self._cost  # type: ignore[operator]
        again = self._trains and self.account.came_again()
        return self._budget < 0 or (may and not self._is_patient and (again or (self._trains and self.account.at_once)))

    def _is_replaced(self) -> bool:
        """Return whether a program whose compile takes long should be compiled now, for `is_hot`.

        The compiled program is used after a fixed number of consecutive runs with the same shapes, however long the
        compile takes, so that every run of a script has the same results. A program of small arrays is interpreted for
        many more runs, until interpretation has cost more than the compile. The compiled program of an optimizer step
        has the same results as the interpreted one, so it is used as soon as it is ready.
        """
        self._streak = self._streak + 1 if self.account.has_same_shapes() else 1
        self._budget -= self._cost  # type: ignore[operator]
        if self._is_exact:
            return self.compiling is not None and self.compiling.is_ready()
        return self._budget < 0 or (self._streak >= costs.REPLACE - 1 and not self._is_light)

    def is_warm(self) -> bool:
        """Return whether a long compile should begin in the background now. `is_hot` has been called for this run."""
        if self.compiling is not None or not self._long:
            return False
        if self._is_light:
            return self._budget < self._long  # type: ignore[operator]
        return self._is_exact or self._streak >= costs.BEGIN - 1

    def __call__(self, trace: Trace, lost: bool = False) -> list[Any]:
        """Return the live results. `lost` says whether some inputs of the trace are `Failed`."""
        arrays = [x if x.__class__ is Failed else on_host(x) for x in trace.arrays]
        if not self._trains:
            return _owned(self.walk(trace, arrays, _run, lost), arrays)
        with blas.threads(1) as most:
            wide = most if self.compiling is None else max(most // 2, 1)
            return _owned(self.walk(trace, arrays, functools.partial(_run_on_few, wide), lost), arrays)

    def walk(self, trace: Trace, arrays: list, run: Callable[[Plan, list], list], failed: bool) -> list:
        """Run the operators one by one with `run(plan, inputs)`, and return the live results.

        The result of an operator that fails, or that depends on a `Failed`, is a `Failed`. `failed` says whether
        `arrays` contains any.
        """
        results: list = [None] * len(trace.results)
        with np.errstate(all="ignore"):
            for plan, (_, slots, first, end, numbers, dead) in zip(self.plans, self.steps):
                given = [results[s] if s >= 0 else arrays[~s] for s in slots]
                if plan.scalars:
                    given += [NUMBERS[kind](x) for kind, x in zip(plan.scalars, trace.scalars[numbers])]
                cause = next((x for x in given if x.__class__ is Failed), None) if failed else None
                if cause is None:
                    try:
                        results[first:end] = made = run(plan, given)
                        if not plan.checked:
                            plan.check(made)
                    except Exception as error:
                        reraise(error)
                        cause, failed = Failed(allocation.of_operator(error, _sizes(plan))), True
                if cause is not None:
                    results[first:end] = [cause] * (end - first)
                for i in dead:
                    results[i] = None
        return [results[i] for i in self.live]


def _with_collectives(code: Sequence, live: tuple[int, ...]) -> tuple[int, ...]:
    """Return the live slots and the results of collectives, which run even if this process does not use them."""
    slots, first = {*live}, 0
    for plan, _ in operators(code):
        if plan.mesh is not None:
            slots.add(first)
        first += len(plan.outputs)
    return tuple(sorted(slots))


def _sizes(plan: Plan) -> list[int]:
    """Return the sizes of the results of an operator in bytes."""
    return [a.numel * a.dtype.itemsize for a in plan.outputs]


def _form_of_code(code: Sequence) -> tuple:
    """Return a trace's code without shapes. Slots stay, and each plan is replaced by `_form_of_plan`."""
    return tuple([x if x.__class__ is int else _form_of_plan(x) for x in code])


def _form_of_plan(plan: Plan) -> tuple[int, bool] | None:
    """Return the number of results of a plan and whether it takes numbers, or None for one result and no numbers."""
    return None if plan.single is not None and not plan.scalars else (len(plan.outputs), bool(plan.scalars))


@lru_cache(64)  # programs that differ only in shapes have the same form
def _steps(form: tuple, live: tuple[int, ...]) -> tuple[Step, ...]:
    """Return the steps of a program, without operators whose results are unused."""
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
    """Return the results of one entry.

    A kernel that NumPy cannot run is compiled to a separate executable. This is also done if NumPy raises an error for
    data for which XLA returns numbers, such as a singular matrix.
    """
    executor = plan.executor
    if plan.flat is not None:
        program = plan.flat()
        if program is not None and not _has_cost_a_compile(program):
            try:
                return program(*given)
            except Unsupported:
                plan.flat = _no_program
    elif executor == NUMPY or (executor == ONCE and not forked.is_closed):  # optimizer steps run small programs of XLA
        try:
            return [x if x.__class__ is _ARRAY else np.asarray(x) for x in plan.function(*given)]
        except np.linalg.LinAlgError:
            pass
    return _run_compiled(plan, given)


def _run_on_few(wide: int, plan: Plan, given: list) -> list[np.ndarray]:
    """Run one entry of a training program. Only large matrix products use `wide` threads.

    The threads of a product wait for each other in busy loops. If other work runs at the same time, such as the compile
    of this program, small products on several threads take ten times as long. The number of threads changes the last
    bits of a result. It must therefore depend on the number of runs, and not on the progress of the compile.
    """
    if costs.moved(plan) < costs.WIDE:
        return _run(plan, given)
    with blas.threads(wide):
        return _run(plan, given)


def _no_program() -> None:
    """Return None. Replaces `plan.flat` after NumPy failed to run the program of a plan."""


def _has_cost_a_compile(program: Any) -> bool:
    """Count a run, and return whether interpreting the program's loops has cost as much as a compile.

    Runs are counted per operator instead of per trace, because the traces around an operator may differ at every step.
    """
    if not program.loops:
        return False
    program.runs += 1
    return program.runs * costs.ENTRY * sum(program.loops) > costs.COMPILE_LOOP * len(program.loops)


_ARRAY = np.ndarray


def _run_compiled(plan: Plan, given: list) -> list[np.ndarray]:
    """Return the results of one entry, computed by a separate executable.

    In a process that must not use XLA, NumPy computes them. Raises RuntimeError if it cannot.
    """
    if forked.is_closed and plan.mesh is None:
        try:
            return _flattened(plan)(*given)
        except Unsupported as error:
            raise forked.refusal(f"the operator {plan.name}") from error
    return [*map(on_host, plan.run_alone(*given))]


@lru_cache(512)
def _flattened(plan: Plan) -> Program:
    with tracing_for("cpu"):
        return flatten(jax.make_jaxpr(plan.function)(*specs(plan.inputs, plan.scalars)))


def _owned(outputs: list, inputs: list[np.ndarray]) -> list:
    """Return the outputs as arrays that own their memory.

    An output that is a view or that shares an input's or another output's array is copied. If the host has no memory
    for the copy, the output is a `Failed`.
    """
    taken = {id(a) for a in inputs}
    found: list[Any] = []
    for array in outputs:
        if array.__class__ is not Failed and (not array.flags.owndata or id(array) in taken):
            array = _copy(array)
        taken.add(id(array))
        found.append(array)
    return found


def _copy(array: np.ndarray) -> Any:
    try:
        return np.array(array, order="C")
    except MemoryError as error:
        return Failed(allocation.of_operator(error, (array.nbytes,)))
