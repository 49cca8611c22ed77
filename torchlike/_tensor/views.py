"""The gradient history of views and its relation to the history of the base.

The gradient history of a tensor is its gradient edge and the graph that this edge leads to.

A view *follows* its base: after a write to the memory, its history is regenerated from that of the base, as one node
with the name that PyTorch uses. A view for which this is not possible is *frozen*. Views are frozen if they are created
under `no_grad`, by a function with several view outputs, or in a custom function. A frozen view keeps its original
history. While gradients are recorded, a write to it raises, and so does its use after a write to the base, as in
PyTorch.

The base is stored in `_origin`. If the shape of a tensor is changed in place, the tensor becomes a view of an internal
base. Users still see that tensor as the base. It is called the *owner* of the internal base here.
"""

from __future__ import annotations

from enum import Enum
from itertools import accumulate
from typing import Any, NamedTuple

from torchlike import _errors
from torchlike._autograd import engine, strided, versions
from torchlike._autograd.nodes import AccumulateGrad, Edge, Node, Sink
from torchlike._dtypes import modes
from torchlike._dtypes.strides import extent, is_apart
from torchlike._engine import Aval, Value
from torchlike._ops.schema.declare import REGISTRY
from torchlike._ops.schema.namespace import namespace
from torchlike._ops.schema.plan import OpPlan
from torchlike._tensor import grown_storage
from torchlike._tensor import storage as _storage


class Written(NamedTuple):
    """The cached state of a view after a write through it, until the next read: the base's edge after the write."""

    edge: Edge


class Frozen(Enum):
    """The reason why a view does not follow its base."""

    NO_GRAD = "no_grad"
    INFERENCE = "inference"
    ONE_OF_SEVERAL = "several"
    CUSTOM_FUNCTION = "custom"
    APART = "apart"  # its memory is not that of its base; its use never raises


# The operator name in the gradient edge of an internal base whose history leads through its owner.
_LED = "led"

# The sink for dropped gradients: the edge of a view that has no history, but whose base requires grad.
NOWHERE: Edge = (Sink(), 0)


def reason(view: Any) -> Frozen:
    """Return the reason why a view is frozen."""
    return getattr(view, "_frozen", Frozen.NO_GRAD)


def reason_of_mode(source: Any) -> Frozen:
    """Return the reason for freezing a view of `source` that is created while no gradients are recorded."""
    inference = modes.local.inference or reason(source) is Frozen.INFERENCE
    return Frozen.INFERENCE if inference else Frozen.NO_GRAD


def inherit(view: Any, source: Any) -> None:
    """Freeze a view of a frozen view for the same reason, unless it has a reason of its own."""
    found = getattr(source, "_frozen", None)
    if found is not None and (modes.local.grad or found is Frozen.INFERENCE):
        view._frozen = found


def freeze(view: Any, why: Frozen) -> None:
    """Stop a new view from following its base."""
    view._tracks, view._frozen = False, why
    cache = view._cache
    view._cache = None if cache is None else (cache[0], _storage.writes(view._root()), cache[2])


def is_whole(tensor: Any) -> bool:
    """Return whether a tensor is not a view for the user: it has no base, or it is the owner of its base."""
    origin = tensor._origin
    return origin is None or _owner(origin) is tensor


def _owner(origin: Any) -> Any:
    """Return the owner of a base: the tensor whose shape was changed in place and that users see as the base."""
    shown = getattr(origin, "_shown", None)
    return None if shown is None else shown()


def whole(tensor: Any) -> Any:
    """Return the base of a tensor as the user sees it, or the tensor itself if it is not a view for the user."""
    origin = tensor._root()
    owner = None if origin is None else _owner(origin)
    return tensor if origin is None else origin if owner is None else owner


def base_of(tensor: Any) -> Any:
    """Return the value of the `_base` attribute."""
    origin = tensor._root()
    if origin is None or tensor._storage.inference:  # inference tensors have no `_base`
        return None
    owner = _owner(origin)
    return origin if owner is None else None if owner is tensor else owner


def steps_from(origin: Any, view: Any) -> tuple | None:
    """Return the view operators that lead from a base to a view.

    Return None if no view operators lead from the base to the view, because one of them was switched to other memory.
    """
    if origin is None or getattr(view, "_frozen", None) is Frozen.APART:
        return None
    if origin._storage is not view._storage:
        grown_storage.follow(origin)
        grown_storage.follow(view)
        if origin._storage is not view._storage:
            return None
    lead, chain = origin._chain or (), view._chain or ()
    return chain[len(lead) :] if chain[: len(lead)] == lead else None


