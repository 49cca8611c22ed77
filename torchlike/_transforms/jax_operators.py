"""Operators built from JAX functions and captured functions on tensors. Each is one entry of the trace.

`jax.vjp` computes the gradient, and the gradient of the gradient in the same way. A captured function may use tensors
that are not its arguments. These closed-over tensors are inputs of the operator. Their gradients are computed as those
of dummy inputs, the *changes*: arrays of zeros that do not affect the results (see `jax_function.pure`).
"""

from __future__ import annotations

import functools
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from torchlike import _dtypes, _errors
from torchlike._autograd import versions
from torchlike._autograd.engine import Grad, Walk
from torchlike._autograd.jax_function import Body, Recording, conjugate, pure
from torchlike._autograd.nodes import Node
from torchlike._engine import Aval, Plan, aval, record
from torchlike._engine.trace.plan import COMPILED, specs
from torchlike._engine.xla.jax_private import dce_jaxpr
from torchlike._engine.xla.target import pinned, platform_of
from torchlike._transforms import forward_mode

MOST_PLANS = 2048
Functions = Sequence[Callable[[list, list], list]]  # of (inputs, changes of the closed-over tensors)


class Higher(NamedTuple):
    """An operator built from JAX functions and captured functions.

    `run(functions, given, outside)` returns its results. `outside` holds the changes for each function.
    """

    name: str
    node: str
    key: Hashable  # equal for operators that compute the same results
    run: Callable[[Functions, list, list], list]
    level: int = 0  # the derivative order of the functions in `run`
    most: int = 1 << 30  # the highest derivative order
    # For a cached operator without functions: a map from avals and the presence of edges to the recorded call.
    known: dict | None = None

    def vjp(self, wanted: tuple[int, ...], given: tuple[int, ...]) -> Higher:
        """Return the operator of the gradients with respect to the inputs `wanted` and all closed-over tensors.

        Its additional inputs are the gradients of the results `given`.
        """

        def run(functions: Functions, flat: list, outside: list) -> list:
            inputs, seeds = flat[: len(flat) - len(given)], flat[len(flat) - len(given) :]
            pull = jax.vjp(_of_wanted(self, functions, inputs, wanted, given), [inputs[i] for i in wanted], outside)[1]
            grads, changes = pull([conjugate(x) for x in seeds])
            return [conjugate(x) for x in (*grads, *jax.tree.leaves(changes))]

        return Higher(self.name, self.node, ("vjp", self.key, wanted, given), run, self.level + 1, self.most)


def _of_wanted(op: Higher, functions: Functions, inputs: list, wanted: tuple, given: tuple) -> Callable:
    def forward(chosen: list, outside: list) -> list:
        full = list(inputs)
        for i, x in zip(wanted, chosen):
            full[i] = x
        results = op.run(functions, full, outside)
        return [results[i] for i in given]

    return forward


class Call(NamedTuple):
    """An operator with all properties of its inputs that its program depends on."""

    op: Higher
    bodies: tuple[Body, ...]
    given: tuple[Aval, ...]
    outer: tuple[tuple[Aval, ...], ...]  # the closed-over tensors of each function
    outside: tuple[tuple[Aval, ...], ...]  # the closed-over tensors that require grad
    kinds: tuple[tuple[type, ...], ...]  # the types of each function's Python numbers

    def key(self, *more: Hashable) -> tuple:
        """Return the cache key of the program. Its residuals depend on the platform for which it is traced."""
        return (self.op.key, platform_of(self.given[0].device), *self[1:], *more)

    def function(self, *flat: Any) -> tuple[Callable[[list, list], list], list, list]:
        """Return `run` as a function of inputs and changes, the inputs, and the changes (zeros)."""
        rest = iter(flat)
        take = lambda items: [next(rest) for _ in items]
        given, outer = take(self.given), [take(each) for each in self.outer]
        numbers = [take(each) for each in self.kinds]
        functions = [functools.partial(_called, pure(b), o, n) for b, o, n in zip(self.bodies, outer, numbers)]
        zeros = [[jnp.zeros(a.shape, a.dtype.numpy) for a in each] for each in self.outside]
        return lambda inputs, outside: self.op.run(functions, inputs, outside), given, zeros

    def plan(self, name: str, inputs: tuple[Aval, ...], scalars: tuple[type, ...], function: Callable) -> Plan:
        """Return a plan whose outputs are inferred by `jax.eval_shape`."""
        device = self.given[0].device
        found = jax.eval_shape(function, *specs(inputs, scalars))
        outputs = tuple(aval(s.shape, _dtypes.from_numpy(np.dtype(s.dtype)), device) for s in found)
        return Plan(name, inputs, scalars, outputs, function)

    def inputs(self) -> tuple[Aval, ...]:
        """Return the avals of all array inputs."""
        return (*self.given, *[a for each in self.outer for a in each])

    def scalars(self) -> tuple[type, ...]:
        """Return the types of all Python numbers."""
        return tuple(kind for each in self.kinds for kind in each)


