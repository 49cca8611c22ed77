"""In-place writes and saved-tensor version checks.

Values are immutable, so gradients are correct even after in-place writes. The checks exist because a program that
PyTorch rejects must be rejected here too: in PyTorch, a gradient whose saved tensors were overwritten is an error.
Saving a value costs nothing. Instead, a write attaches a saved version (`Stamp`) to the value that it replaces. The
saved version records the time of the write. A backward pass raises if a write is newer than the node that saved the
value. It checks a node only if the last write is newer than the node (`latest`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary, ref

from torchlike import _errors
from torchlike._autograd import nodes
from torchlike._autograd.nodes import Node
from torchlike._engine import Value
from torchlike._ops.schema.declare import ONCE, UNSQUEEZED, Kept
from torchlike._ops.schema.gradient import dependence
from torchlike._ops.schema.plan import OpPlan


class Stamp:
    """The saved version of a value and of its views: the time and the storage of the write that replaced the value."""

    __slots__ = ("counter", "fate", "mark", "owner", "since", "storage", "version", "whole")

    def __init__(self) -> None:
        # The age of a node made at the time of the write; None if there was no write. Ages count down.
        self.since: int | None = None
        self.storage: Any = None  # the storage, whose version counter counts the writes
        self.counter: Any = None  # the version counter to use instead, if the written tensor has its own
        self.owner: Any = None  # the tensor that was written to
        self.fate: Any = None  # the tombstone of the owner, used after the owner is destroyed
        self.mark: Any = None  # identifies the owner among saved tensors: its value or node before the write
        self.version = 0  # the version counter while the storage held the value
        # A reference to the replaced value, not to a view of it, if the write was through `.data`.
        self.whole: Any = None

    def set(self, storage: Any, since: int | None, owner: Any = None, counting: Any = None) -> None:
        """Set the saved version just before the contents of a storage are replaced.

        `since` is the age of the first node that belongs to the write itself. `counting` is the tensor whose version
        counter is used, by default `owner`.
        """
        global latest
        self.since = now() if since is None else since
        root = owner if counting is None else counting
        root = root if root is None or root._origin is None else root._root()
        self.counter = None if since in (UNSEEN, UNSEEN_NODE) else getattr(root, "_counter", None)
        self.storage = ref(storage if root is None else root._storage)
        self.version = self.writes() or 0
        if owner is not None:
            shown = getattr(owner, "_shown", None)
            owner = owner if shown is None else shown()
        if owner is not None:
            self.owner, edge = ref(owner), owner._edge
            self.mark = ref(owner._latest if _is_leaf_edge(edge) else edge[0])
            self.fate = fate_of(owner)
        latest = min(latest, self.since)

    def writes(self) -> int | None:
        """Return the current version counter, or None if the storage no longer exists."""
        storage = self.storage()
        if self.counter is not None:
            return self.counter.count
        return None if storage is None else storage.version >> 32

    def is_newer_than(self, node: Node) -> bool:
        """Return whether the write came after the node was made."""
        return self.since is not None and self.since < node.age

    def matches(self, value: Value, edge: Any) -> bool:
        """Return whether the written tensor is the one that was saved with this value and this edge.

        A leaf is compared by identity, because it may have ceased to be a leaf in the meantime.
        """
        if edge is not None and isinstance(edge[0], nodes.AccumulateGrad):
            leaf, owner = edge[0].variable, self.owner and self.owner()
            return edge[0].variable_ref is self.owner or (leaf is not None and leaf is owner)
        return self.mark is not None and self.mark() is (value if edge is None else edge[0])


class Fate:
    """The tombstone of an overwritten tensor: its final shape and version, kept for error messages.

    It does not reference the tensor's node, because that node may keep alive the nodes that saved the tensor.
    """

    __slots__ = ("aval", "made_by", "version")

    def __init__(self) -> None:
        self.version: int | None = None  # None until `note_fate` sets it after a write


def fate_of(tensor: Any) -> Fate:
    """Return the tombstone of a tensor. From now on, `note_fate` keeps it up to date."""
    fate = getattr(tensor, "_fate", None)
    if fate is None:
        fate = tensor._fate = Fate()
    return fate


def note_fate(tensor: Any) -> None:
    """Update the tombstone of a tensor that is not a view. Called after a write to it."""
    fate = getattr(tensor, "_fate", None)
    if fate is not None:
        node = tensor._edge and tensor._edge[0]
        fate.aval, fate.made_by = tensor._aval, None if _is_leaf_edge(tensor._edge) else (0, short_name(node))
        fate.version = tensor._storage.version >> 32


UNSEEN = 2  # the `since` of a write through `.data`; every node counts as newer, so no check reports the write
UNSEEN_NODE = 3  # the same for a write with a gradient node; the node may have saved a copy of the old elements
NEVER = 1  # the `since` of a write that did not happen
latest = NEVER  # the `since` of the last write; newer nodes need no check
# The age of a node made at the time of the last write that autograd does not notice; newer nodes saved newer values.
uncounted = NEVER


def now() -> int:
    """Return the age of a node made now."""
    return next(nodes.sequence)


def stamp_of(value: Value) -> Stamp:
    """Return the saved version of a value, which its views share."""
    if value.stamp is None:
        value.stamp = Stamp()
    return value.stamp


def note_write(old: Value, storage: Any, since: int | None, owner: Any) -> None:
    """Mark the value `old` as overwritten. Called before a write to `owner` replaces it in the storage."""
    stamp = stamp_of(old)
    if stamp.since is None:
        stamp.set(storage, since, owner)
        if since == UNSEEN:
            stamp.whole = ref(old)
            note_uncounted()


def note_uncounted() -> None:
    """Note that a tensor is about to be written to through `.data`, or to be given other data."""
    global uncounted
    uncounted = now()


def current_inputs(node: Node, wanted: tuple[int, ...], given: tuple[int, ...]) -> Sequence[Value]:
    """Return the saved inputs of a node, with new elements for inputs that were written to through `.data` since.

    Autograd does not notice such writes, so PyTorch computes the gradient from the new elements of the saved tensors.
    If PyTorch also saves results of the operator, this function returns the old elements, from which the results were
    computed.
    """
    plan = node.plan
    if not plan.remembers or _KEPT.intersection(plan.remembers) or getattr(node, "forward", plan) is not plan:
        return node.saved
    values, remembered, seen = list(node.saved), remembered_inputs(plan, wanted, given), _declared_saved(plan, wanted)
    for place, i in enumerate(plan.saved):
        value, edge = values[place], node.edges[i]
        if _as_kept(value.aval, seen.get(i, ""), edge) is not None:
            edge = None  # a view of the leaf keeps the memory that the leaf had
        if i in remembered:
            values[place] = latest_of(value, edge)
    return values


def latest_of(value: Value, edge: Any) -> Value:
    """Return the current elements of the tensor that was saved with this value and edge, in the saved dtype.

    Only writes that autograd does not notice are considered.
    """
    new = _new_elements(value, edge)
    return value if new is None else new if new.aval == value.aval else _converted(value, edge)


def _converted(value: Value, edge: Any) -> Value:
    """Return the elements of a leaf that was given data of another dtype, in the dtype of its saved value.

    Raises:
      RuntimeError: the leaf was given data of another shape or device, for which the operation's gradient is not known.
    """
    leaf = leaf_of(edge)
    if leaf is None:
        return value
    given, before = leaf._aval, value.aval
    if given.shape == before.shape and given.device == before.device:
        return leaf.detach().to(before.dtype)._value
    raise RuntimeError(
        f"backward() needs a tensor that was saved with the shape {[*before.shape]} on {before.device}. Its .data "
        f"has since been replaced by a tensor of shape {[*given.shape]} on {given.device}. Call backward() before that."
    )


def _new_elements(value: Value, edge: Any) -> Value | None:
    """Return the current value of the tensor that was saved with this value and edge; None if it has no newer one."""
    leaf, stamp = leaf_of(edge), value.stamp
    if stamp is None or stamp.whole is None or (leaf is None and stamp.whole() is not value):
        return None if leaf is None else leaf._value
    if (
        _counter_of(value, edge) is None and (stamp.writes() or 0) > stamp.version
    ):  # written to again, in a way that counts
        raise _modified(*_current(value, edge), stamp)
    if leaf is not None:
        return leaf._value
    storage = stamp.storage()
    return None if storage is None else storage.value


def note_growth(old: Value, storage: Any) -> None:
    """Update a saved version after the memory of a value has grown: another storage now has the version counter."""
    if old.stamp is not None:
        old.stamp.storage = ref(storage)


def note_result(node: Node, tensor: Any, owner: Any = None) -> None:
    """Mark the result of a node as overwritten. Called before `tensor`, which holds the result, is written to.

    Nothing is marked if the gradient of the node does not need the result.
    """
    if node.plan is not None and "result" in node.plan.remembers:
        extra = nodes.hooks_of(node)
        if extra.overwritten is None or extra.overwritten.since is None:
            extra.overwritten = _overwritten(tensor, owner)
    elif node.saved_results and tensor._edge is not None:
        number, kept = tensor._edge[1], nodes.hooks_of(node).kept
        if number in node.saved_results and number not in kept:
            kept[number] = _overwritten(tensor, owner)
    if node.extra is not None and node.extra.inner is not None:
        inner, view = node.extra.inner
        note_result(inner, tensor, view())


def _overwritten(tensor: Any, owner: Any) -> Stamp:
    stamp = Stamp()
    stamp.set(tensor._storage, None, owner, tensor)
    stamp.fate = fate_of(tensor)
    return stamp


def keep_results(node: Node, made: Sequence[Value]) -> None:
    """Store the saved versions of the results that a node's gradient needs. Called for nodes with several results."""
    if node.plan is None:  # saved-tensor hooks have packed its saved values
        return
    remembers = node.plan.remembers
    if "others" in remembers or "results" in remembers or "first" in remembers:
        first, last = int("others" in remembers), 1 if "first" in remembers else len(node.plan.outputs)
        nodes.hooks_of(node).kept = {i: stamp_of(made[i]) for i in range(first, last)}