def is_plain(origin: Any, edge: Edge | None) -> bool:
    """Return whether a write needs no gradient history, so that it bypasses the base.

    Such a write goes to the storage directly, because the base may show only part of the memory.
    """
    return edge is None and origin._edge is None and (origin._storage.shared or origin._chain is not None)


# -- reading -----------------------------------------------------------------------------------------------------------


def read_again(view: Any, strict: bool) -> Value:
    """Return the value of a view after a change of its memory or of its base's history, and update its gradient edge.

    `strict`: an operator that records gradients reads the view, so that PyTorch's errors are raised.
    """
    origin, cache = view._root(), view._cache
    # `steps_from` comes first, because it may switch the tensors to a grown storage.
    steps, storage = steps_from(origin, view), view._storage
    now = storage.version
    if origin is None or steps is None:
        value, mark = storage.seen(view), None
    elif view._tracks:
        value, mark = _follow(view, origin, cache), origin._edge
    else:
        mark = _storage.writes(origin) if cache is None else cache[1]
        value = storage.seen(view)
        if origin._edge is None and view._edge is NOWHERE:
            view._edge = None
        if _refused_after_write(view, origin, mark):
            if strict:
                raise _refusal(view, indirect=True)
            now = -1  # invalid, so that the next read checks again
    value.stamp = versions.stamp_of(storage.value)
    versions.note_counter(value, view if origin is None else origin)
    view._cache = (now, mark, value)
    return value


def _refused_after_write(view: Any, origin: Any, born: int) -> bool:
    """Return whether a frozen view with a history is outdated: its memory was written to after the view was created."""
    if origin._edge is None and (view._edge is None or isinstance(view._edge[0], AccumulateGrad)):
        return False
    return _storage.writes(origin) != born and reason(view) is not Frozen.APART


def _follow(view: Any, origin: Any, cache: tuple | None) -> Value:
    """Return the value of a view that follows its base. Regenerate its history if that of the base has changed."""
    storage, edge = view._storage, origin._edge
    unseen = cache is not None and _storage.unseen_since(cache, origin)
    if cache is not None and isinstance(cache[1], Written) and cache[0] >> 32 == storage.version >> 32:
        return _made_anew(view, origin, cache[1].edge)  # even if the history of the base has changed since
    own = view._edge if view._edge is not NOWHERE else None
    is_leaf = own is not None and isinstance(own[0], AccumulateGrad)
    whole = is_whole(view)
    kept = whole and cache is not None and cache[1] is edge  # the write went through a detached alias
    if unseen or kept or (edge is None and own is None) or (is_leaf and (edge is None or whole)):
        view._edge = own or (None if edge is None else NOWHERE)
        return storage.seen(view)
    return _made_anew(view, origin, origin._pair()[1])


def _made_anew(view: Any, origin: Any, edge: Edge | None) -> Value:
    """Return the value of a view, and regenerate its history from a base with the given edge."""
    value, whole = origin._value, is_whole(view)
    steps = steps_from(origin, view)
    view._edge = edge
    if not steps:
        return value
    for part in (steps,) if whole else _replayed(steps):
        numbers = [n for _, given in part for n in given]
        name = "torch::autograd::CopySlices" if whole else _node_anew(part[-1][0])
        plan = _storage.view_plan(part, name)
        ((value, view._edge),) = engine.apply(plan, [value], [view._edge or NOWHERE], numbers, True)
    return value


def _node_anew(plan: OpPlan) -> str:
    return plan.node if _is_no_strided_view(plan) else "AsStridedBackward0"


def _is_no_strided_view(plan: OpPlan) -> bool:
    """Return whether a view changes the dtype, or is a conjugate or negative view."""
    return plan.op.view.result is not None or plan.op.view.pending != ""


def _replayed(steps: tuple) -> list[tuple]:
    """Split a chain of views into the parts that PyTorch regenerates, with one node each.

    The leading strided views are one part. After the first view of another kind, every view is a part of its own.
    """
    first = next((i for i, (plan, _) in enumerate(steps) if _is_no_strided_view(plan)), len(steps))
    lead = [steps[:first]] if first else []
    return lead + [(step,) for step in steps[first:]]


