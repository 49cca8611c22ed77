"""Generalization: find the program for all sizes from recordings of one forward at a few sizes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from torchlike._autograd.jax_function import Recording
from torchlike._engine.trace.trace import operators
from torchlike._ops.schema.plan import OpPlan
from torchlike._transforms.jax_operators import Call
from torchlike.export._formulas import Formula, NoFormulaError, number, unified
from torchlike.export._record import Recorded
from torchlike.export._steps import Branches, Constant, Program, Step, Stretched, Views

_RESHAPES = ("view", "reshape", "_unsafe_view")


class DependsOnSizeError(Exception):
    """Raised if the recordings at two sizes differ in a way that no formula describes."""


def generalized(recorded: Sequence[Recorded], shapes: list[tuple], samples: Sequence[Mapping[str, int]]) -> Program:
    """Return the program of which several recordings of one forward are instances.

    Raises:
      DependsOnSizeError: the recordings differ, for example because a Python branch depends on a size.
    """
    stretches = [each.recording.primal for each in recorded]
    numbers = [_numbers(each.recording) for each in recorded]
    first, steps = stretches[0], common_steps(stretches, numbers, samples)
    constants = _constants([each.constants for each in recorded], samples)
    constants += _constants([each.recording.outer() for each in recorded], samples)
    given = len(recorded[0].recording.places)  # parameters, inputs and lifted constants; the others follow
    inputs = tuple(i if i >= 0 else given + ~i for i in first.inputs)
    outputs = tuple(slot for slot in first.gives if slot is not None)
    return Program(tuple(samples[0]), shapes, steps, inputs, constants, outputs)


def _constants(arrays: Sequence[Sequence], samples: Sequence) -> list:
    """Merge the constants of the recordings. `arrays` has a list of arrays for each recording."""
    if len({len(each) for each in arrays}) > 1:
        raise DependsOnSizeError(f"forward makes {[len(each) for each in arrays]} constants")
    return [_constant([np.asarray(x) for x in column], samples) for column in zip(*arrays)]


def _numbers(recording: Recording) -> list[tuple]:
    """Return the runtime numbers of each operator."""
    values, places = recording.sub.numbers()[0], iter(recording.primal.places)
    found = []
    for plan, _ in operators(recording.primal.code):
        begin = next(places) if plan.scalars else 0
        found.append(tuple(values[begin : begin + len(plan.scalars)]))
    return found


def common_steps(stretches: Sequence, numbers: Sequence[list[tuple]] | None, samples: Sequence) -> list[Step]:
    """Merge the operators of several stretches. `numbers` are their runtime numbers, if they are constant."""
    codes = [list(operators(stretch.code)) for stretch in stretches]
    names = [[plan.name for plan, _ in code] for code in codes]
    if any(other != names[0] for other in names[1:]):
        raise DependsOnSizeError(_first_difference(names, samples))
    if any((other.inputs, other.gives) != (stretches[0].inputs, stretches[0].gives) for other in stretches[1:]):
        raise DependsOnSizeError("the operators use other inputs")
    steps = []
    for place, entries in enumerate(zip(*codes)):
        plans = [plan for plan, _ in entries]
        if len({tuple(slots) for _, slots in entries}) > 1:
            raise DependsOnSizeError(f"{plans[0].name} uses other tensors")
        try:
            columns = () if numbers is None else zip(*[each[place] for each in numbers])
            taken = tuple(number(column, samples) for column in columns)
            steps.append(Step(plans[0], tuple(entries[0][1]), _form(plans, samples), taken))
        except NoFormulaError as error:
            raise DependsOnSizeError(f"{plans[0].name}: {error}") from None
    return steps


def _form(plans: Sequence[Any], samples: Sequence) -> Any:
    """Return the part of an operator that depends on the sizes (see `Step`), or None."""
    plan = plans[0]
    if all(other is plan for other in plans[1:]):
        return None
    if isinstance(plan.extra, Call):
        stretches = zip(*[[body.primal for body in each.extra.bodies] for each in plans])
        return Branches(tuple(Stretched(column[0], common_steps(column, None, samples)) for column in stretches))
    if not isinstance(plan, OpPlan):
        raise NoFormulaError("its definition depends on the sizes")
    if plan.chain:
        if len({len(each.chain) for each in plans}) > 1:
            raise NoFormulaError("it writes through other views")
        return Views(tuple(_form(column, samples) for column in zip(*[each.chain for each in plans])))
    if plan.extra is None:
        raise NoFormulaError("its definition depends on the sizes")
    arguments = _arguments(plans, samples)
    return None if arguments == plan.extra.arguments else arguments


def _arguments(plans: Sequence[Any], samples: Sequence) -> dict[str, tuple[str, Any]]:
    """Merge the arguments of an operator.

    JAX cannot prove that two formulas with divisions are equal. If a size of a view is such a formula, it becomes -1,
    so that it is inferred.
    """
    given = [dict(each.extra.arguments) for each in plans]
    if plans[0].name not in _RESHAPES:
        return unified(given, samples)
    shapes = [each.pop("size")[1] for each in given]
    found = unified(given, samples)
    if len({len(shape) for shape in shapes}) > 1:
        raise NoFormulaError(f"the shapes {shapes}")
    sizes, inferred = [], None
    for i, column in enumerate(zip(*shapes)):
        try:
            size = unified(column, samples)
        except NoFormulaError:
            size = None
        if size is None or (isinstance(size, Formula) and size.divisor != 1):
            if inferred is not None and size is None:
                raise NoFormulaError(f"the sizes {list(column)} at {list(samples)}")
            inferred = i if inferred is None else inferred
            size = -1 if inferred == i else size
        sizes.append(size)
    if inferred is not None and sizes.count(-1) > 1:  # the program infers a size itself
        raise NoFormulaError(f"the shapes {shapes}")
    return {**found, "size": ("static", tuple(sizes))}


def _constant(arrays: Sequence[np.ndarray], samples: Sequence) -> Any:
    first = arrays[0]
    if all(a.shape == first.shape and np.array_equal(a, first, equal_nan=first.dtype.kind in "fc") for a in arrays[1:]):
        return first
    try:
        shape = unified([tuple(a.shape) for a in arrays], samples)
        rules = [_rules(a) for a in arrays]
        kind = next((kind for kind in rules[0] if all(kind in each for each in rules)), None)
        if kind is None:
            raise NoFormulaError("its elements follow no rule")
        first, step = (number(column, samples) for column in zip(*[each[kind] for each in rules]))
    except NoFormulaError as error:
        raise DependsOnSizeError(f"a constant of shape {list(first.shape)} depends on the sizes: {error}") from None
    return Constant(kind, shape, first, step, arrays[0].dtype)


def _rules(array: np.ndarray) -> dict[str, tuple[Any, Any]]:
    """Return the kinds of constants (see `Constant`) that an array can be, with their two numbers."""
    flat, found = array.reshape(-1), {}
    if not flat.size or (flat == flat[0]).all():
        found["full"] = flat[0].item() if flat.size else 0, 0
    if array.ndim == 2 and np.array_equal(array, np.eye(*array.shape, dtype=array.dtype)):
        found["eye"] = 0, 0
    if array.ndim != 1 or array.size < 2 or array.dtype.kind not in "iuf":
        return found
    first, last = flat[0].item(), flat[-1].item()
    step = flat[1].item() - first
    if (flat == first + np.arange(flat.size) * step).all():
        found["range"] = first, step
    near = 4 * np.finfo(flat.dtype).eps * max(abs(first), abs(last)) if array.dtype.kind == "f" else 0
    if near and np.allclose(flat, np.linspace(first, last, flat.size), rtol=0, atol=near):
        found["even"] = first, last
    return found


def _first_difference(names: Sequence[list[str]], samples: Sequence) -> str:
    first = names[0]
    for other, sizes in zip(names[1:], samples[1:]):
        for place, pair in enumerate(zip(first, other)):
            if pair[0] != pair[1]:
                return f"operator {place} is {pair[0]} at {dict(samples[0])} and {pair[1]} at {dict(sizes)}"
        if len(first) != len(other):
            return f"{len(first)} operators at {dict(samples[0])} and {len(other)} at {dict(sizes)}"
    return "the operators differ"
