"""Recordings whose result is differentiated later: one operator for the forward pass and one for its gradient.

The gradient is captured together with the call, by one backward pass from the results to the leaves. The trace is then
split in two. Values of the forward part that the gradient needs become additional results of the forward operator.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from torchlike import _errors
from torchlike._autograd import versions
from torchlike._autograd.engine import Grad, Walk
from torchlike._autograd.nodes import AccumulateGrad, Edge, Node
from torchlike._autograd.sparse_value import maker_of, parts_of
from torchlike._compile.purity import Refusal, computes_only
from torchlike._compile.saved_inputs import SavedInput, saved_inputs, written
from torchlike._dtypes.recorder import current
from torchlike._engine import Aval, Plan, Value, record
from torchlike._engine.ranks.collective import Part, record_collective
from torchlike._engine.trace.capture import WholeTrace
from torchlike._engine.trace.interrupts import reraise
from torchlike._engine.trace.trace import operators
from torchlike._engine.xla.executor import numbers_of
from torchlike._tensor.tensor import Tensor
from torchlike._transforms.context import FunctionNode


class Entrance(Node):
    """The gradient node that stands for an argument's history during a capture.

    It is a leaf in the backward pass from the results of the call. Any other backward pass stops the capture, and the
    node is the identity in it.
    """

    __slots__ = ()

    def __init__(self, edge: Edge) -> None:
        super().__init__(None, (), (edge,), ())

    def outputs(self) -> int:
        return 1

    def result(self, number: int) -> Any:
        node, place = self.edges[0]
        return node.result(place)

    def name(self) -> str:
        return self.edges[0][0].name()

    @property
    def next_functions(self) -> tuple:
        """The `next_functions` of the node that this one replaces."""
        return self.edges[0][0].next_functions

    def differentiate(self, held: dict[int, Grad], wanted: tuple[int, ...], walk: Walk) -> list[Grad | None]:
        """Return the incoming gradient for each wanted edge. Stop the capture, if one is in progress."""
        capture = current().capture
        if capture is not None:
            capture.stop("a backward pass reaches the autograd history of an argument")
        return [held.get(0) for _ in wanted]


_HELD = ("saved", "packed", "kept", "given", "recordings")  # attributes of nodes that a backward pass frees


def nodes_of(edges: Sequence[Edge]) -> list[Node]:
    """Return the nodes that are reachable from `edges` up to `Entrance` nodes, in the order of the traversal."""
    seen: dict[Node, None] = {}
    stack = [e[0] for e in edges]
    while stack:
        node = stack.pop()
        if node not in seen:
            seen[node] = None
            if not isinstance(node, Entrance):
                stack.extend([e[0] for e in node.edges if e is not None])
    return list(seen)


def _outputs_of(nodes: Sequence[Node], edges: Sequence[Edge]) -> dict[Node, frozenset[int]]:
    """Return the positions in `edges` of the outputs that lead to each node."""
    reached = [set(nodes_of([edge])) for edge in edges]
    return {node: frozenset([i for i, found in enumerate(reached) if node in found]) for node in nodes}


def _holders(nodes: Sequence[Node]) -> list:
    """Return the objects that hold saved values: the nodes, also those inside of them, and custom functions' calls."""
    found, todo = dict.fromkeys(nodes), nodes
    while todo:
        inside = nodes_of([edge for node in todo for edge in node.inside()])
        todo = [node for node in inside if node not in found]
        found.update(dict.fromkeys(todo))
    return [*found, *[node.call for node in found if isinstance(node, FunctionNode)]]


def is_alive(edge: Edge | None) -> bool:
    """Return whether `edge` is an edge and no node reachable from it was freed by a backward pass.

    As a side effect, freed nodes drop their remaining references. Nodes whose edges all lead to freed nodes are freed
    too: no backward pass can run through them.
    """
    if edge is None:
        return False
    nodes = nodes_of([edge])
    spent = {node for node in nodes if node.is_spent}
    if not spent:
        return True
    for node in sorted(nodes, key=lambda node: node.age, reverse=True):  # newer nodes have smaller ages
        if node in spent:
            node.forget()
        elif (ends := [e[0] for e in node.edges if e is not None]) and spent.issuperset(ends):
            spent.add(node)
            for x in _holders([node]):
                for name in _HELD:
                    if getattr(x, name, None) is not None:
                        setattr(x, name, None)
    return False