def requires_grad(view: Any) -> bool:
    """Return whether a view or its base has a gradient history."""
    origin = view._root()
    if origin is not None and origin._edge is not None and not is_whole(view):
        return True
    return view._value is not None and view._edge is not None and view._edge is not NOWHERE


def edge_of(view: Any) -> Edge | None:
    """Return the gradient edge of a view. Raise if an operator on the view would raise."""
    assert view._value is not None  # the read updates the edge
    origin, cache = view._root(), view._cache
    frozen = origin is not None and not view._tracks
    if frozen and cache is not None and _refused_after_write(view, origin, cache[1]):
        raise _refusal(view, indirect=True)
    return view._edge


# -- writing -----------------------------------------------------------------------------------------------------------


def check_write(tensor: Any) -> None:
    """Raise PyTorch's errors for an in-place operator with a gradient."""
    if not is_whole(tensor) and not tensor._storage.inference:
        if not tensor._tracks and reason(tensor) is not Frozen.APART:
            raise _refusal(tensor, indirect=False)
        origin = tensor._root()
        owner = _owner(origin)
        origin = origin if owner is None else owner
        if requires_grad(tensor) and _is_of_leaf(origin._edge):
            raise _errors.autograd.leaf_view_in_place()
    if tensor._edge is not None and isinstance(tensor._edge[0], AccumulateGrad):
        raise _errors.autograd.leaf_in_place()


def _is_of_leaf(edge: Edge | None) -> bool:
    """Return whether this is the edge of a leaf, or leads to a leaf whose own shape was changed in place."""
    if edge is not None and edge[0].plan is not None and edge[0].plan.name == _LED:
        edge = edge[0].edges[-1]
    return edge is None or isinstance(edge[0], AccumulateGrad)


def widen(view: Any) -> None:
    """Regenerate the history of an `as_strided` view of a view from the base, before a write to it.

    The gradient of the write reaches all of the memory, and not only the part that the intermediate view shows.
    """
    edge, origin = view._edge, view._root()
    if edge is None or edge[0].plan is None or edge[0].plan.name != strided.NAME or not view._tracks:
        return
    if origin is not None and origin._edge is not None and steps_from(origin, view):
        value = _made_anew(view, origin, origin._edge)
        value.stamp = versions.stamp_of(view._storage.value)
        view._cache = (view._storage.version, origin._edge, value)


def check_unseen(view: Any) -> None:
    """Raise PyTorch's error for the first write to a view that was created before its base got a history.

    PyTorch still treats such a view as a leaf if it was not read since.
    """
    if view._tracks and view._edge is None and not is_whole(view):
        edge = view._root()._edge
        if not _is_of_leaf(edge):
            raise _errors.autograd.leaf_in_place()


def replaced(aval: Aval, old: Edge | None, new: Edge | None, name: str) -> Edge:
    """Return the edge of a tensor whose contents were all replaced. The old contents get a zero gradient."""
    plan = _replace_plans.get((aval, name))
    if plan is None:
        plan = OpPlan("replace", (aval, aval), (), (aval,), lambda old, new: (new,))
        plan = _replace_plans[aval, name] = plan.complete(REGISTRY["clone"], (), (True,), node=name)
    return Node(plan, [], [old, new], []), 0


_replace_plans: dict[tuple[Aval, str], OpPlan] = {}


class _Unplaceable(Node):
    """The node of a write whose gradient cannot be computed. Its backward raises."""

    __slots__ = ("error", "written")

    def name(self) -> str:
        return "torch::autograd::CopySlices"

    def outputs(self) -> int:
        return 1

    def result(self, number: int) -> Aval:
        return self.written

    def differentiate(self, held: dict, wanted: tuple[int, ...], walk: engine.Walk) -> list:
        raise self.error.with_traceback(None)


def unplaceable(view: Any, error: Exception | None = None) -> None:
    """Replace the edge of a view's base by a node that raises in backward.

    By default, the error is that of a copy to a view with a repeated dim. Otherwise, it is `error`.
    """
    origin = view._root()
    node = _Unplaceable(None, (), [origin._edge], ())
    node.written, node.error = origin._aval, error or _errors.memory.overlapping_write()
    origin._edge = (node, 0)


