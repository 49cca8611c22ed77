"""Ctrl-C is held back while state changes hands, so parameters are whole before and after, never between."""

from __future__ import annotations

import _signal  # pyright: ignore[reportMissingImports]  # no stub describes it
import threading
from signal import SIGINT

# The C half of `signal`: without the conversion to enums it costs a tenth, at every step.
_set, _number = _signal.signal, int(SIGINT)
_main = threading.main_thread().ident
_caught: list = []
_depth = 0


def _catch(number: int, frame: object) -> None:
    _caught.append((number, frame))


class uninterrupted:
    """Hold back SIGINT inside; it is raised on leaving the outermost. Only the main thread receives signals."""

    __slots__ = ("previous",)

    def __enter__(self) -> uninterrupted:
        global _depth
        self.previous = None
        if threading.get_ident() == _main:
            if not _depth:
                self.previous = _set(_number, _catch)
            _depth += 1
        return self

    def __exit__(self, *_: object) -> None:
        global _depth
        if threading.get_ident() != _main:
            return
        _depth -= 1
        if self.previous is None:
            return
        _set(_number, self.previous)
        if _caught:
            caught = _caught.pop()
            _caught.clear()
            if callable(self.previous):
                self.previous(*caught)
