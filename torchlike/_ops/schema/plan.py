"""Plans of operator calls, and plans of their gradients."""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp

from torchlike import _dtypes, _errors
from torchlike._engine import Aval, Plan, aval
from torchlike._engine.trace.plan import FLAT, NUMPY, OWN, specs
from torchlike._engine.xla.jax_private import dce_jaxpr, varying_axes
from torchlike._engine.xla.target import tracing_for
from torchlike._ops.schema import declare as d
from torchlike._ops.schema import foreign_errors
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
        "check_node",
        "differentiable",
        "gradients",
        "node",
        "op",
        "remembers",
        "residual",
        "saved",
        "saves_all",
        "source",
        "strides",
    )

    def settle(
        self,
        op: d.Op,
        saved: tuple[int, ...],
        differentiable: tuple[bool, ...],
        strides: tuple | None = None,
        node: str = "",
    ) -> OpPlan:
        """Set the attributes that the public API needs, and return self."""
        self.op, self.saved, self.differentiable = op, saved, differentiable
        self.remembers = () if callable(op.remembers) else op.remembers
        self.saves_all = saved == tuple(range(len(self.inputs)))
        self.check_node: Callable[[Sequence], None] | None = None  # called with the gradient edges of each new node
        self.strides = strides or (None,) * len(self.outputs)
        self.node = node
        self.gradients: dict = {}
        self.residual: dict | None = None
        self.source: tuple[OpPlan, tuple[int, ...] | None] | None = None  # the forward plan, the differentiated inputs
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

        An edge is the position of an array among the inputs, or None for a number that PyTorch converts to a tensor.
        Masks and indices have no edge.
        """
        if self.extra is None:
            return list(range(len(self.inputs)))
        found: list[int | None] = []
        arguments = self.extra.arguments
        edges = self.op.edges
        if edges:
            names = edges(lambda name: arguments[name][0] == "array") if callable(edges) else edges
            return [arguments[name][1] if arguments[name][0] == "array" else None for name in names]
        for name, (where, what) in arguments.items():
            kind = self.op.kind_of[name]
            if where == "arrays":
                found += what
            elif where == "array":
                if name not in self.op.keeps and (kind == d.OPERAND or self.inputs[what].dtype.category > 1):
                    found.append(what)
            elif (kind == d.ARRAY and name not in self.op.keeps) or (
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
        ours = foreign_errors.of_call(error, op.called.lstrip("_"), args, kwargs)
        if ours is None:
            raise
    raise ours


def _check(op: d.Op, call: Call) -> None:
    check_devices(call)
    if op.check is not None:
        op.check(call)
    if op.takes:
        _check_loop(op, call)
    if op.family != "view":
        check_float8(call)


def _make(op: d.Op, args: tuple, kwargs: dict, describe: Callable[[Any], tuple[Aval, Any] | None]) -> OpPlan:
    try:
        call, template = bind(op, args, kwargs, describe)
    except TypeError:
        if op.overloads and args and describe(args[0]) is None:
            raise _errors.arguments.invalid_combination(op.called, args, kwargs) from None
        raise
    if not call.arrays:
        if op.overloads or op.kinds[0] == d.OPERAND:
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
    floating = tuple([op.differentiable and o.dtype.category >= _dtypes.FLOATING for o in typed.outputs])
    node = op.node if isinstance(op.node, str) else op.node(call)
    plan.settle(op, template.saved(op), floating, tuple(typed.strides), node)
    plan.remembers = op.remembers(call) if callable(op.remembers) else op.remembers
    plan.executor = NUMPY if op.numpy else OWN
    plan.flat = None if op.numpy else functools.cache(functools.partial(_flat, plan))
    plan.host = op.host if isinstance(op.host, int) else op.host(call)
    if op.refuses_complex and any(o.dtype.is_complex for o in typed.outputs):
        plan.check_node = _refusing(op.refuses_complex)
    for a in call.arrays:
        if a.__class__ is not Aval:
            a.adapt(plan)
    return plan


def _check_loop(op: d.Op, call: Call) -> None:
    first = call.arrays[0]
    dtype = result_type(call.promoted, call.numbers) if op.family == "pointwise" else first.dtype
    if not {dtype, dtype.category, EMPTY if 0 in first.shape else None} & {*op.takes}:
        raise _errors.dtypes.not_implemented(op.loop, dtype)


def _refusing(name: str) -> Callable[[Sequence], None]:
    """Return a check that raises if a gradient node is about to be created for complex outputs."""

    def refuse(edges: Sequence) -> None:
        raise RuntimeError(f"{name} does not support automatic differentiation for outputs with complex dtype.")

    return refuse


def check_row(op: d.Op, args: tuple, kwargs: dict, describe: Callable[[Any], tuple[Aval, Any] | None]) -> None:
    """Run the operator's own check on these arguments."""
    if op.check is not None:
        op.check(bind(op, args, kwargs, describe)[0])


