"""Functions that run a function in several processes and wait for the processes to end."""

from __future__ import annotations

import logging
import multiprocessing
import multiprocessing.connection
import os
import pickle
import signal
import tempfile
import time
import traceback
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.process import BaseProcess
from typing import Any

from torchlike._internal import warn

from ._parents import asks_to_die

log = logging.getLogger(__name__)
ENV_VAR_PARALLEL_START = "TORCH_MP_PARALLEL_START"
_GRACE = 30  # seconds between SIGTERM and SIGKILL


class ProcessException(Exception):
    """The error for a process that failed.

    Attributes:
      msg: the text.
      error_index, error_pid: the index and the process id of the process.
    """

    def __init__(self, msg: str, error_index: int, error_pid: int) -> None:
        super().__init__(msg)
        self.msg, self.error_index, self.error_pid = msg, error_index, error_pid

    def __reduce__(self) -> tuple:
        return type(self), (self.msg, self.error_index, self.error_pid)


class ProcessRaisedException(ProcessException):
    """The error for a process that raised an exception. The text contains the traceback of that process."""


class ProcessExitedException(ProcessException):
    """The error for a process that was terminated by a signal or exited with a nonzero code.

    Attributes:
      exit_code: the exit code. It is -n if the process was terminated by the signal n.
      signal_name: the name of the signal, or None.
    """

    def __init__(
        self, msg: str, error_index: int, error_pid: int, exit_code: int, signal_name: str | None = None
    ) -> None:
        super().__init__(msg, error_index, error_pid)
        self.exit_code, self.signal_name = exit_code, signal_name

    def __reduce__(self) -> tuple:
        return type(self), (self.msg, self.error_index, self.error_pid, self.exit_code, self.signal_name)


def _run(fn: Callable[..., Any], i: int, args: tuple, error_file: str) -> None:
    """Run the function in its process. Write the traceback of an error to the error file."""
    asks_to_die(signal.SIGINT, None)()
    try:
        fn(i, *args)
    except KeyboardInterrupt:
        pass  # the parent is interrupted too and reports it
    except Exception:
        with open(error_file, "wb") as file:
            pickle.dump(traceback.format_exc(), file)
        raise SystemExit(1) from None


