"""Replays that run as one operator of the current trace, with one operator as their gradient."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any
from weakref import ref

from torchlike._autograd.nodes import Edge
from torchlike._compile.differentiable import CompiledNode, Gradient, part, recorded
from torchlike._compile.replay import COTANGENT, Grad, Replay, Source, Write, of, put_back, storage_of
from torchlike._compile.results import Results
from torchlike._engine import Value, uninterrupted
from torchlike._engine.trace.capture import Capture, Numbers, WholeTrace
from torchlike._engine.trace.plan import specs
from torchlike._engine.trace.trace import lock
from torchlike._engine.xla.executor import executable, numbers_of
from torchlike._sparse import members
from torchlike._tensor.tensor import Tensor


class DifferentiableReplay(Replay):
    """The replay of a call whose results require grad."""

    def __init__(
        self,
        capture: Capture,
        sources: list[Source],
        writes: list[Write],
        grads: list[Grad],
        results: Results,
        tensors: Sequence[Tensor],
        gradient: Gradient,
        escaped: list[Value],
    ) -> None:
        self._gradient, self._tensors, self._escaped = gradient, tensors, escaped
        self._targets = [w.storage for w in writes]
        super().__init__(capture, sources, writes, grads, results, tensors)
        del self._gradient, self._tensors, self._escaped, self._targets

    def _make(self, capture: Capture, outputs: list[Value]) -> None:
        trace, gradient = capture.trace, self._gradient
        saved, inputs = gradient.used()
        given = [~i for i, source in enumerate(self._sources) if source.kind != COTANGENT]
        self._inputs = [source for source in self._sources if source.kind != COTANGENT]
        cotangents = [value.slot for value in gradient.cotangents]
        wanted = [value.slot for value in outputs] + saved + [value.slot for value in self._escaped]
        found = list(dict.fromkeys(itertools.chain.from_iterable(gradient.slots)))
        self._forward = part(trace, "compiled", 0, gradient.begin, 0, given, wanted)
        self._backward = part(
            trace,
            "compiled_vjp",
            gradient.begin,
            len(trace.code),
            gradient.first,
            [*saved, *inputs, *cotangents],
            found,
        )
        self._saved = len(outputs)
        self._used = [given.index(slot) for slot in inputs]
        self._saved_inputs = [(s, given.index(s.slot)) for s in gradient.inputs]
        self._saved_results = gradient.results
        self._places = [
            (tuple(map(found.index, slots)), make, outputs)
            for slots, make, outputs in zip(gradient.slots, gradient.makers, gradient.reached)
        ]
        self._cotangent_avals = [value.aval for value in gradient.cotangents]
        self._leaves = [self._leaf(leaf) for leaf in gradient.leaves]
        self._chosen, _, _ = numbers_of(trace)
        self._numbers = [list(trace.scalars[i]) for i in self._chosen]
        asked = {id(x.sequence): n for n, x in enumerate(y for y in self._repeated if isinstance(y, Numbers))}
        self._asked = [asked.get(id(trace.scalars[i])) for i in self._chosen]
        capture.leave()
        self._recorded(trace, given)
        trace.drop_inputs()

    def executable(self) -> Any:
        """Return XLA's executable of the forward part."""
        plan = self._forward
        return executable(self.device, lambda _, given: plan.function(*given), [], specs(plan.inputs, plan.scalars))

    def _leaf(self, leaf: Any) -> int | Edge:
        """Return the index of the argument whose gradient node is `leaf`, or an edge to `leaf` if there is none."""
        for i, tensor in enumerate(self._tensors):
            if tensor._edge is not None and tensor._edge[0] is leaf:
                return i
        return leaf, 0

    def _recorded(self, trace: WholeTrace, given: list[int]) -> None:
        """Record the forward operator for the captured call.

        Its results replace those of the operators that were recorded one by one during the capture.
        """
        held, numbers = [trace.held[~slot].settle() for slot in given], self._flat([])
        made = recorded(self._forward, held, numbers)
        storages = [*self._targets]
        grads: list[Any] = [of(t, self._tensors)._grad for t, make, _ in self._grads if make is not None]
        storages += [member._storage for grad in grads for member in members(grad)]
        for storage, value in zip([*storages, *(t._storage for t in self._results.new)], made):
            storage.value = value
        for value, now in zip(self._escaped, made[len(made) - len(self._escaped) :]):
            value.trace, value.slot = now.trace, now.slot  # other references to the Value now read the new result
            now.trace.results[now.slot] = ref(value)
        made = made[: len(made) - len(self._escaped)]
        self._pending = held, made, numbers, list(self._results.roots)

    def first(self, tensors: Sequence[Tensor]) -> None:
        """Attach the gradient node to the captured call's results.

        `Entrance` nodes replace the gradient nodes of non-leaf arguments during the capture. Call this after the
        capture, when the arguments have their own gradient nodes again.
        """
        held, made, numbers, roots = self._pending
        del self._pending
        node = self._node(held, made, numbers, tensors)
        for number, tensor in enumerate(roots):
            tensor._edge = node, number

    def _flat(self, asked: list) -> list:
        numbers = [self._numbers[i] if n is None or not asked else asked[n] for i, n in enumerate(self._asked)]
        return [x for sequence in numbers for x in sequence]

    def _node(
        self, given: list[Value], made: Sequence[Value], numbers: list, tensors: Sequence[Tensor]
    ) -> CompiledNode:
        edges = [tensors[x]._edge if isinstance(x, int) else x for x in self._leaves]
        saved = [*made[self._saved :], *[given[i] for i in self._used]]
        return CompiledNode(
            edges,
            saved,
            self._cotangent_avals,
            self._backward,
            self._places,
            numbers,
            [(s, given[i]) for s, i in self._saved_inputs],
            self._saved_results,
        )

    def run(self, given: Sequence[Value], tensors: Sequence[Tensor]) -> Any:
        with lock, uninterrupted():
            values, numbers, made = self._computed(given, tensors)
            node = self._node(values, made, numbers, tensors)
            place = 0
            for kind, what, step in self._writes:
                storage_of(kind, what, tensors).put(made[place], None, None, step)
                place += 1
            for tensor, make, count in self._grads:
                of(tensor, tensors)._grad = None if make is None else make(*made[place : place + count])
                place += count
            return self._results.make(made[self._begin : self._saved], tensors, node)

    def _computed(self, given: Sequence[Value], tensors: Sequence[Tensor]) -> tuple:
        """Record the forward operator. Return its inputs, numbers and results."""
        undo = [host.kept() for host in self._hosts]
        try:
            draws, asked = self._act(given, tensors)
            values, numbers = self._values(self._inputs, given, tensors, draws), self._flat(asked)
            return values, numbers, recorded(self._forward, values, numbers)
        except Exception:
            put_back(undo)
            raise
