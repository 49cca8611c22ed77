"""Forward mode: tangents carried along with values.

A tangent belongs to an immutable Value, not to a Tensor, and every recorded operator maps the tangents of its inputs to
those of its results by `jax.jvp` of its kernel. So views, in-place writes and backward passes, which are recorded
operators too, carry tangents without knowing of them. An open level is a mode of its thread
(see `_dtypes/recorder.py`).
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
from torchlike._engine.trace.batching import record_mapped
from torchlike._engine.trace.plan import specs
from torchlike._ops.schema.namespace import own_gradients
from torchlike._ops.schema.plan import OpPlan

if TYPE_CHECKING:
    from torchlike._transforms.context import FunctionNode

Tangents = WeakKeyDictionary[Value, Grad]


class _Local(threading.local):
    levels: tuple[Tangents, ...] = ()  # of the open levels, the outermost first; a tangent may have further ones there
    resting = False
    recorded: tuple[Any, Sequence[Edge | None]] = ((), ())  # the inputs of the node made last, and their edges


local = _Local()


def is_open() -> bool:
    """Whether this thread is in a dual level."""
    return bool(local.levels)


def enter() -> None:
    """Open a level."""
    local.levels = (*local.levels, WeakKeyDictionary())
    recorder.enter(_dual)


def leave() -> None:
    """Close the innermost level and forget its tangents."""
    recorder.leave(_dual)
    local.levels = local.levels[:-1]


@contextmanager
def within(levels: tuple[Tangents, ...]) -> Iterator[None]:
    """What is recorded inside carries the tangents of these levels alone."""
    before, local.levels = local.levels, levels
    try:
        yield
    finally:
        local.levels = before


@contextmanager
def paused() -> Iterator[None]:
    """What is recorded inside carries no tangents."""
    before, local.resting = local.resting, True
    try:
        yield
    finally:
        local.resting = before


# -- duals -------------------------------------------------------------------------------------------------------------


def tangent_of(value: Value) -> Grad | None:
    """The tangent that a value carries, of the innermost level."""
    return local.levels[-1].get(value) if local.levels and not local.resting else None


def carries(value: Value) -> bool:
    """Whether a value has a tangent, of any level."""
    return any(value in tangents for tangents in local.levels)


def _fresh(pair: Grad) -> Grad:
    """The same contents as a Value of its own, which carries no tangent of the innermost level."""
    with within(local.levels[:-1]):
        return apply_op("clone", pair, differentiate=modes.local.grad)


def _check_level(level: int | None) -> None:
    if (level is None and not local.levels) or (level or 0) < 0:
        raise _errors.autograd.no_dual_level()
    if level:
        raise _errors.autograd.no_such_dual_level()
    if not local.levels:
        raise _errors.autograd.closed_dual_level()


def make_dual(tensor: Any, tangent: Any, level: int | None = None) -> Any:
    """A tensor of the same contents that carries a tangent."""
    from torchlike._tensor.tensor import wrap

    _check_level(level)
    for name, given in (("primal", tensor), ("tangent", tangent)):
        if not (given.is_floating_point() or given.is_complex()):
            raise _errors.autograd.dual_dtype(name, given.dtype)
    value, edge = tensor._pair()
    if value in local.levels[-1]:
        raise _errors.autograd.dual_of_dual()
    if tangent.shape != tensor.shape:
        raise _errors.autograd.tangent_shape(tensor.shape, tangent.shape)
    fresh, edge = _fresh((value, edge))
    local.levels[-1][fresh] = tangent.to(tensor.dtype)._pair()
    return wrap(fresh, edge, tensor._strides)


def unpack_dual(tensor: Any, level: int | None = None) -> tuple[Any, Any]:
    """The tensor without its tangent, and the tangent (None where there is none)."""
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
    if not local.levels or local.resting:
        return record_mapped(plan, values, scalars)
    (noted, edges), local.recorded = local.recorded, ((), ())
    if noted is not values or not modes.local.grad:
        edges = [None] * len(values)
    return _carried(local.levels, plan, values, edges, scalars)


def _carried(
    levels: tuple[Tangents, ...], plan: OpPlan, values: Sequence[Value], edges: Sequence[Edge | None], scalars: Sequence
) -> tuple[Value, ...]:
    """The operator's results, and in each level their tangents, which carry those of the levels further out."""
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
        # Not seen by the hooks on saved tensors: PyTorch's formulas of tangents are no operators either.
        node = Node.quick(pushed, inputs, all_edges, scalars)
    made = _carried(tuple(outer), pushed, inputs, all_edges, scalars)
    differentiable = [r for r, d in zip(results, plan.differentiable) if d]
    for i, (result, tangent) in enumerate(zip(differentiable, made)):
        tangents[result] = (tangent, None if node is None else (node, i))
    return results


