"""Executables that all members of a process group run together."""

from __future__ import annotations

import functools
import hashlib
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from torchlike._dtypes.devices import device as Device
from torchlike._dtypes.devices import to_jax
from torchlike._dtypes.precision import switches
from torchlike._engine.heap import release_freed_blocks
from torchlike._engine.ranks.meeting import DifferentProgram
from torchlike._engine.ranks.processes import Lost, processes
from torchlike._engine.ranks.watch import watch
from torchlike._engine.report.compile_counters import stats
from torchlike._engine.trace.trace import operators
from torchlike._engine.xla import memory
from torchlike._engine.xla.executor import Executable
from torchlike._engine.xla.jax_private import JaxRuntimeError
from torchlike._engine.xla.target import at_precision, tracing_for
from torchlike._errors import ranks as errors

if TYPE_CHECKING:
    from torchlike._engine.ranks.mesh import Call, RankMesh


def calls_of(code: Sequence) -> list[Call]:
    """Return the collectives of a trace."""
    plans = [plan for plan, _ in operators(code) if plan.mesh is not None]
    return [call for plan in plans for call in plan.calls()]


class RankExecutable(Executable):
    """A compiled trace with collectives. `meet` must be called before each run, so that all members run together."""

    __slots__ = ("_calls", "_digest", "_lowered", "_mesh", "_place", "_scalars")

    def __init__(
        self, mesh: RankMesh, device: Device, code: tuple, function: Callable, given: tuple, **options: Any
    ) -> None:
        platform = to_jax(device).platform
        self._calls = calls_of(code)
        self._lowered: Any
        with tracing_for(platform), at_precision(switches.of[device.type]):
            self._lowered, self._scalars = mesh.lowered(function, given, **options)
        text = f"{len(self._calls)} {self._lowered.lowered.as_text()}"
        self._mesh, self._digest = mesh, hashlib.sha256(text.encode()).hexdigest()[:32]
        self._place = mesh.meetings.place
        self.compiled = self.call = None
        self.function, self.is_warm, self.needs = function, False, 0
        self.donated_bytes = sum(a.nbytes for a in given[0])
        self.account: Any = None
        self.code: tuple = ()

    def meet(self) -> None:
        """Wait until all members are about to run a program. Raise `DifferentProgram` if their programs differ."""
        if not self._mesh.agree(self._digest, self._calls, self._place):
            raise DifferentProgram
        if self.compiled is None:
            self._mesh.meetings.compiled(self._compile)

    def _compile(self) -> None:
        started = time.perf_counter()
        self.compiled = self._lowered.compile()
        taken = time.perf_counter() - started
        release_freed_blocks(taken)
        stats.compiles += 1
        stats.compile_seconds += taken
        self.call, self.needs = self.compiled, memory.needs_of(self.compiled)
        self._lowered = None

    def run(self, device: Device, *given: list) -> list:
        """Return the results of this rank."""
        results = launched(self._mesh, self._calls, functools.partial(super().run, device), given)
        self.is_warm = False  # the arguments and results need `enter` and `leave`
        return self._mesh.leave(results, self._scalars)

    def run_into(self, found: list, device: Device, given: tuple) -> None:
        """Call `meet`, then `Executable.run_into`."""
        self.meet()
        super().run_into(found, device, given)

    def fill(self, device: Device, places: Callable[[Iterator], Iterator], given: tuple) -> None:
        """Call `meet`, then `Executable.fill`."""
        self.meet()
        super().fill(device, places, given)


def launched(mesh: RankMesh, calls: list[Call], run: Callable, given: Sequence[list]) -> list:
    """Run a program together with the other members. Return its results, which are global arrays.

    Raises:
      DistBackendError: the connection to another rank broke.
    """
    inputs = mesh.enter(given)
    with watch.running(mesh, [call.text for call in calls]) as running:
        try:
            results = mesh.launch(run, *inputs)
            running.runs_until(results)
        except (ValueError, JaxRuntimeError) as error:
            raise _connection_error(calls, error) from None
    return results


def _ended() -> list[int]:
    """Return the ranks that have ended. If there are none, retry for a second.

    The connection of a killed process may break before the coordination service reports the end of the process.
    """
    for _ in range(20):
        found = sorted(processes.ended())
        if found:
            return found
        time.sleep(0.05)
    return []


def _connection_error(calls: list[Call], error: Exception) -> Exception:
    """Return the error for a program whose connection to other ranks broke."""
    if "RESOURCE_EXHAUSTED" in str(error):
        return error
    try:
        ended = _ended()
    except Lost:
        ended = []
    return errors.broken(ended, [call.text for call in calls], str(error).partition("\n")[0])
