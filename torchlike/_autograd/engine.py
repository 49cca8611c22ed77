"""Backward: walk the nodes from the roots, newest first, and record each one's gradient operator.

A gradient in flight is a pair (Value, edge): the edge is None unless the walk itself is differentiated
(`create_graph`). Tensors never appear here; hooks are wrapped by the facade into functions over such pairs.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Sequence
from operator import attrgetter
from sys import getrefcount
from typing import Any

import numpy as np

from torchlike import _errors
from torchlike._autograd import sparse_value, versions
from torchlike._autograd.nodes import Edge, Node, Refusal, Sink
from torchlike._autograd.sparse_value import SparseValue
from torchlike._dtypes.recorder import current
from torchlike._engine import Aval, Value, record
from torchlike._engine.trace.ownership import TUPLE_ITEM
from torchlike._ops.schema.declare import REGISTRY
from torchlike._ops.schema.plan import (
    OpPlan,
    carried,
    chooses,
    dependence,
    derivable,
    gradient,
    make,
    underivable,
    vanishing,
)

Grad = tuple[Value, Edge | None]


def apply(
    plan: OpPlan, values: list[Value], edges: list[Edge | None], scalars: Sequence, differentiate: bool
) -> list[Grad]:
    """Record a plan over pairs; with `differentiate`, its results carry edges to a new node."""
    if differentiate and any(e is not None for e in edges):
        node = current().node(plan, values, edges, scalars)
        results = record(plan, values, scalars)
        return [(v, (node, i) if plan.differentiable[i] else None) for i, v in enumerate(results)]
    return [(v, None) for v in record(plan, values, scalars)]


def describe(x: object) -> tuple | None:
    """How plans see a bare Value."""
    return (x.aval, None) if isinstance(x, Value) else None


def apply_op(name: str, *args: Grad | object, differentiate: bool = False) -> Grad:
    """Record the operator of this name over pairs and plain arguments, outside the facade."""
    op = REGISTRY[name]
    plain = tuple(a[0] if isinstance(a, tuple) and a and isinstance(a[0], Value) else a for a in args)
    key = ("pairs", *[a.aval if isinstance(a, Value) else (type(a), a) for a in plain])
    plan = op.plans.get(key)
    if plan is None:
        plan = op.plans[key] = make(op, plain, {}, describe)
    pairs = [a for a in args if isinstance(a, tuple) and a and isinstance(a[0], Value)]
    numbers = [a for a, kind in zip(plain, op.kinds) if type(a) in plan.scalars and not isinstance(a, Value)]
    return apply(plan, [p[0] for p in pairs], [p[1] for p in pairs], numbers, differentiate)[0]


def another(value: Value) -> Value:
    """The same elements as a value for another storage: what is saved of one must not count as overwritten with the
    other."""
    if value.array is None or not current().moves:
        return apply_op("clone", (value, None))[0]
    return value.twin()


def owned(pair: Grad) -> Value:
    """The value of a gradient, to be kept in a storage: another one where anybody but the pair holds this one."""
    return pair[0] if getrefcount(pair[0]) <= TUPLE_ITEM else another(pair[0])


def add(a: Grad | None, b: Grad, differentiate: bool) -> Grad:
    """The sum of two gradients of one value."""
    if a is None:
        return b
    if a[0].__class__ is SparseValue or b[0].__class__ is SparseValue:
        return sparse_value.total(a, b, differentiate)
    return apply_op("add", a, b, differentiate=differentiate)


def differentiated(
    plan: OpPlan,
    source: OpPlan,
    values: list[Value],
    node: Node,
    held: dict[int, Grad],
    wanted: tuple[int, ...],
    given: tuple[int, ...],
) -> list[Grad]:
    """Record the gradient `plan` of a node whose own plan is `source`, to be differentiated in turn."""
    needed = derivable(source, wanted, given)
    edges: list[Any] = [node.edges[i] if i in needed else None for i in source.saved]
    if name := underivable(source):
        error = functools.partial(_errors.autograd.no_second_derivative, name)
        edges = [node.edges[i] and (Refusal(error, [node.edges[i]]), 0) for i in source.saved]
    carrying = carried(source, wanted, given)
    edges += [held[i][1] if i in carrying else None for i in given]
    if source.op.once:
        refused = any(held[i][1] for i in given)
        found = apply(plan, values, edges, node.scalars, False)
        return [(value, (Refusal(_errors.autograd.once_only), 0) if refused else None) for value, _ in found]
    pairs = apply(plan, values, edges, node.scalars, True)
    if not chooses(source):
        versions.note_gradient(node, len(source.saved), pairs)
    together = source.op.fused or name or any(held[i][1] for i in given)
    if len(wanted) > 1 and not together:  # each result by what it alone depends on
        constant = [all(node.edges[i] is None for i in derivable(source, (w,), given)) for w in wanted]
        pairs = [(value, None if fixed else edge) for fixed, (value, edge) in zip(constant, pairs)]
    flat = [(node.edges[i], source.inputs[i]) for i in vanishing(source) if node.edges[i] is not None]
    if flat:
        return [(value, (Vanishing(value.aval, edge, flat, source.node), 0)) for value, edge in pairs]
    return pairs


class Vanishing(Node):
    """The history of a gradient by inputs whose values it does not depend on: zeros for them, and what arrives for the
    history that it has besides."""

    __slots__ = ("_avals", "_name", "_own")

    def __init__(self, own: Aval, edge: Edge | None, flat: Sequence[tuple[Edge | None, Aval]], name: str) -> None:
        super().__init__(None, [], [edge, *[e for e, _ in flat]], [])
        self._own, self._avals = own, [a for _, a in flat]
        stem = name.rstrip("0123456789")
        self._name = f"{stem}Backward{name[len(stem) :]}"

    def name(self) -> str:
        return self._name

    def outputs(self) -> int:
        return 1

    def result(self, number: int) -> Any:
        return self._own

    def differentiate(self, held: dict[int, Grad], wanted: tuple[int, ...], walk: Walk) -> Sequence[Grad | None]:
        avals = self._avals
        zero = lambda a: (Value(a, np.zeros(a.shape, a.dtype.numpy)), None)
        return [held.get(0) if i == 0 else zero(avals[i - 1]) for i in wanted]


class _Passes:
    """The class of a plain backward pass, in all threads."""

    kind: type[Walk]


passes = _Passes()


class _Running(threading.local):
    walk: Walk | None = None  # the innermost backward pass under way in this thread


running = _Running()
retaining: dict[int, Callable[[], None]] = {}  # each marks the node at which a tensor's gradient is to be kept


class Walk:
    """One backward pass."""

    def __init__(self, keep_graph: bool, create_graph: bool, targets: dict[Edge, int] | None) -> None:
        self.keep_graph, self.create_graph = keep_graph, create_graph
        self.targets = targets  # edges whose gradients are asked for; None accumulates into leaves
        self.ends = {node for node, _ in targets or ()}  # as in PyTorch, what leads to another output is computed too
        self.captured: dict[Edge, Grad] = {}
        self.leaves: dict[Node, int] = {}  # how many gradients each leaf still waits for
        self.grads: dict[Node, dict[int, Grad]] = {}
        self.needed: set[Node] | Any = None
        self.inner: set[Node] = set()  # the nodes that are no leaves
        self.at_end: list[Callable[[], None]] = []  # what is called after the walk, in this order

    def run(self, roots: list[Edge], gradients: list[Grad]) -> None:
        """Walk from the roots, each with the gradient that it starts with."""
        outer, running.walk = running.walk, self
        try:
            self._run(roots, gradients)
            for call in self.at_end:
                call()
        finally:
            running.walk = outer

    def _run(self, roots: list[Edge], gradients: list[Grad]) -> None:
        if retaining:
            for mark in list(retaining.values()):
                mark()
        nodes = self.inner = self._collect(roots)
        if self.targets is not None:
            self.needed = self._leading_to_targets(nodes)
        for (node, number), grad in zip(roots, gradients):
            if node in self.leaves:
                self._give(node, grad)
            else:
                if node.extra is not None and node.extra.reshaped:
                    grad = _as_expected(grad, node, number, create_graph=self.create_graph)
                self._arrive(node, number, grad)
        # Consumers are newer than what they consume, so newest first is a topological order (and PyTorch's).
        for node in sorted(nodes, key=_newest_first):
            self._visit(node)

    def _collect(self, roots: list[Edge]) -> set[Node]:
        """The inner nodes reachable from the roots; leaves are counted apart, by how many gradients they will get."""
        leaves, seen = self.leaves, set()
        stack: list[Node] = []
        for edge in dict.fromkeys(roots):
            stack.append(edge[0])
        while stack:
            node = stack.pop()
            if node.plan is None and node.edges == ():
                leaves[node] = leaves.get(node, 0) + 1
            elif node not in seen:
                seen.add(node)
                stack.extend([e[0] for e in node.edges if e is not None])
        return seen

    def _leading_to_targets(self, nodes: set[Node]) -> set[Node]:
        """The nodes that must run: those from which a target can be reached."""
        ends = self.ends
        needed: set[Node] = set()
        for node in sorted(nodes, key=_newest_first, reverse=True):
            if any(e is not None and (e[0] in needed or e[0] in ends) for e in node.edges):
                needed.add(node)
        return needed

    def will_run(self, node: Node) -> bool:
        """Whether this pass computes a gradient of what the node made."""
        if self.needed is None:
            return node in self.inner or node in self.leaves
        return node in self.needed or node in self.ends

    def _arrive(self, node: Node, number: int, grad: Grad) -> None:
        held = self.grads.get(node)
        if held is None:
            self.grads[node] = {number: grad}
        else:
            held[number] = add(held.get(number), grad, self.create_graph)

    def _give(self, leaf: Node, grad: Grad | None) -> None:
        """One of a leaf's gradients has come (None: it will not); with the last one it is accumulated."""
        if leaf.__class__ is Sink:
            return
        left = self.leaves[leaf] = self.leaves[leaf] - 1
        if grad is not None and (left or leaf in self.grads):
            self._arrive(leaf, 0, grad)
        if left:
            return
        if leaf in self.grads or leaf.extra is not None or self.targets is not None:
            if grad is not None and leaf not in self.grads:
                self._arrive(leaf, 0, grad)
            held = self._arrived(leaf)
            grad = held.get(0) if held else None
        if self.targets is None:
            self.deliver(leaf, grad)

    def deliver(self, leaf: Any, grad: Grad | None) -> None:
        """Accumulate the whole gradient of a leaf, between the hooks of its node."""
        if leaf.extra is not None:
            grad = self._pre_hooks(leaf, {} if grad is None else {0: grad}).get(0)
        leaf.receive(grad, self.create_graph)
        if leaf.extra is not None:
            self._post_hooks(leaf, [], (), {} if grad is None else {0: grad})

    def _arrived(self, node: Node) -> dict[int, Grad] | None:
        """The gradients that reached a node, after its tensors' hooks; captured where they were asked for: before the
        hooks where the pass goes on from there, as PyTorch does."""
        held = self.grads.pop(node, None)
        goes_on = self.needed is not None and node in self.needed
        if goes_on:
            self._capture(node, held)
        wanted = self.needed is None or node in self.needed or node in self.ends
        if node.extra is not None and (wanted or held is not None):
            held = held or {}  # hooks are called where there is no gradient too
            self._tensor_hooks(node, held)
        if not goes_on:
            self._capture(node, held)
        return held

    def _capture(self, node: Node, held: dict[int, Grad] | None) -> None:
        if self.targets is not None and held is not None:
            for number, grad in held.items():
                if (node, number) in self.targets:
                    self.captured[node, number] = grad

    def _visit(self, node: Node) -> None:
        held = self._arrived(node) if node.extra is not None or self.targets is not None else self.grads.pop(node, None)
        edges, leaves = node.edges, self.leaves
        wanted: tuple[int, ...] = ()
        if (held or node.extra is not None or node.runs_on_nothing) and (self.needed is None or node in self.needed):
            if self.needed is None:
                wanted = tuple([i for i, e in enumerate(edges) if e is not None])
            else:
                wanted = tuple([i for i, e in enumerate(edges) if e is not None and self._wants(e)])
            if node.extra is None:
                grads = self._gradients(node, held or {}, wanted)
            else:
                held = self._pre_hooks(node, held or {})
                runs = held or node.runs_on_nothing
                grads = self._gradients(node, held, wanted) if runs else [None] * len(wanted)
                grads = self._post_hooks(node, grads, wanted, held)
            for i, grad in zip(wanted, grads):
                target, number = edges[i]
                if target in leaves:
                    self._give(target, grad)
                elif grad is not None:
                    if target.extra is not None and target.extra.reshaped:
                        grad = _as_expected(grad, target, number, node, i, self.create_graph)
                    self._arrive(target, number, grad)
        if self.needed is not None or not held:
            for i, e in enumerate(edges):
                if e is not None and e[0] in leaves and i not in wanted:
                    self._give(e[0], None)

    def _wants(self, edge: Edge) -> bool:
        return edge[0] in self.needed or edge[0] in self.ends

    def _gradients(self, node: Node, held: dict[int, Grad], wanted: tuple[int, ...]) -> Sequence[Grad | None]:
        if node.plan is None:
            return node.differentiate(held, wanted, self)
        saved = node.saved
        given = tuple(held) if len(held) == 1 else tuple(sorted(held))
        if saved is None:
            saved = node.saved = _not_needed(node, wanted, given)
        if node.age > versions.latest:
            versions.check(node, wanted, given)
        cotangents = [held[i][0] for i in given]
        source = node.plan
        if self.create_graph:
            source, saved = node.repeatable()
        plan = source.gradients.get((wanted, given)) or gradient(source, wanted, given)
        values = [*saved, *cotangents]
        if not self.keep_graph and (saved or "all" in node.plan.remembers):
            node.saved = None
        if not self.create_graph:
            return [(v, None) for v in current().record(plan, values, node.scalars)]
        return differentiated(plan, source, values, node, held, wanted, given)

    def run_for_nothing(self, node: Node, number: int) -> None:
        """What PyTorch runs although nobody asks for its gradients: it only shows in what is refused, and let go of."""
        if node not in self.inner or node.plan is None:
            return
        wanted = tuple([i for i, e in enumerate(node.edges) if e is not None])
        if node.saved is None:
            _not_needed(node, wanted, (number,))
        elif node.age > versions.latest:
            versions.check(node, wanted, (number,))
        if not self.keep_graph and (node.saved or "all" in node.plan.remembers):
            node.saved = None

    def _tensor_hooks(self, node: Node, held: dict[int, Grad]) -> None:
        extra = node.extra
        assert extra is not None
        for number, hooks in extra.tensor.items():
            for hook in list(hooks.values()):
                grad = hook(held.get(number), self.create_graph)
                if grad is not None:
                    held[number] = grad
        for number, keep in extra.retained.items():
            if number in held:
                keep(held[number])

    def _pre_hooks(self, node: Node, held: dict[int, Grad]) -> dict[int, Grad]:
        for hook in list(node.extra.pre.values()):
            held = hook(held, node)
        return held

    def _post_hooks(self, node: Node, grads: Sequence, wanted: tuple[int, ...], held: dict[int, Grad]) -> Sequence:
        for hook in list(node.extra.post.values()):
            grads = hook(grads, wanted, held, node)
        return grads


