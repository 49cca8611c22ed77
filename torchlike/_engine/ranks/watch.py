"""A thread that ends the process if a program with collectives does not end, and that runs collectives in time.

A running program cannot be interrupted. If another rank is stopped, or its machine is unreachable, the program waits
for it forever. After the timeout of the group the thread prints a message and ends the process with status 1.

Operators are recorded and run later. A collective must not wait for long, because other ranks wait for it. The thread
runs pending work with collectives if the main thread has not run it within a second.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any
from weakref import ref

from torchlike._dtypes.devices import device as Device
from torchlike._engine.ranks.processes import Lost, processes
from torchlike._engine.trace import trace as _trace
from torchlike._errors import ranks as errors

if TYPE_CHECKING:
    from torchlike._engine.ranks.mesh import RankMesh

_PERIOD = 0.5  # seconds


class Running:
    """A program that runs now. `result` refers to one of its results, once it was launched."""

    __slots__ = ("calls", "mesh", "result", "since")

    def __init__(self, mesh: RankMesh, calls: Sequence[str]) -> None:
        self.mesh, self.calls, self.since = mesh, calls, time.monotonic()
        self.result: Any = None

    def waits_for(self, results: Sequence[Any]) -> None:
        """Count the program as running until its results are ready."""
        self.result = ref(results[0]) if results else None

    def has_ended(self) -> bool:
        """Return whether the results are ready, or nobody refers to them."""
        array = self.result() if self.result is not None else None
        return array is None or array.is_deleted() or array.is_ready()


class Watch:
    """The programs with collectives that run now, and the thread that looks at them."""

    def __init__(self) -> None:
        self._programs: list[Running] = []
        self._pending: dict[Device, float] = {}  # devices whose pending trace has collectives, and since when
        self._thread: threading.Thread | None = None

    @contextmanager
    def running(self, mesh: RankMesh, calls: Sequence[str]) -> Iterator[Running]:
        """Watch a program from its launch until its results are ready."""
        self.start()
        program = Running(mesh, calls)
        self._programs.append(program)
        try:
            yield program
        finally:
            if program.has_ended():
                self._programs.remove(program)

    def records(self, device: Device) -> None:
        """Note that a collective was recorded on a device."""
        self.start()
        self._pending.setdefault(device, time.monotonic())

    def start(self) -> None:
        """Start the thread, again in a forked process."""
        if self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(target=self._look, name="torchlike ranks", daemon=True)
            self._thread.start()

    def _look(self) -> None:
        while processes.client is not None:
            time.sleep(_PERIOD)
            now = time.monotonic()
            for program in [*self._programs]:
                if program.result is not None and program.has_ended():
                    self._programs.remove(program)
                elif now - program.since > program.mesh.meetings.seconds:
                    _end(program)
            for device, since in [*self._pending.items()]:
                trace = device.trace
                if trace is None or trace.mesh is None:
                    self._pending.pop(device, None)
                elif now - since > 1:
                    self._pending.pop(device, None)
                    _flush(device)


def _flush(device: Device) -> None:
    from torchlike._engine.trace.flush import flush

    with _trace.lock:
        if device.trace is not None and device.trace.mesh is not None:
            with suppress(Exception):  # the results keep the error
                flush(device)


def _end(program: Running) -> None:
    try:
        stopped = sorted(processes.ended().intersection(program.mesh.ranks))
    except Lost:
        stopped = []
    print(errors.stuck(program.mesh.meetings.seconds, stopped, program.calls), file=sys.stderr, flush=True)
    os._exit(1)


watch = Watch()
