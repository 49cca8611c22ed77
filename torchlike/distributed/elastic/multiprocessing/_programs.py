"""Processes that run a program."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import warnings
from typing import IO

from torchlike.multiprocessing._parents import asks_to_die

from ._contexts import PContext


class SubprocessContext(PContext):
    """Processes that run a program. Each leads its own session, so a signal reaches its child processes too."""

    _processes: dict[int, subprocess.Popen]

    def _start(self) -> None:
        self._processes = {}
        for rank in range(self.nprocs):
            command = [str(self.entrypoint), *(str(each) for each in self.args[rank])]
            with contextlib.ExitStack() as opened:
                opened.enter_context(warnings.catch_warnings())
                # JAX warns about a fork. The new process only asks for a signal and then runs another program.
                warnings.filterwarnings("ignore", r"os\.fork\(\) was called", RuntimeWarning)
                self._processes[rank] = subprocess.Popen(
                    command,
                    env={**os.environ, **self.envs[rank]},
                    stdout=_opened(self.stdouts[rank], opened),
                    stderr=_opened(self.stderrs[rank], opened),
                    start_new_session=True,
                    preexec_fn=asks_to_die(signal.SIGKILL, os.getpid()),
                )

    def pids(self) -> dict[int, int]:
        return {rank: process.pid for rank, process in getattr(self, "_processes", {}).items()}

    def _exitcode(self, rank: int) -> int | None:
        return self._processes[rank].poll()

    def _signal(self, rank: int, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._processes[rank].pid, number)


def _opened(path: str, opened: contextlib.ExitStack) -> IO | None:
    return opened.enter_context(open(path, "w")) if path else None
