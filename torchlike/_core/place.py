"""Where in the user's program we are: the nearest line that is not ours."""

from __future__ import annotations

import os
import sys
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


def users_place() -> tuple[Place, int]:
    """The line of the user that led here, and how many calls away it is, as `stacklevel` counts from the caller."""
    frame, depth = sys._getframe(1), 1
    while frame.f_back is not None and not is_users(frame.f_code.co_filename):
        frame, depth = frame.f_back, depth + 1
    return Place(frame.f_code.co_filename, frame.f_lineno), depth - 1


def calls_of_ours() -> list[str]:
    """The names of our functions on the way from the user's line to here, the innermost first."""
    frame, found = sys._getframe(1), []
    while frame is not None and not is_users(frame.f_code.co_filename):
        found.append(frame.f_code.co_name)
        frame = frame.f_back
    return found


def is_users(file: str) -> bool:
    """Whether a file is part of the user's program."""
    if file.startswith((_OURS, "<frozen ")):
        return False
    return not file.startswith(_STANDARD) or any(part in file for part in _INSTALLED)