def watch_result(tensor: Any) -> None:
    """Prepare the checks for a tensor that is about to be detached.

    The detached tensor shares the memory without the history. A write to it must mark the results of the nodes in this
    history as overwritten.
    """
    root = tensor if tensor._origin is None else tensor._root()
    node, number = root._edge or (None, 0)
    if node is not None and number in node.saved_results:
        nodes.hooks_of(node).kept.setdefault(number, stamp_of(root._storage.value))
    while node is not None and node.plan is not None:
        if "result" in node.plan.remembers:
            extra, stamp = nodes.hooks_of(node), stamp_of(root._storage.value)
            if extra.overwritten is None:
                extra.overwritten = stamp
        node = None if node.extra is None or node.extra.inner is None else node.extra.inner[0]


def note_detached(edge: Any) -> None:
    """Note that a tensor is about to be detached in place. Values saved from it must not be used any more."""
    global latest
    if edge is not None and edge[0].edges:
        age = nodes.hooks_of(edge[0]).detached[edge[1]] = next(nodes.sequence)
        latest = min(latest, age)


def note_part(write: Node, made: Node, since: int | None, view: Any) -> None:
    """Note that the node `write` wrote the result of the node `made` to the memory of the view `view`.

    Nothing is noted if `made` is older than the write. In this case the result existed before and was only copied.
    """
    if since is not None and made.age < since and made.plan is not None and "result" in made.plan.remembers:
        nodes.hooks_of(write).inner = made, ref(view)