def rebase(tensor: Any) -> None:
    """Update the base of a tensor whose own shape was changed in place.

    The history of the base then leads through the tensor, as far as the tensor covers the base.
    """
    origin, value = tensor._root(), tensor._value
    origin._edge, steps = tensor._edge, steps_from(origin, tensor)
    if steps and tensor._edge is not None:
        origin._edge = _led_through(tensor, steps, origin)
    tensor._cache = (tensor._storage.version, origin._edge, value)


def _led_through(tensor: Any, steps: tuple, origin: Any) -> Edge:
    if is_apart(*_storage.geometry(tensor)):
        numbers = [n for _, given in steps for n in given]
        edge = (Node(_storage.write_plan(steps), [], [None, tensor._edge], numbers), 0)
    else:
        edge = strided.within(tensor, *_storage.geometry(origin), origin._offset)
    return named(edge, edge[0].name(), _LED)


def rebase_owner(view: Any, origin: Any) -> None:
    """Update the owner of a base after a write to a view of it.

    The history of the write becomes that of the owner. A write to memory that the owner no longer covers has no
    gradient, and backward raises for it.
    """
    owner = _owner(origin)
    if owner is not None:
        have = extent(*_storage.geometry(owner)) * owner.dtype.itemsize
        start = view._offset - owner._offset
        misfit = strided.misfit(tuple(view.shape), view.stride(), start, view.dtype.itemsize, have)
        if misfit is not None:
            unplaceable(view, misfit)
        owner._cache = (origin._storage.version, origin._edge, _made_anew(owner, origin, origin._edge))
        rebase(owner)


def named(edge: Edge, name: str, operator: str = "") -> Edge:
    """Return the edge of an operator that saves nothing, with a renamed node. `operator` also renames the operator."""
    node = edge[0]
    plan = _named_plans.get((node.plan, name, operator))
    if plan is None:
        old = node.plan
        plan = OpPlan(operator or old.name, old.inputs, old.scalars, old.outputs, old.function)
        plan.complete(old.op, (), old.differentiable, tuple(old.strides), name)
        _named_plans[old, name, operator] = plan
    return Node(plan, [], node.edges, node.scalars), edge[1]


_named_plans: dict[tuple[OpPlan, str, str], OpPlan] = {}


def _refusal(view: Any, indirect: bool) -> RuntimeError:
    edge = view._edge
    if edge is None or isinstance(edge[0], AccumulateGrad):
        return _errors.autograd.frozen_view(None, reason(view).value, indirect)
    return _errors.autograd.frozen_view((edge[1], versions.short_name(edge[0])), reason(view).value, indirect)


# -- functions of several views ----------------------------------------------------------------------------------------

_joint_plans: dict[tuple, OpPlan] = {}


def of_several(source: Any, views: tuple, dim: int) -> tuple:
    """Return the results of a function that splits a dim into views: one node with several outputs.

    The views are frozen, so writes to them raise.
    """
    if not modes.local.grad:
        return views
    why = Frozen.INFERENCE if reason(source) is Frozen.INFERENCE else Frozen.ONE_OF_SEVERAL
    for view in views:
        freeze(view, why)
    if source._edge is not None and views:
        plan = _joint_plan(tuple([view._chain[-1][0] for view in views]), dim)
        node = Node(plan, [], [source._edge], [])
        for i, view in enumerate(views):
            view._edge = (node, i)
    return views


def _joint_plan(plans: tuple[OpPlan, ...], dim: int) -> OpPlan:
    found = _joint_plans.get((plans, dim))
    if found is None:
        found = _joint_plans[plans, dim] = _make_joint_plan(plans, dim)
    return found


def _make_joint_plan(plans: tuple[OpPlan, ...], dim: int) -> OpPlan:
    """Return one operator for all pieces. Its gradient concatenates theirs.

    With a separate slice operator for each piece, the gradients would be padded and added.
    """
    first, outputs = plans[0], tuple([plan.outputs[0] for plan in plans])
    sizes = [a.shape[dim] if a.ndim == first.inputs[0].ndim else 1 for a in outputs]
    cuts = list(accumulate(sizes[:-1]))

    def function(x: Any) -> tuple:
        return tuple([part.reshape(a.shape) for part, a in zip(namespace(x).split(x, cuts, dim), outputs)])

    made = OpPlan("pieces", first.inputs, (), outputs, function)
    return made.complete(first.op, (), (True,) * len(plans), node=first.node)