class Carrying(Mode):
    """Operators are recorded by functions that know of tangents and of examples (see `examples.py`)."""

    def over(self, below: Recorder) -> Recorder:
        return below.but(record=_record, record_one=_record_one, moves=False)


class _Dual(Carrying):
    """An open level: the edges of operators are noted too, and `detach` drops tangents."""

    def over(self, below: Recorder) -> Recorder:
        def node(plan: OpPlan, values: Sequence[Value], edges: Sequence, scalars: Sequence) -> Node:
            return _note_edges(below.node(plan, values, edges, scalars), values)

        return super().over(below).but(node=node, watches=True, alias=_without_tangent)


_dual = _Dual()


@functools.lru_cache(4096)
def push(plan: OpPlan, which: tuple[int, ...]) -> OpPlan:
    """The plan of `plan`'s Jacobian-vector product: its inputs, then the tangents of those in `which`, give the
    tangents of the differentiable results."""
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
    made.settle(plan.op, tuple(range(len(avals))), (True,) * len(outputs), strides, node=plan.node)
    jax.eval_shape(jvp, *specs(avals, plan.scalars))  # refuses here
    made.remembers = ("inputs",)
    return made


def through_function(node: FunctionNode, args: Sequence, values: Sequence[Value | None], outputs: Sequence) -> None:
    """Give the results of an `autograd.Function` the tangents that its `jvp` computes."""
    for depth, tangents in enumerate(local.levels):
        if not local.resting and any(v is not None and v in tangents for v in values):
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
            raise _errors.autograd.tangent_kind(tangent, i)
    if len(made) != len(outputs):
        raise _errors.autograd.tangent_count(len(outputs), len(made))
    for i, (output, tangent) in enumerate(zip(outputs, made)):
        if isinstance(output, Tensor) and tangent is not None:
            _check_tangent(node, i, output, tangent, args, given)
            tangents[output._value] = tangent._pair()


def _check_tangent(node: FunctionNode, place: int, output: Any, tangent: Any, args: Sequence, given: list) -> None:
    """Refuse a tangent that does not belong to its output: of another shape, or seen in another way."""
    described = node.call.outputs[place]
    if described is not None and not described[1]:
        raise _errors.autograd.tangent_of_no_derivative(place)
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
            raise _errors.autograd.tangent_is_another_view()
    if tangent.shape != output.shape:
        raise _errors.autograd.tangent_shape(output.shape, tangent.shape)


def _whole(tensor: Any) -> Any:
    """Return the base of a view, or the tensor itself."""
    return tensor._base if tensor._is_view() else tensor


def _zeros(value: Value) -> Value:
    import numpy as np

    return Value(value.aval, np.zeros(value.aval.shape, value.aval.dtype.numpy))


def _without_tangent(source: Any) -> Any:
    """A detached tensor: where there is a tangent, it needs a Value of its own."""
    from torchlike._tensor import tensor as _tensor

    if not carries(source._value):
        return None
    with paused():
        return _tensor.wrap(apply_op("clone", (source._value, None))[0], None, source._strides)