class cut_off:
    """A context that replaces the histories of arguments by `Entrance` nodes during a capture.

    An `Entrance` links to the real history, which is needed if the call turns out not to be capturable.
    """

    def __init__(self, tensors: Sequence[Tensor]) -> None:
        edges = {id(t): (t, t._edge) for t in tensors if t._edge is not None}
        self.cut = [
            (t, edge, (Entrance(edge), 0)) for t, edge in edges.values() if not isinstance(edge[0], AccumulateGrad)
        ]

    def __enter__(self) -> None:
        for t, _, entrance in self.cut:
            t._edge = entrance

    def __exit__(self, *_: object) -> None:
        for t, edge, entrance in self.cut:
            if t._edge is entrance:  # the call did not write to the tensor
                t._edge = edge


class Gradient:
    """The backward part of a trace, captured by one backward pass from `roots`.

    `is_outside` returns whether an object existed before the call.

    Raises:
      Refusal: if the backward pass fails, reaches the history of an outside tensor that is not an argument, or may have
        side effects in hooks or backward functions. The graph is then unchanged.
    """

    def __init__(self, trace: WholeTrace, roots: Sequence[Tensor], is_outside: Callable[[Any], bool]) -> None:
        edges: list[Any] = [t._edge for t in roots]
        avals = [t._aval for t in roots]
        self.trace = trace
        self.begin, self.first = len(trace.code), len(trace.results)
        nodes = nodes_of(edges)
        self.leaves = [node for node in nodes if isinstance(node, AccumulateGrad | Entrance)]
        if any(node.age >= trace.before and node not in self.leaves for node in nodes):  # newer nodes have smaller ages
            raise Refusal("it uses an outside tensor that has an autograd history")
        if not all(node in self.leaves or computes_only(node, is_outside) for node in nodes):
            raise Refusal("a hook or backward function may have side effects")
        self.cotangents = [Value(a, np.zeros(a.shape, a.dtype.numpy)) for a in avals]
        walk = Walk(False, False, {(leaf, 0): i for i, leaf in enumerate(self.leaves)})
        outputs = _outputs_of(nodes, edges)
        self.inputs = saved_inputs(trace, outputs, self.leaves)
        self.reached = [outputs[leaf] for leaf in self.leaves]  # the outputs that depend on each leaf
        self.results = {i: outputs[edge[0]] for i, edge in enumerate(edges) if versions.saves_result(*edge)}
        outside = [(leaf.extra, leaf.edges) for leaf in self.leaves]  # leaf hooks run later, with the real gradients
        for leaf in self.leaves:
            leaf.extra, leaf.edges = None, ()
        held = [(x, name, getattr(x, name)) for x in _holders(nodes) for name in _HELD if hasattr(x, name)]
        try:
            walk.run(edges, [(v, None) for v in self.cotangents])
        except Exception as error:
            for x, name, before in held:
                setattr(x, name, before)
            reraise(error)
            raise Refusal(f"its gradient cannot be computed: {error}") from error
        finally:
            del held
            for leaf, (extra, before) in zip(self.leaves, outside):
                leaf.extra, leaf.edges = extra, before
        found = [walk.captured.get((leaf, 0)) for leaf in self.leaves]
        parts = [() if pair is None else parts_of(pair[0]) for pair in found]
        for value in [*itertools.chain.from_iterable(parts), *self.cotangents]:
            if value.trace is not trace:
                trace.adopt(value)
        # The slots of the parts of each leaf's gradient, and the functions that assemble the gradients.
        self.slots = [tuple(value.slot for value in each) for each in parts]
        self.makers = [None if pair is None else maker_of(pair[0]) for pair in found]

    def used(self) -> tuple[list[int], list[int]]:
        """Return the slots of the forward results and of the trace's inputs that the backward part uses."""
        ours = {value.slot for value in self.cotangents}
        slots = {s for _, given in operators(self.trace.code[self.begin :]) for s in given}
        slots.update(*self.slots)
        return (
            sorted(s for s in slots if 0 <= s < self.first),
            sorted((s for s in slots if s < 0 and s not in ours), reverse=True),
        )


