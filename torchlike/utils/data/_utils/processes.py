"""The worker processes of a `DataLoader`, as the main process sees them."""

from __future__ import annotations

import multiprocessing
import os
import select
import signal
import time
import warnings
from collections import deque
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from torchlike._internal import prepare_fork, uninterrupted
from torchlike.multiprocessing import _channel
from torchlike.multiprocessing._channel import Channel, Closed
from torchlike.utils.data import _errors as errors
from torchlike.utils.data._utils import child
from torchlike.utils.data._utils.worker import Job

if TYPE_CHECKING:
    from collections.abc import Iterator

_GRACE = 5  # seconds that a worker has to end by itself, before SIGTERM, and again before SIGKILL


class Workers:
    """Worker processes. Requests are answered in the order of each worker.

    Attributes:
        processes: the processes.
        arrived: the answers that have arrived and that the caller has not taken yet.
    """

    def __init__(self, job: Job, context: Any) -> None:
        self.processes: list[Any] = []
        self._channels: list[Channel] = []
        self.arrived: deque[tuple] = deque()
        self._owner = os.getpid()
        self._poll = select.poll()
        self._numbers: dict[int, int] = {}
        prepare_fork()  # here, because Python drops the exceptions of the hooks of a fork, Ctrl-C included
        try:
            for number in range(job.count):
                self._start(number, job, context or multiprocessing.get_context())
        except BaseException:
            self.close()
            raise

    def _start(self, number: int, job: Job, context: Any) -> None:
        ours, theirs = _channel.pair()
        self._channels.append(ours)
        try:
            process = context.Process(target=child.run, args=(number, job, theirs), daemon=True)
            before = signal.pthread_sigmask(signal.SIG_BLOCK, child.handled())
            try:
                with _silent_fork():
                    process.start()  # the child unblocks the signals
            finally:
                signal.pthread_sigmask(signal.SIG_SETMASK, before)
        finally:
            theirs.close()
        self.processes.append(process)
        self._numbers[ours.fileno()] = number
        self._poll.register(ours, select.POLLIN)

    def send(self, number: int, request: Any) -> None:
        """Send a request to a worker. Answers that arrive meanwhile are kept, because the worker may wait for that."""
        channel = self._channels[number]
        both = select.poll()
        both.register(channel, select.POLLIN | select.POLLOUT)
        while True:
            events = both.poll()[0][1]
            if events & select.POLLIN:
                self._receive(number)
            elif events & select.POLLOUT:
                break
            else:
                raise self._died()
        with suppress(Closed):
            channel.send(request)
            return
        raise self._died()

    def wait(self, timeout: float = 0) -> None:
        """Wait until an answer has arrived.

        Args:
            timeout: the seconds to wait. 0 means without limit.

        Raises:
            RuntimeError: No answer came in time, or a worker ended unexpectedly.
        """
        end = time.monotonic() + timeout
        while not self.arrived:
            seconds = _GRACE if not timeout else min(_GRACE, max(end - time.monotonic(), 0))
            if not self.look(seconds) and timeout and time.monotonic() >= end:
                raise errors.timed_out(timeout)

    def look(self, seconds: float = 0) -> bool:
        """Receive the answers that arrive within some seconds, and return whether there are any."""
        ready = self._poll.poll(seconds * 1000)
        for handle, _ in ready:
            self._receive(self._numbers[handle])
        if not ready and any(process.exitcode is not None for process in self.processes):
            raise self._died()
        return bool(ready)

    def _receive(self, number: int) -> None:
        with suppress(Closed), uninterrupted():
            self.arrived.append(self._channels[number].receive())
            return
        raise self._died()

    def _died(self) -> RuntimeError:
        """Return the error for workers that ended, after waiting a moment for their exit codes."""
        end = time.monotonic() + 1
        while all(process.exitcode is None for process in self.processes) and time.monotonic() < end:
            time.sleep(0.001)
        dead = [process for process in self.processes if process.exitcode is not None]
        return errors.workers_died([process.pid for process in dead], dead[0].exitcode if dead else None)

    def close(self) -> None:
        """End the workers. A worker finishes the batch that it loads, within a limit of time."""
        for channel in self._channels:
            channel.close()
        if os.getpid() != self._owner:  # a child process inherited this object
            return
        self._wait()
        for end in ("terminate", "kill"):
            left = [process for process in self.processes if process.is_alive()]
            for process in left:
                getattr(process, end)()
            self._wait()
        self.arrived.clear()

    def _wait(self) -> None:
        end = time.monotonic() + _GRACE
        for process in self.processes:
            process.join(max(0, end - time.monotonic()))


@contextmanager
def _silent_fork() -> Iterator[None]:
    """Silence the warnings of JAX and Python about forks of processes with threads.

    They do not concern the workers, which run none of XLA's programs (`_engine/fork.py`).
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", r"os\.fork\(\) was called", RuntimeWarning)
        warnings.filterwarnings("ignore", r".*multi-threaded, use of fork\(\)", DeprecationWarning)
        yield