class ProcessContext:
    """A group of processes that `start_processes` started.

    Args:
      processes: the processes.
      error_files: the path for each process to which it writes the traceback of its error.
    """

    def __init__(self, processes: Sequence[BaseProcess], error_files: Sequence[str]) -> None:
        self.processes, self.error_files = processes, error_files
        self.sentinels = {process.sentinel: i for i, process in enumerate(processes)}

    def pids(self) -> list[int]:
        """Return the process ids."""
        return [process.pid or 0 for process in self.processes]

    def join(self, timeout: float | None = None, grace_period: float | None = None) -> bool:
        """Wait until at least one process ends, and return whether all processes have ended successfully.

        Args:
          timeout: the maximum time to wait, in seconds.
          grace_period: the time in seconds that the other processes have to end by themselves after one has failed.
            After it they get SIGTERM, and after the same time again SIGKILL. Default: they get SIGTERM at once, and
            SIGKILL after 30 seconds.

        Raises:
          ProcessRaisedException: A process raised an exception. The other processes are terminated.
          ProcessExitedException: A process was terminated by a signal or exited with a nonzero code. The other
            processes are terminated.
        """
        if not self.sentinels:
            return True
        for sentinel in multiprocessing.connection.wait(list(self.sentinels), timeout):
            i = self.sentinels.pop(sentinel)  # type: ignore[arg-type]
            self.processes[i].join()
            if self.processes[i].exitcode:
                self._end(grace_period)
                raise self._error(i)
        return not self.sentinels

    def _end(self, grace_period: float | None) -> None:
        if grace_period is not None:
            self._wait(grace_period)
        for process in self._alive():
            log.warning("Terminating process %s via signal SIGTERM", process.pid)
            process.terminate()
        self._wait(_GRACE if grace_period is None else grace_period)
        for process in self._alive():
            log.warning(
                "Unable to shutdown process %s via SIGTERM , forcefully exiting via SIGKILL",
                process.pid,
            )
            process.kill()
        for process in self.processes:
            process.join()

    def _alive(self) -> list[BaseProcess]:
        return [process for process in self.processes if process.is_alive()]

    def _wait(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        for process in self.processes:
            process.join(max(0, end - time.monotonic()))

    def _error(self, i: int) -> ProcessException:
        pid, code = self.processes[i].pid or 0, self.processes[i].exitcode or 0
        if os.access(self.error_files[i], os.R_OK):
            with open(self.error_files[i], "rb") as file:
                trace = pickle.load(file)
            os.unlink(self.error_files[i])
            return ProcessRaisedException(f"\n\n-- Process {i} terminated with the following error:\n{trace}", i, pid)
        if code > 0:
            return ProcessExitedException(f"process {i} terminated with exit code {code}", i, pid, code)
        try:
            name = signal.Signals(-code).name
        except ValueError:
            name = f"<Unknown signal {-code}>"
        return ProcessExitedException(f"process {i} terminated with signal {name}", i, pid, code, name)


class SpawnContext(ProcessContext):
    """The old name of `ProcessContext`. The constructor warns.

    Args:
      processes: the processes.
      error_files: the path for each process to which it writes the traceback of its error.
    """

    def __init__(self, processes: Sequence[BaseProcess], error_files: Sequence[str]) -> None:
        warn("SpawnContext is renamed to ProcessContext since 1.4 release.")
        super().__init__(processes, error_files)


def start_processes(
    fn: Callable[..., Any],
    args: tuple = (),
    nprocs: int = 1,
    join: bool = True,
    daemon: bool = False,
    start_method: str = "spawn",
) -> ProcessContext | None:
    """Start `nprocs` processes that run `fn(i, *args)`, where `i` is the process index.

    On Linux, the processes get SIGINT when this process ends before them. With the method "forkserver" and the
    environment variable TORCH_MP_PARALLEL_START=1, they are started in parallel.

    Args:
      fn: a function that is defined at the top level of a module.
      args: the further arguments of `fn`.
      nprocs: the number of processes.
      join: whether to wait for all processes.
      daemon: whether the processes are daemons, which end with this process.
      start_method: the start method. Use "spawn", because forked child processes compute with NumPy.

    Returns:
      None if `join` is True, otherwise the `ProcessContext` of the processes.

    Raises:
      ProcessRaisedException, ProcessExitedException: if `join` is True and a process fails.
    """
    context: Any = multiprocessing.get_context(start_method)

    def started(i: int) -> tuple[BaseProcess, str]:
        handle, path = tempfile.mkstemp(prefix="torchlike-errorfile-", suffix=".pickle")
        os.close(handle)
        os.unlink(path)  # the file exists only if the process raises an error
        process = context.Process(target=_run, args=(fn, i, args, path), daemon=daemon)
        process.start()
        return process, path

    if start_method == "forkserver" and os.environ.get(ENV_VAR_PARALLEL_START) == "1":
        with ThreadPoolExecutor(nprocs) as pool:
            all_started = list(pool.map(started, range(nprocs)))
    else:
        all_started = [started(i) for i in range(nprocs)]
    group = ProcessContext([process for process, _ in all_started], [path for _, path in all_started])
    if not join:
        return group
    while not group.join():
        pass
    return None


def spawn(
    fn: Callable[..., Any],
    args: tuple = (),
    nprocs: int = 1,
    join: bool = True,
    daemon: bool = False,
    start_method: str = "spawn",
) -> ProcessContext | None:
    """Start `nprocs` processes that run `fn(i, *args)`, as `start_processes` does with the start method "spawn".

    Args:
      fn: a function that is defined at the top level of a module. It is called with the process index and `args`.
      args: the further arguments of `fn`.
      nprocs: the number of processes.
      join: whether to wait for all processes.
      daemon: whether the processes are daemons, which end with this process.
      start_method: any value but "spawn" is ignored with a warning.

    Returns:
      None if `join` is True, otherwise the `ProcessContext` of the processes.

    Raises:
      ProcessRaisedException, ProcessExitedException: if `join` is True and a process fails.
    """
    if start_method != "spawn":
        warn(
            f"This method only supports start_method=spawn (got: {start_method}).\n"
            "To use a different start_method use:\n\t\t torch.multiprocessing.start_processes(...)",
            FutureWarning,
        )
    return start_processes(fn, args, nprocs, join, daemon, start_method="spawn")
