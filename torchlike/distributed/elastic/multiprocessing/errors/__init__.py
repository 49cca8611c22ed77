"""Error files, through which a failed process reports its error to the launcher, and the error of the launcher."""

from __future__ import annotations

import functools
import json
import os
import signal
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, ParamSpec, TypeVar

from .error_handler import ErrorHandler as ErrorHandler
from .handlers import get_error_handler as get_error_handler

_P = ParamSpec("_P")
_R = TypeVar("_R")
_NO_FILE = "<N/A>"
_WIDEST = 60
_ADVICE = "To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html"


@dataclass
class ProcessFailure:
    """A process that failed.

    Args:
      local_rank, pid: the rank of the process on its machine, and its process id.
      exitcode: the exit code. It is -n if the process was terminated by the signal n.
      error_file: the path of its error file.

    Attributes:
      error_file_data: the contents of the error file.
      message: the error in the error file, or a sentence if there is no error file.
      timestamp: the time of the error in seconds since 1970, or now if there is no error file.
    """

    local_rank: int
    pid: int
    exitcode: int
    error_file: str
    error_file_data: dict[str, Any] = field(init=False)
    message: Any = field(init=False)
    timestamp: int = field(init=False)

    def __post_init__(self) -> None:
        self.error_file_data, self.message, self.timestamp = {"message": "<NONE>"}, "", int(time.time())
        if os.path.isfile(self.error_file):
            self._read()
        else:
            self.error_file = _NO_FILE
        if not self.message and self.exitcode < 0:
            self.message = f"Signal {-self.exitcode} ({self.signal_name()}) received by PID {self.pid}"
        elif not self.message:
            self.error_file_data["errorTraits"] = {"category": "system_terminated_error", "retryability": "False"}
            self.message = _ADVICE

    def _read(self) -> None:
        with open(self.error_file, encoding="utf-8") as file:
            self.error_file_data = json.load(file)
        self.message = self.error_file_data["message"]
        if isinstance(self.message, str):
            self.timestamp = int(self.error_file_data.get("timestamp", 0))
        else:
            self.timestamp = int(self.message["extraInfo"]["timestamp"])

    def signal_name(self) -> str:
        """Return the name of the signal that terminated the process, or "<N/A>"."""
        try:
            return signal.Signals(-self.exitcode).name
        except ValueError:
            return _NO_FILE

    def timestamp_isoformat(self) -> str:
        """Return the time as YYYY-MM-DD_HH:MM:SS."""
        return datetime.fromtimestamp(self.timestamp).isoformat(sep="_")


class ChildFailedError(Exception):
    """The error of a launcher whose processes failed. Its text describes each failure.

    Args:
      name: the name of the script or function.
      failures: the failures by global rank. There must be at least one.
    """

    def __init__(self, name: str, failures: dict[int, ProcessFailure]) -> None:
        if not failures:
            raise AssertionError
        self.name, self.failures = name, failures
        super().__init__(self.format_msg())

    def get_first_failure(self) -> tuple[int, ProcessFailure]:
        """Return the earliest failure, the root cause, as (global rank, failure)."""
        rank = min(self.failures, key=lambda rank: self.failures[rank].timestamp)
        return rank, self.failures[rank]

    def format_msg(self, boarder_delim: str = "=", section_delim: str = "-") -> str:
        """Return the text of the error.

        Args:
          boarder_delim, section_delim: the characters of the outer and the inner lines.
        """
        first, _ = self.get_first_failure()
        told = {rank: _described(i, rank, each) for i, (rank, each) in enumerate(self.failures.items())}
        title = f"{self.name} FAILED"
        width = max(len(line) for text in (title, *told.values()) for line in text.split("\n"))
        border, section = (mark * min(width, _WIDEST) for mark in (boarder_delim, section_delim))
        others = [text for rank, text in told.items() if rank != first] or ["  <NO_OTHER_FAILURES>"]
        parts = [border, title, section, "Failures:", *others, section]
        return "\n".join(["", *parts, "Root Cause (first observed failure):", told[first], border])


def _described(index: int, rank: int, failure: ProcessFailure) -> str:
    name = failure.signal_name()
    rows = {
        "time": failure.timestamp_isoformat(),
        "host": socket.getfqdn(),
        "rank": f"{rank} (local_rank: {failure.local_rank})",
        "exitcode": f"{failure.exitcode} (pid: {failure.pid}) {'' if name == _NO_FILE else f' ({name})'}",
        "error_file": failure.error_file,
        "traceback": _traceback(failure.message),
    }
    return "\n".join([f"[{index}]:", *(f"  {key:10}: {value}" for key, value in rows.items())])


def _traceback(message: Any) -> str:
    if not isinstance(message, dict):
        return message
    found = message.get("extraInfo", {}).get("py_callstack", message.get("message", _NO_FILE))
    return found.replace("\n", "\n  ")


def record(fn: Callable[_P, _R], error_handler: ErrorHandler | None = None) -> Callable[_P, _R | None]:
    """Wrap a main function so that its exceptions are written to the error file and raised again.

    The launcher sets the environment variable TORCHELASTIC_ERROR_FILE and shows the error of the first process that
    failed. If `fn` raises `ChildFailedError`, the error file of the child is copied. If `fn` exits with status 0, the
    wrapped function returns None.

    Args:
      fn: the main function of a process.
      error_handler: the handler that records the exception. Default: `get_error_handler()`.
    """
    handler = error_handler or get_error_handler()

    @functools.wraps(fn)
    def recorded(*args: _P.args, **kwargs: _P.kwargs) -> _R | None:
        handler.initialize()
        try:
            return fn(*args, **kwargs)
        except SystemExit as end:
            if end.code == 0:
                return None
            raise
        except ChildFailedError as error:
            _, failure = error.get_first_failure()
            if failure.error_file != _NO_FILE:
                handler.dump_error_file(failure.error_file, failure.exitcode)
            raise
        except Exception as error:
            handler.record_exception(error)
            raise

    return recorded
