"""A closed jaxpr as a flat program of NumPy calls.

An XLA compile costs tens of milliseconds, and a gradient exists only as what JAX traced: so that a gradient that runs
once needs no compile, its jaxpr is flattened to a list of NumPy functions with their inputs by number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from jax.extend.core import ClosedJaxpr, Literal

from torchlike._core import numpy_gather as numpy_gather  # its rules
from torchlike._core.numpy_rules import RULES, Equation, Unsupported

# Primitives that only call another jaxpr, each with the parameter that holds it.
CALLS = {"jit": "jaxpr", "remat2": "jaxpr", "closed_call": "call_jaxpr", "core_call": "call_jaxpr",
         "custom_jvp_call": "call_jaxpr", "custom_vjp_call": "call_jaxpr"}  # fmt: skip
# Primitives whose results are their inputs.
SAME = frozenset({"copy", "copy_p", "stop_gradient", "optimization_barrier", "reduce_precision_none"})
FOLDED = 1 << 16  # bytes; a larger result of constants is made anew by each run, unless it is a view


class Program:
    """`program(*arrays) -> list of arrays`, of the shapes and dtypes that the jaxpr declares.

    A result may be a view of an input, of a constant or of another result, and read-only. The caller silences NumPy's
    warnings. Runs do not share anything but constants, so they may be concurrent.

    Attributes:
      steps: what is called: (function, the slots of its inputs, the slot of its result or their slice, the slots that
        nothing after it looks at).
    """

    __slots__ = ("_count", "_results", "_slots", "steps")

    def __init__(self, count: int, slots: list, steps: list[tuple], results: list[int]) -> None:
        self._count, self._slots, self.steps, self._results = count, slots, steps, results

    def __call__(self, *arrays: Any) -> list[np.ndarray]:
        slots = self._slots.copy()
        slots[: self._count] = map(np.asarray, arrays)
        look = slots.__getitem__
        for function, inputs, outputs, dead in self.steps:
            slots[outputs] = function(*map(look, inputs))
            for i in dead:
                slots[i] = None
        return [slots[i] for i in self._results]


def flatten(closed: ClosedJaxpr) -> Program:
    """The program of a jaxpr, without what does not lead to its results.

    Raises:
      Unsupported: there is no rule for one of its primitives as it is used; the message names it.
    """
    flat = _Flat()
    inputs = [flat.slot() for _ in closed.jaxpr.invars]
    results = flat.inline(closed, inputs)
    with np.errstate(all="ignore"):
        steps = _steps(flat, results)
    return Program(len(inputs), flat.slots, _freed(steps, {*results, *flat.constant}), results)


class _Flat:
    """Equations in order, calls inlined, their variables numbered."""

    def __init__(self) -> None:
        self.slots: list = []
        self.constant: set[int] = set()
        self.equations: list[tuple[Any, list[int], list[int]]] = []

    def slot(self) -> int:
        self.slots.append(None)
        return len(self.slots) - 1

    def hold(self, slot: int, value: np.ndarray) -> int:
        self.slots[slot] = value
        self.constant.add(slot)
        return slot

    def inline(self, closed: Any, inputs: list[int]) -> list[int]:
        """Append a jaxpr's equations; the slots of its results."""
        jaxpr = getattr(closed, "jaxpr", closed)
        names: dict = dict(zip(jaxpr.invars, inputs))
        for var, value in zip(jaxpr.constvars, getattr(closed, "consts", ())):
            names[var] = self.hold(self.slot(), np.asarray(value))

        def find(atom: Any) -> int:
            if isinstance(atom, Literal):
                return self.hold(self.slot(), np.asarray(atom.val, atom.aval.dtype))
            return names[atom]

        for eqn in jaxpr.eqns:
            name, given = eqn.primitive.name, [find(atom) for atom in eqn.invars]
            if name in CALLS:
                made = self.inline(eqn.params[CALLS[name]], given)
            elif name in SAME:
                made = given
            else:
                made = [self.slot() for _ in eqn.outvars]
                self.equations.append((eqn, given, made))
            names.update(zip(eqn.outvars, made))
        return [find(atom) for atom in jaxpr.outvars]


def _steps(flat: _Flat, results: list[int]) -> list[tuple[Callable, list[int], list[int]]]:
    """The functions of what leads to the results, but for what only constants lead to, which is computed at once."""
    steps = []
    for eqn, inputs, outputs in _needed(flat.equations, results):
        function = _function(eqn)
        if flat.constant.issuperset(inputs):
            found = function(*[flat.slots[i] for i in inputs])
            found = found if len(outputs) > 1 else [found]
            if all(x.base is not None or x.nbytes <= FOLDED for x in found):
                for i, x in zip(outputs, found):
                    flat.hold(i, x)
                continue
        steps.append((function, inputs, outputs))
    return steps


def _needed(equations: list, results: Iterable[int]) -> list:
    needed, found = set(results), []
    for equation in reversed(equations):
        if not needed.isdisjoint(equation[2]):
            needed.update(equation[1])
            found.append(equation)
    return found[::-1]


def _function(eqn: Any) -> Callable:
    name = eqn.primitive.name
    rule = RULES.get(name)
    if rule is None:
        raise Unsupported(name)
    outputs = [v.aval for v in eqn.outvars]
    function = rule(Equation(name, eqn.params, [v.aval for v in eqn.invars], outputs))
    if len(outputs) > 1 or outputs[0].shape:
        return function
    return lambda *arrays: np.asarray(function(*arrays))  # NumPy makes scalars of zero-dim results


def _freed(steps: list, kept: set[int]) -> list[tuple]:
    """The steps as they are run, each with the slots to let go after it."""
    found = []
    for function, inputs, outputs in reversed(steps):
        dead = {*inputs, *outputs} - kept
        kept |= dead
        # Slots are numbered in order, so those of one equation are neighbours.
        place = outputs[0] if len(outputs) == 1 else slice(outputs[0], outputs[-1] + 1)
        found.append((function, tuple(inputs), place, tuple(dead)))
    return found[::-1]