def note_gradient(node: Node, saved: int, made: Sequence[tuple[Value, Any]]) -> None:
    """Note that the gradients `made` of a node may be differentiated again.

    If the node saves its results, PyTorch also uses them to differentiate the gradients with respect to the saved
    inputs. `check` therefore checks the results too. `saved` is the number of saved inputs.
    """
    edge = next((edge for _, edge in made if edge is not None), None)
    remembers = () if node.plan is None else node.plan.remembers
    if edge is not None and _RESULTS.intersection(remembers) and ONCE not in remembers:
        nodes.hooks_of(edge[0]).behind = nodes.shell(node), saved


_RESULTS = frozenset(("result", "results"))
_KEPT = _RESULTS | {"first", "others", "positions"}  # what a plan declares as saved beside inputs


def check(node: Node, wanted: tuple[int, ...], given: tuple[int, ...]) -> None:
    """Raise PyTorch's error if a saved tensor that this gradient needs was overwritten after it was saved."""
    plan = node.plan
    if plan.remembers and plan.remembers != ("result",):
        _check_inputs(node, wanted, given)
    if node.extra is not None:
        _check_results(node, node.extra)
        if node.extra.behind is not None and min(wanted) < node.extra.behind[1]:
            behind: Any = node.extra.behind[0]
            _check_unsqueezed(behind, behind.extra.overwritten)
            _check_results(behind, behind.extra)