def _called(function: Callable, outer: list, numbers: list, given: list, outside: list) -> list:
    return function(given, outer, outside, numbers)


_plans: OrderedDict[tuple, Any] = OrderedDict()


def _cached(key: tuple, make: Callable[[], Any]) -> Any:
    found = _plans.get(key)
    if found is None:
        found = _plans[key] = make()
        if len(_plans) > MOST_PLANS:
            _plans.popitem(last=False)
    return found


def _forward(call: Call) -> Plan:
    def function(*flat: Any) -> tuple:
        run, given, zeros = call.function(*flat)
        return tuple(run(given, zeros))

    made = call.plan(call.op.name, call.inputs(), call.scalars(), function)
    made.extra = call
    return made


class Pair(NamedTuple):
    """A forward plan that also returns residuals for backward, and the number of its results without the residuals."""

    forward: Plan
    count: int  # type: ignore[override]
    differentiable: tuple[int, ...]
    structure: list  # the pytree structure of the VJP function, set when the forward is traced
    pulls: dict[tuple[int, ...], Plan]  # the backward plans, by the results that have a gradient


def _keeping(call: Call, wanted: tuple[int, ...]) -> Pair:
    """Return the forward plan with residuals, for gradients with respect to the inputs `wanted` and the closures."""
    plain = _cached(call.key(), functools.partial(_forward, call))
    floating = tuple(i for i, a in enumerate(plain.outputs) if a.dtype.category >= _dtypes.FLOATING)
    structure: list = []

    def function(*flat: Any) -> tuple:
        run, given, zeros = call.function(*flat)

        def chosen(some: list, outside: list) -> tuple:
            full = list(given)
            for i, x in zip(wanted, some):
                full[i] = x
            results = run(full, outside)
            return [results[i] for i in floating], results

        _, pull, results = jax.vjp(chosen, [given[i] for i in wanted], zeros, has_aux=True)
        leaves, structure[:] = jax.tree.flatten(pull)[0], [jax.tree.flatten(pull)[1]]
        return (*results, *leaves)

    function = pinned(call.given[0].device, function)
    plan = call.plan(call.op.name, call.inputs(), call.scalars(), function)
    plan.executor = COMPILED
    return Pair(plan, len(plain.outputs), floating, structure, {})


def _used(call: Call, pair: Pair) -> frozenset[int]:
    """Return the inputs whose elements the gradients depend on."""
    traced = jax.make_jaxpr(pair.forward.function)(*specs(pair.forward.inputs, pair.forward.scalars)).jaxpr
    _, used = dce_jaxpr(traced, [i >= pair.count for i in range(len(traced.outvars))])
    return frozenset(i for i, needed in enumerate(used[: len(call.given)]) if needed)


def _pull(pair: Pair, call: Call, given: tuple[int, ...]) -> Plan:
    """Return the backward plan.

    Its inputs are the residuals and the gradients of the results `given`. Its results are the gradients of the inputs.
    """
    kept, outputs = pair.forward.outputs[pair.count :], pair.forward.outputs

    def function(*flat: Any) -> tuple:
        seeds = dict(zip(given, flat[len(kept) :]))
        full = [
            conjugate(seeds[i]) if i in seeds else jnp.zeros(outputs[i].shape, outputs[i].dtype.numpy)
            for i in pair.differentiable
        ]
        found = jax.tree.unflatten(pair.structure[0], flat[: len(kept)])(full)
        return tuple(conjugate(x) for x in jax.tree.leaves(found))

    function = pinned(call.given[0].device, function)
    plan = call.plan(call.op.name + "_vjp", (*kept, *[outputs[i] for i in given]), (), function)
    plan.executor = COMPILED
    return plan


