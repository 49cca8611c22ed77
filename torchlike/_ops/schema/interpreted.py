"""NumPy programs for gradients and for operators written for JAX, traced once for all sizes if JAX supports it."""

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
from torchlike._ops.schema.collapsed import Collapsed, collapse
from torchlike._ops.schema.gradient import pull_back
from torchlike._ops.schema.plan import OpPlan, Template, restated

_families: dict[Any, AnySize] = {}
_without_loops: set[Any] = set()  # the operators that were traced and whose programs have no JAX loops


def gradient_program(plan: OpPlan, wanted: tuple[int, ...], given: tuple[int, ...]) -> Program | Collapsed | None:
    """Return the NumPy program of `gradient(plan, wanted, given)`.

    The program takes the saved inputs, the cotangents and the numbers, in this order. Return None if NumPy cannot run
    the program for these sizes, or could not run it for earlier sizes.
    """
    outputs = [plan.outputs[i] for i in given]
    saved = [plan.inputs[i] for i in plan.saved]

    def make(forward: Callable, shapes: Sequence) -> tuple[Callable, list]:
        of_inputs, of_outputs = shapes[: len(plan.inputs)], shapes[len(plan.inputs) :]
        sizes = *[of_inputs[i] for i in plan.saved], *of_outputs
        return pull_back(plan, wanted, given, of_inputs, forward), _sized((*saved, *outputs), sizes)

    what, shapes = (plan.saved, wanted, given), _shapes(plan, outputs)
    if plan.extra is None or plan.op.family != "pointwise" or plan.op.shape is not None:
        return _program(plan, outputs, what, make, shapes)
    merged = collapse(shapes)
    program = _program(plan, outputs, what, make, merged)
    if program is None or merged == shapes:
        return program
    count = len(plan.inputs)
    return Collapsed(program, [*[merged[i] for i in plan.saved], *merged[count:]], [shapes[i] for i in wanted])


def own_program(plan: OpPlan) -> Program | None:
    """Return the NumPy program of the plan's function, or None if NumPy does not support it."""
    make = lambda forward, shapes: (forward, _sized(plan.inputs, shapes))
    return _program(plan, (), None, make, _shapes(plan, ()))


def _shapes(plan: OpPlan, outputs: Sequence[Aval]) -> list[tuple[int, ...]]:
    return [tuple(a.shape) for a in (*plan.inputs, *outputs)]


def _program(plan: OpPlan, outputs: Sequence[Aval], what: Any, make: Callable, of_arrays: list) -> Program | None:
    """Return the program of the function that `make` returns, or None if NumPy does not support it.

    `of_arrays` are the shapes of the plan's inputs and of `outputs`. `make(forward, shapes)` returns (function, its
    arrays). `forward` is the plan's function or an equivalent one, and `shapes` are those of the inputs and outputs.
    `what` distinguishes this program from other programs of the plan.
    """

    def trace(shapes: Any) -> Any:
        *shapes, numbers = shapes
        forward = plan.function if numbers is static else restated(plan, _with_numbers(plan.extra, iter(numbers)))
        function, arrays = make(forward, shapes)
        # The inner jits of jax.numpy take half of the tracing time, so they are disabled for operators without loops.
        # A loop would be unrolled without them, or fail.
        with tracing_for("cpu"), jax.disable_jit(plan.extra is not None and plan.op in _without_loops):
            return jax.make_jaxpr(function)(*arrays, *specs((), plan.scalars))

    words, static = _statics(plan.extra)
    shapes = (*of_arrays, static)
    try:
        if plan.extra is None:  # the plan is itself a gradient, so there is no cache key for its function
            return AnySize().program(shapes, trace)
        ranks = tuple((a.dtype, len(shape)) for a, shape in zip((*plan.inputs, *outputs), of_arrays))
        kinds = ranks, tuple(a.dtype for a in plan.outputs)
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
    """Return the static arguments as text without their ints, and the ints.

    The ints are separate because they may be sizes, which vary between calls.
    """
    numbers: list[int] = []
    arguments = {} if template is None else template.arguments
    found = [f"{name}:{kind}:{_words(x, numbers) if kind == 'static' else x}" for name, (kind, x) in arguments.items()]
    return ";".join(found), tuple(numbers)


def _words(x: Any, numbers: list[int]) -> str:
    """Return a static argument as text, and append its ints to `numbers`."""
    if isinstance(x, tuple | list):
        return f"{type(x).__name__}({','.join([_words(each, numbers) for each in x])})"
    if type(x) is int:
        numbers.append(x)
        return "#"
    return repr(x)


def _with_numbers(template: Template, numbers: Iterator) -> dict[str, tuple[str, Any]]:
    """Return the static arguments with their ints replaced."""
    arguments = template.arguments.items()
    return {name: (kind, _replaced(x, numbers) if kind == "static" else x) for name, (kind, x) in arguments}


def _replaced(x: Any, numbers: Iterator) -> Any:
    if type(x) in (tuple, list):
        return type(x)([_replaced(each, numbers) for each in x])
    return next(numbers) if type(x) is int else x
