"""Reverse-mode differentiation: visit the nodes from the roots, newest first, and record their gradient operators.

The gradients that a pass propagates are pairs (Value, edge). The edge is None unless the backward pass itself is
differentiated (`create_graph`). The engine works on Values only; the public API wraps users' hooks on tensors into
functions of such pairs.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterable, Sequence
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
from torchlike._ops.schema.gradient import carried, chooses, dependence, derivable, gradient, underivable, vanishing
from torchlike._ops.schema.plan import OpPlan, make

Grad = tuple[Value, Edge | None]


def apply(
    plan: OpPlan, values: list[Value], edges: list[Edge | None], scalars: Sequence, differentiate: bool
) -> list[Grad]:
    """Record a plan over pairs. If `differentiate` is set, the results carry edges to a new node."""
    if differentiate and any(e is not None for e in edges):
        node = current().node(plan, values, edges, scalars)
        results = record(plan, values, scalars)
        return [(v, (node, i) if plan.differentiable[i] else None) for i, v in enumerate(results)]
    return [(v, None) for v in record(plan, values, scalars)]


def describe(x: object) -> tuple | None:
    """Return the description of a Value that operator plans are made from, or None for any other object."""
    return (x.aval, None) if isinstance(x, Value) else None


def apply_op(name: str, *args: Grad | object, differentiate: bool = False) -> Grad:
    """Record an operator by name over pairs and plain arguments, without the public API."""
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
    """Return a Value with the same elements, for use in another storage.

    Version checks are made per Value. If each storage has its own Value, a write to one storage does not mark tensors
    saved from the other storage as overwritten.
    """
    if value.array is None or not current().moves:
        return apply_op("clone", (value, None))[0]
    return value.twin()


def owned(pair: Grad) -> Value:
    """Return a gradient's value for use in a storage: a new Value if other references to it exist."""
    return pair[0] if getrefcount(pair[0]) <= TUPLE_ITEM else another(pair[0])


def add(a: Grad | None, b: Grad, differentiate: bool) -> Grad:
    """Return the sum of two gradients of the same value."""
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
    """Record the gradient `plan` of a node for a differentiable backward pass. `source` is the node's own plan."""
    needed = derivable(source, wanted, given)
    edges: list[Any] = [node.edges[i] if i in needed else None for i in source.saved]
    if name := underivable(source):
        error = functools.partial(_errors.autograd.no_second_derivative, name)
        edges = [node.edges[i] and (Refusal(error, [node.edges[i]]), 0) for i in source.saved]
    carrying = carried(source, wanted, given)
    edges += [held[i][1] if i in carrying else None for i in given]
    if source.op.gradient.once:
        refused = any(held[i][1] for i in given)
        found = apply(plan, values, edges, node.scalars, False)
        return [(value, (Refusal(_errors.autograd.once_only), 0) if refused else None) for value, _ in found]
    pairs = apply(plan, values, edges, node.scalars, True)
    if not chooses(source):
        versions.note_gradient(node, len(source.saved), pairs)
    together = source.op.gradient.fused or name or any(held[i][1] for i in given)
    if len(wanted) > 1 and not together:  # give each result only the history of its own inputs
        constant = [all(node.edges[i] is None for i in derivable(source, (w,), given)) for w in wanted]
        pairs = [(value, None if fixed else edge) for fixed, (value, edge) in zip(constant, pairs)]
    flat = [(node.edges[i], source.inputs[i]) for i in vanishing(source) if node.edges[i] is not None]
    if flat:
        return [(value, (Vanishing(value.aval, edge, flat, source.node), 0)) for value, edge in pairs]
    return pairs


class Vanishing(Node):
    """The gradient node of a gradient whose value does not depend on some inputs of the gradient operator.

    Those inputs receive zeros. The gradient is passed unchanged to the edge `edge`.
    """

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
    """A holder for the class of backward passes, shared by all threads. Anomaly detection replaces the class."""

    kind: type[Walk]


passes = _Passes()


class _Running(threading.local):
    walk: Walk | None = None  # the innermost backward pass that runs in this thread


running = _Running()
retaining: dict[int, Callable[[], None]] = {}  # callbacks that mark the nodes where a gradient must be retained


