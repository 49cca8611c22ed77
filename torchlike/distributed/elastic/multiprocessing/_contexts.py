"""A group of processes on one machine that succeeds or fails as a whole."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TextIO

from torchlike.distributed.elastic.utils.logging import get_logger

from ._logs import LogsSpecs
from .errors import ProcessFailure
from .tail_log import TailLog

logger = get_logger(__name__)
_TERM = signal.SIGTERM
_KILL = getattr(signal, "SIGKILL", signal.SIGTERM)


@dataclass
class RunProcsResult:
    """The end of a group of processes.

    Attributes:
      return_values: the results of the function by local rank (None for a program).
      failures: the failures by local rank. If there is one, the others contain the processes that were terminated.
      stdouts, stderrs: the log files by local rank.
    """

    return_values: dict[int, Any] = field(default_factory=dict)
    failures: dict[int, ProcessFailure] = field(default_factory=dict)
    stdouts: dict[int, str] = field(default_factory=dict)
    stderrs: dict[int, str] = field(default_factory=dict)

    def is_failed(self) -> bool:
        """Return whether a process failed."""
        return bool(self.failures)


class PContext(ABC):
    """A group of processes, one for each local rank. `start_processes` creates it and describes its arguments.

    Attributes:
      shutdown_timeout: the time in seconds between SIGTERM and SIGKILL when a process has failed.
    """

    shutdown_timeout = 30

    def __init__(
        self,
        name: str,
        entrypoint: Callable[..., Any] | str,
        args: dict[int, tuple],
        envs: dict[int, dict[str, str]],
        logs_specs: LogsSpecs,
        log_line_prefixes: dict[int, str] | None = None,
        duplicate_stdout_filters: list[str] | None = None,
        duplicate_stderr_filters: list[str] | None = None,
    ) -> None:
        self.name, self.entrypoint, self.args, self.envs, self.nprocs = name, entrypoint, args, envs, len(args)
        files = logs_specs.reify(envs)
        self.stdouts, self.stderrs, self.error_files = files.stdouts, files.stderrs, files.error_files
        self._failures: dict[int, ProcessFailure] = {}
        self._filtered: list[TextIO] = []
        self._closing = threading.Lock()
        self._tail_logs: list[TailLog] = []
        for copied, console, path, needles in (
            (files.tee_stdouts, sys.stdout, files.filtered_stdout, duplicate_stdout_filters),
            (files.tee_stderrs, sys.stderr, files.filtered_stderr, duplicate_stderr_filters),
        ):
            self._tail_logs.append(TailLog(name, copied, console, log_line_prefixes))
            if needles:
                self._filtered.append(open(path, "w", errors="replace"))  # noqa: SIM115 - `close` closes it
                chosen = _contains(needles)
                self._tail_logs.append(
                    TailLog(name, copied, self._filtered[-1], log_line_prefixes, log_line_filter=chosen)
                )

    def start(self) -> None:
        """Start the processes."""
        self._start()
        for log in self._tail_logs:
            log.start()

    def wait(self, timeout: float = -1, period: float = 1) -> RunProcsResult | None:
        """Wait until all processes have succeeded or one has failed, and return the result.

        Args:
          timeout: the maximum time in seconds. 0 returns at once, a negative number waits without limit.
          period: the time between two checks.

        Returns:
          None if the processes still run.
        """
        end = time.monotonic() + (timeout if timeout >= 0 else float("inf"))
        while (result := self._poll()) is None and time.monotonic() < end:
            time.sleep(min(period, max(0, end - time.monotonic())))
        return result

    def close(self, death_sig: signal.Signals | None = None, timeout: int = 30) -> None:
        """Terminate the processes that still run.

        Args:
          death_sig: the signal. Default: SIGTERM.
          timeout: the time in seconds after which SIGKILL follows.
        """
        with self._closing:
            self._close(death_sig or _TERM, timeout)
            for log in self._tail_logs:
                if not log.stopped():
                    log.stop()
            for file in self._filtered:
                file.close()

    def _poll(self) -> RunProcsResult | None:
        """Return the result, or None while processes run. If a process has failed, the others are terminated first."""
        if self._check_processes() and not self._failures:
            return None
        self.close(timeout=self.shutdown_timeout)
        self._check_processes()  # records the exit codes of the terminated processes
        if self._failures:
            first = min(self._failures.values(), key=lambda failure: failure.timestamp)
            logger.error(
                "failed (exitcode: %s) local_rank: %s (pid: %s) of %s",
                *(first.exitcode, first.local_rank, first.pid, self._described()),
            )
        return RunProcsResult(self._values(), self._failures, self.stdouts, self.stderrs)

    def _described(self) -> str:
        return f"binary: {self.entrypoint}"

    def _close(self, death_sig: signal.Signals, timeout: float) -> None:
        pids = self.pids()
        for rank in self._running():
            logger.warning("Sending process %s closing signal %s", pids[rank], death_sig.name)
            self._signal(rank, death_sig)
        self._wait_until(time.monotonic() + timeout)
        for rank in self._running():
            logger.warning(
                "Unable to shutdown process %s via %s, forcefully exiting via %s", pids[rank], death_sig, _KILL
            )
            self._signal(rank, _KILL)
        self._wait_until(time.monotonic() + timeout)
        for rank in self._running():
            logger.error("Process %s did not exit after %s within %ss", pids[rank], _KILL.name, timeout)

    def _wait_until(self, end: float) -> None:
        pause = 0.001
        while self._running() and time.monotonic() < end:
            time.sleep(pause)
            pause = min(2 * pause, 0.05)

    def _running(self) -> list[int]:
        return [rank for rank in self.pids() if self._exitcode(rank) is None]

    def _check_processes(self) -> list[int]:
        """Record new failures, the earliest first, and return the local ranks that still run."""
        codes = {rank: self._exitcode(rank) for rank in self.pids() if rank not in self._failures}
        for rank in sorted((rank for rank, code in codes.items() if code), key=self._time_of_error):
            self._failures[rank] = ProcessFailure(rank, self.pids()[rank], codes[rank] or 0, self.error_files[rank])
        return self._running()

    def _time_of_error(self, rank: int) -> float:
        path = self.error_files[rank]
        return os.path.getmtime(path) if os.path.isfile(path) else time.time()

    def _values(self) -> dict[int, Any]:
        return {} if self._failures else dict.fromkeys(range(self.nprocs))

    @abstractmethod
    def pids(self) -> dict[int, int]:
        """Return the process ids of the processes that have been started, by local rank."""

    @abstractmethod
    def _start(self) -> None: ...

    @abstractmethod
    def _exitcode(self, rank: int) -> int | None: ...

    @abstractmethod
    def _signal(self, rank: int, number: signal.Signals) -> None: ...


def _contains(needles: list[str]) -> Callable[[str], bool]:
    return lambda line: any(needle in line for needle in needles)
