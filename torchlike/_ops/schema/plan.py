"""Plans of operator calls: the checked arguments, the avals of the results, and the function to run."""

from __future__ import annotations

import copy
import dataclasses
import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax

from torchlike import _dtypes, _errors
from torchlike._engine import Aval, Plan, aval
from torchlike._engine.trace.plan import NUMPY, OWN, VIEW, specs
from torchlike._ops.schema import by_hand, foreign_errors
from torchlike._ops.schema import declare as d
from torchlike._ops.schema.at_once import SMALL, Early, early
from torchlike._ops.schema.binding import Run, bind
from torchlike._ops.schema.binding import Template as Template
from torchlike._ops.schema.binding import Varying as Varying
from torchlike._ops.schema.checks import EMPTY
from torchlike._ops.schema.typing_rules import (
    Call,
    Typed,
    check_devices,
    check_float8,
    numbers_are_tensors,
    result_type,
)


class OpPlan(Plan):
    """A plan with the data that the public API needs: output strides, gradient plans and saved inputs."""

    __slots__ = (
        "apart",
        "chain",
        "check_node",
        "differentiable",
        "early",
        "gradients",
        "node",
        "op",
        "remembers",
        "reorders_edges",
        "residual",
        "saved",
        "saves_all",
        "source",
        "strides",
    )

    def complete(
        self,
        op: d.Op,
        saved: tuple[int, ...],
        differentiable: tuple[bool, ...],
        strides: tuple | None = None,
        node: str = "",
    ) -> OpPlan:
        """Set the attributes that the public API needs, and return self."""
        self.op, self.saved, self.differentiable = op, saved, differentiable
        self.remembers = () if callable(op.gradient.remembers) else op.gradient.remembers
        self.saves_all = saved == tuple(range(len(self.inputs)))
        self.check_node: Callable[[Sequence], None] | None = None  # called with the gradient edges of each new node
        self.strides = strides or (None,) * len(self.outputs)
        self.node = node
        self.gradients: dict = {}
        self.early: Early | None = None  # runs the operator at once on host arrays; None: it is always recorded
        self.apart = self.single is None  # True if the operator has several results, or may run at once
        self.reorders_edges = callable(op.gradient.edges)
        self.chain: tuple[OpPlan, ...] = ()  # for a write through a view, the views that lead from the base to it
        self.residual: dict | None = None
        # For a gradient plan: the forward plan and the differentiated inputs.
        self.source: tuple[OpPlan, tuple[int, ...] | None] | None = None
        return self

    def static(self, name: str) -> Any:
        """Return the value of a static argument."""
        return self.extra.arguments[name][1]

    def argument(self, position: int) -> str:
        """Return the name of the parameter of an array input."""
        for name, (where, what) in self.extra.arguments.items() if self.extra is not None else ():
            if where == "array" and what == position:
                return name
            if where == "arrays" and position in what:
                return f"{name}[{what.index(position)}]"
        return super().argument(position)

    def slots(self) -> list[int | None]:
        """Return the gradient edges of this operator's node in PyTorch.

        An edge is the position of an array among the inputs. It is None for an omitted tensor, and for a number that
        PyTorch converts to a tensor. Masks and indices have no edge.
        """
        if self.extra is None:
            return list(range(len(self.inputs)))
        found: list[int | None] = []
        arguments = self.extra.arguments
        edges = self.op.gradient.edges
        if edges:
            names = edges(lambda name: arguments[name][0] == "array") if callable(edges) else edges
            return [arguments[name][1] if arguments[name][0] == "array" else None for name in names]
        for name, (where, what) in arguments.items():
            kind = self.op.kind_of[name]
            if where == "arrays":
                found += what
            elif where == "array":
                if name not in self.op.dtypes.keeps and (kind == d.OPERAND or self.inputs[what].dtype.category > 1):
                    found.append(what)
            elif (kind == d.ARRAY and name not in self.op.dtypes.keeps) or (
                kind == d.OPERAND and numbers_are_tensors(self.op)
            ):
                found.append(None)
        return found


def make(op: d.Op, args: tuple, kwargs: dict, describe: Callable[[Any], tuple[Aval, Any] | None]) -> OpPlan:
    """Return the plan of a call signature.

    `describe(x)` returns the (aval, strides) of a tensor and None for any other object.
    """
    try:
        return _make(op, args, kwargs, describe)
    except Exception as error:
        raise foreign_errors.of_call(error, op.public_name, args, kwargs) from error.__cause__


def _check(op: d.Op, call: Call) -> None:
    check_devices(call)
    if op.check is not None:
        op.check(call)
    if op.dtypes.takes:
        _check_loop(op, call)
    if op.family != "view":
        check_float8(call)


