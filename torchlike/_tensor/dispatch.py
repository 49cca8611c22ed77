"""The hot path of an operator call: from the user's arguments to a recorded trace entry and a new Tensor."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from torchlike import _errors
from torchlike._autograd.nodes import Node
from torchlike._autograd.versions import Stamp, keep_results, note_counter
from torchlike._dtypes import modes
from torchlike._dtypes.recorder import current
from torchlike._engine import Aval, Value
from torchlike._engine.trace.trace import latest
from torchlike._ops.schema import declare as d
from torchlike._ops.schema import foreign_errors
from torchlike._ops.schema.declare import Op
from torchlike._ops.schema.plan import OpPlan, Varying, make
from torchlike._tensor import autocast, views
from torchlike._tensor.argument_forms import (
    NUMBERS,
    converted,
    from_old_order,
    in_order,
    is_foreign,
    number,
    on_one_device,
    parameter,
    plain,
    renamed,
    settled,
)
from torchlike._tensor.elements.memory import at_once
from torchlike._tensor.storage import Storage, move, writes
from torchlike._tensor.tensor import TENSOR_TYPES, Tensor, wrap
from torchlike._tensor.tracebacks import shortened

CASTING = autocast.CASTING
_OMITTED = object()  # stands for a parameter that a call omits
_STRIDED = object()  # precedes strides in a key, so that they are not mistaken for a static argument
_TOO_LARGE = 1 << 63  # integers from here on do not fit the int64 inputs of a program
_VARYING_AFTER = 4  # an index is static for this many different values, and then becomes a runtime input
_local = modes.local
_new = object.__new__


def describe(x: Any) -> tuple[Aval, tuple[int, ...] | None] | None:
    """Return the aval and strides of a Tensor, as plans need them, or None for any other object."""
    return (x._value.aval, x._strides) if isinstance(x, Tensor) else None


def caller(op: Op) -> Callable:
    """Return the function that users call for an operator."""
    call = _guarded(op, _view_caller(op) if op.family == "view" else _plain_caller(op))
    if op.public.autocast is not None:
        op.public.uncast = call
        call = (
            autocast.casting(op.public.autocast)(call) if op.family == "view" else _guarded(op, _plain_caller(op, True))
        )
    return _refusing_gradients(op, call) if op.gradient.without_gradient else call


def _refusing_gradients(op: Op, call: Callable) -> Callable:
    """Return a caller that raises if certain operands require grad."""
    places = [(op.names.index(name), name, function) for name, function in op.gradient.without_gradient.items()]

    @functools.wraps(call)
    def refusing(*args: Any, **kwargs: Any) -> Any:
        try:
            if _local.grad:
                for place, name, function in places:
                    given = args[place] if place < len(args) else kwargs.get(name)
                    if isinstance(given, Tensor) and given.requires_grad:
                        said = function if isinstance(function, str) else function(args[0].ndim)
                        raise _errors.autograd.not_differentiable(said, name)
            return call(*args, **kwargs)
        except Exception as error:
            raise shortened(error)

    return refusing


def _reading_anyway(op: Op, call: Callable) -> Callable:
    """Return a caller that also accepts views that autograd does not allow differentiable operators to use.

    The caller of a differentiable operator is returned unchanged. If a call of another operator raises in grad mode, it
    is repeated without grad mode.
    """
    if op.gradient.differentiable:
        return call

    def reading(*args: Any, **kwargs: Any) -> Any:
        try:
            try:
                return call(*args, **kwargs)
            except RuntimeError:
                if not _local.grad:
                    raise
                with modes.no_grad():
                    return call(*args, **kwargs)
        except Exception as error:
            raise shortened(error)

    return reading


def _guarded(op: Op, call: Callable) -> Callable:
    """Return a caller that runs the guard of the operator before each call, if it has one."""
    guard = op.guard
    if guard is None:
        return call
    kinds, kind_of = (*op.kinds, *[d.STATIC] * 9), op.kind_of

    def seen(a: Any, kind: int) -> Any:
        if isinstance(a, Tensor):
            return a._value if kind in (d.ARRAY, d.OPERAND, d.ARRAYS) else number(a, kind)
        return converted(a, kind) if isinstance(a, np.generic) else a

    def check(args: tuple, kwargs: dict) -> None:
        try:
            guard(*map(seen, args, kinds), **{name: seen(a, kind_of.get(name, d.STATIC)) for name, a in kwargs.items()})
        except _errors.layouts.Elsewhere:
            return  # the call uses the rule of the layout
        except AttributeError:
            return  # an argument is not a tensor, and the call raises the error
        except TypeError as misfit:  # if the arguments do not fit the signature, the call raises the error
            if _is_for(op, args, kwargs) and not foreign_errors.is_foreign(misfit):
                raise

    def guarded(*args: Any, **kwargs: Any) -> Any:
        try:
            check(args, kwargs)
            return call(*args, **kwargs)
        except Exception as error:
            raise shortened(error)

    return guarded


def _is_for(op: Op, args: tuple, kwargs: dict) -> bool:
    """Return whether the arguments bind to the signature of the operator."""
    try:
        op.signature.bind(*args, **kwargs)
    except TypeError:
        return False
    return True


def _plain_caller(op: Op, casts: bool = False) -> Callable:
    """Return the caller of an operator that is not a view.

    Its fast path builds the key of the plan from the arguments in the order of the parameters. If this fails, `_gather`
    handles the call.
    """
    plans, kinds = op.plans, op.kinds
    specials = [op.public.special.get(name, ()) for name in op.names]
    slow: object = False  # `CASTING` while some thread uses autocast (see `autocast.listening`)
    keywords = functools.lru_cache(64)(functools.partial(_keywords, op))

    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            values: list = []
            edges: list = []
            scalars: list = []
            named = keywords(len(args), *kwargs) if kwargs else ()
            if not (slow or named is None or len(args) > len(kinds)):
                key: list = []
                needs = False
                given: Any = args
                if named:
                    names, mark = named
                    given = (*args, *[kwargs.get(name, _OMITTED) for name in names])
                    key += mark
                for a, kind, special in zip(given, kinds, specials):
                    cls = a.__class__
                    if cls in TENSOR_TYPES and kind < 2:
                        value = a._storage.value if a._chain is None else a._read()
                        values.append(value)
                        key.append(value.aval)
                        edge = a._edge
                        edges.append(edge)
                        if edge is not None:
                            needs = True
                        if a._strides is not None:
                            key += (_STRIDED, a._strides)
                    elif cls in NUMBERS and (kind == 1 or kind == 2):
                        if cls is int and (a >= _TOO_LARGE or a < -_TOO_LARGE):
                            break
                        key.append(cls)
                        if a in special:
                            key.append(a)
                        else:
                            scalars.append(a)
                    elif kind == d.ARRAYS:
                        if not _take_many(a, values, edges, key):
                            break
                        needs = needs or any(edges)
                    elif (kind < 2 and a is not None and a is not _OMITTED) or cls is list or cls in TENSOR_TYPES:
                        break
                    elif cls is tuple:
                        key += (a, *map(type, a or ()))  # True == 1 == 1.0, but PyTorch distinguishes them
                    else:
                        key += (cls, a)
                else:
                    found = tuple(key)
                    try:
                        plan = plans.get(found)
                    except TypeError:  # an unhashable argument, which is not in its key form yet
                        plan = None
                    if plan is None and values:
                        plan = _make_plan(op, found, args, kwargs)
                    if plan is not None:
                        return _finish(plan, values, edges, scalars, needs)
                values, edges, scalars = [], [], []
            if op.public.of_numbers and all([a.__class__ in NUMBERS for a in args[:2]]):
                args = _with_a_tensor(args)
            if slow is CASTING:
                return autocast.call(op, args, kwargs)
            try:
                plan, needs = _gather(op, args, kwargs, values, edges, scalars)
            except _errors.layouts.Elsewhere:
                return _elsewhere(op, args, kwargs)
            except TypeError:
                return _instead(op, args, kwargs)
            return _finish(plan, values, edges, scalars, needs)
        except Exception as error:
            moved = on_one_device(op, args, kwargs) if isinstance(error, RuntimeError) else None
            if moved is None:
                raise shortened(error)
        return _again(op, *moved, slow is CASTING)

    return _reading_anyway(op, autocast.listening(call) if casts else call)


def _again(op: Op, args: tuple, kwargs: dict, casts: bool) -> Any:
    """Call an operator again after its operands were moved to one device."""
    try:
        if casts:
            return autocast.call(op, args, kwargs)
        values: list = []
        edges: list = []
        scalars: list = []
        plan, needs = _gather(op, args, kwargs, values, edges, scalars)
        return _finish(plan, values, edges, scalars, needs)
    except Exception as error:
        raise shortened(error)


def _keywords(op: Op, count: int, *names: str) -> tuple[tuple[str, ...], tuple] | None:
    """Return the order of the keyword arguments of a call with `count` positional arguments, and a part of its key.

    The order is that of the parameters, with "" for each omitted parameter before the last one given. The part of the
    key is empty if the arguments could also be positional. Return None if the arguments do not fit the parameters.
    """
    found = {parameter(name, op.names): name for name in names}
    if len(found) < len(names) or not {*op.names[count:]}.issuperset(found):
        return None
    last = max(map(op.names.index, found))
    order = tuple([found.get(name, "") for name in op.names[count : last + 1]])
    return order, () if "" not in order and last < op.positional else (order,)


def _take_many(tensors: Any, values: list, edges: list, key: list) -> bool:
    """Take a sequence of plain tensors. Return False for any other argument."""
    if tensors.__class__ is not tuple and tensors.__class__ is not list:
        return False
    key.append(len(tensors))
    for a in tensors:
        if a.__class__ not in TENSOR_TYPES:
            return False
        value = a._storage.value if a._chain is None else a._read()
        values.append(value)
        key.append(value.aval)
        edges.append(a._edge)
        if a._strides is not None:
            key += (_STRIDED, a._strides)
    return True


def _make_plan(op: Op, key: tuple, args: tuple, kwargs: dict) -> OpPlan | None:
    """Make the plan of a call on the fast path. Return None if an argument is not in its key form."""
    named = renamed(kwargs, op.names)
    others = [a for name, a in [*zip(op.names, args), *named.items()] if op.kind_of[name] != d.ARRAYS]
    if any(map(is_foreign, others)):
        return None
    plan = op.plans[key] = make(op, args, named, describe)
    return plan


def _with_a_tensor(args: tuple) -> tuple:
    from torchlike._tensor import factories

    return (factories.tensor(args[0]), *args[1:]) if len(args) > 1 else args


def _instead(op: Op, args: tuple, kwargs: dict) -> Any:
    """Return the result of `__torch_function__` of an argument that is not a tensor.

    Re-raise the current error if no argument has `__torch_function__`.
    """
    from torchlike._tensor import overriding

    if not overriding.asks(*args, *kwargs.values()):
        raise
    return overriding.call_operator(op, args, kwargs, overriding.called(sys._getframe(1)))


class _Layouts:
    """A hook for operators with tensors of other layouts: `call(op, args, kwargs)`, set by `_sparse`."""

    call: Callable[[Op, tuple, dict], Any]


layouts = _Layouts()


def _elsewhere(op: Op, args: tuple, kwargs: dict) -> Any:
    from torchlike._tensor import overriding

    if overriding.asks(*args, *kwargs.values()):
        return overriding.call_operator(op, args, kwargs, overriding.called(sys._getframe(1)))
    return layouts.call(op, args, kwargs)


def binary(op: Op, call: Callable) -> Callable:
    """Return a faster variant of `call` for two operands, for Python's operators. The first must be a plain tensor."""
    if op.guard is not None:
        return call
    plans = op.plans
    special = op.public.special.get(op.names[1], ())

    def quick(a: Any, b: Any) -> Any:
        cls = b.__class__
        values: tuple
        edges: tuple
        scalars: tuple
        if a._strides is None:
            x = a._storage.value if a._chain is None else a._read()
            edge = a._edge
            if cls in TENSOR_TYPES:
                y = b._storage.value if b._chain is None else b._read()
                plan = plans.get((x.aval, y.aval)) if b._strides is None else None
                values, edges, scalars = (x, y), (edge, b._edge), ()
            elif cls in NUMBERS and b not in special:
                if cls is int and (b >= _TOO_LARGE or b < -_TOO_LARGE):
                    return call(a, b)
                plan = plans.get((x.aval, cls))
                values, edges, scalars = (x,), (edge,), (b,)
            else:
                return call(a, b)
            if plan is not None:
                return _finish(plan, values, edges, scalars, edge is not None or (not scalars and edges[1] is not None))
        return call(a, b)

    return _reading_anyway(op, quick if op.public.autocast is None else autocast.without_plans(quick))


