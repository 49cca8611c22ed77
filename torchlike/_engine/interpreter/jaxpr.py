"""Translation of a closed jaxpr into a flat program of NumPy calls.

A gradient exists only as the jaxpr that JAX traced, and an XLA compile takes tens of milliseconds. To run a gradient
once without a compile, its jaxpr is flattened into a list of NumPy functions with numbered inputs and results.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from torchlike._engine.interpreter import gather as gather  # imported to register the rules
from torchlike._engine.interpreter import linalg as linalg
from torchlike._engine.interpreter.half import WIDE, is_wide, rounded
from torchlike._engine.interpreter.loops import BODIES
from torchlike._engine.interpreter.rules import RULES, Equation, Parameters, Unsupported
from torchlike._engine.xla.jax_private import Literal, expanded, is_symbolic, number_of

# Primitives that only call another jaxpr, and the name of the parameter with that jaxpr.
CALLS = {
    "jit": "jaxpr",
    "remat2": "jaxpr",
    "closed_call": "call_jaxpr",
    "core_call": "call_jaxpr",
    "custom_jvp_call": "call_jaxpr",
    "custom_vjp_call": "call_jaxpr",
}
# Primitives whose results are their inputs.
SAME = frozenset({"copy", "stop_gradient", "optimization_barrier"})
# Primitives whose results are usually views of their inputs in NumPy.
VIEWS = frozenset({"broadcast_in_dim", "expand_dims", "reshape", "rev", "slice", "split", "squeeze", "transpose"})
# The exceptions that a rule may raise if another version of JAX has changed a primitive or its parameters.
CHANGED = (ArithmeticError, AttributeError, LookupError, NotImplementedError, TypeError, ValueError)
FOLDED = 1 << 16  # bytes; constant folding stores views, and results up to this size; runs recompute larger results


class Program:
    """A flat program: `program(*arrays) -> list of arrays`, with the shapes and dtypes that the jaxpr declares.

    A run raises `Unsupported` if a rule fails. The first run also checks shapes and dtypes.

    A result may be read-only, and it may be an input, another result, or a view of one. The caller silences NumPy's
    warnings. Runs may be concurrent: they share only constants, and no result is a constant.

    Attributes:
      steps: the calls: (function, slots of the inputs, slot of the result or slice of the results' slots, slots that no
        later step reads).
      loops: for each loop in the program, the total number of functions that it calls.
      runs: the number of runs of a program with loops, counted by the executor.
      moved: the number of bytes that its functions write, without views.
    """

    __slots__ = ("_count", "_declared", "_fixed", "_results", "_slots", "loops", "moved", "runs", "steps")

    def __init__(
        self,
        count: int,
        slots: list,
        steps: list[tuple],
        results: list[int],
        fixed: list[int],
        due: list[tuple],
        moved: int,
    ) -> None:
        self.moved = moved
        self._count, self._slots, self.steps, self._results, self._fixed = count, slots, steps, results, fixed
        self._declared = due  # the declared shapes and dtypes of the results; empty once they are checked
        self.runs = 0
        self.loops: list[int] = [step[0].calls for step in steps if hasattr(step[0], "calls")]

    @property
    def calls(self) -> int:
        """The number of functions that a run calls."""
        return len(self.steps) + sum(self.loops)

    def __call__(self, *arrays: Any) -> list[np.ndarray]:
        slots = self._slots.copy()
        slots[: self._count] = map(np.asarray, arrays)
        look = slots.__getitem__
        try:
            for function, inputs, outputs, dead in self.steps:
                slots[outputs] = function(*map(look, inputs))
                for i in dead:
                    slots[i] = None
        except CHANGED as error:
            raise Unsupported(f"a rule that raised {error!r}") from error
        for i in self._fixed:
            slots[i] = np.array(slots[i])
        found = [slots[i] for i in self._results]
        if self._declared:
            self._check(found)
        return found

    def _check(self, found: list) -> None:
        """Raise `Unsupported` if the results differ from the jaxpr's declaration.

        One check suffices, because all runs have the same shapes and dtypes.
        """
        if [(np.shape(x), getattr(x, "dtype", None)) for x in found] != self._declared:
            raise Unsupported("a rule whose results differ from the jaxpr")
        self._declared = []


def flatten(closed: Any) -> Program:
    """Return the program of a jaxpr, without dead code.

    Raises:
      Unsupported: if there is no rule for a primitive, or for its parameters. The message names the primitive.
    """
    return Flat(closed).program()


class Flat:
    """The equations of a jaxpr in order, with inlined calls and numbered variables, and without dead code.

    The shapes may contain symbolic dims (`jax.export.symbolic_shape`). `program` replaces them by numbers.
    """

    def __init__(self, closed: Any) -> None:
        self._slots: list = []
        self._constant: set[int] = set()
        self._equations: list[tuple[Any, list[int], list[int]]] = []
        with _unknown("a jaxpr of an unknown form"):
            inputs = [self._slot() for _ in getattr(closed, "jaxpr", closed).invars]
            self._count, self._results = len(inputs), self._inline(closed, inputs)
            self._declared = _results_of(closed)
        self._equations = _needed(self._equations, self._results)

    @property
    def equations(self) -> list[tuple[Any, list[int], list[int]]]:
        """The equations with the slots of their inputs and results."""
        return self._equations

    @property
    def results(self) -> list[int]:
        """The slots of the results."""
        return self._results

    def _slot(self) -> int:
        self._slots.append(None)
        return len(self._slots) - 1

    def _add_constant(self, value: np.ndarray) -> int:
        slot = self._slot()
        self._slots[slot] = value
        self._constant.add(slot)
        return slot

    def _inline(self, closed: Any, inputs: list[int]) -> list[int]:
        """Append a jaxpr's equations and return the slots of its results."""
        jaxpr = getattr(closed, "jaxpr", closed)
        names: dict = dict(zip(jaxpr.invars, inputs))
        for var, value in zip(jaxpr.constvars, getattr(closed, "consts", ())):
            names[var] = self._add_constant(np.asarray(value))

        def find(atom: Any) -> int:
            if isinstance(atom, Literal):
                return self._add_constant(np.asarray(atom.val, atom.aval.dtype))  # type: ignore[attr-defined]
            return names[atom]

        for eqn in jaxpr.eqns:
            name, given = eqn.primitive.name, [find(atom) for atom in eqn.invars]
            if name in CALLS:
                made = self._inline(eqn.params[CALLS[name]], given)
            elif name == "call_hi_primitive" and (body := expanded(eqn)) is not None:
                made = self._inline(body, given)
            elif name == "platform_index":
                made = [self._add_constant(np.asarray(_branch_of_cpu(eqn.params["platforms"]), np.int32))]
            elif name == "cond" and given[0] in self._constant:
                made = self._inline(eqn.params["branches"][int(self._slots[given[0]])], given[1:])
            elif name == "custom_linear_solve":
                made = self._inline_solve(eqn.params, given)
            elif name in SAME:
                made = given
            else:
                made = [self._slot() for _ in eqn.outvars]
                self._equations.append((eqn, given, made))
            names.update(zip(eqn.outvars, made))
        return [find(atom) for atom in jaxpr.outvars]

    def _inline_solve(self, params: Mapping, given: list[int]) -> list[int]:
        """Inline the `solve` jaxpr of a linear system and return the slots of its results."""
        counts = params["const_lengths"]
        begin, end = counts.matvec + counts.vecmat, sum(counts)
        return self._inline(params["jaxprs"].solve, [*given[begin : begin + counts.solve], *given[end:]])

    def shape(self, var: Any, sizes: Mapping[str, int]) -> tuple[int, ...]:
        """Return a variable's shape for these sizes."""
        return _sized(var.aval.shape, sizes)

    def program(self, sizes: Mapping[str, int] | None = None) -> Program:
        """Return the program for these values of the jaxpr's symbolic dims.

        Equations whose inputs are all constants are folded, except loops. Raises `Unsupported` as `flatten` does.
        """
        slots, constant, steps, moved = self._slots.copy(), set(self._constant), [], 0
        with np.errstate(all="ignore"):
            for eqn, inputs, outputs in self._equations:
                function = _function(eqn, sizes)
                if constant.issuperset(inputs) and eqn.primitive.name not in BODIES:
                    with _unknown(eqn.primitive.name):
                        found = function(*[slots[i] for i in inputs])
                        found = found if len(outputs) > 1 else [found]
                        is_kept = all(x.base is not None or x.nbytes <= FOLDED for x in found)
                    if is_kept:
                        slots[outputs[0] : outputs[-1] + 1] = found
                        constant.update(outputs)
                        continue
                steps.append((function, inputs, outputs))
                if eqn.primitive.name not in VIEWS:
                    moved += sum(_bytes(v.aval, sizes) for v in eqn.outvars)
        steps, fixed = _with_lifetimes(steps, {*self._results, *constant}), sorted(constant.intersection(self._results))
        due = [(a.shape if sizes is None else _sized(a.shape, sizes), a.dtype) for a in self._declared]
        return Program(self._count, slots, steps, self._results, fixed, due, moved)