def _make(op: d.Op, args: tuple, kwargs: dict, describe: Callable[[Any], tuple[Aval, Any] | None]) -> OpPlan:
    call, template = bind(op, args, kwargs, describe)
    if not call.arrays:
        if op.public.overloads or op.kinds[0] == d.OPERAND:
            raise _errors.arguments.invalid_combination(op.called, args, kwargs)
        raise TypeError(f"{op.called}(): argument 'input' (position 1) must be Tensor, not float")
    _check(op, call)
    typed = op.typing(call)
    if typed.compute is not None and typed.compute.name == "complex32":
        # This is a comparison of float16 with complex numbers; its result is bool. JAX has no complex32.
        typed = dataclasses.replace(typed, compute=_dtypes.complex64)
    scalars = tuple([kind for kind, _ in template.numbers])
    if complex in scalars and typed.compute is not None and not typed.compute.is_complex:
        raise _errors.dtypes.overflow(_errors.dtypes.c_name(typed.compute))
    if not typed.outputs:
        typed = _traced_outputs(op, call, typed, template.function(op, typed, None), scalars)
    outputs = tuple(typed.outputs)
    # View functions keep the dtype of their input: in-place writes apply them to arrays of other dtypes.
    function = template.function(op, typed, None if op.family == "view" else tuple([a.dtype for a in outputs]))
    plan = OpPlan(op.name, tuple(call.arrays), scalars, outputs, function, template)
    floating = tuple([op.gradient.differentiable and o.dtype.category >= _dtypes.FLOATING for o in typed.outputs])
    node = op.gradient.node if isinstance(op.gradient.node, str) else op.gradient.node(call)
    plan.complete(op, template.saved(op), floating, tuple(typed.strides), node)
    plan.remembers = op.gradient.remembers(call) if callable(op.gradient.remembers) else op.gradient.remembers
    plan.executor = NUMPY if op.execution.numpy else OWN
    if op.gradient.by_hand is not None:
        plan.flat = by_hand.program(plan, function)
    else:
        plan.flat = None if op.execution.numpy else functools.cache(functools.partial(flat_program, plan))
    host = VIEW if op.family == "view" else op.execution.host
    plan.host = host if isinstance(host, int) else host(call)
    if plan.single is not None and plan.single.numel <= SMALL:
        plan.early = early(plan)
        plan.apart = plan.early is not None
    if op.gradient.refuses_complex and any(o.dtype.is_complex for o in typed.outputs):
        plan.check_node = _refusing(op.gradient.refuses_complex)
    for a in call.arrays:
        if a.__class__ is not Aval:
            a.adapt(plan)
    return plan


def _check_loop(op: d.Op, call: Call) -> None:
    first = call.arrays[0]
    dtype = result_type(call.promoted, call.numbers) if op.family == "pointwise" else first.dtype
    if not {dtype, dtype.category, EMPTY if 0 in first.shape else None} & {*op.dtypes.takes}:
        raise _errors.dtypes.not_implemented(op.dtypes.loop, dtype)


def _refusing(name: str) -> Callable[[Sequence], None]:
    """Return a check that raises if a gradient node is about to be created for complex outputs."""

    def refuse(edges: Sequence) -> None:
        raise RuntimeError(f"{name} does not support automatic differentiation for outputs with complex dtype.")

    return refuse


def check_operator(op: d.Op, args: tuple, kwargs: dict, describe: Callable[[Any], tuple[Aval, Any] | None]) -> None:
    """Run the operator's own check on these arguments."""
    if op.check is not None:
        op.check(bind(op, args, kwargs, describe)[0])


def check_fits(op: d.Op, args: tuple, kwargs: dict, describe: Callable[[Any], tuple[Aval, Any] | None]) -> None:
    """Run the operator's checks for an in-place call whose result has another shape than the tensor."""
    call, _ = bind(op, args, kwargs, describe)
    if op.check is not None:
        op.check(call)
    op.fits(call)  # type: ignore[misc]


def _traced_outputs(op: d.Op, call: Call, typed: Typed, function: Callable, scalars: tuple) -> Typed:
    """Return the output types of an operator without a shape rule. JAX traces its kernel abstractly to find them."""
    try:
        found = jax.eval_shape(function, *specs(call.arrays, scalars))
    except (TypeError, ValueError):  # JAX's errors derive from these
        raise _errors.arguments.no_fit(op.name, call.arrays) from None
    half = typed.compute is not None and op.dtypes.opmath and _dtypes.opmath(typed.compute) is not typed.compute
    outputs = []
    for spec in found:
        dtype = _dtypes.FROM_NUMPY[spec.dtype]
        if half and dtype is _dtypes.float32:
            dtype = typed.result or dtype  # computed in float32, rounded once at the end
        outputs.append(aval(spec.shape, dtype, call.device))
    return Typed(outputs, typed.compute, [None] * len(outputs), typed.result)


def restated(plan: OpPlan, arguments: dict[str, tuple[str, Any]]) -> Run:
    """Return the plan's function with other static arguments, which may contain symbolic sizes."""
    function: Any = copy.copy(plan.function)
    return function.take(arguments, plan.op)


def flat_program(plan: OpPlan, *gradient: tuple[int, ...]) -> Callable | None:
    """Return the NumPy program of a plan, or of its gradient if `gradient` is the pair (wanted, given)."""
    from torchlike._ops.schema import interpreted  # it imports this module

    return interpreted.gradient_program(plan, *gradient) if gradient else interpreted.own_program(plan)