def _finish(plan: OpPlan, values: Sequence, edges: Sequence, scalars: Sequence, needs: bool) -> Any:
    """Record an operator and return its results. `needs` is True if an input has a gradient edge."""
    recorder, node = current(), None
    if needs and recorder.grad:
        if (plan.op.gradient.residuals or plan.op.gradient.by_hand) and not recorder.watches and latest.made is None:
            return _finish_with_residuals(plan, values, edges, scalars)
        node = recorder.node(plan, values, edges, scalars)
    if plan.apart:
        if plan.single is None:
            return _finish_several(plan, recorder.record(plan, values, scalars), node)
        if node is None and values[0].array is not None and (made := at_once(plan, values, scalars)) is not None:
            return wrap(made, None, plan.strides[0])
    tensor = _new(Tensor)
    storage = tensor._storage = _new(Storage)
    storage.value = recorder.record_one(plan, values, scalars)
    storage.version = 0
    storage.strides = tensor._strides = plan.strides[0]
    tensor._chain = tensor._origin = tensor._cache = tensor._grad = tensor._counter = None
    tensor._edge = (node, 0) if node is not None and plan.differentiable[0] else None
    tensor._offset = 0
    tensor._tracks = False
    if recorder.made is not None:
        recorder.made(storage)
    return tensor