def _check_unsqueezed(node: Node, stamp: Stamp | None) -> None:
    """Raise if the result of a reduction was overwritten and PyTorch uses it to differentiate the gradient.

    PyTorch then uses the result with the reduced dims kept.
    """
    if stamp is None or not stamp.is_newer_than(node) or UNSQUEEZED not in node.plan.remembers:
        return
    given, (shape,) = node.plan.extra.arguments, [a.shape for a in node.plan.inputs]
    dim, keeps = given["dim"][1], given["keepdim"][1]
    if dim is not None and shape and not keeps:
        gone = [d % len(shape) for d in (dim if isinstance(dim, tuple) else (dim,))]
        kept = tuple([1 if d in gone else n for d, n in enumerate(shape)])
        raise _modified(node.plan.outputs[0].like(kept), (0, "AsStrided"), stamp)


def _check_results(node: Node, extra: nodes.Extra) -> None:
    plan = node.plan
    for number, stamp in extra.kept.items():
        if stamp.is_newer_than(node):
            made = (node, number) if plan.differentiable[number] else None
            raise _modified(plan.outputs[number], _made_by(made), stamp)
    stamp = extra.overwritten
    if stamp is not None and stamp.is_newer_than(node):
        raise _result_modified(node, 0, stamp)


def _result_modified(node: Node, number: int, stamp: Stamp) -> RuntimeError:
    view = stamp.owner and stamp.owner()
    if view is not None and view._cache is not None and view._cache[0] >> 32 > stamp.version:
        stamp.owner = None  # the history of the view was rebuilt after the write
    made = (node, number) if stamp.owner is None or view is None or view._edge is None else view._edge
    return _modified(node.result(number), _made_by(made), stamp)


class Saver(NamedTuple):
    """An operator of a captured call that saves inputs for backward."""

    plan: OpPlan
    wanted: tuple[int, ...]  # the inputs that require grad

    def saves(self, place: int) -> bool:
        """Return whether PyTorch saves the input at this place, and no result beside the inputs."""
        plan, every = self.plan, tuple(range(len(self.plan.outputs)))
        return not _KEPT.intersection(plan.remembers) and place in remembered_inputs(plan, self.wanted, every)


def saver_of(node: Node) -> Saver | None:
    """Return the plan and inputs for checking a node's saved inputs, or None if PyTorch saves none of them."""
    plan = getattr(node, "forward", node.plan)
    if plan is None or not plan.remembers or plan.remembers == ("result",) or _keeps_copies(node, plan):
        return None
    return Saver(plan, tuple([i for i, edge in enumerate(node.edges) if edge is not None]))


def saves_result(node: Node, number: int) -> bool:
    """Return whether PyTorch saves this result of the node for backward."""
    return number == 0 and node.plan is not None and "result" in node.plan.remembers


def refuse_captured(saver: Saver, place: int, value: Value, edge: Any, aval: Any) -> None:
    """Raise PyTorch's error for an overwritten input of a captured call, if PyTorch saves it for this gradient.

    `aval` is the shape and dtype of a view of the input that is saved, or None for the input itself.
    """
    plan, wanted = saver
    if place not in remembered_inputs(plan, wanted, tuple(range(len(plan.outputs)))):
        return
    made_by = None if edge is None else (0, "AsStrided")
    seen = _as_kept(value.aval if aval is None else aval, _declared_saved(plan, wanted).get(place, ""), edge)
    raise _modified(*(seen or ((aval, made_by) if aval is not None else _current(value, edge))), value.stamp)


def check_captured_results(node: Node, given: Collection[int]) -> None:
    """Raise PyTorch's error if a result that a captured call saves for backward was overwritten.

    `given` are the outputs of the call that have a gradient. Other results may be overwritten.
    """
    for number, stamp in node.extra.kept.items() if node.extra is not None else ():
        if stamp.is_newer_than(node) and not node.saved_results[number].isdisjoint(given):
            raise _result_modified(node, number, stamp)


def check_pairs(node: Node, pairs: Sequence[tuple[Value, Any]]) -> None:
    """Raise PyTorch's error if one of these values was overwritten since the node saved them with these edges."""
    for value, edge in pairs:
        if value.stamp is not None and value.stamp.is_newer_than(node):
            raise _modified(value.aval, _made_by(edge), value.stamp)


