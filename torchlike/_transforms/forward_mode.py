"""Forward-mode differentiation: tangents carried along with values.

A tangent is attached to an immutable Value, not to a Tensor. Each recorded operator computes the tangents of its
results from those of its inputs, with `jax.jvp` of its kernel. Views, in-place writes and backward passes are recorded
operators too, so they propagate tangents without code of their own. An open dual level is a mode of its thread (see
`_dtypes/recorder.py`).
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import jax

from torchlike import _errors
from torchlike._autograd.engine import Grad, apply_op
from torchlike._autograd.nodes import Edge, Node
from torchlike._dtypes import modes, recorder
from torchlike._dtypes.recorder import Mode, Recorder
from torchlike._engine import Value
from torchlike._engine.trace.batched_values import record_mapped
from torchlike._engine.trace.plan import specs
from torchlike._ops.schema.namespace import own_gradients
from torchlike._ops.schema.plan import OpPlan

if TYPE_CHECKING:
    from torchlike._transforms.context import FunctionNode

Tangents = WeakKeyDictionary[Value, Grad]


class _Local(threading.local):
    # The tangents of each open level, outermost first. A tangent may itself have tangents in outer levels.
    levels: tuple[Tangents, ...] = ()
    resting = False  # True while no tangents are propagated
    recorded: tuple[Any, Sequence[Edge | None]] = ((), ())  # the inputs and edges of the last created node


local = _Local()


def _rests() -> bool:
    """Return whether no tangents are propagated: outside of all levels, while paused, and in inference mode."""
    return not local.levels or local.resting or modes.local.inference


def is_open() -> bool:
    """Return whether this thread has an open dual level."""
    return bool(local.levels)


def enter() -> None:
    """Open a dual level."""
    local.levels = (*local.levels, WeakKeyDictionary())
    recorder.enter(_dual)


def leave() -> None:
    """Close the innermost level and drop its tangents."""
    recorder.leave(_dual)
    local.levels = local.levels[:-1]


@contextmanager
def within(levels: tuple[Tangents, ...]) -> Iterator[None]:
    """Propagate only the tangents of the given levels inside the `with` block."""
    before, local.levels = local.levels, levels
    try:
        yield
    finally:
        local.levels = before


@contextmanager
def paused() -> Iterator[None]:
    """Propagate no tangents inside the `with` block."""
    before, local.resting = local.resting, True
    try:
        yield
    finally:
        local.resting = before


# -- duals -------------------------------------------------------------------------------------------------------------


def tangent_of(value: Value) -> Grad | None:
    """Return the tangent of a value in the innermost level."""
    return None if _rests() else local.levels[-1].get(value)


def carries(value: Value) -> bool:
    """Return whether a value has a tangent in any level."""
    return any(value in tangents for tangents in local.levels)


def _fresh(pair: Grad) -> Grad:
    """Return a copy of a value as a new Value without a tangent in the innermost level."""
    with within(local.levels[:-1]):
        return apply_op("clone", pair, differentiate=modes.local.grad)


def _check_level(level: int | None) -> None:
    if (level is None and not local.levels) or (level or 0) < 0:
        raise RuntimeError(
            "Trying to create a dual Tensor for forward AD but no level exists, make sure to enter_dual_level() first."
        )
    if level:
        raise RuntimeError("Invalid level given to _make_dual")
    if not local.levels:
        raise RuntimeError(
            "Trying to access a forward AD level with an invalid index. This index was either not created "
            "or is already deleted."
        )


def make_dual(tensor: Any, tangent: Any, level: int | None = None) -> Any:
    """Return a tensor with the same contents and the given tangent."""
    from torchlike._tensor.tensor import wrap

    _check_level(level)
    for name, given in (("primal", tensor), ("tangent", tangent)):
        if not (given.is_floating_point() or given.is_complex()):
            raise ValueError(f"Expected {name} to be floating point or complex, but got: {given.dtype}")
    value, edge = tensor._pair()
    if value in local.levels[-1]:
        raise RuntimeError(
            "Making a dual Tensor based on a Tensor that already has a forward gradient at the same level "
            "0 is not supported."
        )
    if tangent.shape != tensor.shape:
        raise _errors.autograd.tangent_shape(tensor.shape, tangent.shape)
    fresh, edge = _fresh((value, edge))
    local.levels[-1][fresh] = tangent.to(tensor.dtype)._pair()
    return wrap(fresh, edge, tensor._strides)


def unpack_dual(tensor: Any, level: int | None = None) -> tuple[Any, Any]:
    """Return the tensor without its tangent, and the tangent (or None)."""
    from torchlike._tensor.tensor import Tensor, wrap

    if (level is None and not local.levels) or (level or 0) < 0:
        return tensor, None
    if not isinstance(tensor, Tensor):
        raise _errors.arguments.wrong_type("_unpack_dual", "dual", 1, "Tensor", tensor)
    pair = tensor._pair()
    found = tangent_of(pair[0])
    if found is None:
        return tensor, None
    return wrap(*_fresh(pair), tensor._strides), wrap(*found, tensor._strides)


# -- carrying tangents through recorded operators ----------------------------------------------------------------------


def _note_edges(node: Node, values: Sequence[Value]) -> Node:
    if local.levels:
        local.recorded = (values, node.edges)
    return node


def _record_one(plan: OpPlan, values: Sequence[Value], scalars: Sequence = ()) -> Value:
    return _record(plan, values, scalars)[0]


def _record(plan: OpPlan, values: Sequence[Value], scalars: Sequence = ()) -> tuple[Value, ...]:
    if _rests():
        return record_mapped(plan, values, scalars)
    (noted, edges), local.recorded = local.recorded, ((), ())
    if noted is not values or not modes.local.grad:
        edges = [None] * len(values)
    return _carried(local.levels, plan, values, edges, scalars)


def _carried(
    levels: tuple[Tangents, ...], plan: OpPlan, values: Sequence[Value], edges: Sequence[Edge | None], scalars: Sequence
) -> tuple[Value, ...]:
    """Return the results of an operator, and compute their tangents in each level.

    The tangents of a level may themselves have tangents in the outer levels.
    """
    if not levels:
        return record_mapped(plan, values, scalars)
    *outer, tangents = levels
    results = _carried(tuple(outer), plan, values, edges, scalars)
    which = tuple([i for i, v in enumerate(values) if v in tangents])
    if not which or not any(plan.differentiable):
        return results
    carried = [tangents[values[i]] for i in which]
    pushed = push(plan, which)
    inputs = [*values, *[value for value, _ in carried]]
    all_edges = [*edges, *[edge for _, edge in carried]]
    node = None
    if modes.local.grad and any(e is not None for e in all_edges):
        # Hooks on saved tensors do not apply here. In PyTorch, the formulas of tangents are not operators either.
        node = Node.quick(pushed, inputs, all_edges, scalars)
    made = _carried(tuple(outer), pushed, inputs, all_edges, scalars)
    differentiable = [r for r, d in zip(results, plan.differentiable) if d]
    for i, (result, tangent) in enumerate(zip(differentiable, made)):
        tangents[result] = (tangent, None if node is None else (node, i))
    return results


class Carrying(Mode):
    """A mode in which operators are recorded with support for tangents and batched values (see `batched_values.py`)."""

    def over(self, below: Recorder) -> Recorder:
        return below.but(record=_record, record_one=_record_one, moves=False)


class _Dual(Carrying):
    """The mode of an open level. It also stores the gradient edges of operators, and makes `detach` drop tangents."""

    def over(self, below: Recorder) -> Recorder:
        def node(plan: OpPlan, values: Sequence[Value], edges: Sequence, scalars: Sequence) -> Node:
            return _note_edges(below.node(plan, values, edges, scalars), values)

        return super().over(below).but(node=node, watches=True, alias=_without_tangent)


_dual = _Dual()


@functools.lru_cache(4096)
def push(plan: OpPlan, which: tuple[int, ...]) -> OpPlan:
    """Return the plan of the Jacobian-vector product of `plan`.

    Its inputs are the inputs of `plan`, followed by the tangents of the inputs in `which`. Its results are the tangents
    of the differentiable results.
    """
    if plan.op.gradient.refused:
        raise _errors.autograd.no_forward_derivative(plan.op.gradient.refused)
    count, places = len(plan.inputs), [i for i, d in enumerate(plan.differentiable) if d]

    def jvp(*flat: Any) -> tuple:
        arrays, numbers = flat[:count], flat[count + len(which) :]

        def forward(*chosen: Any) -> list:
            full = list(arrays)
            for i, x in zip(which, chosen):
                full[i] = x
            out = plan.function(*full, *numbers)
            return [out[i] for i in places]

        with own_gradients:
            _, tangents = jax.jvp(forward, [arrays[i] for i in which], list(flat[count : count + len(which)]))
        return tuple(tangents)

    avals = plan.inputs + tuple(plan.inputs[i] for i in which)
    outputs = tuple(plan.outputs[i] for i in places)
    made = OpPlan(plan.name + "_jvp", avals, plan.scalars, outputs, jvp)
    strides = tuple(plan.strides[i] for i in places)
    made.complete(plan.op, tuple(range(len(avals))), (True,) * len(outputs), strides, node=plan.node)
    jax.eval_shape(jvp, *specs(avals, plan.scalars))  # raise here if there is no JVP
    made.remembers = ("inputs",)
    return made


def through_function(node: FunctionNode, args: Sequence, values: Sequence[Value | None], outputs: Sequence) -> None:
    """Attach the tangents that the `jvp` of an `autograd.Function` computes to its results."""
    if _rests():
        return
    for depth, tangents in enumerate(local.levels):
        if any(v is not None and v in tangents for v in values):
            with within(local.levels[:depth]):
                _push_through(node, tangents, args, values, outputs)


def _push_through(node: FunctionNode, tangents: Tangents, args: Sequence, values: Sequence, outputs: Sequence) -> None:
    from torchlike._tensor.tensor import Tensor, wrap

    given: list = []
    for value in values:
        pair = None if value is None else tangents.get(value)
        if pair is None and value is not None and node.call.materialize_grads and value.aval.dtype.category >= 2:
            pair = (_zeros(value), None)
        given.append(None if pair is None else wrap(*pair))
    made = node.ctx._forward_cls.jvp(node.ctx, *given)
    made = made if isinstance(made, tuple) else (made,)
    for i, tangent in enumerate(made):
        if tangent is not None and not isinstance(tangent, Tensor):
            raise RuntimeError(f"expected Variable or None (got {type(tangent).__name__}) for grad output {i}.")
    if len(made) != len(outputs):
        raise _errors.autograd.tangent_count(len(outputs), len(made))
    for i, (output, tangent) in enumerate(zip(outputs, made)):
        if isinstance(output, Tensor) and tangent is not None:
            _check_tangent(node, i, output, tangent, args, given)
            tangents[output._value] = tangent._pair()
        elif isinstance(output, Tensor) and any(output is d for d in node.call.declared("dirty_tensors")):
            raise _errors.autograd.tangent_not_written()


def _check_tangent(node: FunctionNode, place: int, output: Any, tangent: Any, args: Sequence, given: list) -> None:
    """Raise if a tangent does not match its output.

    Both must have the same shape. If the output is a view of an input, the tangent must be a view of the input's
    tangent. If the output is an input modified in place, the tangent must be the input's tangent, modified in place.
    """
    described = node.call.outputs[place]
    if described is not None and not described[1]:
        raise RuntimeError(
            f"Function's jvp returned a gradient at position {place}, but  the corresponding forward output is not a "
            "differentiable Tensor.You should return None at that position instead."
        )
    seen = next((i for i, x in enumerate(args) if hasattr(x, "_storage") and _whole(x) is _whole(output)), None)
    if seen is not None and any(output is d for d in node.call.declared("dirty_tensors")):
        if not given[seen]._version:
            raise _errors.autograd.tangent_not_written()
        if tangent is not given[seen]:
            raise _errors.autograd.written_tangent_not_returned()
    elif seen is not None and not modes.local.transforms:
        if not tangent._is_view():
            raise _errors.autograd.tangent_of_view_is_no_view()
        if _whole(tangent) is not given[seen]:
            raise RuntimeError(
                "A custom Function is returning a view but the jvp is not returning a view of the given grad input."
            )
    if tangent.shape != output.shape:
        raise _errors.autograd.tangent_shape(output.shape, tangent.shape)


def _whole(tensor: Any) -> Any:
    """Return the base of a view, or the tensor itself."""
    return tensor._base if tensor._is_view() else tensor


def _zeros(value: Value) -> Value:
    import numpy as np

    return Value(value.aval, np.zeros(value.aval.shape, value.aval.dtype.numpy))


def _without_tangent(source: Any) -> Any:
    """Return a detached copy of a tensor that has a tangent, or None if it has none.

    The copy is a new Value, because tangents are attached to Values. It refuses writes, which would have to change the
    value of `source` and keep its tangent.
    """
    from torchlike._tensor import storage
    from torchlike._tensor import tensor as _tensor

    if not carries(source._value):
        return None
    with paused():
        made = _tensor.wrap(apply_op("clone", (source._value, None))[0], None, source._strides)
    made._counter = storage.Unwritable(_errors.autograd.write_without_tangent)
    return made