def _finish_several(plan: OpPlan, made: Sequence[Value], node: Node | None) -> tuple:
    if node is not None:
        keep_results(node, made)
    return tuple(
        [
            wrap(value, (node, i) if node is not None and plan.differentiable[i] else None, plan.strides[i])
            for i, value in enumerate(made)
        ]
    )


def _gather(op: Op, args: tuple, kwargs: dict, values: list, edges: list, scalars: list) -> tuple[OpPlan, bool]:
    """Gather the inputs of an operator on the slow path. Return its plan, and whether an input has a gradient edge.

    This path handles keyword arguments, sequences of tensors, static numbers and foreign number types.
    """
    key: list = []
    if op.public.old_orders and len(args) > 2:
        args, kwargs = from_old_order(op, args, kwargs)
    args, kwargs, asked = (args, kwargs, {}) if current().capture is None else _with_elements(op, args, kwargs)
    if len(args) > len(op.names):
        make(op, args, kwargs, describe)  # raises an error that counts the arguments
    args = tuple([converted(a, kind) for a, kind in zip(args, (*op.kinds, *[d.STATIC] * len(args)))])
    kwargs = in_order(op, kwargs) if kwargs else kwargs
    needs = False
    x: Any
    for name, a in [*zip(op.names, args), *kwargs.items()]:
        if name not in op.kind_of:
            key.append(name)
            continue
        kind = op.kind_of[name]
        if kwargs:
            key.append(name)
        many = kind == d.ARRAYS and isinstance(a, tuple)
        if many:
            key.append(len(a))
        for x in a if many else (a,):
            cls = x.__class__
            if cls in TENSOR_TYPES and kind in (d.ARRAY, d.OPERAND, d.ARRAYS):
                value = x._storage.value if x._chain is None else x._read()
                values.append(value)
                key += (value.aval, _STRIDED, x._strides)
                edges.append(x._edge)
                needs = needs or x._edge is not None
            elif cls in NUMBERS and kind in (d.OPERAND, d.SCALAR):
                if isinstance(x, int) and (x >= _TOO_LARGE or x < -_TOO_LARGE):
                    raise _errors.dtypes.too_large(x)
                key.append(cls)
                if x in op.public.special.get(name, ()):
                    key.append(x)
                else:
                    if name in asked:
                        current().capture.asks(asked[name], scalars)
                    scalars.append(x)
            elif cls is tuple:
                key += (x, *map(type, x))
            else:
                key += (cls, x)
    return _plan(op, tuple(key), args, kwargs), needs