class Walk:
    """A backward pass."""

    frees_at_end = False  # True if saved values are freed at the end of the outermost pass, not after their use

    def __init__(self, keep_graph: bool, create_graph: bool, targets: dict[Edge, int] | None) -> None:
        self.keep_graph, self.create_graph = keep_graph, create_graph
        self.targets = targets  # edges whose gradients are returned; None accumulates into leaves
        self.ends = {node for node, _ in targets or ()}  # as in PyTorch, gradients of all their outputs are computed
        self.captured: dict[Edge, Grad] = {}
        self.leaves: dict[Node, int] = {}  # for each leaf, the number of gradients that have not arrived yet
        self.grads: dict[Node, dict[int, Grad]] = {}
        self.needed: set[Node] | Any = None
        self.inner: set[Node] = set()  # the nodes that are not leaves
        self.at_end: list[Callable[[], None]] = []  # callbacks that run after the pass, in this order
        self.outermost: Walk = self  # the pass in which this pass runs, for example that of a checkpoint

    def run(self, roots: list[Edge], gradients: list[Grad]) -> None:
        """Run the backward pass from `roots` with their initial gradients."""
        outer, running.walk = running.walk, self
        self.outermost = self if outer is None else outer.outermost
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
        # A node is newer than the nodes of its inputs, so "newest first" is a topological order, and PyTorch's order.
        for node in sorted(nodes, key=_newest_first):
            self._visit(node)

    def _collect(self, roots: list[Edge]) -> set[Node]:
        """Return the inner nodes that are reachable from the roots, and count the gradients that each leaf will get."""
        leaves, seen = self.leaves, set()
        stack: list[Node] = [node for node, _ in roots]
        while stack:
            node = stack.pop()
            if node.plan is None and node.edges == ():
                leaves[node] = leaves.get(node, 0) + 1
            elif node not in seen:
                seen.add(node)
                stack.extend([e[0] for e in node.edges if e is not None])
        return seen

    def _leading_to_targets(self, nodes: set[Node]) -> set[Node]:
        """Return the nodes that must run: those from which a target is reachable."""
        ends = self.ends
        needed: set[Node] = set()
        for node in sorted(nodes, key=_newest_first, reverse=True):
            if any(e is not None and (e[0] in needed or e[0] in ends) for e in node.edges):
                needed.add(node)
        return needed

    def will_run(self, node: Node) -> bool:
        """Return whether this pass computes a gradient for an output of the node."""
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
        """Handle the gradient that one edge sends to a leaf, or None. The last edge triggers the accumulation."""
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
        """Run the leaf's pre-hooks, accumulate its total gradient, and run its post-hooks."""
        if leaf.extra is not None:
            grad = self._pre_hooks(leaf, {} if grad is None else {0: grad}).get(0)
        leaf.receive(grad, self.create_graph)
        if leaf.extra is not None:
            self._post_hooks(leaf, [], (), {} if grad is None else {0: grad})

    def _arrived(self, node: Node) -> dict[int, Grad] | None:
        """Run the tensor hooks of a node on the gradients that reached it. Return the gradients.

        The gradients of targets are captured for the caller. As in PyTorch, they are captured before the hooks if the
        pass continues from the node, and after the hooks otherwise.
        """
        held = self.grads.pop(node, None)
        goes_on = self.needed is not None and node in self.needed
        if goes_on:
            self._capture(node, held)
        wanted = self.needed is None or node in self.needed or node in self.ends
        if node.extra is not None and (wanted or held is not None):
            held = held or {}  # hooks are also called if there is no gradient
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
            passed = zip(wanted, grads)
            if node.plan is not None and node.plan.reorders_edges:
                place = {i: number for number, i in enumerate(node.slots())}
                passed = sorted(passed, key=lambda pair: place[pair[0]])  # the order in which leaves get gradients
            for i, grad in passed:
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
        if node.age > versions.uncounted and saved:
            saved = node.saved = versions.current_inputs(node, wanted, given)
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

    def run_for_nothing(self, edges: Iterable[Edge]) -> None:
        """Check and free the saved values of target nodes whose gradients PyTorch computes but does not use."""
        for node, number in dict(list(edges)).items():  # each node once
            if node not in self.inner or node.plan is None or node in self.needed:
                continue
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
    """Reduce a gradient to the shape that the node `target` expects, and return it.

    Broadcast dims are summed. Raise if the shapes do not match. `source` is the node that computed the gradient, and
    `place` is the index of its input.
    """
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
    """Return zeros in place of freed saved tensors that this gradient does not use; raise if it uses them.

    PyTorch does not save tensors that a gradient does not use, so it raises no error for them. It does save numbers
    that it converts to tensors. A plan with such numbers therefore raises.
    """
    plan = node.plan
    # A node whose plan saves no inputs saved residuals, which are always needed.
    if not plan.saved or "all" in plan.remembers or None in plan.slots() or dependence(plan, wanted, given):
        raise _errors.autograd.backward_twice()
    avals = [plan.inputs[i] for i in plan.saved]
    return [Value(a, np.zeros(a.shape, a.dtype.numpy)) for a in avals]


_newest_first = attrgetter("age")
passes.kind = Walk
