"""Ctrl-C is held back while state changes hands, so parameters are whole before and after, never between."""

from __future__ import annotations

import signal
import threading


class uninterrupted:
    """Hold back SIGINT inside; it is raised on leaving. Only the main thread receives signals."""

    __slots__ = ("caught", "previous")

    def __enter__(self) -> uninterrupted:
        self.caught = None
        self.previous = None
        if threading.current_thread() is threading.main_thread():
            self.previous = signal.signal(signal.SIGINT, self._catch)
        return self

    def _catch(self, number, frame) -> None:
        self.caught = (number, frame)

    def __exit__(self, *_: object) -> None:
        if self.previous is None:
            return
        signal.signal(signal.SIGINT, self.previous)
        if self.caught is not None and callable(self.previous):
            self.previous(*self.caught)
