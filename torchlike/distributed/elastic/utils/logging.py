"""Loggers of the launcher, which write to stderr. The environment variable LOGLEVEL sets the level."""

from __future__ import annotations

import logging
import os
import sys
import time

_ROOT = "torchlike.distributed"


class _Format(logging.Formatter):
    """Format a record as PyTorch does: each line starts with the level, the time, the process and the source line."""

    def format(self, record: logging.LogRecord) -> str:
        moment = time.strftime("%m%d %H:%M:%S", time.localtime(record.created))
        file = record.name.replace(".", "/") + ".py"
        head = f"{record.levelname[0]}{moment}.{int(record.msecs):03d}000 {record.process} {file}:{record.lineno}] "
        return "\n".join(head + line for line in super().format(record).split("\n"))


class _ToStderr(logging.StreamHandler):
    """A handler that looks up `sys.stderr` for each message, so that a redirected stream is used."""

    def emit(self, record: logging.LogRecord) -> None:
        self.stream = sys.stderr
        super().emit(record)


def get_logger(name: str | None = None) -> logging.Logger:
    """Return a logger that writes to stderr.

    Args:
      name: the name of the logger. Default: "torchlike.distributed".
    """
    root = logging.getLogger(_ROOT)
    if not root.handlers:
        handler = _ToStderr()
        handler.setFormatter(_Format())
        root.addHandler(handler)
        root.propagate = False
    found = logging.getLogger(name or _ROOT)
    found.setLevel(os.environ.get("LOGLEVEL", "WARNING"))
    return found
