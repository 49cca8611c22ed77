"""Run the launchers of PyTorch and of torchlike in this process, on programs that import neither."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import sys
import warnings
from dataclasses import dataclass

import torch.distributed.run

import torchlike.distributed.run

RUNS = {"torch": torch.distributed.run, "torchlike": torchlike.distributed.run}
SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT)


@dataclass
class Ended:
    """The console output of a launch, its lines in order, and the text of its error."""

    out: list[str]
    err: list[str]
    error: str


@contextlib.contextmanager
def quiet(library):
    """Restore the signal handlers that PyTorch leaves, and ignore its log files that are not closed."""
    before = {number: signal.getsignal(number) for number in SIGNALS}
    with warnings.catch_warnings():
        if library in (torch, "torch"):
            warnings.simplefilter("ignore", ResourceWarning)
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


class Launcher:
    """Starts launches and normalizes what differs between two runs: ports, ids, times, paths and process ids.

    Each launch has its own copy of the environment.
    """

    def __init__(self, monkeypatch, capfd, folder):
        self._patch, self._capture, self._folder = monkeypatch, capfd, folder
        self.port = None

    def launch(self, library: str, program: str, *options: str, args=()) -> Ended:
        script = self._folder / "script.py"
        script.write_text(program)
        runs = RUNS[library]
        with self._patch.context() as patched, quiet(library):
            patched.setattr(os, "environ", os.environ.copy())
            patched.delitem(os.environ, "OMP_NUM_THREADS", raising=False)
            self._capture.readouterr()
            error = ""
            try:
                runs.run(
                    runs.parse_args(
                        ["--monitor-interval=0.02", *options, "--no-python", sys.executable, "-u", str(script), *args]
                    )
                )
            except Exception as raised:
                error = f"{type(raised).__name__}: {raised}"
        out, err = self._capture.readouterr()
        return Ended(sorted(self._plain(out).splitlines()), self._plain(err).splitlines(), self._plain(error))

    def both(self, program: str, *options: str, args=()) -> Ended:
        """Launch with both libraries, and compare the output of the processes and the error."""
        theirs, ours = (self.launch(library, program, *options, args=args) for library in RUNS)
        assert (ours.out, ours.error) == (theirs.out, theirs.error)
        return ours

    def _plain(self, text: str) -> str:
        for pattern, plain in (
            (r"\w{8}-\w{4}-\w{4}-\w{4}-\w{12}", "ID"),
            (r"\S*/(attempt_\d+/\d+/error.json)", r"\1"),
            (r"(time +: )\S+", r"\1TIME"),
            (r"(pid: |PID |process )\d+", r"\1PID"),
            (r"Process \d+ got", "Process PID got"),
            (r"(USE_AGENT_STORE=)(True|False)", r"\1BOOL"),  # PyTorch's launcher runs the store
            (r"(MASTER_PORT=)\d+", r"\1PORT"),
        ):
            text = re.sub(pattern, plain, text)
        return text
