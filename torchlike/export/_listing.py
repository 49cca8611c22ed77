"""The operators of an exported program as plain data, for converters and for files."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

import torchlike
from torchlike._transforms.jax_operators import Call
from torchlike.export._formulas import Formula, Real
from torchlike.export._generalize import common_steps
from torchlike.export._steps import Branches, Constant, Program, Step, Stretched, Views


class Operator(NamedTuple):
    """One operator.

    Attributes:
      name: its name.
      slots: its inputs: n >= 0 is the n-th result of the operators before, ~n is the n-th input.
      arguments: for each parameter, the pair ("array", n), ("arrays", [n, ...]), ("number", n) or ("static", value).
      numbers: its numbers.
      results: the dtype and the shape of each result. A varying size is a text; None stands for an unknown size.
      views: for a write, the views through which the elements are seen.
      control: for an operator of control flow, its captured functions.
    """

    name: str
    slots: tuple
    arguments: dict
    numbers: tuple
    results: tuple
    views: tuple = ()
    control: Any = None


class Control(NamedTuple):
    """The captured functions of an operator of control flow, and how many of its inputs each part takes."""

    kind: str
    given: int
    outer: tuple
    bodies: tuple


class Body(NamedTuple):
    """A captured function. An input n >= 0 is the n-th argument, and ~n is the n-th tensor from outside."""

    inputs: tuple
    operators: tuple
    outputs: tuple


class Listing(NamedTuple):
    """The operators of a program.

    Attributes:
      operators: the operators.
      inputs: for each input of the operators, its place among weights, inputs and constants.
      constants: a `Constant`, or None for a constant array, for each constant.
      outputs: the slots of the results.
    """

    operators: tuple
    inputs: tuple
    constants: tuple
    outputs: tuple


def listed(program: Program, shapes: Sequence[tuple]) -> Listing:
    """Return the operators of a program. `shapes` are the shapes of all results."""
    rest = iter(shapes)
    operators = tuple(_operator(step, [next(rest) for _ in step.plan.outputs], step.numbers) for step in program.steps)
    constants = tuple(c if isinstance(c, Constant) else None for c in program.constants)
    return Listing(operators, program.inputs, constants, program.outputs)


def _operator(step: Step, shapes: Sequence[tuple], numbers: Sequence) -> Operator:
    plan, name = step.plan, step.plan.name or "operator"
    results = tuple((o.dtype, _plain(shape)) for o, shape in zip(plan.outputs, shapes))
    if isinstance(plan.extra, Call):
        return Operator(name, step.slots, {}, tuple(numbers), results, (), _control(step, numbers))
    if getattr(plan, "chain", ()):
        return Operator(name, step.slots, {}, tuple(numbers), results, _views(step, numbers))
    arguments = step.form if isinstance(step.form, Mapping) else getattr(plan.extra, "arguments", {})
    return Operator(name, step.slots, dict(arguments), tuple(numbers), results)


def _plain(shape: tuple) -> tuple:
    return tuple(n if isinstance(n, int | None) else str(n) for n in shape)


def _views(step: Step, numbers: Sequence) -> tuple:
    """Return the views through which a step writes. Their numbers follow each other."""
    forms = step.form.arguments if isinstance(step.form, Views) else (None,) * len(step.plan.chain)
    found, rest = [], iter(numbers)
    for view, form in zip(step.plan.chain, forms):
        own = tuple(next(rest) for _ in view.scalars)
        results = tuple((o.dtype, tuple(o.shape)) for o in view.outputs)
        found.append(Operator(view.name, (~0,), dict(form or getattr(view.extra, "arguments", {})), own, results))
    return tuple(found)


def _control(step: Step, numbers: Sequence) -> Control:
    call, rest = step.plan.extra, iter(numbers)
    own = [[next(rest) for _ in kinds] for kinds in call.kinds]
    if isinstance(step.form, Branches):
        bodies = step.form.bodies
    else:
        bodies = [Stretched(each.primal, common_steps([each.primal], None, [{}])) for each in call.bodies]
    outer = tuple(len(each) for each in call.outer)
    return Control(call.op.name, len(call.given), outer, tuple(map(_body, bodies, own)))


def _body(body: Stretched, numbers: Sequence) -> Body:
    operators, places = [], iter(body.stretch.places)
    for step in body.steps:
        begin = next(places) if step.plan.scalars else 0
        shapes = [(None,) * len(o.shape) for o in step.plan.outputs]
        operators.append(_operator(step, shapes, numbers[begin : begin + len(step.plan.scalars)]))
    outputs = tuple(slot for slot in body.stretch.gives if slot is not None)
    return Body(tuple(body.stretch.inputs), tuple(operators), outputs)


# -- files -------------------------------------------------------------------------------------------------------------

_KINDS = {kind.__name__: kind for kind in (Listing, Operator, Control, Body, Constant, Formula, Real)}


class NotPlainError(Exception):
    """Raised if an operator has an argument that a file cannot hold."""


def to_text(listing: Listing) -> str:
    """Return a listing as JSON.

    Raises:
      NotPlainError: an operator has an argument that JSON cannot hold.
    """
    return json.dumps(_encoded(listing))


def from_text(text: str | bytes) -> Listing:
    """Return the listing that a JSON text holds. Raise `ValueError` if it holds none."""
    found = _decoded(json.loads(text))
    if not isinstance(found, Listing):
        raise ValueError("the operators are damaged")
    return found


def _encoded(value: Any) -> Any:
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list):
        return [_encoded(item) for item in value]
    if isinstance(value, dict):
        return {"dict": [[_encoded(k), _encoded(v)] for k, v in value.items()]}
    if type(value).__name__ in _KINDS and isinstance(value, tuple):
        return {type(value).__name__: [_encoded(item) for item in value]}
    if type(value) is tuple:
        return {"tuple": [_encoded(item) for item in value]}
    if isinstance(value, slice):
        return {"slice": [_encoded(part) for part in (value.start, value.stop, value.step)]}
    if isinstance(value, torchlike.dtype):
        return {"dtype": str(value).removeprefix("torch.")}
    if isinstance(value, np.dtype):
        return {"numpy": value.name}
    raise NotPlainError(f"an argument of type {type(value).__name__}")


def _decoded(value: Any) -> Any:
    if isinstance(value, list):
        return [_decoded(item) for item in value]
    if not isinstance(value, dict):
        return value
    ((kind, content),) = value.items()
    if kind == "dict":
        return {_decoded(k): _decoded(v) for k, v in content}
    if kind in _KINDS:
        return _KINDS[kind](*map(_decoded, content))
    if kind in ("tuple", "slice"):
        return (tuple if kind == "tuple" else lambda parts: slice(*parts))(map(_decoded, content))
    if kind == "numpy":
        return np.dtype(getattr(torchlike, content).numpy)
    found = getattr(torchlike, content)
    if kind != "dtype" or not isinstance(found, torchlike.dtype):
        raise ValueError(f"{kind!r} is no part of a listing")
    return found