def _as_expected(
    grad: Grad, target: Node, number: int, source: Node | None = None, place: int = 0, create_graph: bool = False
) -> Grad:
    """A gradient on its way from an input of `source` to a node that knows its result in another shape: broadcast dims
    are summed, what does not fit is refused."""
    expected = target.result(number)
    if expected is None or grad[0].aval.shape == expected.shape:
        return grad
    got, shape = tuple(grad[0].aval.shape), tuple(expected.shape)
    lead = len(got) - len(shape)
    if lead < 0 or any(n not in (1, m) for n, m in zip(shape, got[lead:])):
        maker = None if source is None else (source.name(), list(source.slots()).index(place))
        raise _errors.autograd.invalid_gradient(maker, got, shape)
    dims = tuple(d for d, m in enumerate(got) if d < lead or shape[d - lead] != m)
    if dims:
        grad = apply_op("sum", grad, dims, True, differentiate=create_graph)
    return apply_op("view", grad, shape, differentiate=create_graph)


def _not_needed(node: Node, wanted: tuple[int, ...], given: tuple[int, ...]) -> list[Value]:
    """In place of what a node no longer holds, zeros, where this gradient makes no use of it. PyTorch would not have
    saved it, unless it is a number that it takes as a tensor."""
    plan = node.plan
    # With no saved inputs it was residuals that the node held.
    if not plan.saved or "all" in plan.remembers or None in plan.slots() or dependence(plan, wanted, given):
        raise _errors.autograd.backward_twice()
    avals = [plan.inputs[i] for i in plan.saved]
    return [Value(a, np.zeros(a.shape, a.dtype.numpy)) for a in avals]


_newest_first = attrgetter("age")
passes.kind = Walk
