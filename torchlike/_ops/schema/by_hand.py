"""Operators whose two passes are written by hand, for NumPy and for JAX.

`jax.vjp` derives the gradients of all other operators, and the interpreter needs JAX's trace of a gradient. A trace of
a recurrent layer takes longer than a whole training step.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from torchlike import _dtypes
from torchlike._engine import Aval, aval
from torchlike._engine.interpreter.by_hand import ByHand
from torchlike._engine.trace.plan import FLAT

if TYPE_CHECKING:
    from torchlike._ops.schema.plan import OpPlan


class Passes(NamedTuple):
    """The passes of an operator. Its kernel and both passes take NumPy or JAX arrays.

    Attributes:
      forward: forward(**arguments) -> the kernel's results, then the residuals for the backward pass.
      backward: backward(arguments, residuals, changes, wanted) -> the gradients of the arguments `wanted`, by name.
        `changes` has an item for each result: its gradient, or None.
      shapes: shapes(shapes of the array arguments, static arguments) -> the shapes of the residuals.
      calls: calls(shapes, static arguments) -> the cost of a pass with NumPy, as a number of interpreted calls.
    """

    forward: Callable[..., tuple]
    backward: Callable[[dict[str, Any], tuple, tuple, frozenset[str]], dict[str, Any]]
    shapes: Callable[[dict[str, tuple[int, ...]], dict[str, Any]], list[tuple[int, ...]]]
    calls: Callable[[dict[str, tuple[int, ...]], dict[str, Any]], int]


def program(plan: OpPlan, function: Callable) -> ByHand:
    """Return the `Plan.flat` of a pass of a plan."""
    return ByHand(function, plan.op.gradient.by_hand.calls(*_sizes(plan)))


def _sizes(plan: OpPlan) -> tuple[dict[str, tuple[int, ...]], dict[str, Any]]:
    """Return the shapes of the array arguments and the static arguments."""
    arguments = plan.extra.arguments.items()
    shapes = {name: plan.inputs[what].shape for name, (where, what) in arguments if where == "array"}
    return shapes, {name: what for name, (where, what) in arguments if where == "static"}


def _compute(plan: OpPlan) -> _dtypes.dtype:
    """Return the dtype in which the kernel computes."""
    run: Any = plan.function
    return run.compute or plan.inputs[0].dtype


def forward_plan(plan: OpPlan, make: type[OpPlan]) -> OpPlan:
    """Return the plan of the forward pass, whose results are those of `plan`, followed by the residuals."""
    function: Any = copy.copy(plan.function)
    dtype, device = _compute(plan), plan.inputs[0].device
    residuals = tuple(aval(shape, dtype, device) for shape in plan.op.gradient.by_hand.shapes(*_sizes(plan)))
    function.kernel = plan.op.gradient.by_hand.forward
    function.outputs = (*[a.dtype for a in plan.outputs], *[dtype] * len(residuals))
    made = make(plan.name, plan.inputs, plan.scalars, plan.outputs + residuals, function)
    made.op, made.source = plan.op, (plan, None)
    made.executor, made.flat = FLAT, program(plan, function)
    return made


def backward_plan(
    plan: OpPlan, make: type[OpPlan], residuals: Sequence[Aval], wanted: tuple[int, ...], given: tuple[int, ...]
) -> OpPlan:
    """Return the plan of the gradients of the inputs `wanted`.

    Its inputs are those of `plan`, the residuals, and the cotangents of the results `given`.
    """
    function = _backward(plan, len(residuals), wanted, given)
    avals = (*plan.inputs, *residuals, *[plan.outputs[i] for i in given])
    made = make(plan.name + "_vjp", avals, plan.scalars, tuple(plan.inputs[i] for i in wanted), function)
    made.executor, made.flat = FLAT, program(plan, function)
    made.complete(plan.op, tuple(range(len(avals))), (True,) * len(wanted), node=plan.node)
    made.source = plan, wanted
    return made


def _backward(plan: OpPlan, residuals: int, wanted: tuple[int, ...], given: tuple[int, ...]) -> Callable[..., tuple]:
    count, outputs = len(plan.inputs), len(plan.outputs)
    names = {what: name for name, (where, what) in plan.extra.arguments.items() if where == "array"}
    chosen = frozenset(names[i] for i in wanted)
    bind: Any = copy.copy(plan.function)
    bind.kernel, bind.outputs = dict, None
    cast = lambda x, to: x if x.dtype == to.numpy else x.astype(to.numpy)
    compute = _compute(plan)

    def function(*flat: Any) -> tuple:
        (arguments,) = bind(*flat[:count])
        kept, cotangents = flat[count : count + residuals], dict(zip(given, flat[count + residuals :]))
        changes = tuple(cast(cotangents[i], compute) if i in cotangents else None for i in range(outputs))
        found = plan.op.gradient.by_hand.backward(arguments, kept, changes, chosen)
        return tuple(cast(found[names[i]], plan.inputs[i].dtype) for i in wanted)

    return function
