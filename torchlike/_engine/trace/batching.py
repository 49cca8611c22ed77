"""Values of which a function sees one example: what a mapped function (`vmap`) is called with.

A Row has the aval of one example and stands for all of them, which lie along the first dim of its `whole`. An operator
on Rows is recorded as the operator mapped over that dim by `jax.vmap`, so its result is a Row; what is no Row is the
same for all examples. The whole of a Row may be a Row of a function mapped further out.
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
    open: tuple[Level, ...] = ()  # the functions being mapped, the outermost first
    resting = 0  # how many of them were open when a function began to be recorded by itself: its inputs are no Rows


local = _Local()


class Level:
    """One function being mapped."""

    __slots__ = ("depth", "is_open", "is_split", "randomness", "since", "size", "tangents")

    def __init__(self, size: int, randomness: str) -> None:
        self.size, self.randomness = size, randomness
        self.depth, self.is_open = 0, False
        self.since = self.tangents = 0  # the age of the call, and how many levels of tangents were open at it
        self.is_split = False  # whether several nodes outside share the graph inside

    @contextmanager
    def opened(self) -> Iterator[None]:
        """Operators on its Rows can be recorded inside. It is opened again for gradients, perhaps elsewhere."""
        before = local.open, self.depth, self.is_open
        local.open = (*before[0], self)
        self.depth, self.is_open = len(local.open), True
        try:
            yield
        finally:
            local.open, self.depth, self.is_open = before

    @property
    def error(self) -> Exception:
        """What is raised where the elements of a Row are asked for."""
        if not self.is_open:
            return _errors.func.escaped()
        return _errors.func.observed(calls_of_ours())


class Row(Value):
    """One example's value."""

    __slots__ = ("is_given", "level", "whole")

    def __init__(self, aval: Aval, level: Level, whole: Value, is_given: bool = False) -> None:
        super().__init__(aval, trace=level)  # no trace takes it: see `Level.error`
        self.level, self.whole = level, whole
        self.is_given = is_given  # whether others hold the whole: an argument's


def levels_of(value: Any) -> Iterator[Level]:
    """The functions by whose examples a value differs, the innermost first."""
    while value.__class__ is Row:
        yield value.level
        value = value.whole


def outermost(value: Any) -> Value:
    """All examples of a value, of all functions being mapped, along its first dims."""
    while value.__class__ is Row:
        value = value.whole
    return value


def as_rows(value: Value, levels: Sequence[Level]) -> Value:
    """What has a dim in front for each of these functions, the outermost first, as one example's."""
    for level in levels:
        value = Row(value.aval.like(tuple(value.aval.shape[1:])), level, value)
    return value


def is_alive(value: Any) -> bool:
    """Whether a value is a Row that operators can be recorded on."""
    return value.__class__ is Row and value.level.is_open


def lifted(value: Any, level: Level) -> Row:
    """A value as a Row: the same for all examples where it was none."""
    if level in levels_of(value):
        return value
    if value.__class__ is Row and value.level.depth > level.depth:
        return Row(value.aval, value.level, lifted(value.whole, level))
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
    """`record`, mapped over the examples of the innermost function that some of the values are Rows of."""
    level = _innermost(values)
    if level is None:
        if plan.single is not None:
            return (current().append_one(plan, values, scalars),)
        return current().append(plan, values, scalars)
    if not level.is_open:
        raise _errors.func.escaped()
    mine = tuple([v.__class__ is Row and v.level is level for v in values])
    wholes = [v.whole if own else v for v, own in zip(values, mine)]
    made = record_mapped(over_examples(plan, mine, level.size), wholes, scalars)
    return tuple([Row(a, level, whole) for a, whole in zip(plan.outputs, made)])


def _innermost(values: Sequence[Any]) -> Level | None:
    found, resting = None, local.resting
    for value in values:
        if value.__class__ is Row:
            level: Level = value.level
            if (level.depth > resting or not level.is_open) and (found is None or level.depth > found.depth):
                found = level
    return found


@functools.lru_cache(8192)
def over_examples(plan: Plan, mine: tuple[bool, ...], size: int) -> Plan:
    """A plan mapped over the first dim of some of its inputs, and of all results."""
    axes = (*[0 if own else None for own in mine], *[None] * len(plan.scalars))
    mapped = jax.vmap(plan.function, in_axes=axes, axis_size=size)
    more = lambda a: aval((size, *a.shape), a.dtype, a.device)
    inputs = tuple([more(a) if own else a for a, own in zip(plan.inputs, mine)])
    made = Plan(plan.name, inputs, plan.scalars, tuple(map(more, plan.outputs)), mapped)
    made.executor, made.host = plan.executor, plan.host
    if plan.executor == NUMPY:
        made.function = _either(made, mapped)
    elif plan.flat is not None:
        made.flat = functools.cache(functools.partial(_program, mapped, made))
    return made


def _program(function: Any, plan: Plan) -> Any:
    """The mapped function as a NumPy program; None where NumPy has no way to run it."""
    try:
        return flatten(jax.make_jaxpr(function)(*specs(plan.inputs, plan.scalars)))
    except Unsupported:
        return None


def _either(plan: Plan, mapped: Any) -> Any:
    """The mapped function: of NumPy arrays as a NumPy program, made when it is first asked for."""
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
