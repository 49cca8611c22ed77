"""Batched values, the inputs of a function under `vmap`.

A Row (a batched value) has the aval of one example. Its attribute `whole` is a Value with the examples stacked along
the first dim. An operator on Rows is recorded as the operator mapped over that dim by `jax.vmap`, so its result is also
a Row. Any other value is the same for all examples. In nested `vmap`, `whole` may be a Row of an outer level.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import jax
import numpy as np

from torchlike import _errors
from torchlike._dtypes.recorder import current
from torchlike._engine.interpreter.jaxpr import flatten
from torchlike._engine.interpreter.rules import Unsupported
from torchlike._engine.trace.plan import NUMPY, Plan, specs
from torchlike._engine.trace.value import Aval, Value, aval
from torchlike._errors.callers import calls_of_ours


class _Local(threading.local):
    open: tuple[Level, ...] = ()  # the levels of `vmap` that are active, the outermost first
    # The number of levels that were open when a sub-recording began. Operators in the sub-recording are not mapped
    # over these levels.
    suspended = 0


local = _Local()


class Level:
    """One level of `vmap`."""

    __slots__ = ("depth", "is_open", "is_shared", "randomness", "since", "size", "tangents")

    def __init__(self, size: int, randomness: str) -> None:
        self.size, self.randomness = size, randomness
        self.depth, self.is_open = 0, False
        # `since` is the age of a node made just before the call. Ages count down, so the gradient nodes of the call
        # have smaller ages. `tangents` is the number of forward-mode levels that were open at the call.
        self.since = self.tangents = 0
        self.is_shared = False  # True if several gradient nodes outside the level share the graph inside it

    @contextmanager
    def opened(self) -> Iterator[None]:
        """Open the level, so that operators on its Rows can be recorded.

        The backward pass opens the level again, possibly at another depth.
        """
        before = local.open, self.depth, self.is_open
        local.open = (*before[0], self)
        self.depth, self.is_open = len(local.open), True
        try:
            yield
        finally:
            local.open, self.depth, self.is_open = before

    @property
    def error(self) -> Exception:
        """The error for reading the elements of a Row."""
        if not self.is_open:
            return _errors.func.escaped()
        return _errors.func.observed(calls_of_ours())


class Row(Value):
    """A batched value: `aval` is that of one example, and `whole` stacks all examples."""

    __slots__ = ("is_given", "level", "whole")

    def __init__(self, aval: Aval, level: Level, whole: Value, is_given: bool = False) -> None:
        super().__init__(aval, trace=level)  # a Row is part of no trace; `failures.check` raises `level.error`
        self.level, self.whole = level, whole
        self.is_given = is_given  # True for an argument of the mapped function: other references to `whole` exist


def levels_of(value: Any) -> Iterator[Level]:
    """Yield the levels in which a value is batched, the innermost first."""
    while value.__class__ is Row:
        yield value.level
        value = value.whole


def outermost(value: Any) -> Value:
    """Return the unbatched value with the examples of all levels along its first dims."""
    while value.__class__ is Row:
        value = value.whole
    return value


def as_rows(value: Value, levels: Sequence[Level]) -> Value:
    """Return a Row of `value`, whose first dims are the batch dims of `levels`, the outermost first."""
    for level in levels:
        value = Row(value.aval.like(tuple(value.aval.shape[1:])), level, value)
    return value


def is_alive(value: Any) -> bool:
    """Return whether a value is a Row whose level is open, so that operators on it can be recorded."""
    return value.__class__ is Row and value.level.is_open


def lift(value: Any, level: Level) -> Row:
    """Convert a value to a Row of `level`. An unbatched value is repeated for all examples."""
    if level in levels_of(value):
        return value
    if value.__class__ is Row and value.level.depth > level.depth:
        return Row(value.aval, value.level, lift(value.whole, level))
    return Row(value.aval, level, record_mapped(_repeated(value.aval, level.size), [value])[0])


@functools.lru_cache(4096)
def _repeated(one: Aval, size: int) -> Plan:
    shape = (size, *one.shape)

    def repeat(x: Any) -> tuple:
        return ((np if isinstance(x, np.ndarray) else jax.numpy).broadcast_to(x, shape),)

    plan = Plan("expand", (one,), (), (one.like(shape),), repeat)
    plan.executor = NUMPY
    return plan


def record_mapped(plan: Plan, values: Sequence[Any], scalars: Sequence = ()) -> tuple[Value, ...]:
    """Record one operator, mapped over the examples of every level in which some of the values are batched."""
    level = _innermost(values)
    if level is None:
        if plan.single is not None:
            return (current().append_one(plan, values, scalars),)
        return current().append(plan, values, scalars)
    if not level.is_open:
        raise _errors.func.escaped()
    batched = tuple([v.__class__ is Row and v.level is level for v in values])
    wholes = [v.whole if own else v for v, own in zip(values, batched)]
    made = record_mapped(over_examples(plan, batched, level.size), wholes, scalars)
    return tuple([Row(a, level, whole) for a, whole in zip(plan.outputs, made)])


def _innermost(values: Sequence[Any]) -> Level | None:
    found, suspended = None, local.suspended
    for value in values:
        if value.__class__ is Row:
            level: Level = value.level
            if (level.depth > suspended or not level.is_open) and (found is None or level.depth > found.depth):
                found = level
    return found


@functools.lru_cache(8192)
def over_examples(plan: Plan, batched: tuple[bool, ...], size: int) -> Plan:
    """Return a plan mapped over the first dim of all results and of the inputs for which `batched` is True."""
    axes = (*[0 if own else None for own in batched], *[None] * len(plan.scalars))
    mapped = jax.vmap(plan.function, in_axes=axes, axis_size=size)
    stacked = lambda a: aval((size, *a.shape), a.dtype, a.device)
    inputs = tuple([stacked(a) if own else a for a, own in zip(plan.inputs, batched)])
    made = Plan(plan.name, inputs, plan.scalars, tuple(map(stacked, plan.outputs)), mapped)
    made.executor, made.host = plan.executor, plan.host
    if plan.executor == NUMPY:
        made.function = _numpy_or_mapped(made, mapped)
    elif plan.flat is not None:
        made.flat = functools.cache(functools.partial(_program, mapped, made))
    return made


def _program(function: Any, plan: Plan) -> Any:
    """Return the mapped function as a NumPy program, or None if NumPy cannot run it."""
    try:
        return flatten(jax.make_jaxpr(function)(*specs(plan.inputs, plan.scalars)))
    except Unsupported:
        return None


def _numpy_or_mapped(plan: Plan, mapped: Any) -> Any:
    """Return a function that runs a NumPy program for NumPy arrays, and the mapped function for other arrays.

    The first call with NumPy arrays builds the program. If NumPy does not support the operator, a JAX executable runs
    instead.
    """
    program: list = []

    def function(*flat: Any) -> Any:
        if flat and all(isinstance(x, np.ndarray | np.generic) for x in flat):
            if not program:
                program.append(_program(mapped, plan) or plan.run_alone)
            try:
                return program[0](*flat)
            except Unsupported:
                program[0] = plan.run_alone
                return program[0](*flat)
        return mapped(*flat)

    return function
