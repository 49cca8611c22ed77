"""Collectives as recorded operators."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax

from torchlike._dtypes.recorder import current
from torchlike._engine.ranks.mesh import RankMesh
from torchlike._engine.ranks.program import broken
from torchlike._engine.ranks.watch import watch
from torchlike._engine.trace.flush import flush
from torchlike._engine.trace.plan import Plan
from torchlike._engine.trace.trace import record
from torchlike._engine.trace.value import Aval, Value
from torchlike._engine.xla.target import precision_of, tracing_for
from torchlike._errors.callers import users_place


class Collective(Plan):
    """A collective with fixed shapes and dtypes. Its function runs inside `jax.shard_map` over the axis of its mesh.

    `details` are its static arguments, which all members must agree on.
    """

    __slots__ = ("_program", "_scalars", "details")

    def __init__(
        self,
        name: str,
        mesh: RankMesh,
        inputs: tuple[Aval, ...],
        outputs: tuple[Aval, ...],
        function: Callable[..., tuple],
        details: str = "",
    ) -> None:
        super().__init__(name, inputs, (), outputs, function)
        self.mesh, self.details = mesh, details
        self._program: Any = None

    def run_alone(self, *given: Any) -> tuple:
        """Return the results for this rank, from a program that contains only this collective."""
        mesh = self.mesh
        mesh.meetings.alone(repr(self))
        held = [[], list(given)]
        if self._program is None:
            with tracing_for(mesh.device), precision_of(mesh.device):
                lowered, self._scalars = mesh.lowered(lambda _, held: [*self.function(*held)], held)
                self._program = lowered.compile()
        with watch.running(mesh, [repr(self)]) as running:
            try:
                results = mesh.launch(self._program, *mesh.enter(held))
                running.waits_for(results)
                jax.block_until_ready(results)
            except ValueError as error:
                raise broken([repr(self)], error) from None
        return tuple(mesh.leave(results, self._scalars))

    def __repr__(self) -> str:
        inputs = ", ".join(f"{a.dtype.numpy.name}{list(a.shape)}" for a in self.inputs)
        return f"{self.name}({', '.join(filter(None, (inputs, self.details)))})"


def record_collective(plan: Collective, values: Sequence[Value]) -> tuple[Value, ...]:
    """Record a collective and return the Values of its results.

    A program has collectives of one mesh only. Pending work with collectives of another mesh runs first.
    """
    device, capture = plan.mesh.device, current().capture
    trace: Any = capture.trace if capture is not None else device.trace
    if trace is not None and trace.mesh not in (None, plan.mesh):
        if capture is not None:
            capture.stop("it uses collectives of two process groups")
        flush(device)
    plan.mesh.meetings.places.append(str(users_place() or ""))
    made = record(plan, values)
    trace = made[0].trace
    if trace is not None:
        trace.mesh = plan.mesh
        watch.records(device)
    return made
