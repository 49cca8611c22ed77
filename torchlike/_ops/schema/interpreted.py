"""Operators that are written for JAX, and gradients, as NumPy programs, traced once for all sizes where JAX can."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import jax

from torchlike._engine import Aval
from torchlike._engine.interpreter.jaxpr import Program
from torchlike._engine.interpreter.rules import Unsupported
from torchlike._engine.interpreter.symbolic_sizes import AnySize
from torchlike._engine.trace.plan import specs
from torchlike._engine.xla.target import tracing_for
from torchlike._ops.schema.plan import OpPlan, Template, pull_back, restated

_families: dict[Any, AnySize] = {}
_without_loops: set[Any] = set()  # the operators that were traced, and have nothing that needs JAX's own loops


def gradient_program(plan: OpPlan, wanted: tuple[int, ...], given: tuple[int, ...]) -> Program | None:
    """What `gradient(plan, wanted, given)` computes: of its saved inputs, cotangents and numbers, in this order. None
    where NumPy does not run it, or did not for other sizes."""
    outputs = [plan.outputs[i] for i in given]
    saved = [plan.inputs[i] for i in plan.saved]

    def make(forward: Callable, shapes: Sequence) -> tuple[Callable, list]:
        of_inputs, of_outputs = shapes[: len(plan.inputs)], shapes[len(plan.inputs) :]
        sizes = *[of_inputs[i] for i in plan.saved], *of_outputs
        return pull_back(plan, wanted, given, of_inputs, forward), _sized((*saved, *outputs), sizes)

    return _program(plan, outputs, (plan.saved, wanted, given), make)


def own_program(plan: OpPlan) -> Program | None:
    """What the plan's own function computes of its inputs and numbers; None where NumPy does not run that."""
    return _program(plan, (), None, lambda forward, shapes: (forward, _sized(plan.inputs, shapes)))


def _program(plan: OpPlan, outputs: Sequence[Aval], what: Any, make: Callable) -> Program | None:
    """The program of `make(forward, shapes) -> (function, its arrays)`: of the plan's function, or of one that stands
    for it, and the shapes of inputs and outputs. `what` tells it from others that are made of plans like this."""

    def trace(shapes: Any) -> Any:
        *shapes, numbers = shapes
        forward = plan.function if numbers is static else restated(plan, _with_numbers(plan.extra, iter(numbers)))
        function, arrays = make(forward, shapes)
        # Half of the time goes into the inner jits of jax.numpy. A loop needs them: it would be unrolled, or fail.
        with tracing_for("cpu"), jax.disable_jit(plan.extra is not None and plan.op in _without_loops):
            return jax.make_jaxpr(function)(*arrays, *specs((), plan.scalars))

    words, static = _statics(plan.extra)
    shapes = (*[tuple(a.shape) for a in (*plan.inputs, *outputs)], static)
    try:
        if plan.extra is None:  # itself a gradient: what its function was made for, nothing here tells
            return AnySize().program(shapes, trace)
        kinds = tuple((a.dtype, len(a.shape)) for a in (*plan.inputs, *plan.outputs))
        key = plan.op, words, kinds, plan.scalars, what
        family = _families.get(key) or _families.setdefault(key, AnySize())
        program = family.program(shapes, trace)
    except Unsupported:
        return None
    if not program.loops:
        _without_loops.add(plan.op)
    return program


def _sized(arrays: Iterable[Aval], shapes: Sequence) -> list[jax.ShapeDtypeStruct]:
    return [jax.ShapeDtypeStruct(shape, a.dtype.numpy) for a, shape in zip(arrays, shapes)]


def _statics(template: Template | None) -> tuple[str, tuple[int, ...]]:
    """Static arguments as text with their whole numbers taken out, and these: a shape among them may vary too."""
    numbers: list[int] = []

    def words(x: Any) -> str:
        if isinstance(x, tuple | list):
            return f"{type(x).__name__}({','.join(map(words, x))})"
        if type(x) is int:
            numbers.append(x)
            return "#"
        return repr(x)

    arguments = {} if template is None else template.arguments
    found = [f"{name}:{kind}:{words(x) if kind == 'static' else x}" for name, (kind, x) in arguments.items()]
    return ";".join(found), tuple(numbers)


def _with_numbers(template: Template, numbers: Iterator) -> dict[str, tuple[str, Any]]:
    """Static arguments with other whole numbers."""

    def put(x: Any) -> Any:
        if type(x) in (tuple, list):
            return type(x)(map(put, x))
        return next(numbers) if type(x) is int else x

    return {name: (kind, put(x) if kind == "static" else x) for name, (kind, x) in template.arguments.items()}
