"""Gradients of operators, derived from their kernels by `jax.vjp`, and the inputs on which each gradient depends."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp

from torchlike import _dtypes, _errors
from torchlike._engine.trace.plan import FLAT, specs
from torchlike._engine.xla.jax_private import dce_jaxpr, varying_axes
from torchlike._engine.xla.target import tracing_for
from torchlike._ops.schema.plan import OpPlan, flat_program


def gradient(plan: OpPlan, wanted: tuple[int, ...], given: tuple[int, ...]) -> OpPlan:
    """Return the plan of the vector-Jacobian product of `plan`.

    The inputs of the returned plan are the saved inputs, then the cotangents. Its results have the avals of the
    differentiated inputs.

    Args:
      wanted: the positions of the inputs to differentiate.
      given: the positions of the outputs that have a cotangent.

    Raises:
      RuntimeError: PyTorch does not implement the derivative.
    """
    found = plan.gradients.get((wanted, given))
    if found is None:
        if plan.op.gradient.refused:
            raise _errors.autograd.no_second_derivative(plan.op.gradient.refused)
        found = plan.gradients[wanted, given] = _make_gradient(plan, wanted, given)
    return found


def conjugate(x: Any) -> Any:
    """Convert between JAX's and PyTorch's gradient conventions: complex gradients are conjugated."""
    return jnp.conj(x) if x.dtype.kind == "c" else x


def alike_over_devices(arrays: Sequence, others: Sequence) -> list:
    """Return the arrays, marked as varying over the mesh axes of `jax.shard_map` over which any of `others` varies."""
    axes = frozenset().union(*map(varying_axes, others))
    missing = lambda x: tuple(axes - varying_axes(x))
    return [jax.lax.pcast(x, missing(x), to="varying") if missing(x) else x for x in arrays] if axes else list(arrays)


def pull_back(
    plan: OpPlan, wanted: tuple[int, ...], given: tuple[int, ...], shapes: Sequence, function: Callable
) -> Callable[..., tuple]:
    """Return the function of `gradient(plan, wanted, given)` for inputs of these shapes.

    The shapes may have symbolic dims. `function` is the forward function: that of the plan or an equivalent one.
    """
    saved, count = plan.saved, len(plan.saved)

    def vjp(*flat: Any) -> tuple:
        kept = dict(zip(saved, flat[:count]))
        cotangents = dict(zip(given, flat[count : count + len(given)]))
        numbers = flat[count + len(given) :]
        arrays = [kept[i] if i in kept else jnp.zeros(shapes[i], a.dtype.numpy) for i, a in enumerate(plan.inputs)]
        arrays = alike_over_devices(arrays, flat)

        def forward(*chosen: Any) -> list:
            full = list(arrays)
            for i, x in zip(wanted, chosen):
                full[i] = x
            out = function(*full, *numbers)
            return [out[i] for i in given]

        _, pull = jax.vjp(forward, *[arrays[i] for i in wanted])
        return tuple([conjugate(x) for x in pull([conjugate(cotangents[i]) for i in given])])

    return vjp


def _make_gradient(plan: OpPlan, wanted: tuple[int, ...], given: tuple[int, ...]) -> OpPlan:
    inputs, saved, outputs = plan.inputs, plan.saved, plan.outputs
    vjp = pull_back(plan, wanted, given, [a.shape for a in inputs], plan.function)
    avals = tuple(inputs[i] for i in saved) + tuple(outputs[i] for i in given)
    made = OpPlan(plan.name + "_vjp", avals, plan.scalars, tuple(inputs[i] for i in wanted), vjp)
    floating = tuple(inputs[i].dtype.category >= _dtypes.FLOATING for i in wanted)
    made.complete(plan.op, tuple(range(len(avals))), floating, node=plan.node)
    made.remembers = ("inputs",)
    made.source = plan, wanted
    made.executor = FLAT
    made.flat = functools.cache(functools.partial(flat_program, plan, wanted, given))
    return made


def dependence(plan: OpPlan, wanted: tuple[int, ...], given: tuple[int, ...]) -> frozenset[int]:
    """Return the saved inputs whose values affect this gradient.

    For example, the gradient of a product with respect to one factor depends on the other factor.
    """
    return _used(plan, wanted, given)[0]


def carried(plan: OpPlan, wanted: tuple[int, ...], given: tuple[int, ...]) -> frozenset[int]:
    """Return the outputs whose gradients affect this gradient.

    For example, the gradient of `sign` is always zero, so no output's gradient affects it.
    """
    return _used(plan, wanted, given)[1]


@functools.lru_cache(4096)
def _used(plan: OpPlan, wanted: tuple[int, ...], given: tuple[int, ...]) -> tuple[frozenset[int], frozenset[int]]:
    """Return the saved inputs and the output gradients that this gradient uses."""
    if plan.op.family == "view":  # a view only rearranges elements, even if it has none
        return frozenset(), frozenset(given)
    avals = (*plan.inputs, *plan.outputs)
    if any(0 in a.shape for a in avals):  # JAX uses no input if there are no elements: replace size 0 by 2
        with contextlib.suppress(TypeError, ValueError, RuntimeError):  # static size arguments may conflict with 2
            return _traced_use(plan, wanted, given, [tuple(n or 2 for n in a.shape) for a in plan.inputs])
    return _traced_use(plan, wanted, given, [tuple(a.shape) for a in plan.inputs])


def derivable(plan: OpPlan, wanted: tuple[int, ...], given: tuple[int, ...]) -> frozenset[int]:
    """Return the saved inputs with respect to which this gradient is differentiable."""
    if chooses(plan):
        return frozenset()
    if plan.op.gradient.fused:  # PyTorch's one operator takes the saved inputs of all gradients
        wanted = tuple([i for i, aval in enumerate(plan.inputs) if aval.dtype.category >= _dtypes.FLOATING])
    lasts = frozenset((0,)) if 0 in wanted and _lasts(plan) else frozenset()
    return dependence(plan, wanted, given) | lasts


def _lasts(plan: OpPlan) -> bool:
    """Return whether PyTorch differentiates this plan's gradient even if the derivative is always zero."""
    lasts, order = plan.op.gradient.lasts, 1
    if lasts is None:
        return False
    while plan.source is not None:
        plan, order = plan.source[0], order + 1
    return plan.extra is not None and lasts(plan, order)


