"""Copying log files to the console while processes write them."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import TextIO

from torchlike.distributed.elastic.utils.logging import get_logger

logger = get_logger(__name__)


class TailLog:
    """Copies the lines of log files to a stream. A line of the file of rank 0 gets the prefix `[name0]:`.

    Args:
      name: the name in the prefix.
      log_files: the files by local rank. They may not exist yet.
      dst: the stream.
      log_line_prefixes: other prefixes by local rank.
      interval_sec: the time between two reads of a file.
      log_line_filter: returns whether a line is copied.
    """

    def __init__(
        self,
        name: str,
        log_files: dict[int, str],
        dst: TextIO,
        log_line_prefixes: dict[int, str] | None = None,
        interval_sec: float = 0.1,
        log_line_filter: Callable[[str], bool] = lambda line: True,
    ) -> None:
        self._dst, self._interval, self._shows = dst, interval_sec, log_line_filter
        headers = {rank: f"[{name}{rank}]:" for rank in log_files} | (log_line_prefixes or {})
        self._finished, self._stopped = threading.Event(), False
        self._threads = [
            threading.Thread(target=self._copy, args=(path, headers[rank]), name=f"TailLog {name}{rank}", daemon=True)
            for rank, path in log_files.items()
        ]

    def start(self) -> TailLog:
        """Start to copy. Each file has its own thread."""
        for thread in self._threads:
            thread.start()
        return self

    def stop(self) -> None:
        """Copy the lines that are left, and stop."""
        self._finished.set()
        for thread in self._threads:
            if thread.ident is not None:
                thread.join()
        self._stopped = True

    def stopped(self) -> bool:
        """Return whether `stop` has returned."""
        return self._stopped

    def _copy(self, path: str, header: str) -> None:
        try:
            while not os.path.exists(path):
                if self._finished.wait(self._interval):
                    return
            with open(path, errors="replace") as file:
                self._copy_lines(file, header)
        except Exception:
            logger.exception("could not copy the log file %s", path)

    def _copy_lines(self, file: TextIO, header: str) -> None:
        over, rest = False, ""
        while True:
            # The flag is read first: everything that was written before it was set is then read.
            over = self._finished.is_set()
            while chunk := file.readline():
                rest += chunk
                if rest.endswith("\n"):
                    self._write(header, rest)
                    rest = ""
            if over:
                break
            self._finished.wait(self._interval)
        if rest:
            self._write(header, rest + "\n")

    def _write(self, header: str, line: str) -> None:
        if self._shows(line):
            self._dst.write(header + line)  # one call, so that lines of several processes do not mix
            self._dst.flush()
