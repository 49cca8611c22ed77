"""Functions that run a function in several processes and wait for the processes to end."""

from __future__ import annotations

import multiprocessing
import multiprocessing.connection
import signal
import time
import traceback
from collections.abc import Callable
from typing import Any


class ProcessException(Exception):
    """The error for a process that failed."""

    def __init__(self, msg: str, error_index: int, pid: int) -> None:
        super().__init__(msg)
        self.msg, self.error_index, self.pid = msg, error_index, pid

    def __reduce__(self) -> tuple:
        return type(self), (self.msg, self.error_index, self.pid)


class ProcessRaisedException(ProcessException):
    """The error for a process that raised an exception."""


class ProcessExitedException(ProcessException):
    """The error for a process that was terminated by a signal or exited with a nonzero code."""

    def __init__(
        self, msg: str, error_index: int, error_pid: int, exit_code: int, signal_name: str | None = None
    ) -> None:
        super().__init__(msg, error_index, error_pid)
        self.exit_code, self.signal_name = exit_code, signal_name

    def __reduce__(self) -> tuple:
        return type(self), (self.msg, self.error_index, self.pid, self.exit_code, self.signal_name)


def _run(fn: Callable, i: int, args: tuple, errors: Any) -> None:
    try:
        fn(i, *args)
    except KeyboardInterrupt:
        pass  # the parent is interrupted too and reports it
    except Exception:
        errors.put(traceback.format_exc())
        raise SystemExit(1) from None


class ProcessContext:
    """A group of processes that `start_processes` started."""

    def __init__(self, processes: list, error_queues: list) -> None:
        self.processes, self.error_queues = processes, error_queues
        self.sentinels = {process.sentinel: i for i, process in enumerate(processes)}

    def pids(self) -> list[int]:
        """Return the process ids."""
        return [process.pid for process in self.processes]

    def join(self, timeout: float | None = None, grace_period: float | None = None) -> bool:
        """Wait until at least one process ends, and return whether all processes have ended successfully.

        Args:
          timeout: the maximum time to wait, in seconds.
          grace_period: the time in seconds that the other processes have for terminating after one process has failed.
            Default: 30.

        Raises:
          ProcessRaisedException: A process raised an exception. The other processes are terminated.
          ProcessExitedException: A process was terminated by a signal or exited with a nonzero code. The other
            processes are terminated.
        """
        if not self.sentinels:
            return True
        failed = None
        for sentinel in multiprocessing.connection.wait(list(self.sentinels), timeout):
            i = self.sentinels.pop(sentinel)
            self.processes[i].join()
            if self.processes[i].exitcode:
                failed = i
                break
        if failed is None:
            return not self.sentinels
        self._end(grace_period)
        raise self._error(failed)

    def _end(self, grace_period: float | None) -> None:
        for process in self.processes:
            if process.is_alive():
                process.terminate()
        end = time.monotonic() + (30 if grace_period is None else grace_period)
        for process in self.processes:
            process.join(max(0, end - time.monotonic()))
            if process.is_alive():
                process.kill()
            process.join()

    def _error(self, i: int) -> ProcessException:
        process = self.processes[i]
        if not self.error_queues[i].empty():
            text = f"\n\n-- Process {i} terminated with the following error:\n{self.error_queues[i].get()}"
            return ProcessRaisedException(text, i, process.pid)
        if process.exitcode < 0:
            name = signal.Signals(-process.exitcode).name
            return ProcessExitedException(
                f"process {i} terminated with signal {name}", i, process.pid, process.exitcode, name
            )
        return ProcessExitedException(
            f"process {i} terminated with exit code {process.exitcode}", i, process.pid, process.exitcode
        )


SpawnContext = ProcessContext


def start_processes(
    fn: Callable,
    args: tuple = (),
    nprocs: int = 1,
    join: bool = True,
    daemon: bool = False,
    start_method: str = "spawn",
) -> ProcessContext | None:
    """Start `nprocs` processes that run `fn(i, *args)`, where `i` is the process index.

    Args:
      fn: a function that is defined at the top level of a module.
      args: the further arguments of `fn`.
      nprocs: the number of processes.
      join: whether to wait for all processes.
      daemon: whether the processes are daemons, which end with this process.
      start_method: the start method. Use "spawn", because forked child processes must not run computations.

    Returns:
      None if `join` is True, otherwise the `ProcessContext` of the processes.
    """
    context: Any = multiprocessing.get_context(start_method)
    processes, errors = [], []
    for i in range(nprocs):
        queue = context.SimpleQueue()
        process = context.Process(target=_run, args=(fn, i, args, queue), daemon=daemon)
        process.start()
        processes.append(process)
        errors.append(queue)
    started = ProcessContext(processes, errors)
    if not join:
        return started
    while not started.join():
        pass
    return None


def spawn(
    fn: Callable,
    args: tuple = (),
    nprocs: int = 1,
    join: bool = True,
    daemon: bool = False,
    start_method: str = "spawn",
) -> ProcessContext | None:
    """Start `nprocs` processes that run `fn(i, *args)`, as `start_processes` does."""
    return start_processes(fn, args, nprocs, join, daemon, start_method)
