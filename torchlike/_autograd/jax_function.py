"""The conversion of a recorded function over tensors to a JAX function with the gradient that autograd computes.

JAX could differentiate the recorded operators itself, but it would ignore `detach`, `no_grad`, custom autograd
functions and hooks. Therefore the gradient is recorded too, by a backward pass over the function's graph. JAX receives
both parts as a `custom_vjp`. For higher derivatives, the gradient is recorded and wrapped in the same way.
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
from torchlike._ops.schema.gradient import alike_over_devices


class InputNode(Node):
    """The gradient node of an input of a recorded function. It is a leaf of the graph."""

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
    """A backward pass that stops at the inputs and at nodes that are older than the recording.

    If `frees_at_end`, it lets the outermost pass free the saved values of its nodes at the end.
    """

    def __init__(self, create_graph: bool, since: int, keep_graph: bool = True, frees_at_end: bool = False) -> None:
        super().__init__(keep_graph, create_graph, None)
        self.since, self.frees_at_end = since, frees_at_end
        self.ends_at: dict[Edge, None] = {}  # the edges at which the pass stops

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

    def _gradients(self, node: Node, held: dict[int, Grad], wanted: tuple[int, ...]) -> Sequence[Grad | None]:
        found = super()._gradients(node, held, wanted)
        if self.frees_at_end:
            self.outermost.at_end.append(node.free)
        return found

    def reached(self, edge: Edge) -> Grad | None:
        """Return the gradient that arrived at an edge, or None."""
        return self.grads.get(edge[0], {}).get(edge[1])


class Recording:
    """A recorded function of placeholders.

    Within a `with` block over its trace, call `input` for each input, record the operators, and call `finish`.
    """

    def __init__(self, sub: SubTrace, since: int) -> None:
        self.sub, self.since = sub, since
        self.places: list[int] = []  # the indices of the inputs among the placeholders of the trace
        self.inputs: list[Grad] = []
        self.outputs: list[Any] = []
        self.outside: list[Edge] = []  # the gradient edges of tensors that the function closes over
        self.end = 0  # the number of results when the function returned

    def input(self, aval: Aval, differentiable: bool) -> Grad:
        """Return a new input as a pair of a value and a gradient edge.

        The edge is None unless the input is differentiable and has a floating-point or complex dtype.
        """
        differentiable = differentiable and aval.dtype.category >= FLOATING
        pair = self.sub.placeholder(aval), (InputNode(aval), 0) if differentiable else None
        self.places.append(len(self.sub.given) - 1)
        self.inputs.append(pair)
        return pair

    def finish(self, outputs: Sequence[Grad | None]) -> None:
        """Set the results of the function."""
        self.outputs = list(outputs)
        self._slots(self.outputs)
        walk = InnerWalk(False, self.since)
        walk._collect([self.outputs[i][1] for i in self.differentiable])
        own = {edge for _, edge in self.inputs}
        self.outside = [edge for edge in walk.ends_at if edge not in own]
        self.end = len(self.sub.results)

    @property
    def wanted(self) -> tuple[int, ...]:
        """The indices of the inputs that receive gradients."""
        return tuple(i for i, (_, edge) in enumerate(self.inputs) if edge is not None)

    @property
    def differentiable(self) -> tuple[int, ...]:
        """The indices of the outputs that have a gradient."""
        return tuple(i for i, pair in enumerate(self.outputs) if pair is not None and pair[1] is not None)

    def _slots(self, pairs: Sequence[Grad | None]) -> list[int | None]:
        return [None if pair is None else self.sub.slot(pair[0]) for pair in pairs]

    # -- recorded parts ------------------------------------------------------------------------------------------------

    @cached_property
    def primal(self) -> Stretch:
        """The forward function: inputs to outputs."""
        with self.sub:
            return stretch(self.sub, self._slots(self.outputs), 0, self.places)

    @cached_property
    def backward(self) -> Stretch:
        """The backward function.

        Its arguments are the inputs, the gradients of the outputs, and the residuals from `forward`. Its results are
        the gradients of the inputs, followed by those of the tensors that the function closes over.
        """
        with self.sub:
            places, _, pairs = self._walk(False)
            return stretch(self.sub, self._slots(pairs), self.end, self.places + places)

    @cached_property
    def forward(self) -> Stretch:
        """The forward function with residuals: inputs to outputs, followed by the values that `backward` needs."""
        needs = self.backward.needs
        with self.sub:
            return stretch(self.sub, [*self._slots(self.outputs), *needs], 0, self.places)

    @cached_property
    def gradient(self) -> Recording:
        """The gradient as a function of the inputs and the gradients of the outputs."""
        made = Recording(self.sub, self.since)
        with self.sub:
            places, seeds, pairs = self._walk(True)
            made.places, made.inputs = self.places + places, self.inputs + seeds
            made.finish(pairs)
        if not set(made.outside) <= set(self.outside):
            raise NotImplementedError(
                f"within {self.sub.what}, torchlike cannot differentiate a backward function that uses a tensor "
                "which requires grad but is not an input of its forward"
            )
        made.outside = self.outside
        return made

    def _walk(self, create_graph: bool) -> tuple[list[int], list[Grad], list[Grad | None]]:
        """Record a backward pass.

        Returns:
          The indices of the placeholders for the gradients of the outputs; these gradients; and the gradients of the
          inputs and of the tensors that the function closes over.
        """
        roots = [self.outputs[i] for i in self.differentiable]
        new = Recording(self.sub, self.since)
        seeds = [new.input(value.aval, create_graph) for value, _ in roots]
        walk = InnerWalk(create_graph, self.since)
        walk.run([edge for _, edge in roots], seeds)
        ends: list[Any] = [self.inputs[i][1] for i in self.wanted] + self.outside
        return new.places, seeds, [walk.reached(edge) for edge in ends]

    # -- arguments of the parts ----------------------------------------------------------------------------------------

    def outer(self) -> list:
        """Return the arrays that the recorded operators close over so far."""
        return [concrete(value) for value in self.sub.outer]

    def numbers(self) -> list:
        """Return the runtime numbers of all operators recorded so far."""
        numbers, _, kinds = self.sub.numbers()
        return [NUMBERS[kind](x) for x, kind in zip(numbers, kinds)]


class Body(NamedTuple):
    """A recording as plain data, with the requested number of derivatives. Equal bodies share one program."""

    primal: Stretch
    wanted: tuple[int, ...] = ()
    differentiable: tuple[int, ...] = ()
    forward: Stretch | None = None
    backward: Stretch | None = None
    gradient: Body | Any = None

    @staticmethod
    def of(recording: Recording, order: int) -> Body:
        """Return the data of a recording that can be differentiated `order` times."""
        if not order:
            return Body(recording.primal)
        gradient = Body.of(recording.gradient, order - 1) if order > 1 else None
        parts = recording.wanted, recording.differentiable, recording.forward, recording.backward
        return Body(recording.primal, *parts, gradient)


def pure(body: Body | Recording) -> Callable[[list, list, list, list], list]:
    """Return the recorded function as a JAX function of four arguments: `given, outer, outside, numbers`.

    `given` are the inputs, `outer` the arrays that the function closes over, and `numbers` the runtime numbers.
    `outside` are arrays of zeros that are notionally added to the closed-over tensors. The gradients of the zeros are
    the gradients of these tensors. A `Recording` ignores the arguments `outer` and `numbers`. It uses its own as
    constants.
    """
    if not body.differentiable:
        return _plain(body)
    function = _with_gradient(body)

    def alike(given: list, outer: list, outside: list, numbers: list) -> list:
        # The gradient of a value that is replicated over devices is the sum over the devices. JAX computes it here.
        return function(alike_over_devices(given, given), outer, alike_over_devices(outside, given), numbers)

    return alike


def _runner(body: Body | Recording, name: str) -> Callable:
    def run(given: list, outer: list, numbers: list, needed: Sequence = ()) -> list:
        part = getattr(body, name)
        if not isinstance(body, Recording):
            return part.run(given, outer, numbers, needed)
        outer, numbers = body.outer(), body.numbers()
        with tracing_for_any():  # the user's `jax.jit` traces this, so the platform is not known yet
            return part.run(given, outer, numbers, needed)

    return run


def _plain(body: Body | Recording, name: str = "primal") -> Callable:
    run = _runner(body, name)
    return lambda given, outer, outside, numbers: run(given, outer, numbers)


def _with_gradient(body: Body | Recording) -> Callable:
    """Return the function with its recorded gradient. `body.gradient` is used to differentiate the gradient."""
    function, forward = jax.custom_vjp(_plain(body)), jax.custom_vjp(_plain(body, "forward"))
    backward = jax.custom_vjp(_backward_of(body))

    def out(given: list, grads: list) -> tuple:
        """Return gradients in the structure that JAX expects, with None for arguments without a gradient."""
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

    # The functions below run if a gradient is differentiated. They treat the residuals as constants, because `gradient`
    # computes the full derivative with respect to the inputs.
    def gradient(given: list, outer: list, outside: list, numbers: list, seeds: Sequence) -> list:
        return pure(body.gradient)([*given, *seeds], outer, outside, numbers)

    def pull_forward(args: tuple, cotangents: list) -> tuple:
        given, outer, outside, numbers = args
        return out(given, conjugates(gradient(given, outer, outside, numbers, chosen(cotangents))))

    def pull_backward(args: tuple, cotangents: list) -> tuple:
        given, outer, outside, numbers, seeds = args
        found = jax.vjp(lambda g, o, s: gradient(g, outer, o, numbers, s), given, outside, seeds)[1](cotangents)
        return found[0], None, found[1], None, None, found[2]

    forward.defvjp(lambda *args: (forward(*args), args), pull_forward)
    backward.defvjp(lambda *args: (backward(*args), (*args[:4], args[5])), pull_backward)
    return function


def _backward_of(body: Body | Recording) -> Callable:
    run = _runner(body, "backward")
    return lambda given, outer, outside, numbers, kept, seeds: run([*given, *seeds], outer, numbers, kept)


def conjugate(x: Any) -> Any:
    """Return the conjugate of complex `x`: PyTorch's gradient of a complex number is the conjugate of JAX's."""
    return jnp.conj(x) if x.dtype.kind == "c" else x
