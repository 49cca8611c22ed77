"""A watchdog thread for collectives: it ends the process if one hangs, and runs one that is pending for too long.

A running program cannot be interrupted. If another rank is stopped, or its machine is unreachable, the program waits
for the rank forever. After the timeout of the group, the thread prints a message and ends the process with status 1.

Operators are recorded and run later. A collective must run soon, because other ranks wait for it. If the main thread
has not flushed a pending trace with collectives within a second, the watchdog flushes it.
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
    """A running program with collectives. After its launch, `result` is a weak reference to one of its results."""

    __slots__ = ("calls", "mesh", "result", "since")

    def __init__(self, mesh: RankMesh, calls: Sequence[str]) -> None:
        self.mesh, self.calls, self.since = mesh, calls, time.monotonic()
        self.result: Any = None

    def runs_until(self, results: Sequence[Any]) -> None:
        """Count the program as running until its results are ready."""
        self.result = ref(results[0]) if results else None

    def has_ended(self) -> bool:
        """Return whether the results are ready, or no longer referenced."""
        array = self.result() if self.result is not None else None
        return array is None or array.is_deleted() or array.is_ready()


class Watch:
    """The running programs and pending traces with collectives, and the thread that monitors them."""

    def __init__(self) -> None:
        self._programs: list[Running] = []
        self._pending: dict[Device, tuple[_trace.Trace, float]] = {}  # pending traces with collectives, and since when
        self._thread: threading.Thread | None = None

    @contextmanager
    def running(self, mesh: RankMesh, calls: Sequence[str]) -> Iterator[Running]:
        """Return a context for the launch of a program, which is monitored until its results are ready."""
        self.start()
        program = Running(mesh, calls)
        self._programs.append(program)
        try:
            yield program
        finally:
            if program.has_ended():
                self._programs.remove(program)

    def note_recorded(self, device: Device, trace: _trace.Trace) -> None:
        """Note that a collective was recorded in the trace of a device."""
        if device not in self._pending or self._pending[device][0] is not trace:
            self.start()
            self._pending[device] = trace, time.monotonic()

    def start(self) -> None:
        """Start the thread if it is not running. A forked process needs a new one."""
        if self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(target=self._monitor, name="torchlike ranks", daemon=True)
            self._thread.start()

    def _monitor(self) -> None:
        while processes.client is not None:
            time.sleep(_PERIOD)
            now = time.monotonic()
            for program in [*self._programs]:
                if program.result is not None and program.has_ended():
                    self._programs.remove(program)
                elif now - program.since > program.mesh.meetings.seconds:
                    _abort(program)
            for device, (trace, since) in [*self._pending.items()]:
                if device.trace is not trace:
                    self._pending.pop(device, None)
                elif now - since > 1:
                    _flush(device, trace)


def _flush(device: Device, trace: _trace.Trace) -> None:
    """Flush a pending trace, unless another thread is recording or running operators."""
    from torchlike._engine.trace.flush import flush

    if _trace.lock.acquire(blocking=False):
        try:
            if device.trace is trace:
                with suppress(Exception):  # the results keep the error
                    flush(device)
        finally:
            _trace.lock.release()


def _abort(program: Running) -> None:
    try:
        stopped = sorted(processes.ended().intersection(program.mesh.ranks))
    except Lost:
        stopped = []
    print(errors.stuck(program.mesh.meetings.seconds, stopped, program.calls), file=sys.stderr, flush=True)
    os._exit(1)


watch = Watch()
