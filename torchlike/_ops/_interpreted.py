"""The gradients of operators as NumPy programs, traced once for all sizes where JAX can."""

from __future__ import annotations

from typing import Any

import jax

from torchlike._core.any_size import AnySize
from torchlike._core.jaxpr_numpy import Program
from torchlike._ops._plan import NUMBER, OpPlan, pull_back

_families: dict[Any, AnySize] = {}
_without_loops: set[Any] = set()  # the operators that were traced, and have nothing that needs JAX's own loops


def gradient_program(plan: OpPlan, wanted: tuple[int, ...], given: tuple[int, ...]) -> Program:
    """What `gradient(plan, wanted, given)` computes: of its saved inputs, cotangents and numbers, in this order.

    Raises:
      Unsupported: NumPy does not run it; so it is for every other size, most likely.
    """
    saved, outputs = plan.saved, [plan.outputs[i] for i in given]

    def trace(shapes: Any) -> Any:
        of_inputs, of_outputs = shapes[: len(plan.inputs)], shapes[len(plan.inputs) :]
        specs = [jax.ShapeDtypeStruct(of_inputs[i], plan.inputs[i].dtype.numpy) for i in saved]
        specs += [jax.ShapeDtypeStruct(shape, o.dtype.numpy) for shape, o in zip(of_outputs, outputs)]
        specs += [jax.ShapeDtypeStruct((), NUMBER[kind].numpy) for kind in plan.scalars]
        function = pull_back(plan, wanted, given, of_inputs)
        # Half of the time goes into the inner jits of jax.numpy. A loop needs them: it would be unrolled, or fail.
        with jax.disable_jit(plan.op in _without_loops):
            return jax.make_jaxpr(function)(*specs)

    key = _key(plan, wanted, given)
    family = _families.get(key) or _families.setdefault(key, AnySize())
    program = family.program(tuple(tuple(a.shape) for a in (*plan.inputs, *outputs)), trace)
    _without_loops.add(plan.op)
    return program


def _key(plan: OpPlan, wanted: tuple[int, ...], given: tuple[int, ...]) -> Any:
    """What the function of a gradient depends on besides shapes."""
    statics = None if plan.extra is None else repr(plan.extra.arguments)
    kinds = tuple((a.dtype, len(a.shape)) for a in (*plan.inputs, *plan.outputs))
    return plan.op, statics, kinds, plan.scalars, plan.saved, wanted, given
