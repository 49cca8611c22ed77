"""In-place writes that backward must know of: PyTorch refuses a gradient whose saved tensors were overwritten.

Values are immutable, so a node always has the right ones; still a program that PyTorch stops must stop here. Nothing is
noted when a node saves a value. The write leaves a stamp on the value that it replaces, and backward looks for stamps
younger than the node, only while there has been such a write at all.
"""

from __future__ import annotations

from typing import Any
from weakref import ref

from torchlike import _errors
from torchlike._autograd import nodes
from torchlike._autograd.nodes import Node
from torchlike._core import Value
from torchlike._ops._plan import OpPlan, dependence


class Stamp:
    """On a value (and on what was seen of it through views): when, and in which storage, it was overwritten."""

    __slots__ = ("owner", "since", "storage", "version")

    def __init__(self) -> None:
        self.since: int | None = None  # the age of a node made at that moment; None: it still stands
        self.storage: Any = None
        self.owner: Any = None  # the tensor written to
        self.version = 0  # the storage's version while it held the value

    def set(self, storage: Any, since: int | None, owner: Any = None) -> None:
        """The storage's contents are about to be replaced. Nodes as young as `since` belong to the write itself."""
        global latest
        self.since = next(nodes.sequence) if since is None else since
        self.storage, self.version = ref(storage), storage.version >> 32
        self.owner = None if owner is None else ref(owner)
        latest = min(latest, self.since)

    def before(self, node: Node) -> bool:
        """Whether the write came after the node was made."""
        return self.since is not None and self.since < node.age


SHARED = Stamp()  # on a value that several storages hold: a write to one says nothing about the others
UNSEEN = 2  # the `since` of a write that no node minds: every node is younger
latest = 1  # the last write's `since`: nodes younger than it need no look


def of(value: Value) -> Stamp:
    """The stamp of a value, which its views share."""
    if value.stamp is None:
        value.stamp = Stamp()
    return value.stamp


def note_write(old: Value, storage: Any, since: int | None, owner: Any) -> None:
    """Called before a storage lets go of its contents, because its tensor `owner` is written to."""
    stamp = of(old)
    if stamp is not SHARED and stamp.since is None:
        stamp.set(storage, since, owner)


def note_result(node: Node, storage: Any, owner: Any = None) -> None:
    """Called before the result of a node is overwritten: some nodes need it for their gradient."""
    if node.plan is not None and "result" in node.plan.remembers:
        extra = nodes.hooks_of(node)
        if extra.overwritten is None:
            extra.overwritten = Stamp()
            extra.overwritten.set(storage, None, owner)
    if node.extra is not None and node.extra.inner is not None:
        inner, view = node.extra.inner
        note_result(inner, storage, view())


def note_part(write: Node, made: Node, since: int | None, view: Any) -> None:
    """Called after an operator wrote its result to the part of memory that a view sees, by the node `write`. One whose
    own node `made` is older than the write has only been copied from."""
    if since is not None and made.age < since and made.plan is not None and "result" in made.plan.remembers:
        nodes.hooks_of(write).inner = made, ref(view)


def check(node: Node, wanted: tuple[int, ...], given: tuple[int, ...]) -> None:
    """Raise PyTorch's error if what the node needs for this gradient was overwritten after it was saved."""
    plan = node.plan
    if node.extra is not None and node.extra.overwritten is not None:
        stamp = node.extra.overwritten
        view = stamp.owner and stamp.owner()
        if view is not None and view._cache is not None and view._cache[0] >> 32 > stamp.version:
            stamp.owner = None  # its history was made anew since, and is not that of the result any more
        raise _modified(plan.outputs[0], (node, 0), stamp)
    if not plan.remembers or plan.remembers == ("result",):
        return
    stale = [(i, v) for i, v in zip(plan.saved, node.saved or ()) if v.stamp is not None and v.stamp.before(node)]
    if stale:
        needed = plan.saved if "all" in plan.remembers else dependence(plan, wanted, given)
        for i, value in sorted(stale, key=lambda pair: _name_of(plan, pair[0])):
            if i in needed:
                raise _modified(value.aval, node.edges[i], value.stamp)


def _name_of(plan: OpPlan, place: int) -> str:
    """PyTorch's name of an input: it looks at what it saved in the order of the names."""
    name = "" if plan.extra is None else plan.extra.arrays[place][0]
    return "self" if name == "input" else name


def _modified(aval: Any, edge: Any, stamp: Stamp) -> RuntimeError:
    storage = stamp.storage()
    version = stamp.version + 1 if storage is None else storage.version >> 32
    owner = stamp.owner and stamp.owner()
    if owner is not None and owner._edge is not None and not _is_view(edge):
        edge = owner._edge  # PyTorch names the operator that wrote
    return modified(aval, edge, version, stamp.version)


def modified(aval: Any, edge: Any, version: int, expected: int) -> RuntimeError:
    """PyTorch's error for a saved tensor of this history."""
    return _errors.autograd.modified_in_place(aval, _made_by(edge), version, expected)


def _made_by(edge: Any) -> tuple[int, str] | None:
    """Which output of which operator a tensor was, as PyTorch's error puts it; nothing for leaves."""
    if edge is None or isinstance(edge[0], nodes.AccumulateGrad):
        return None
    node, number = edge
    if _is_view(edge):
        return 0, "AsStrided"  # after a write PyTorch makes the history of a view anew
    return number, short_name(node)


def short_name(node: Node) -> str:
    """A node's name as PyTorch's errors have it."""
    stem, _, number = node.name().rpartition("Backward")
    return stem + number.removesuffix("0") if stem else number


def _is_view(edge: Any) -> bool:
    plan = edge and edge[0].plan
    return plan is not None and plan.op.family == "view" and plan.name != "write"