def _check_inputs(node: Node, wanted: tuple[int, ...], given: tuple[int, ...]) -> None:
    plan = getattr(node, "forward", node.plan)
    stale = {} if _keeps_copies(node, plan) else {i: v for i, v in node.inputs if _was_written(node, v, node.edges[i])}
    suspects = {*stale, *[i for i, edge in enumerate(node.edges) if _is_detached(node, edge)]}
    if not suspects:
        return
    for i in remembered_inputs(plan, wanted, given):
        if i not in suspects:
            continue
        if _is_detached(node, node.edges[i]):
            raise _errors.autograd.detached_in_place()
        value, edge = stale[i], node.edges[i]
        kept, counter = _as_kept(value.aval, _declared_saved(plan, wanted).get(i, ""), edge), _counter_of(value, edge)
        if counter is not None and (value.stamp is None or value.stamp.counter is not counter):
            before = counter.count - 1  # the count at the time of saving is not known; most programs write once
            shown = kept or (value.aval, _made_by(edge))
            raise _errors.autograd.modified_in_place(*shown, counter.count, before)
        raise _modified(*(kept or _current(value, edge)), value.stamp)


def _was_written(node: Node, value: Value, edge: Any) -> bool:
    """Return whether the saved tensor with this value and edge was written to after the node was made.

    A write through another version counter to the memory of a leaf does not count. PyTorch does not notice it, so
    `current_inputs` then returns the new elements.
    """
    global uncounted
    stamp = value.stamp if value.stamp is not None and value.stamp.is_newer_than(node) else None
    counter = _counter_of(value, edge)
    if counter is None:
        return stamp is not None
    if counter.has_counted(node, stamp):
        return True
    if stamp is not None and stamp.since is not None:
        uncounted = min(uncounted, stamp.since)
    return False


def leaf_of(edge: Any) -> Any:
    """Return the leaf that accumulates the gradient of this edge, or None."""
    return edge[0].variable if edge is not None and isinstance(edge[0], nodes.AccumulateGrad) else None


# The version counters of values that were read through tensors with counters of their own, as parts of shared memory.
_counters: WeakKeyDictionary[Value, Any] = WeakKeyDictionary()


def note_counter(value: Value, tensor: Any) -> None:
    """Note that a value is the view of the memory that `tensor`, or a view of it, shows.

    If `tensor` has its own version counter, writes through other tensors to the memory do not count for the value.
    """
    if tensor._counter is not None and value is not tensor._storage.value:
        _counters[value] = tensor._counter


def _counter_of(value: Value, edge: Any) -> Any:
    """Return the version counter of a saved tensor if it is separate from that of its storage, else None."""
    leaf = leaf_of(edge)
    return _counters.get(value) if leaf is None else (leaf if leaf._origin is None else leaf._root())._counter


def _keeps_copies(node: Node, plan: OpPlan) -> bool:
    """Return whether the forward pass keeps residuals, which PyTorch saves in place of the inputs."""
    return plan is not node.plan and ("inputs" in plan.remembers or "all" in plan.remembers)


def _is_detached(node: Node, edge: Any) -> bool:
    """Return whether the tensor with this edge was detached in place after the node was made."""
    extra = None if edge is None else edge[0].extra
    return extra is not None and extra.detached.get(edge[1], node.age) < node.age  # type: ignore[index]


def _declared_saved(plan: OpPlan, wanted: tuple[int, ...]) -> dict[int, str]:
    """Return the inputs that an operator schema declares as saved, as a dictionary.

    A key is the index of an input. Its value names the view of the input that PyTorch saves (a key of `_SEEN`), or is
    "" if PyTorch saves the input itself.
    """
    names = [] if plan.extra is None else [name for name, _ in plan.extra.arrays]
    found = {}
    for each in plan.remembers:
        kept = Kept(each) if isinstance(each, str) else each
        other = kept.only_for
        if kept.name in names and (not other or (other in names and names.index(other) in wanted)):
            found.update((i, kept.seen) for i, name in enumerate(names) if name == kept.name)
    return found