def avals_of(trace: WholeTrace) -> list[Aval]:
    """Return the avals of all results of a trace."""
    return [aval for plan, _ in operators(trace.code) for aval in plan.outputs]


_parts: WeakValueDictionary[tuple, Part] = WeakValueDictionary()


def part(
    trace: WholeTrace, name: str, begin: int, end: int, first: int, given: Sequence[int], wanted: Sequence[int]
) -> Plan:
    """Return the entries `begin` to `end` of a trace as one operator.

    The operator takes the arrays of the slots `given` and all numbers of the trace. It returns the arrays of the slots
    `wanted`. `first` is the slot of the part's first result. Equal parts are the same object, so that compiled calls
    with equal operators share their programs.
    """
    _, places, kinds = numbers_of(trace)
    skipped = sum(bool(plan.scalars) for plan, _ in operators(trace.code[:begin]))
    code, places = tuple(trace.code[begin:end]), places[skipped:]
    avals = avals_of(trace)
    aval = lambda slot: avals[slot] if slot >= 0 else trace.held[~slot].aval

    shapes = tuple(map(aval, given)), tuple(kinds), tuple(map(aval, wanted))
    made = Part(name, shapes, code, places, given, first, wanted)
    return _parts.setdefault((name, shapes, made.code, made.places, made.sources, first, made.gives), made)


def recorded(plan: Plan, values: Sequence[Value], numbers: Sequence) -> tuple[Value, ...]:
    """Record a part of a trace."""
    return (record if plan.mesh is None else record_collective)(plan, values, numbers)


class CompiledNode(Node):
    """The gradient node of a compiled call. Its backward function is one operator."""

    __slots__ = ("avals", "checked", "gradient", "numbers", "places", "saved_results")

    def __init__(
        self,
        edges: Sequence[Edge | None],
        saved: Sequence[Value],
        avals: Sequence[Aval],
        gradient: Plan,
        places: Sequence[tuple[tuple[int, ...], Any, frozenset[int]]],
        numbers: Sequence,
        checked: Sequence[tuple[SavedInput, Value]],
        saved_results: Mapping[int, frozenset[int]],
    ) -> None:
        super().__init__(None, saved, edges, ())
        self.checked, self.saved_results = checked, saved_results
        self.avals, self.gradient, self.places, self.numbers = avals, gradient, places, numbers

    def outputs(self) -> int:
        return len(self.avals)

    def result(self, number: int) -> Aval:
        return self.avals[number]

    def name(self) -> str:
        return "CompiledFunctionBackward"

    def free(self) -> None:
        self.saved, self.checked = None, ()

    def differentiate(self, held: dict[int, Grad], wanted: tuple[int, ...], walk: Walk) -> list[Grad | None]:
        """Return the gradients of the wanted edges."""
        if walk.create_graph:
            raise RuntimeError("torch.compile with aot_autograd does not currently support double backward")
        if self.saved is None:
            raise _errors.autograd.backward_twice()
        if self.age > versions.latest:
            versions.check_captured_results(self, held)
            for saved, value in self.checked:
                if not saved.outputs.isdisjoint(held):
                    saved.check(self, value)
        if self.age > versions.uncounted:
            self.saved = written(self, self.saved, self.checked)
        given = [
            held[i][0] if i in held else Value(a, np.zeros(a.shape, a.dtype.numpy)) for i, a in enumerate(self.avals)
        ]
        made = recorded(self.gradient, [*self.saved, *given], self.numbers)
        if not walk.keep_graph:
            self.free()
        chosen = [self.places[i] for i in wanted]
        return [
            None if make is None or outputs.isdisjoint(held) else (make(*[made[p] for p in places]), None)
            for places, make, outputs in chosen
        ]