def _with_elements(op: Op, args: tuple, kwargs: dict) -> tuple[tuple, dict, dict[str, Tensor]]:
    """In a captured call, replace zero-dim tensors by their elements. Also return these tensors by parameter name.

    A tensor is replaced if it existed before the captured call and its parameter takes a runtime number.
    """
    capture = current().capture
    found = {
        name: a
        for name, a in [*zip(op.names, args), *kwargs.items()]
        if op.kind_of.get(name) == d.SCALAR
        and name not in op.public.special
        and a.__class__ in TENSOR_TYPES
        and not (a.ndim or a.requires_grad)
        and capture.knows(a)
    }
    if not found:
        return args, kwargs, found
    with capture.quietly():
        numbers = {name: a.item() for name, a in found.items()}
    given = [numbers.get(name, a) for name, a in zip(op.names, args)]
    return (*given, *args[len(given) :]), {**kwargs, **{k: x for k, x in numbers.items() if k in kwargs}}, found


def _plan(op: Op, key: tuple, args: tuple, kwargs: dict) -> OpPlan:
    try:
        plan = op.plans.get(key)
    except TypeError:
        make(op, args, kwargs, describe)  # raises an error that names the argument
        raise
    if plan is None:
        plan = op.plans[key] = make(op, args, kwargs, describe)
    return plan


