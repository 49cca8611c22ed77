"""Recording of a module's forward at given sizes, and the program for any sizes that several recordings agree on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from torchlike import _errors
from torchlike._autograd.jax_function import Recording
from torchlike._dtypes import devices
from torchlike._dtypes.recorder import Mode, Recorder, both, enter, leave
from torchlike._engine import Aval, aval
from torchlike._engine.trace.plan import specs
from torchlike._engine.trace.trace import operators
from torchlike._engine.xla.target import in_each_form, tracing_for_any
from torchlike._ops.schema.plan import OpPlan, restated
from torchlike._tensor.tensor import Tensor
from torchlike._transforms.recording import Scene, is_tensor, recording
from torchlike.export._formulas import Formula, NoFormulaError, formula, substituted, unified, varies
from torchlike.jax._functional import check_aliases, standing_in, training, written
from torchlike.utils import _pytree as pytree


class _Tensor:
    """The mark of a tensor among the leaves of a result."""

    def __repr__(self) -> str:
        return "TENSOR"


TENSOR: Any = _Tensor()


class Forward:
    """A module whose forward is recorded: its parameters and buffers, and their names."""

    def __init__(self, module: Any) -> None:
        self.module = module
        self.parameters = dict(module.named_parameters())
        self.buffers = dict(module.named_buffers())
        self.tensors = {**self.parameters, **self.buffers}
        self.trains = [(part, part.training) for part in module.modules()]
        self.device = next((t.device for t in self.tensors.values()), devices.canonical(None))
        self.what = f"{type(module).__name__}.forward"


class Recorded(NamedTuple):
    """One recording of a forward."""

    recording: Recording
    results: list  # the leaves of the result, with TENSOR in place of each tensor
    tree: Any  # the structure of the result
    written: list[str]  # the buffers that forward writes to
    constants: list[np.ndarray]  # the arrays that forward makes, which are the last inputs of the recording


class _Lifting(Mode):
    """Makes every new constant an input of the recording, so that what is computed from it is recorded too."""

    def __init__(self, scene: Scene) -> None:
        self.scene, self.arrays = scene, []

    def over(self, below: Recorder) -> Recorder:
        return below.but(made=both(below.made, self._made))

    def _made(self, storage: Any) -> None:
        value = storage.value
        if isinstance(value.array, np.ndarray):
            self.arrays.append(value.array)
            storage.value = self.scene.recording.input(value.aval, False)[0]


def record(forward: Forward, args: tuple, kwargs: dict, shapes: Sequence[tuple], lifts: bool) -> Recorded:
    """Record a forward whose tensor inputs have these shapes. With `lifts`, constants become inputs."""
    leaves, tree = pytree.tree_flatten((args, kwargs))
    device, tensors = forward.device, forward.tensors
    with ExitStack() as stack:
        scene = stack.enter_context(recording(forward.what, device))
        stack.enter_context(training(forward.trains))
        stack.enter_context(standing_in(scene, tensors, iter(specs(avals(tensors), ()))))
        given = iter(shapes)
        inputs = [_input(scene, leaf, next(given)) if is_tensor(leaf) else leaf for leaf in leaves]
        lifting = _Lifting(scene)
        if lifts:
            enter(lifting)
            stack.callback(leave, lifting)
        inner_args, inner_kwargs = pytree.tree_unflatten(inputs, tree)
        results, out_tree = pytree.tree_flatten(forward.module(*inner_args, **inner_kwargs))
        changed = written(scene, tensors)
        pairs = [leaf._pair() for leaf in results if is_tensor(leaf)]
        scene.recording.finish([*pairs, *changed.values()])
    check_aliases(forward.what, scene, tensors)
    if scene.undo_writes():
        raise _errors.recording.impure(forward.what, "writes to a tensor that is neither a parameter nor a buffer")
    shown = [TENSOR if is_tensor(leaf) else leaf for leaf in results]
    return Recorded(scene.recording, shown, out_tree, list(changed), lifting.arrays)


def _input(scene: Scene, tensor: Tensor, shape: tuple) -> Tensor:
    return scene.tensor(aval(shape, tensor.dtype, tensor.device), True)


class Step(NamedTuple):
    """One operator of an exported program.

    Attributes:
      plan: its plan in the first recording.
      slots: its inputs: n >= 0 is the n-th result of the steps before, ~n is the n-th input of the program.
      arguments: its arguments with formulas in place of integers that depend on the sizes; None if none do.
      numbers: its runtime numbers.
    """

    plan: Any
    slots: tuple[int, ...]
    arguments: dict[str, tuple[str, Any]] | None
    numbers: tuple

    def run(self, sizes: Mapping[str, Any], arrays: list) -> Sequence:
        """Return the results for arrays or tracers."""
        numbers = [substituted(n, sizes) if isinstance(n, Formula) else n for n in self.numbers]
        numbers = [jnp.asarray(n, t) for n, t in zip(numbers, map(_number_type, self.plan.scalars))]
        if self.arguments is None:
            return in_each_form(self.plan.function, *arrays, *numbers)
        arguments = {name: (where, substituted(what, sizes)) for name, (where, what) in self.arguments.items()}
        function = restated(self.plan, arguments)
        return in_each_form(function, *arrays, *numbers)


def _number_type(kind: type) -> Any:
    return {float: jnp.float64, int: jnp.int64, bool: jnp.bool_, complex: jnp.complex128}[kind]


class Constant(NamedTuple):
    """A constant whose shape depends on the sizes: all elements are `first`, or they grow by `step`."""

    shape: tuple
    first: Any
    step: Any
    dtype: Any

    def at(self, sizes: Mapping[str, Any]) -> Any:
        """Return the array for sizes."""
        shape = substituted(self.shape, sizes)
        if not self.step:
            return jnp.full(shape, substituted(self.first, sizes), self.dtype)
        count = jax.lax.broadcasted_iota(jnp.int64, shape, 0) if shape else jnp.zeros((), jnp.int64)
        return (count * self.step + substituted(self.first, sizes)).astype(self.dtype)


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

    def run(self, arrays: Sequence, lifted: Sequence) -> list:
        """Return the results for arrays or tracers. `lifted` are the constants that are plain arrays."""
        sizes, plain = self.sizes(arrays), iter(lifted)
        made = [c.at(sizes) if isinstance(c, Constant) else next(plain) for c in self.constants]
        everything = [*arrays, *made]
        inputs = [everything[i] for i in self.inputs]
        results: list = []
        with tracing_for_any():
            for step in self.steps:
                results.extend(step.run(sizes, [results[s] if s >= 0 else inputs[~s] for s in step.slots]))
        return [results[s] if s >= 0 else inputs[~s] for s in self.outputs]


class DependsOnSizeError(Exception):
    """Raised if the recordings at two sizes differ in a way that no formula describes."""


def generalized(recorded: Sequence[Recorded], shapes: list[tuple], samples: Sequence[Mapping[str, int]]) -> Program:
    """Return the program that several recordings of one forward have in common.

    Raises:
      DependsOnSizeError: the recordings differ, for example because a Python branch depends on a size.
    """
    stretches = [each.recording.primal for each in recorded]
    codes = [list(operators(stretch.code)) for stretch in stretches]
    first, alike = stretches[0], stretches[1:]
    names = [[plan.name for plan, _ in code] for code in codes]
    if any(other != names[0] for other in names[1:]):
        raise DependsOnSizeError(_where_they_part(names, samples))
    if any((other.inputs, other.gives) != (first.inputs, first.gives) for other in alike):
        raise DependsOnSizeError("the operators use other inputs")
    numbers = [_numbers(each.recording, code) for each, code in zip(recorded, codes)]
    steps = []
    for place, entries in enumerate(zip(*codes)):
        if len({tuple(slots) for _, slots in entries}) > 1:
            raise DependsOnSizeError(f"{entries[0][0].name} uses other tensors")
        steps.append(_step(entries, [each[place] for each in numbers], samples))
    count = len(shapes)
    given = [i for i in range(len(recorded[0].recording.places)) if i >= count]
    lifted = [[array for array in each.constants] for each in recorded]
    outer = [each.recording.outer() for each in recorded]
    constants = [_constant(column, samples) for column in zip(*lifted)] + [
        _constant([np.asarray(x) for x in column], samples) for column in zip(*outer)
    ]
    inputs = tuple(i if i >= 0 else count + len(given) + ~i for i in first.inputs)
    return Program(tuple(samples[0]), shapes, steps, inputs, constants, tuple(first.gives))


def _numbers(recording: Recording, code: list) -> list[tuple]:
    """Return the runtime numbers of each operator."""
    values, places = recording.sub.numbers()[0], iter(recording.primal.places)
    found = []
    for plan, _ in code:
        begin = next(places) if plan.scalars else 0
        found.append(tuple(values[begin : begin + len(plan.scalars)]))
    return found


def _step(entries: Sequence[tuple[Any, Any]], numbers: Sequence[tuple], samples: Sequence) -> Step:
    plans, slots = [plan for plan, _ in entries], tuple(entries[0][1])
    plan = plans[0]
    try:
        taken = tuple(_number(column, samples) for column in zip(*numbers))
        if all(other is plan for other in plans[1:]):
            return Step(plan, slots, None, taken)
        if not isinstance(plan, OpPlan) or plan.extra is None:
            raise NoFormulaError("its definition depends on the sizes")
        arguments = unified([each.extra.arguments for each in plans], samples)
    except NoFormulaError as error:
        raise DependsOnSizeError(f"{plan.name}: {error}") from None
    is_fixed = not any(varies(what) for where, what in arguments.values() if where == "static")
    return Step(plan, slots, None if is_fixed else arguments, taken)


def _number(values: Sequence, samples: Sequence) -> Any:
    if all(value == values[0] or value != value for value in values):
        return values[0]
    if all(type(value) is int or float(value).is_integer() for value in values):
        return formula([int(value) for value in values], samples)
    raise NoFormulaError(f"the number has the values {list(values)}")


def _constant(arrays: Sequence[np.ndarray], samples: Sequence) -> Any:
    first = arrays[0]
    if all(a.shape == first.shape and np.array_equal(a, first, equal_nan=first.dtype.kind in "fc") for a in arrays[1:]):
        return first
    try:
        shape = unified([tuple(a.shape) for a in arrays], samples)
        steps = {_growth(a) for a in arrays if a.size}
        if len(steps) != 1 or None in steps:
            raise NoFormulaError("its elements follow no rule")
        begins = unified([a.reshape(-1)[0].item() for a in arrays], samples)
    except NoFormulaError as error:
        raise DependsOnSizeError(f"a constant of shape {list(first.shape)} depends on the sizes: {error}") from None
    return Constant(shape, begins, steps.pop(), first.dtype)


def _growth(array: np.ndarray) -> Any:
    """Return 0 for an array of equal elements, the step of a one-dimensional range, or None."""
    flat = array.reshape(-1)
    if (flat == flat[0]).all():
        return 0
    if array.ndim != 1 or array.dtype.kind not in "iuf":
        return None
    step = flat[1].item() - flat[0].item()
    return step if (flat == flat[0] + np.arange(flat.size) * step).all() else None


def _where_they_part(names: Sequence[list[str]], samples: Sequence) -> str:
    first = names[0]
    for other, sizes in zip(names[1:], samples[1:]):
        for place, pair in enumerate(zip(first, other)):
            if pair[0] != pair[1]:
                return f"operator {place} is {pair[0]} at {dict(samples[0])} and {pair[1]} at {dict(sizes)}"
        if len(first) != len(other):
            return f"{len(first)} operators at {dict(samples[0])} and {len(other)} at {dict(sizes)}"
    return "the operators differ"


def avals(tensors: Mapping[str, Tensor]) -> list[Aval]:
    """Return the avals of tensors."""
    return [tensor._aval for tensor in tensors.values()]