def _branch_of_cpu(platforms: Iterable) -> int:
    return next(i for i, names in enumerate(platforms) if names is None or "cpu" in names)


def _needed(equations: list, results: Iterable[int]) -> list:
    """Return the equations on which the results depend."""
    needed, found = set(results), []
    for equation in reversed(equations):
        if not needed.isdisjoint(equation[2]):
            needed.update(equation[1])
            found.append(equation)
    return found[::-1]


def _function(eqn: Any, sizes: Mapping[str, int] | None) -> Callable:
    """Return the NumPy function of an equation, for these values of symbolic dims."""
    name, params = eqn.primitive.name, eqn.params
    with _unknown(name):
        inputs, outputs = [v.aval for v in eqn.invars], [v.aval for v in eqn.outvars]
        if sizes is not None:
            inputs, outputs = ([Sized(_sized(a.shape, sizes), a.dtype) for a in avals] for avals in (inputs, outputs))
            params = {key: _sized(value, sizes) for key, value in params.items()}
        if name == "while" and _results_of(params["cond_jaxpr"])[0].shape:  # a batched condition
            raise Unsupported("while with a batched condition")
        if name in BODIES:
            params = params | {key: _programs(params[key], sizes) for key in BODIES[name]}
        known = Parameters(params)
        function = _function_by_rule(Equation(name, known, inputs, outputs))
        known.check(name)
    if len(outputs) > 1 or outputs[0].shape or name in BODIES:
        return function
    return lambda *arrays: np.asarray(function(*arrays))  # NumPy makes scalars of zero-dim results