class HigherNode(Node):
    """The gradient node of a `Higher` operator."""

    __slots__ = ("given", "recordings", "settled")

    def __init__(self, settled: Settled, given: Sequence[Grad], recordings: Sequence[Recording], edges: list) -> None:
        super().__init__(None, [], edges, [])
        self.settled, self.given, self.recordings = settled, given, recordings

    def free(self) -> None:
        self.saved = None
        self.forget()

    def forget(self) -> None:
        self.given, self.recordings = [], []

    def name(self) -> str:
        return self.settled.call.op.node

    def outputs(self) -> int:
        return self.settled.pair.count

    def result(self, number: int) -> Aval:
        return self.settled.plan.outputs[number]

    def differentiate(self, held: dict[int, Grad], wanted: tuple[int, ...], walk: Walk) -> list[Grad]:
        kept = self.saved
        if kept is None:
            raise _errors.autograd.backward_twice()
        if self.age > versions.latest:
            self._check_versions()
        given = tuple(sorted(held))
        if walk.create_graph:
            op = self.settled.call.op.vjp(self.settled.wanted, given)
            found = apply(op, [*self.given, *[held[i] for i in given]], self.recordings)
        else:
            plan = self._pull(given)
            found = [(v, None) for v in record(plan, [*kept, *[held[i][0] for i in given]])]
        if not walk.keep_graph:
            self.free()
        places = [i for i, edge in enumerate(self.edges) if edge is not None]
        grads = dict(zip(places, found))
        return [grads[i] for i in wanted]

    def _check_versions(self) -> None:
        """Raise PyTorch's error if a tensor that the gradient uses was overwritten."""
        outer = [(value, None) for recording in self.recordings for value in recording.sub.outer]
        stale = [
            i for i, (value, _) in enumerate(self.given) if value.stamp is not None and value.stamp.is_newer_than(self)
        ]
        if stale:
            call, pair = self.settled.call, self.settled.pair
            used = _cached(call.key("used", self.settled.wanted), lambda: _used(call, pair))
            stale = [i for i in stale if i in used]
        versions.check_pairs(self, [*[self.given[i] for i in stale], *outer])

    def _pull(self, given: tuple[int, ...]) -> Plan:
        call, pair = self.settled.call, self.settled.pair
        assert pair is not None
        plan = pair.pulls.get(given)
        if plan is None:
            plan = pair.pulls[given] = _pull(pair, call, given)
        return plan


class LastNode(Node):
    """The node of a gradient that cannot be differentiated further."""

    __slots__ = ("avals", "op")

    def __init__(self, op: Higher, edges: list, avals: tuple[Aval, ...]) -> None:
        super().__init__(None, [], edges, [])
        self.op, self.avals = op, avals

    def name(self) -> str:
        return self.op.node

    def outputs(self) -> int:
        return len(self.avals)

    def result(self, number: int) -> Aval:
        return self.avals[number]

    def differentiate(self, held: dict[int, Grad], wanted: tuple[int, ...], walk: Walk) -> list[Grad]:
        raise NotImplementedError(f"torchlike can differentiate {self.op.name} at most {self.op.most} time(s)")


def apply(op: Higher, given: Sequence[Grad], recordings: Sequence[Recording]) -> list[Grad]:
    """Record one operator over values with their gradient edges, and over captured functions."""
    values, edges = [value for value, _ in given], [edge for _, edge in given]
    numbers: list = []
    if not recordings and op.known is not None:
        key = tuple([value.aval for value in values]), tuple([edge is not None for edge in edges])
        settled = op.known.get(key)
        if settled is None:
            settled = op.known[key] = _settle(op, given, (), edges)
    else:
        edges += [edge for recording in recordings for edge in recording.outside]
        settled = _settle(op, given, recordings, edges)
        values += [value for recording in recordings for value in recording.sub.outer]
        numbers = [x for recording in recordings for x in recording.sub.numbers()[0]]
    if forward_mode.is_open() and any(map(forward_mode.carries, values)):
        raise NotImplementedError(f"torchlike does not support forward-mode differentiation of {op.name}")
    if settled.pair is None:
        last = LastNode(op, edges, settled.plan.outputs) if settled.needs else None
        return [(v, last and (last, i)) for i, v in enumerate(record(settled.plan, values, numbers))]
    node, made = HigherNode(settled, given, recordings, edges), record(settled.plan, values, numbers)
    count, differentiable = settled.pair.count, settled.pair.differentiable
    node.saved = made[count:]
    return [(v, (node, i) if i in differentiable else None) for i, v in enumerate(made[:count])]


class Settled(NamedTuple):
    """The plans that a call of an operator records."""

    call: Call
    plan: Plan
    pair: Pair | Any  # None if the operator records no gradient
    wanted: tuple[int, ...]  # the inputs with a gradient
    needs: bool  # True if an input or a closed-over tensor requires grad


def _settle(op: Higher, given: Sequence[Grad], recordings: Sequence[Recording], edges: Sequence) -> Settled:
    needs = any(edge is not None for edge in edges)
    differentiate = needs and op.level < op.most
    bodies = tuple(Body.of(recording, op.level + differentiate) for recording in recordings)
    call = Call(op, bodies, tuple(v.aval for v, _ in given), *_closures(recordings))
    wanted = tuple(i for i, (_, edge) in enumerate(given) if edge is not None)
    if not differentiate:
        return Settled(call, _cached(call.key(), functools.partial(_forward, call)), None, wanted, needs)
    pair = _cached(call.key("keeping", wanted), lambda: _keeping(call, wanted))
    return Settled(call, pair.forward, pair, wanted, needs)


def _closures(recordings: Sequence[Recording]) -> tuple[tuple, tuple, tuple]:
    outer = tuple(tuple(v.aval for v in recording.sub.outer) for recording in recordings)
    outside = tuple(tuple(node.result(i) for node, i in recording.outside) for recording in recordings)
    kinds = tuple(tuple(recording.sub.numbers()[2]) for recording in recordings)
    return outer, outside, kinds
