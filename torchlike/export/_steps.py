"""The operators of an exported program, which run for any sizes."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from torchlike._engine.trace.plan import NUMBERS
from torchlike._engine.xla.target import in_each_form, tracing_for_any
from torchlike._ops.schema.plan import OpPlan, restated
from torchlike._tensor.storage import placed
from torchlike.export._formulas import substituted


class Views(NamedTuple):
    """A write through a chain of views: the arguments of each view, as `Step.form` holds them."""

    arguments: tuple


class Branches(NamedTuple):
    """The captured functions of a control-flow operator."""

    bodies: tuple


class Step(NamedTuple):
    """One operator of an exported program.

    Attributes:
      plan: its plan in the first recording.
      slots: its inputs: n >= 0 is the n-th result of the steps before, ~n is the n-th input of the program.
      form: None if nothing depends on the sizes. Otherwise the arguments of an operator, `Views` or `Branches`.
      numbers: its runtime numbers.
    """

    plan: Any
    slots: tuple[int, ...]
    form: Any
    numbers: tuple

    def run(self, sizes: Mapping[str, Any], arrays: list, given: Sequence | None = None) -> Sequence:
        """Return the results for arrays or tracers. `given` are the runtime numbers if they are inputs themselves."""
        numbers = self.numbers if given is None else given
        numbers = [substituted(n, sizes) for n in numbers]
        numbers = [jnp.asarray(n, NUMBERS[kind]) for n, kind in zip(numbers, self.plan.scalars)]
        return in_each_form(self._function(sizes), *arrays, *numbers)

    def _function(self, sizes: Mapping[str, Any]) -> Any:
        if self.form is None:
            return self.plan.function
        if isinstance(self.form, Views):
            views = tuple(_view_at(view, form, sizes) for view, form in zip(self.plan.chain, self.form.arguments))
            return lambda old, part, *numbers: (placed(views, old, part, numbers),)
        if isinstance(self.form, Branches):
            return lambda *flat: self._branched(sizes, flat)
        return _operator_at(self.plan, self.form, sizes)

    def _branched(self, sizes: Mapping[str, Any], flat: Sequence) -> tuple:
        call, rest = self.plan.extra, iter(flat)
        take = lambda items: [next(rest) for _ in items]
        inputs, outer = take(call.given), [take(each) for each in call.outer]
        numbers = [take(each) for each in call.kinds]
        runs = [
            lambda given, _, body=body, o=o, n=n: body.run(sizes, given, o, n)
            for body, o, n in zip(self.form.bodies, outer, numbers)
        ]
        return tuple(call.op.run(runs, inputs, [[] for _ in runs]))


def _operator_at(plan: OpPlan, arguments: dict, sizes: Mapping[str, Any]) -> Any:
    return restated(plan, {name: (where, substituted(what, sizes)) for name, (where, what) in arguments.items()})


def _view_at(plan: OpPlan, arguments: dict | None, sizes: Mapping[str, Any]) -> OpPlan:
    if arguments is None:
        return plan
    made = copy.copy(plan)
    made.function = _operator_at(plan, arguments, sizes)
    return made


class Stretched(NamedTuple):
    """A captured function for any sizes: a stretch of the recording with steps in place of its plans."""

    stretch: Any
    steps: list[Step]

    def run(self, sizes: Mapping[str, Any], given: Sequence, outer: Sequence, numbers: Sequence) -> list:
        """Return the results."""
        inputs = [given[i] if i >= 0 else outer[~i] for i in self.stretch.inputs]
        results: list = []
        places = iter(self.stretch.places)
        for step in self.steps:
            begin = next(places) if step.plan.scalars else 0
            arrays = [results[s] if s >= 0 else inputs[~s] for s in step.slots]
            results.extend(step.run(sizes, arrays, numbers[begin : begin + len(step.plan.scalars)]))
        return [None if s is None else results[s] if s >= 0 else inputs[~s] for s in self.stretch.gives]


class Constant(NamedTuple):
    """A constant whose shape depends on the sizes.

    Attributes:
      kind: "full" (all elements are `first`), "range" (they grow by `step`), "even" (`step` is the last) or "eye".
      shape: its shape, which may contain formulas.
      first, step: numbers, which may be formulas.
      dtype: its NumPy dtype.
    """

    kind: str
    shape: tuple
    first: Any
    step: Any
    dtype: Any

    def at(self, sizes: Mapping[str, Any]) -> Any:
        """Return the array for sizes."""
        shape, first, step = (substituted(x, sizes) for x in (self.shape, self.first, self.step))
        if self.kind == "full":
            return jnp.full(shape, first, self.dtype)
        if self.kind == "eye":
            rows, columns = (jax.lax.broadcasted_iota(jnp.int64, shape, axis) for axis in (0, 1))
            return (rows == columns).astype(self.dtype)
        count = jax.lax.broadcasted_iota(jnp.int64, shape, 0)
        if self.kind == "range":
            return (count * step + first).astype(self.dtype)
        return jnp.linspace(first, step, shape[0], dtype=self.dtype)


class Program(NamedTuple):
    """The operators of a forward, as a function of its inputs for any sizes.

    Attributes:
      names: the names of the varying sizes.
      shapes: the shapes of the inputs, with the names of varying sizes.
      steps: the operators.
      inputs: for each input of the steps, its place among the given arrays and the constants.
      constants: what `inputs` beyond the given arrays are: arrays, or `Constant`s.
      outputs: the slots of the results.
    """

    names: tuple[str, ...]
    shapes: list[tuple]
    steps: list[Step]
    inputs: tuple[int, ...]
    constants: list[Any]
    outputs: tuple[int, ...]

    def sizes(self, arrays: Sequence) -> dict[str, Any]:
        """Return the sizes of the varying dims of the given arrays."""
        found: dict[str, Any] = {}
        for shape, array in zip(self.shapes, arrays):
            found.update({n: size for n, size in zip(shape, array.shape) if isinstance(n, str) and n not in found})
        return found

    def run(self, arrays: Sequence, lifted: Sequence, shapes: list[tuple] | None = None) -> list:
        """Return the results for arrays or tracers.

        Args:
          arrays: the arrays or tracers.
          lifted: the constants that are plain arrays.
          shapes: a list to which the shape of each result of each step is added.
        """
        sizes, plain = self.sizes(arrays), iter(lifted)
        made = [c.at(sizes) if isinstance(c, Constant) else next(plain) for c in self.constants]
        everything = [*arrays, *made]
        inputs = [everything[i] for i in self.inputs]
        results: list = []
        with tracing_for_any():
            for step in self.steps:
                results.extend(step.run(sizes, [results[s] if s >= 0 else inputs[~s] for s in step.slots]))
        if shapes is not None:
            shapes += [tuple(each.shape) for each in results]
        return [results[s] if s >= 0 else inputs[~s] for s in self.outputs]
