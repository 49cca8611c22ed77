"""The line of the user's program that led here, for warnings and reports.

This is the only module that looks at interpreter frames. What it finds is shown to users; nothing is decided by it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from types import FrameType
from typing import NamedTuple

_OURS = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_STANDARD = os.path.dirname(os.path.abspath(os.__file__)) + os.sep
_INSTALLED = ("site-packages", "dist-packages")  # below the standard library's folder, and not part of it


class Place(NamedTuple):
    """A line of a file."""

    file: str
    line: int

    def __str__(self) -> str:
        """`train.py:31`: below the current folder the path from there, elsewhere the file's name."""
        here = os.getcwd() + os.sep
        name = self.file.removeprefix(here) if self.file.startswith(here) else os.path.basename(self.file)
        return f"{name}:{self.line}"


def is_users(file: str) -> bool:
    """Whether a file is part of the user's program."""
    if file.startswith((_OURS, "<frozen ")):
        return False
    return not file.startswith(_STANDARD) or any(part in file for part in _INSTALLED)


def _frames() -> Iterator[FrameType]:
    """The frames from the caller's outwards, without those of this module."""
    frame: FrameType | None = sys._getframe()
    while frame is not None:
        if frame.f_globals is not globals():
            yield frame
        frame = frame.f_back


def users_frame() -> FrameType:
    """Return the nearest frame of the user's program; the outermost frame, in a thread that has none of it."""
    found: FrameType
    for found in _frames():
        if is_users(found.f_code.co_filename):
            break
    return found


def users_place() -> Place:
    """Return the line of the user's program that led here."""
    frame = users_frame()
    return Place(frame.f_code.co_filename, frame.f_lineno)


def calls_of_ours() -> list[str]:
    """Return the names of the library's functions from the user's line to the caller, the innermost first."""
    names = []
    for frame in _frames():
        if is_users(frame.f_code.co_filename):
            break
        names.append(frame.f_code.co_name)
    return names
