"""Sharding constraints between the operators of a program over the mesh.

The shardings of inputs and results are not enough: XLA's partitioner may then move activations instead of weights.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax
from jax.sharding import NamedSharding, PartitionSpec

from torchlike._engine.trace.plan import Plan
from torchlike._engine.trace.trace import operators
from torchlike._engine.xla.mesh import BATCH_AXES, GlobalMesh

Constraints = Sequence[NamedSharding | None]


class Constrained:
    """A plan whose inputs and results have constraints. It takes the place of the plan in a trace's code."""

    __slots__ = ("_given", "_made", "_plan", "inputs", "outputs", "scalars")

    def __init__(self, plan: Plan, given: Constraints, made: Constraints) -> None:
        self._plan, self._given, self._made = plan, given, made
        self.inputs, self.outputs, self.scalars = plan.inputs, plan.outputs, plan.scalars

    def traced(self) -> Callable[..., list]:
        """Return the function of the plan, with the constraints."""
        function, count = self._plan.traced(), len(self.inputs)
        return lambda *args: _held(function(*_held(args[:count], self._given), *args[count:]), self._made)


def _held(arrays: Sequence[Any], shardings: Constraints) -> list:
    constrain = jax.lax.with_sharding_constraint
    return [x if sharding is None else constrain(x, sharding) for x, sharding in zip(arrays, shardings)]


def constrained(
    mesh: GlobalMesh, code: Sequence, inputs: Sequence[NamedSharding], results: dict[int, NamedSharding]
) -> Iterator[Any]:
    """Yield the entries of a trace's code, with `Constrained` plans.

    An update of parameters computes with their shardings. Other operators take parameters that all devices of the batch
    axes hold, and keep the results of a batch sharded as the batch.

    Args:
      mesh: the mesh.
      code: the code of a trace.
      inputs: the shardings of the inputs.
      results: the shardings of results by slot.
    """
    led = {~i for i, sharding in enumerate(inputs) if sharding == mesh.batch and mesh.ways > 1}
    first = 0
    for plan, slots in operators(code):
        made = range(first, first + len(plan.outputs))
        if plan.shared_layouts:
            known = [results.get(slot) if slot >= 0 else inputs[~slot] for slot in slots]
            of = {i: known[group.inputs[0]] for group in plan.shared_layouts for i in group.inputs}
            yield Constrained(plan, [of.get(i) for i in range(len(slots))], [results.get(slot) for slot in made])
        else:
            found = _of_batch(mesh, plan, slots, made, led, results)
            given = [None if slot >= 0 else _whole(mesh, inputs[~slot], slot in led) for slot in slots]
            yield Constrained(plan, given, found) if any(found) or any(given) else plan
        yield from slots
        first = made.stop


def _of_batch(
    mesh: GlobalMesh, plan: Plan, slots: Sequence[int], made: range, led: set[int], results: dict[int, NamedSharding]
) -> list[NamedSharding | None]:
    """Return the constraints of results, and add those that are computed from a batch to `led`."""
    sizes = {a.shape[0] for slot, a in zip(slots, plan.inputs) if slot in led and a.ndim}
    found: list[NamedSharding | None] = []
    for slot, a in zip(made, plan.outputs):
        is_led = a.ndim > 0 and a.shape[0] in sizes and slot not in results
        if is_led:
            led.add(slot)
        found.append(_free(mesh, a.ndim) if is_led else results.get(slot))
    return found


def _free(mesh: GlobalMesh, ndim: int) -> NamedSharding:
    """Return the sharding of a result of a batch. XLA decides about all dimensions but the first."""
    return NamedSharding(mesh.jax, PartitionSpec(*mesh.batch.spec, *[PartitionSpec.UNCONSTRAINED] * (ndim - 1)))


def _whole(mesh: GlobalMesh, sharding: NamedSharding, is_led: bool) -> NamedSharding | None:
    """Return the sharding of a parameter where it is used, or None if it is its own."""
    if is_led:
        return None
    spec = [_without(part) for part in sharding.spec]
    found = mesh.sharding(*spec)
    return None if found == sharding else found


def _without(part: Any) -> Any:
    names = (part,) if isinstance(part, str) else part or ()
    return tuple(name for name in names if name not in BATCH_AXES) or None
