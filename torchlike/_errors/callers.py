"""The line of the user's program that led here, for warnings and reports.

This is the only module that looks at interpreter frames. What it finds is shown to users and nothing is decided by it,
with two exceptions that PyTorch's own functions have, `unpacked_by_caller` and `module_of_caller`.
"""

from __future__ import annotations

import dis
import os
import sys
import traceback
from collections.abc import Iterator
from types import FrameType
from typing import Any, NamedTuple

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
    found: FrameType = sys._getframe()
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


def users_stack() -> list[str]:
    """Return the lines that led to the user's line, and that line, as `traceback.format_stack` has them."""
    return traceback.format_stack(users_frame())


# -- what two functions of `fx` ask for --------------------------------------------------------------------------------


def _callers_frame() -> FrameType:
    """The nearest frame outside of the module that asks."""
    frames = _frames()
    asking = next(frames)
    return next(frame for frame in frames if frame.f_globals is not asking.f_globals)


def unpacked_by_caller() -> int | None:
    """Return into how many names the statement that iterates unpacks a value; None for any other statement.

    `a, b = x` calls `iter(x)`, and Python tells `x` only by the instruction that it is at.
    """
    frame = _callers_frame()
    for at in dis.get_instructions(frame.f_code):
        if at.opname == "UNPACK_SEQUENCE" and frame.f_lasti <= at.offset <= frame.f_lasti + 2:
            return at.argval
    return None


def module_of_caller() -> dict[str, Any] | None:
    """Return the globals of the module whose top level calls the function that asks; None where a function calls it."""
    frame = _callers_frame()
    return frame.f_globals if frame.f_code.co_name == "<module>" else None
