"""Processes that run a function."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import pickle
import signal
import sys
from collections.abc import Callable
from multiprocessing.process import BaseProcess
from multiprocessing.queues import SimpleQueue
from typing import Any

from torchlike.multiprocessing._parents import asks_to_die

from ._contexts import PContext
from ._logs import LogsSpecs
from .errors import record


class MultiprocessContext(PContext):
    """Processes that run a function, started by `multiprocessing`. Their results are sent back."""

    def __init__(
        self,
        name: str,
        entrypoint: Callable[..., Any],
        args: dict[int, tuple],
        envs: dict[int, dict[str, str]],
        logs_specs: LogsSpecs,
        *more: Any,
        start_method: str = "spawn",
    ) -> None:
        super().__init__(name, entrypoint, args, envs, logs_specs, *more)
        self.start_method = start_method
        self._processes: dict[int, BaseProcess] = {}
        self._queues: dict[int, SimpleQueue] = {}
        self._returned: dict[int, Any] = {}

    def _start(self) -> None:
        context: Any = multiprocessing.get_context(self.start_method)
        for rank in range(self.nprocs):
            queue = self._queues[rank] = context.SimpleQueue()
            files = (self.stdouts[rank], self.stderrs[rank])
            task = (self.entrypoint, self.args[rank], self.envs[rank], files, queue)
            process = context.Process(target=_run, args=task)
            process.start()
            self._processes[rank] = process

    def pids(self) -> dict[int, int]:
        return {rank: process.pid or 0 for rank, process in self._processes.items()}

    def _check_processes(self) -> list[int]:
        self._receive()
        return super()._check_processes()

    def _receive(self) -> None:
        """Read the results that have arrived. A large result blocks its process until it is read."""
        for rank, queue in self._queues.items():
            if rank not in self._returned and not queue.empty():
                self._returned[rank] = pickle.loads(queue.get())

    def _values(self) -> dict[int, Any]:
        self._receive()
        return {} if self._failures else self._returned

    def _described(self) -> str:
        return f"fn: {getattr(self.entrypoint, '__qualname__', self.entrypoint)} (start_method: {self.start_method})"

    def _exitcode(self, rank: int) -> int | None:
        return self._processes[rank].exitcode

    def _signal(self, rank: int, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pids()[rank], number)


def _run(fn: Callable[..., Any], args: tuple, env: dict[str, str], files: tuple[str, str], queue: SimpleQueue) -> None:
    """Run the function in its process, with its environment and streams, and send its result."""
    asks_to_die(signal.SIGKILL, None)()
    for stream, path in zip((sys.stdout, sys.stderr), files):
        if path:
            stream.flush()
            with open(path, "w") as file:
                os.dup2(file.fileno(), stream.fileno())
    os.environ.update(env)
    queue.put(pickle.dumps(record(fn)(*args)))
