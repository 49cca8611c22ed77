"""A function over tensors, recorded once, as a JAX function whose gradient is the one that autograd computes.

JAX could differentiate the recorded operators by itself, but it would know nothing of `detach`, `no_grad`, functions
with a backward of their own, and hooks. So the gradient is recorded as well, by walking the graph that the function
made, and JAX is given both as a `custom_vjp`; and the gradient of that in turn, where somebody asks for it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from torchlike._autograd.engine import Grad, Walk
from torchlike._autograd.nodes import Edge, Node
from torchlike._dtypes import FLOATING
from torchlike._engine import Aval, concrete
from torchlike._engine.trace.plan import NUMBERS
from torchlike._engine.trace.subtrace import Stretch, SubTrace, stretch
from torchlike._engine.xla.target import tracing_for_any
from torchlike._ops.schema.plan import alike_over_devices


class InputNode(Node):
    """Where the history of a recorded function's input ends."""

    __slots__ = ("aval",)

    def __init__(self, aval: Aval) -> None:
        super().__init__(None, [], [None], [])
        self.aval = aval

    def name(self) -> str:
        return "Input"

    def outputs(self) -> int:
        return 1

    def result(self, number: int) -> Aval:
        return self.aval


class InnerWalk(Walk):
    """A pass that goes no further than the inputs, and what was there before the recording."""

    def __init__(self, create_graph: bool, since: int, keep_graph: bool = True) -> None:
        super().__init__(keep_graph, create_graph, None)
        self.since = since
        self.ends_at: dict[Edge, None] = {}  # the edges to the outside that were met

    def _collect(self, roots: list[Edge]) -> set[Node]:
        seen: set[Node] = set()
        stack = list(dict.fromkeys(roots))
        while stack:
            edge = stack.pop()
            if isinstance(edge[0], InputNode) or edge[0].age >= self.since:
                self.ends_at[edge] = None
            elif edge[0] not in seen:
                seen.add(edge[0])
                stack.extend([e for e in edge[0].edges if e is not None])
        return seen

    def reached(self, edge: Edge) -> Grad | None:
        """The gradient that came to an edge."""
        return self.grads.get(edge[0], {}).get(edge[1])


class Recording:
    """A function of placeholders. In a `with` block over its trace: ask for inputs, record, and `finish`."""

    def __init__(self, sub: SubTrace, since: int) -> None:
        self.sub, self.since = sub, since
        self.places: list[int] = []  # of the inputs, among the placeholders of the trace
        self.inputs: list[Grad] = []
        self.outputs: list[Any] = []
        self.outside: list[Edge] = []  # the histories of what was closed over
        self.end = 0  # the number of results when the function returned

    def input(self, aval: Aval, differentiable: bool) -> Grad:
        """A new input, with a history where gradients are to reach it."""
        differentiable = differentiable and aval.dtype.category >= FLOATING
        pair = self.sub.placeholder(aval), (InputNode(aval), 0) if differentiable else None
        self.places.append(len(self.sub.given) - 1)
        self.inputs.append(pair)
        return pair

    def finish(self, outputs: Sequence[Grad | None]) -> None:
        """The function's results."""
        self.outputs = list(outputs)
        self._slots(self.outputs)
        walk = InnerWalk(False, self.since)
        walk._collect([self.outputs[i][1] for i in self.differentiable])
        own = {edge for _, edge in self.inputs}
        self.outside = [edge for edge in walk.ends_at if edge not in own]
        self.end = len(self.sub.results)

    @property
    def wanted(self) -> tuple[int, ...]:
        """The inputs that gradients reach."""
        return tuple(i for i, (_, edge) in enumerate(self.inputs) if edge is not None)

    @property
    def differentiable(self) -> tuple[int, ...]:
        """The outputs that have a gradient."""
        return tuple(i for i, pair in enumerate(self.outputs) if pair is not None and pair[1] is not None)

    def _slots(self, pairs: Sequence[Grad | None]) -> list[int | None]:
        return [None if pair is None else self.sub.slot(pair[0]) for pair in pairs]

    # -- as data -------------------------------------------------------------------------------------------------------

    @cached_property
    def primal(self) -> Stretch:
        """From the inputs to the outputs."""
        with self.sub:
            return stretch(self.sub, self._slots(self.outputs), 0, self.places)

    @cached_property
    def pull(self) -> Stretch:
        """From the inputs, the gradients of the outputs and what `saving` gives, to the gradients of the inputs and
        then of what was closed over."""
        with self.sub:
            places, _, pairs = self._walk(False)
            return stretch(self.sub, self._slots(pairs), self.end, self.places + places)

    @cached_property
    def saving(self) -> Stretch:
        """From the inputs to the outputs, and then what `pull` needs besides."""
        needs = self.pull.needs
        with self.sub:
            return stretch(self.sub, [*self._slots(self.outputs), *needs], 0, self.places)

    @cached_property
    def again(self) -> Recording:
        """The gradient, as a function of the inputs and the gradients of the outputs."""
        made = Recording(self.sub, self.since)
        with self.sub:
            places, seeds, pairs = self._walk(True)
            made.places, made.inputs = self.places + places, self.inputs + seeds
            made.finish(pairs)
        if not set(made.outside) <= set(self.outside):
            raise NotImplementedError(
                f"torchlike differentiates no backward function, within {self.sub.what}, that uses a tensor "
                "which requires grad and is not an input of its forward"
            )
        made.outside = self.outside
        return made

    def _walk(self, create_graph: bool) -> tuple[list[int], list[Grad], list[Grad | None]]:
        """Record the gradient: the gradients of the outputs, which are new inputs, and those of the inputs."""
        roots = [self.outputs[i] for i in self.differentiable]
        new = Recording(self.sub, self.since)
        seeds = [new.input(value.aval, create_graph) for value, _ in roots]
        walk = InnerWalk(create_graph, self.since)
        walk.run([edge for _, edge in roots], seeds)
        ends: list[Any] = [self.inputs[i][1] for i in self.wanted] + self.outside
        return new.places, seeds, [walk.reached(edge) for edge in ends]

    # -- what the data refers to ---------------------------------------------------------------------------------------

    def outer(self) -> list:
        """The arrays of what was closed over so far."""
        return [concrete(value) for value in self.sub.outer]

    def numbers(self) -> list:
        """The runtime numbers of all that is recorded so far."""
        numbers, _, kinds = self.sub.numbers()
        return [NUMBERS[kind](x) for x, kind in zip(numbers, kinds)]