def check_fits(op: d.Op, args: tuple, kwargs: dict, describe: Callable[[Any], tuple[Aval, Any] | None]) -> None:
    """Run the operator's checks for an in-place call on a tensor whose shape is not the result's shape."""
    call, _ = bind(op, args, kwargs, describe)
    if op.check is not None:
        op.check(call)
    op.fits(call)  # type: ignore[misc]


def _traced_outputs(op: d.Op, call: Call, typed: Typed, function: Callable, scalars: tuple) -> Typed:
    """Return the outputs of an operator without a shape rule, by one abstract trace of its kernel."""
    try:
        found = jax.eval_shape(function, *specs(call.arrays, scalars))
    except (TypeError, ValueError):  # JAX's errors derive from these
        raise _errors.arguments.no_fit(op.name, call.arrays) from None
    half = typed.compute is not None and op.opmath and _dtypes.opmath(typed.compute) is not typed.compute
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
    return function.take(arguments)


# -- gradients ---------------------------------------------------------------------------------------------------------


def gradient(plan: OpPlan, wanted: tuple[int, ...], given: tuple[int, ...]) -> OpPlan:
    """Return the plan of the vector-Jacobian product of `plan`.

    The inputs of the returned plan are the saved inputs, then the cotangents. Its results have the avals of the
    differentiated inputs.

    Args:
      wanted: the positions of the inputs to differentiate.
      given: the positions of the outputs that have a cotangent.
    """
    found = plan.gradients.get((wanted, given))
    if found is None:
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
    made.settle(plan.op, tuple(range(len(avals))), floating, node=plan.node)
    made.remembers = ("inputs",)
    made.source = plan, wanted
    made.executor = FLAT
    made.flat = functools.cache(functools.partial(_flat, plan, wanted, given))
    return made


def _flat(plan: OpPlan, *gradient: tuple[int, ...]) -> Callable | None:
    from torchlike._ops.schema import interpreted  # it imports this module

    return interpreted.gradient_program(plan, *gradient) if gradient else interpreted.own_program(plan)


def dependence(plan: OpPlan, wanted: tuple[int, ...], given: tuple[int, ...]) -> frozenset[int]:
    """Return the saved inputs whose values affect this gradient.

    For example, the gradient of a product with respect to one factor depends on the other factor.
    """
    return _used(plan, wanted, given)[0]


def carried(plan: OpPlan, wanted: tuple[int, ...], given: tuple[int, ...]) -> frozenset[int]:
    """Return the outputs whose gradients affect this gradient.

    For example, the gradient of `sign` is always zero, so it depends on none.
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
    return frozenset() if chooses(plan) else dependence(plan, wanted, given)


def chooses(plan: OpPlan) -> bool:
    """Return whether this gradient uses its saved values only to select elements, so it has no derivative by them."""
    found = plan.op.chooses
    return found if isinstance(found, bool) else plan.extra is not None and found(plan)


def underivable(plan: OpPlan) -> str:
    """Return PyTorch's name of this gradient if it has no derivative with respect to its saved values, else ""."""
    found = plan.op.underivable
    return found if isinstance(found, str) else found(plan)


def vanishing(plan: OpPlan) -> list[int]:
    """Return the positions of the inputs with respect to which the derivative of this gradient is always zero."""
    if not plan.op.vanishing or plan.extra is None:
        return []
    names = plan.op.vanishing if isinstance(plan.op.vanishing, tuple) else plan.op.vanishing(plan)
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