def chooses(plan: OpPlan) -> bool:
    """Return whether this gradient uses its saved values only to select elements, so it has no derivative for them."""
    found = plan.op.gradient.chooses
    return found if isinstance(found, bool) else plan.extra is not None and found(plan)


def underivable(plan: OpPlan) -> str:
    """Return PyTorch's name of this gradient if it has no derivative with respect to its saved values, else ""."""
    found = plan.op.gradient.underivable
    return found if isinstance(found, str) else found(plan)


def vanishing(plan: OpPlan) -> list[int]:
    """Return the positions of the inputs with respect to which the derivative of this gradient is always zero."""
    if not plan.op.gradient.vanishing or plan.extra is None:
        return []
    names = (
        plan.op.gradient.vanishing
        if isinstance(plan.op.gradient.vanishing, tuple)
        else plan.op.gradient.vanishing(plan)
    )
    found = [plan.extra.arguments.get(name, ("", 0)) for name in names]
    return [place for where, place in found if where == "array"]


def _traced_use(
    plan: OpPlan, wanted: tuple[int, ...], given: tuple[int, ...], shapes: list[tuple]
) -> tuple[frozenset[int], frozenset[int]]:
    arrays = [jax.ShapeDtypeStruct(shape, a.dtype.numpy) for shape, a in zip(shapes, plan.inputs)]
    numbers = specs((), plan.scalars)
    vjp = pull_back(plan, wanted, given, shapes, plan.function)
    with tracing_for(plan.outputs[0].device):
        results = jax.eval_shape(plan.function, *arrays, *numbers)
        traced = jax.make_jaxpr(vjp)(*[arrays[i] for i in plan.saved], *[results[i] for i in given], *numbers).jaxpr
    _, used = dce_jaxpr(traced, [True] * len(traced.outvars))
    chosen = lambda places, flags: frozenset(i for i, needed in zip(places, flags) if needed)
    return chosen(plan.saved, used), chosen(given, used[len(plan.saved) :])