class Body(NamedTuple):
    """A recording as data alone, with as many derivatives as were asked for. Equal ones are one program."""

    primal: Stretch
    wanted: tuple[int, ...] = ()
    differentiable: tuple[int, ...] = ()
    saving: Stretch | None = None
    pull: Stretch | None = None
    again: Body | Any = None

    @staticmethod
    def of(recording: Recording, order: int) -> Body:
        """The data of a recording that will be differentiated so many times."""
        if not order:
            return Body(recording.primal)
        again = Body.of(recording.again, order - 1) if order > 1 else None
        parts = recording.wanted, recording.differentiable, recording.saving, recording.pull
        return Body(recording.primal, *parts, again)


def pure(body: Body | Recording) -> Callable[[list, list, list, list], list]:
    """The recorded function as a JAX function of its inputs, of what it closed over, of nothing but the histories of
    that (arrays that stand for changes of it, and are zero), and of its numbers. A Recording has the second and the
    last as constants."""
    if not body.differentiable:
        return _plain(body)
    function = _with_gradient(body)

    def alike(given: list, outer: list, outside: list, numbers: list) -> list:
        # The gradient of what is the same on all devices is the sum over them, which JAX takes here.
        return function(alike_over_devices(given, given), outer, alike_over_devices(outside, given), numbers)

    return alike


def _runner(body: Body | Recording, name: str) -> Callable:
    def run(given: list, outer: list, numbers: list, needed: Sequence = ()) -> list:
        part = getattr(body, name)
        if not isinstance(body, Recording):
            return part.run(given, outer, numbers, needed)
        outer, numbers = body.outer(), body.numbers()
        with tracing_for_any():  # by a function of the user's, which JAX lowers
            return part.run(given, outer, numbers, needed)

    return run


def _plain(body: Body | Recording, name: str = "primal") -> Callable:
    run = _runner(body, name)
    return lambda given, outer, outside, numbers: run(given, outer, numbers)


def _with_gradient(body: Body | Recording) -> Callable:
    """The function with the gradient that was recorded; whose own gradient is that of `body.again`."""
    function, forward = jax.custom_vjp(_plain(body)), jax.custom_vjp(_plain(body, "saving"))
    backward = jax.custom_vjp(_pulling(body))

    def out(given: list, grads: list) -> tuple:
        """Gradients as JAX wants them, None in place of what has none."""
        found = dict(zip(body.wanted, grads))
        return [found.get(i) for i in range(len(given))], None, grads[len(body.wanted) :], None

    def chosen(cotangents: Sequence) -> list:
        return [conjugate(cotangents[i]) for i in body.differentiable]

    def conjugates(grads: list) -> list:
        return [None if g is None else conjugate(g) for g in grads]

    def save(*args: Any) -> tuple:
        results = forward(*args)
        count = len(body.primal.gives)
        return results[:count], (args, results[count:])

    def pull(saved: tuple, cotangents: list) -> tuple:
        args, kept = saved
        return out(args[0], conjugates(backward(*args, kept, chosen(cotangents))))

    function.defvjp(save, pull)

    # What follows runs where a gradient is differentiated. Residuals count as constants there: what depends on them
    # is what depends on the inputs, and `again` tells how.
    def again(given: list, outer: list, outside: list, numbers: list, seeds: Sequence) -> list:
        return pure(body.again)([*given, *seeds], outer, outside, numbers)

    def pull_forward(args: tuple, cotangents: list) -> tuple:
        given, outer, outside, numbers = args
        return out(given, conjugates(again(given, outer, outside, numbers, chosen(cotangents))))

    def pull_backward(args: tuple, cotangents: list) -> tuple:
        given, outer, outside, numbers, seeds = args
        found = jax.vjp(lambda g, o, s: again(g, outer, o, numbers, s), given, outside, seeds)[1](cotangents)
        return found[0], None, found[1], None, None, found[2]

    forward.defvjp(lambda *args: (forward(*args), args), pull_forward)
    backward.defvjp(lambda *args: (backward(*args), (*args[:4], args[5])), pull_backward)
    return function


def _pulling(body: Body | Recording) -> Callable:
    run = _runner(body, "pull")
    return lambda given, outer, outside, numbers, kept, seeds: run([*given, *seeds], outer, numbers, kept)


def conjugate(x: Any) -> Any:
    """PyTorch's gradient of a complex number is the conjugate of JAX's."""
    return jnp.conj(x) if x.dtype.kind == "c" else x