def _function_by_rule(e: Equation) -> Callable:
    """Return the function that the rule of the equation's primitive makes.

    Half precision may be computed in float32.
    """
    rule = RULES.get(e.name)
    if rule is None:
        raise Unsupported(e.name)
    if not is_wide(e.name, e.inputs):
        return rule(e)
    inputs, outputs = (
        [Sized(a.shape, WIDE if a.dtype.kind != "b" else a.dtype) for a in x] for x in (e.inputs, e.outputs)
    )
    return rounded(rule(e._replace(inputs=inputs, outputs=outputs)), e.outputs[0].dtype)


@contextmanager
def _unknown(what: str) -> Iterator[None]:
    """Raise errors caused by a changed version of JAX as `Unsupported`, so that the plan is compiled instead."""
    try:
        yield
    except CHANGED as error:
        raise Unsupported(f"{what}: {error!r}") from error


def _results_of(closed: Any) -> list:
    """Return the avals of a jaxpr's results."""
    return [atom.aval for atom in getattr(closed, "jaxpr", closed).outvars]


def _programs(bodies: Any, sizes: Mapping[str, int] | None) -> Any:
    """Return the program of a loop's jaxpr, or a list of programs for the jaxprs of branches."""
    if isinstance(bodies, tuple):
        return [_programs(body, sizes) for body in bodies]
    return Flat(bodies).program(sizes)


def _bytes(aval: Any, sizes: Mapping[str, int] | None) -> int:
    """Return the size of an array in bytes."""
    shape = aval.shape if sizes is None else _sized(aval.shape, sizes)
    return math.prod(shape) * aval.dtype.itemsize


class Sized(NamedTuple):
    """An aval with numbers in place of symbolic dims."""

    shape: tuple[int, ...]
    dtype: np.dtype


def _sized(x: Any, sizes: Mapping[str, int]) -> Any:
    """Return a parameter with numbers in place of symbolic dims."""
    if type(x) is tuple:
        return tuple([_sized(item, sizes) for item in x])
    return number_of(x, sizes) if is_symbolic(x) else x


def _with_lifetimes(steps: list, kept: set[int]) -> list[tuple]:
    """Return the steps in the form of `Program.steps`, each with the slots to clear after it."""
    found = []
    for function, inputs, outputs in reversed(steps):
        dead = {*inputs, *outputs} - kept
        kept |= dead
        # The result slots of one equation are consecutive, so a slice addresses them.
        place = outputs[0] if len(outputs) == 1 else slice(outputs[0], outputs[-1] + 1)
        found.append((function, tuple(inputs), place, tuple(dead)))
    return found[::-1]
