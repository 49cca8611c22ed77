"""Backward: walk the nodes from the roots, newest first, and record each one's gradient operator.

A gradient in flight is a pair (Value, edge): the edge is None unless the walk itself is differentiated
(`create_graph`). Tensors never appear here; hooks are wrapped by the facade into functions over such pairs.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable

from torchlike import _errors
from torchlike._autograd.nodes import Edge, Node
from torchlike._core import Value, record
from torchlike._ops._declare import REGISTRY
from torchlike._ops._plan import OpPlan, gradient, make

Grad = tuple[Value, Edge | None]


def apply(plan: OpPlan, values: list[Value], edges: list[Edge | None], scalars: list, differentiate: bool) -> list[Grad]:
    """Record a plan over pairs; with `differentiate`, its results carry edges to a new node."""
    results = record(plan, values, scalars)
    if differentiate and any(e is not None for e in edges):
        node = Node.quick(plan, values, edges, scalars)
        return [(v, (node, i) if plan.differentiable[i] else None) for i, v in enumerate(results)]
    return [(v, None) for v in results]


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


def add(a: Grad | None, b: Grad, differentiate: bool) -> Grad:
    """The sum of two gradients of one value."""
    return b if a is None else apply_op("add", a, b, differentiate=differentiate)


class Walk:
    """One backward pass."""

    def __init__(self, keep_graph: bool, create_graph: bool, targets: dict[Edge, int] | None) -> None:
        self.keep_graph, self.create_graph = keep_graph, create_graph
        self.targets = targets  # edges whose gradients are asked for; None accumulates into leaves
        self.captured: dict[Edge, Grad] = {}
        self.waiting: dict[Node, int] = {}
        self.grads: dict[Node, dict[int, Grad]] = {}
        self.needed: set[Node] | None = None

    def run(self, roots: list[Edge], gradients: list[Grad]) -> None:
        self._count(roots)
        if self.targets is not None:
            self.needed = self._leading_to_targets()
        for (node, number), grad in zip(roots, gradients):
            self._arrive(node, number, grad)
        ready = [(-n.seq, i, n) for i, n in enumerate(dict.fromkeys(e[0] for e in roots)) if not self.waiting.get(n)]
        heapq.heapify(ready)
        tick = len(ready)
        while ready:
            node = heapq.heappop(ready)[2]
            for edge in self._visit(node):
                follower = edge[0]
                self.waiting[follower] -= 1
                if not self.waiting[follower]:
                    tick += 1
                    heapq.heappush(ready, (-follower.seq, tick, follower))

    def _count(self, roots: list[Edge]) -> None:
        """How many gradients each node waits for."""
        stack = list({e[0] for e in roots})
        seen = set(stack)
        waiting = self.waiting
        while stack:
            for edge in stack.pop().edges:
                if edge is not None:
                    node = edge[0]
                    waiting[node] = waiting.get(node, 0) + 1
                    if node not in seen:
                        seen.add(node)
                        stack.append(node)
        self.seen = seen

    def _leading_to_targets(self) -> set[Node]:
        """The nodes that must run: those from which a target can be reached."""
        targets = {node for node, _ in self.targets or ()}
        needed: set[Node] = set()
        for node in sorted(self.seen, key=lambda n: n.seq if n.edges else -1):
            if any(e is not None and (e[0] in needed or e[0] in targets) for e in node.edges):
                needed.add(node)
        return needed

    def _arrive(self, node: Node, number: int, grad: Grad) -> None:
        held = self.grads.setdefault(node, {})
        held[number] = add(held.get(number), grad, self.create_graph)

    def _visit(self, node: Node) -> list[Edge]:
        """Run one node; returns the edges it has settled."""
        held = self.grads.pop(node, {})
        if node.extra is not None:
            held = self._pre_hooks(node, held)
        if self.targets is not None:
            for number, grad in held.items():
                if (node, number) in self.targets:
                    self.captured[node, number] = grad
        receive = getattr(node, "receive", None)
        if receive is not None:
            if self.targets is None and held:
                receive(held[0], self.create_graph)
            return []
        edges = [e for e in node.edges if e is not None]
        if held and (self.needed is None or node in self.needed):
            self._differentiate(node, held)
        return edges

    def _differentiate(self, node: Node, held: dict[int, Grad]) -> None:
        wanted = tuple([i for i, e in enumerate(node.edges) if e is not None and self._wants(e)])
        if not wanted:
            return
        grads = self._gradients(node, held, wanted)
        if node.extra is not None and node.extra.post:
            grads = self._post_hooks(node, grads, wanted, held)
        for i, grad in zip(wanted, grads):
            if grad is not None:
                node_, number = node.edges[i]  # type: ignore[misc]
                self._arrive(node_, number, grad)

    def _wants(self, edge: Edge) -> bool:
        return self.needed is None or edge[0] in self.needed or edge in self.targets  # type: ignore[operator]

    def _gradients(self, node: Node, held: dict[int, Grad], wanted: tuple[int, ...]) -> list[Grad | None]:
        custom: Callable | None = getattr(node, "differentiate", None)
        if custom is not None:
            return custom(held, wanted, self)
        if node.saved is None:
            raise _errors.backward_twice()
        given = tuple(sorted(held))
        plan = gradient(node.plan, wanted, given)
        values = [*node.saved, *[held[i][0] for i in given]]
        edges: list[Edge | None] = []
        if self.create_graph:
            edges = [node.edges[i] for i in node.plan.saved] + [held[i][1] for i in given]
        result = apply(plan, values, edges, node.scalars, self.create_graph)
        if not self.keep_graph and node.saved:
            node.saved = None
        return list(result)

    def _pre_hooks(self, node: Node, held: dict[int, Grad]) -> dict[int, Grad]:
        extra = node.extra
        assert extra is not None
        for number, hooks in extra.tensor.items():
            for hook in list(hooks.values()):
                if number in held:
                    held[number] = hook(held[number], self.create_graph)
        for hook in list(extra.pre.values()):
            held = hook(held, node)
        return held

    def _post_hooks(self, node: Node, grads: list, wanted: tuple[int, ...], held: dict[int, Grad]) -> list:
        for hook in list(node.extra.post.values()):  # type: ignore[union-attr]
            grads = hook(grads, wanted, held, node)
        return grads
