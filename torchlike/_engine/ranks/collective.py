"""Collectives as recorded operators."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from torchlike._dtypes.recorder import current
from torchlike._engine.ranks.mesh import Call, RankMesh
from torchlike._engine.ranks.program import calls_of, launched
from torchlike._engine.ranks.watch import watch
from torchlike._engine.trace.flush import flush
from torchlike._engine.trace.plan import COMPILED, Plan
from torchlike._engine.trace.subtrace import SubTrace
from torchlike._engine.trace.trace import mesh_of, operators, record
from torchlike._engine.trace.value import Aval, Value
from torchlike._engine.xla.executor import run_entries
from torchlike._engine.xla.target import precision_of, tracing_for
from torchlike._errors import ranks as errors
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
        if mesh.is_imagined:
            return tuple(mesh.imagined(self.function, given))
        held = [[], list(given)]
        if self._program is None:
            with tracing_for(mesh.device), precision_of(mesh.device):
                lowered, self._scalars = mesh.lowered(lambda _, held: [*self.function(*held)], held)
                self._program = lowered.compile()
        mesh.meetings.alone(repr(self))
        results = launched(mesh, self.calls(), self._program, held)
        return tuple(mesh.leave(results, self._scalars))

    def calls(self) -> list[Call]:
        """Return the collective as the only call of this operator."""
        return [Call(self.mesh, repr(self))]

    def __repr__(self) -> str:
        inputs = ", ".join(f"{a.dtype.numpy.name}{list(a.shape)}" for a in self.inputs)
        return f"{self.name}({', '.join(filter(None, (inputs, self.details)))})"


class Part(Plan):
    """A part of a trace as one operator.

    Attributes:
      code: the entries of the part.
      places: for each entry with runtime numbers, the index of its first number.
      sources: the slots of the inputs.
      first: the slot of the first result.
      gives: the slots of the results of the whole part.
    """

    __slots__ = ("__weakref__", "code", "first", "gives", "places", "sources")

    def __init__(
        self,
        name: str,
        avals: tuple[tuple[Aval, ...], tuple[type, ...], tuple[Aval, ...]],
        code: Sequence,
        places: Sequence[int],
        sources: Sequence[int],
        first: int,
        gives: Sequence[int],
    ) -> None:
        """`avals` are the inputs, the types of the runtime numbers, and the outputs."""
        self.code, self.places, self.gives = tuple(code), tuple(places), tuple(gives)
        self.sources, self.first = tuple(sources), first
        super().__init__(name, *avals, self._run)
        self.executor = COMPILED
        self.mesh = mesh_of(code)

    def _run(self, *flat: Any) -> tuple:
        inputs = {~slot: array for slot, array in zip(self.sources, flat)}
        results = [inputs.get(~slot) for slot in range(self.first)]
        run_entries(self.code, self.places, results, inputs, flat[len(self.sources) :])
        return tuple([results[s] if s >= 0 else inputs[~s] for s in self.gives])

    def calls(self) -> list[Call]:
        """Return the collectives of the part."""
        return calls_of(self.code)

    def run_alone(self, *given: Any) -> tuple:
        """Return the results. The operators run one by one, and each collective as a program of its own."""
        held, first = dict(zip(self.sources, given)), self.first
        numbers, begins = given[len(self.sources) :], iter(self.places)
        for plan, read in operators(self.code):
            begin = next(begins) if plan.scalars else 0
            taken = [*[held[s] for s in read], *numbers[begin : begin + len(plan.scalars)]]
            for result in plan.run_alone(*taken):
                held[first] = result
                first += 1
        return tuple([held[s] for s in self.gives])


def record_collective(plan: Plan, values: Sequence[Value], numbers: Sequence = ()) -> tuple[Value, ...]:
    """Record an operator that contains collectives, and return the Values of its results.

    A compiled step may contain collectives of several groups, if the groups are parts of one grid. Otherwise, a program
    has collectives of one group only: pending work with collectives of another group runs first, so that ranks which
    are not in both groups need not take part in the program.
    """
    device, capture = plan.mesh.device, current().capture
    if isinstance(capture, SubTrace):
        raise errors.inside(plan.name)
    trace: Any = capture.trace if capture is not None else device.trace
    mesh = plan.mesh
    if trace is not None and trace.mesh not in (None, mesh):
        joined = None if capture is None else trace.mesh.joined(mesh)
        if joined is None:
            if capture is not None:
                capture.stop("it uses collectives of process groups that are not dims of one device mesh")
            flush(device)
        mesh = joined or mesh
    plan.mesh.meetings.place = mesh.meetings.place = str(users_place() or "")
    made = record(plan, values, numbers)
    trace = made[0].trace
    if trace is not None:
        trace.mesh = mesh
        if capture is None:
            watch.note_recorded(device, trace)
    return made