# -- views -------------------------------------------------------------------------------------------------------------


_USUAL = frozenset((int, tuple, type(None)))  # types of static arguments of views


def _view_caller(op: Op) -> Callable:
    """Return the caller of a view operator. The result shares the storage of the first argument."""
    plans = op.plans
    varies = [i for i, kind in enumerate(op.kinds) if kind == d.INDEX]
    offset = op.view.offset

    count = len(op.kinds) - 1

    def call(*given: Any, **kwargs: Any) -> Tensor:
        try:
            try:
                a, *args = given if len(given) > count and not kwargs else _complete(op, given, kwargs)
            except _errors.layouts.Elsewhere:
                return _elsewhere(op, given, kwargs)
            if a.__class__ not in TENSOR_TYPES:
                if isinstance(a, Tensor):
                    return _elsewhere(op, (a, *args), {})
                try:
                    raise _errors.arguments.wrong_type(op.public_name, op.names[0], 1, "Tensor", a)
                except TypeError:
                    return _instead(op, (a, *args), {})
            value = a._storage.value if a._chain is None else a._read()
            key = (value.aval, a._strides, *args)
            if not _USUAL.issuperset(map(type, args)):
                key += tuple(map(type, args))  # True == 1 == 1.0 == 1 + 0j, but PyTorch distinguishes them
            try:
                plan = plans.get(key)
            except TypeError:
                plan = None
            numbers: tuple = ()
            if plan is None:
                if is_foreign(tuple(args)):
                    found = tuple(map(settled, args))
                    if is_foreign(found):
                        make(op, (a, *found), {}, describe)  # raises an error that names the argument
                    return call(a, *found)
                if varies and all([args[i - 1].__class__ is int for i in varies]):
                    plan, numbers = _varying_plan(op, key, (a, *args), varies)
                if plan is None:
                    plan = plans[key] = make(op, (a, *args), {}, describe)
            edge = a._edge
            # A view of a tensor that requires grad is recorded even if its array is on the host, so that the first step
            # records the same trace as later steps.
            recorder = current()
            grad = recorder.grad
            viewed = move(plan, value, numbers) if edge is None else recorder.record_one(plan, (value,), numbers)
            t = _new(Tensor)
            storage = t._storage = a._storage
            t._chain = ((plan, numbers),) if a._chain is None else (*a._chain, (plan, numbers))
            t._strides = plan.strides[0]
            t._offset = a._offset if offset is None else a._offset + offset(a, *args)
            origin, follows = a._origin, grad
            if origin is None:
                origin = a
            elif not a._tracks:
                follows = False
                views.inherit(t, a)
            if not follows and _local.inference:
                t._frozen = views.Frozen.INFERENCE
            t._origin = origin
            t._grad = t._counter = None
            t._tracks = follows
            if edge is None:
                t._edge = None
            elif grad:
                t._edge = (Node(plan, [], [edge], list(numbers)), 0)
            else:
                t._edge = origin._edge and views.NOWHERE
            stamp = value.stamp  # views of a value share its saved version
            if stamp is None:
                stamp = value.stamp = Stamp()
            viewed.stamp = stamp
            if origin._counter is not None:
                note_counter(viewed, origin)
            t._cache = (storage.version, origin._edge if follows else writes(origin), viewed)
            return t
        except Exception as error:
            raise shortened(error)

    return call