_SEEN: dict[str, Callable[[Any], tuple[int, ...]]] = {
    "T": lambda a: a.shape[::-1],
    "rows": lambda a: (a.numel // max(a.shape[-1], 1), a.shape[-1]),
    "matrices": lambda a: (a.numel // max(math.prod(a.shape[-2:]), 1), *a.shape[-2:]),
    "batch": lambda a: (a.numel // max(math.prod(a.shape[-2:]), 1), *a.shape[-2:]),
    "view": lambda a: a.shape,
    "row": lambda a: (1, *a.shape),
    "column": lambda a: (*a.shape, 1),
}


def _as_kept(aval: Any, seen: str, edge: Any) -> tuple[Any, tuple[int, str] | None] | None:
    """Return the aval and the node of the saved view of an input, or None if PyTorch saves the input itself."""
    if not seen or (seen == "rows" and aval.ndim == 2) or (seen == "matrices" and aval.ndim <= 3):
        return None
    return aval.like(_SEEN[seen](aval)), None if edge is None else (0, "AsStrided")


def remembered_inputs(plan: OpPlan, wanted: tuple[int, ...], given: tuple[int, ...]) -> Collection[int]:
    """Return the saved inputs that PyTorch also saves without copying, in the order in which PyTorch checks them.

    PyTorch checks them in the order of their names, or in the order of the operator schema if it lists them.
    """
    if "all" in plan.remembers:
        return sorted(plan.saved, key=lambda i: _name_of(plan, i))
    if "inputs" in plan.remembers:
        return sorted(dependence(plan, wanted, given), key=lambda i: _name_of(plan, i))
    return [i for i in _declared_saved(plan, wanted) if i in plan.saved]


def _name_of(plan: OpPlan, place: int) -> str:
    """Return PyTorch's name of an input."""
    name = "" if plan.extra is None else plan.extra.arrays[place][0]
    return "self" if name == "input" else name


def _current(value: Value, edge: Any) -> tuple[Any, tuple[int, str] | None]:
    """Return the current shape of a saved tensor, and the current output number and name of its node.

    They can differ from the saved ones only if this tensor is the one that was written to.
    """
    stamp = value.stamp
    owner, fate = stamp.owner and stamp.owner(), stamp.fate
    if stamp.matches(value, edge):
        if owner is not None:
            is_leaf = owner.is_leaf  # reading this updates the history of a view
            return owner._aval, None if is_leaf else (0, short_name(owner._edge[0]))
        if fate is not None and fate.version is not None:
            return fate.aval, fate.made_by
    _check_pieces(edge)
    return value.aval, _made_by(edge)


def _check_pieces(edge: Any) -> None:
    """Raise if the tensor is a view that is one of several results of an operator such as `split`.

    PyTorch does not rebuild the history of such a view after a write.
    """
    made = edge
    while _is_view(made):
        if made[0].plan.name == "pieces":
            raise _errors.autograd.frozen_view((edge[1], short_name(edge[0])), "several", True)
        made = made[0].edges[0]


def _modified(aval: Any, made_by: tuple[int, str] | None, stamp: Stamp) -> RuntimeError:
    version, last = stamp.writes(), None if stamp.fate is None else stamp.fate.version
    if version is None:
        version = stamp.version + 1 if last is None else last
    return _errors.autograd.modified_in_place(aval, made_by, version, stamp.version)


def modified(aval: Any, edge: Any, version: int, expected: int) -> RuntimeError:
    """Return PyTorch's error for a saved tensor with this edge."""
    return _errors.autograd.modified_in_place(aval, _made_by(edge), version, expected)


def _made_by(edge: Any) -> tuple[int, str] | None:
    """Return the output number and name of the node that made a tensor, as in PyTorch's error; None for leaves."""
    if _is_leaf_edge(edge):
        return None
    node, number = edge
    if _is_view(edge):
        return 0, "AsStrided"  # PyTorch rebuilds the history of a view after a write
    return number, short_name(node)


def _is_leaf_edge(edge: Any) -> bool:
    """Return whether the tensor with this edge is a leaf: no operator made it."""
    return edge is None or isinstance(edge[0], nodes.AccumulateGrad)


def short_name(node: Node) -> str:
    """Return the name of a node in the form of PyTorch's errors."""
    stem, _, number = node.name().rpartition("Backward")
    return stem + number.removesuffix("0") if stem and (number.isdigit() or not number) else node.name()


def _is_view(edge: Any) -> bool:
    plan = edge and edge[0].plan
    return plan is not None and makes_view(plan)


def makes_view(plan: OpPlan) -> bool:
    """Return whether the result of an operator is a view of its first input."""
    return plan.op.family == "view" and plan.name not in ("write", "in place")
