"""Residuals: the values that the forward of a loop or a decomposition returns for its backward.

The gradients of other operators repeat the forward computation, and XLA eliminates the common subexpressions. XLA
cannot eliminate repeated loops.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import jax

from torchlike import _dtypes
from torchlike._autograd import versions
from torchlike._autograd.engine import Grad
from torchlike._autograd.nodes import Edge, Node
from torchlike._engine import Aval, Value, aval, record
from torchlike._engine.trace.plan import FLAT, specs
from torchlike._engine.xla.jax_private import ShapedArray, Zero
from torchlike._engine.xla.target import pinned, platform_of
from torchlike._ops.schema import by_hand
from torchlike._ops.schema.gradient import conjugate
from torchlike._ops.schema.interpreted import own_program
from torchlike._ops.schema.plan import OpPlan


class ResidualNode(Node):
    """A node whose saved values are residuals of its forward. Second derivatives use the inputs of the forward."""

    __slots__ = ("forward", "values")
    forward: OpPlan
    values: Sequence[Value]

    @property
    def inputs(self) -> list[tuple[int, Value]]:
        return list(enumerate(self.values))

    def forget(self) -> None:
        self.values = []

    def repeatable(self) -> tuple[OpPlan, Sequence[Value]]:
        return self.forward, [self.values[i] for i in self.forward.saved]


def with_residuals(
    plan: OpPlan, values: Sequence[Value], edges: Sequence[Edge | None], scalars: Sequence
) -> list[Grad]:
    """Record the forward with its residuals. Return the results, with edges to the node that uses the residuals."""
    wanted = tuple(i for i, e in enumerate(edges) if e is not None)
    pairs = plan.residual or {}
    is_by_hand = plan.op.gradient.by_hand is not None
    key = None if is_by_hand else (wanted, platform_of(plan.inputs[0].device))
    if key not in pairs:
        pairs[key] = _by_hand(plan) if is_by_hand else _make(plan, wanted)
        plan.residual = pairs
    forward, backward = pairs[key]
    made = record(forward, values, scalars)
    count = len(plan.outputs)
    # The node's plan keeps the order of the original inputs, so the indices in `wanted` are valid for its edges.
    kept = [*values, *made[count:]] if is_by_hand else list(made[count:])
    node = ResidualNode(backward, kept, edges, scalars)
    node.forward, node.values = plan, values
    versions.keep_results(node, made)
    return [(v, (node, i) if plan.differentiable[i] else None) for i, v in enumerate(made[:count])]


def _make(plan: OpPlan, wanted: tuple[int, ...]) -> tuple[OpPlan, OpPlan]:
    """Return the forward plan, whose results include the residuals, and a plan whose gradients use the residuals."""
    structure: list[Any] = []
    floating = tuple(i for i, d in enumerate(plan.differentiable) if d)

    def forward(*flat: Any) -> tuple:
        arrays, numbers = list(flat[: len(plan.inputs)]), flat[len(plan.inputs) :]

        def chosen(*some: Any) -> tuple:
            for i, x in zip(wanted, some):
                arrays[i] = x
            out = plan.function(*arrays, *numbers)
            return tuple(out[i] for i in floating), out

        _, pull, out = jax.vjp(chosen, *[flat[i] for i in wanted], has_aux=True)
        leaves, tree = jax.tree.flatten(pull)
        structure[:] = [tree]
        return (*out, *leaves)

    device = plan.inputs[0].device
    forward = pinned(device, forward)
    found = jax.eval_shape(forward, *specs(plan.inputs, plan.scalars))
    residuals = tuple(aval(s.shape, _dtypes.FROM_NUMPY[s.dtype], device) for s in found[len(plan.outputs) :])
    kept = OpPlan(plan.name, plan.inputs, plan.scalars, plan.outputs + residuals, forward)
    kept.op, kept.source = plan.op, (plan, None)
    kept.executor, kept.flat = FLAT, functools.cache(functools.partial(own_program, kept))
    return kept, _gradient_source(plan, wanted, residuals, floating, structure)


def _gradient_source(
    plan: OpPlan, wanted: tuple[int, ...], residuals: tuple, floating: tuple[int, ...], structure: list
) -> OpPlan:
    """Return a plan whose gradients are the pullback with stored residuals."""
    return _source(plan, _Pulls(plan, wanted, residuals, floating, structure))


def _source(plan: OpPlan, gradients: dict) -> OpPlan:
    """Return a plan like `plan` that saves no inputs and has these gradient plans."""
    source = OpPlan(plan.name, plan.inputs, plan.scalars, plan.outputs, plan.function)
    source.complete(plan.op, (), plan.differentiable, plan.strides, plan.node)
    source.remembers = plan.remembers
    source.gradients = gradients
    return source


def _by_hand(plan: OpPlan) -> tuple[OpPlan, OpPlan]:
    """Return what `_make` returns, for an operator whose passes are written by hand."""
    forward = by_hand.forward_plan(plan, OpPlan)
    return forward, _source(plan, _HandPulls(plan, forward.outputs[len(plan.outputs) :]))


class _HandPulls(dict):
    """Gradient plans by key, like `_Pulls`, made from the backward pass that an operator declares."""

    def __init__(self, plan: OpPlan, residuals: tuple) -> None:
        super().__init__()
        self.plan, self.residuals = plan, residuals

    def get(self, key: Any, default: Any = None) -> OpPlan:
        if key not in self:
            self[key] = by_hand.backward_plan(self.plan, OpPlan, self.residuals, *key)
        return self[key]


class _Pulls(dict):
    """Gradient plans by key (wanted inputs, outputs with a gradient). Missing ones are made on demand."""

    def __init__(self, plan: OpPlan, wanted: tuple, residuals: tuple, floating: tuple, structure: list) -> None:
        super().__init__()
        self.plan, self.wanted, self.residuals = plan, wanted, residuals
        self.floating, self.structure = floating, structure

    def get(self, key: Any, default: Any = None) -> OpPlan:
        if key not in self:
            self[key] = self._make(*key)
        return self[key]

    def _make(self, wanted: tuple[int, ...], given: tuple[int, ...]) -> OpPlan:
        plan, count, structure = self.plan, len(self.residuals), self.structure
        places = [self.wanted.index(i) for i in wanted]

        def pull(*flat: Any) -> tuple:
            cotangents = dict(zip(given, flat[count:]))  # the numbers follow; the residuals already depend on them
            full = tuple(
                conjugate(cotangents[i]) if i in cotangents else _nothing(plan.outputs[i]) for i in self.floating
            )
            grads = jax.tree.unflatten(structure[0], flat[:count])(full)
            return tuple(conjugate(grads[p]) for p in places)

        avals = self.residuals + tuple(plan.outputs[i] for i in given)
        pull = pinned(plan.inputs[0].device, pull)
        made = OpPlan(plan.name + "_vjp", avals, plan.scalars, tuple(plan.inputs[i] for i in wanted), pull)
        made.executor, made.flat = FLAT, functools.cache(functools.partial(own_program, made))
        made.complete(plan.op, tuple(range(len(avals))), (True,) * len(wanted), node=plan.node)
        made.source = plan, wanted
        return made


def _nothing(output: Aval) -> Zero:
    """Return a symbolic zero for an output without a cotangent.

    Array zeros could give NaN: if two singular values are equal, the gradient of the singular vectors is infinite, and
    zero times infinity is NaN. The gradient of the values alone is finite.
    """
    return Zero(ShapedArray(tuple(output.shape), output.dtype.numpy))