def _complete(op: Op, args: tuple, kwargs: dict) -> list:
    """Return all arguments in order, with defaults."""
    try:
        named = {k: plain(a) for k, a in renamed(kwargs, op.signature.parameters).items()}
        bound = op.signature.bind(*[plain(a) for a in args], **named)
    except TypeError as error:
        misfit = _errors.arguments.bad_arguments(op.public_name, op.signature, args, kwargs, error)
        raise _errors.overloads.of_overloads(misfit, op.public_name, args, kwargs) from None
    bound.apply_defaults()
    return list(bound.arguments.values())


def _varying_plan(op: Op, key: tuple, args: tuple, varies: list[int]) -> tuple[OpPlan | None, tuple]:
    """Return a plan that takes the call's indices as runtime inputs.

    Return None for the plan until the indices have taken enough different values.
    """
    base = tuple([None if i - 1 in varies else part for i, part in enumerate(key)])
    seen = op.varying.setdefault(base, [0, None])
    seen[0] += 1
    if seen[0] <= _VARYING_AFTER:
        return None, ()
    if seen[1] is None:
        marked = tuple([Varying(a) if i in varies else a for i, a in enumerate(args)])
        seen[1] = make(op, marked, {}, describe)
    return seen[1], tuple([args[i] for i in varies])


# -- residuals ---------------------------------------------------------------------------------------------------------


def _finish_with_residuals(plan: OpPlan, values: Sequence, edges: Sequence, scalars: Sequence) -> Any:
    from torchlike._autograd.residuals import with_residuals

    pairs = with_residuals(plan, values, edges, scalars)
    tensors = tuple([wrap(v, e, s) for (v, e), s in zip(pairs, plan.strides)])
    return tensors[0] if len(tensors) == 1 else tensors
