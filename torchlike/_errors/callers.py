"""The line of the user's program that is running, for warnings and reports.

This is the only module that reads interpreter frames. Most results are only shown to users. These affect behavior:
`unpacked_by_caller` and `module_of_caller`, because PyTorch's `fx` also inspects frames; and `calls_of_ours`, which
tells an in-place operator from other writes to captured tensors, and a conversion of a size in the user's code from one
in the library.
"""

from __future__ import annotations

import dis
import itertools
import os
import re
import sys
import traceback
from collections.abc import Iterator
from types import FrameType
from typing import Any, NamedTuple

_OURS = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_RUNNER = os.path.join(_OURS, "_api", "programs.py")
_PRIVATE = re.compile("_(?!_)").match  # the name of a private function, but not of a special method
_WARNED = "torchlike._errors.warned"
_STANDARD = os.path.dirname(os.path.abspath(os.__file__)) + os.sep
_INSTALLED = ("site-packages", "dist-packages")  # inside the standard library's folder, but not part of it


class Place(NamedTuple):
    """A source location: a line of a file."""

    file: str
    line: int

    def __str__(self) -> str:
        """Return a string such as `train.py:31`: a path relative to the current folder, or only the file name."""
        here = os.getcwd() + os.sep
        name = self.file.removeprefix(here) if self.file.startswith(here) else os.path.basename(self.file)
        return f"{name}:{self.line}"


def is_ours(file: str) -> bool:
    """Return whether a file is part of torchlike."""
    return file.startswith(_OURS)


def is_users(file: str) -> bool:
    """Return whether a file is part of the user's program."""
    if is_ours(file) or file.startswith("<frozen "):
        return False
    return not file.startswith(_STANDARD) or any(part in file for part in _INSTALLED)


def _frames() -> Iterator[FrameType]:
    """Yield the frames from the caller's outward, without those of this module."""
    frame: FrameType | None = sys._getframe()
    while frame is not None:
        if frame.f_globals is not globals():
            yield frame
        frame = frame.f_back


def users_frame() -> FrameType:
    """Return the nearest frame of the user's program, or the outermost frame if a thread runs no user code."""
    found: FrameType = sys._getframe()
    for found in _frames():
        if is_users(found.f_code.co_filename):
            break
    return found


def users_place() -> Place:
    """Return the line of the user's program that is running."""
    frame = users_frame()
    return Place(frame.f_code.co_filename, frame.f_lineno)


def calls_of_ours() -> list[str]:
    """Return the names of the library's functions between the user's line and the caller, the innermost first."""
    names = []
    for frame in _frames():
        if is_users(frame.f_code.co_filename):
            break
        names.append(frame.f_code.co_name)
    return names


def library_place() -> Place | None:
    """Return the line of a public module that called the function that warns, or None if the user's program called it.

    The function that warns is the innermost one without a private name. The private packages stand for PyTorch's C++
    code and for `torch.nn.functional`. Their frames do not count.
    """
    inner = itertools.takewhile(lambda frame: not is_users(frame.f_code.co_filename), _frames())
    calls = [frame for frame in inner if frame.f_globals["__name__"] != _WARNED]
    calls = [*itertools.dropwhile(lambda frame: _PRIVATE(frame.f_code.co_name), calls)]
    found = next((frame for frame in calls[1:] if _is_public(frame.f_code.co_filename)), None)
    return found and Place(found.f_code.co_filename, found.f_lineno)


def _is_public(file: str) -> bool:
    return is_ours(file) and not file.removeprefix(_OURS).startswith("_")


def users_stack() -> list[str]:
    """Return the stack trace up to the user's line, in the format of `traceback.format_stack`.

    Frames of this library are left out, and with `python -m torchlike` also the frames that start the program.
    """
    stack = traceback.extract_stack(users_frame())
    starts = [number for number, frame in enumerate(stack, 1) if frame.filename == _RUNNER]
    first = starts[-1] if starts else 0
    return traceback.format_list([frame for frame in stack[first:] if not is_ours(frame.filename)])


# -- for two functions of `fx` -----------------------------------------------------------------------------------------


def _callers_frame() -> FrameType:
    """Return the nearest frame that is outside both this module and the module that calls it."""
    frames = _frames()
    asking = next(frames)
    return next(frame for frame in frames if frame.f_globals is not asking.f_globals)


def unpacked_by_caller() -> int | None:
    """Return the number of names into which the iterating statement unpacks a value, or None for other statements.

    `a, b = x` calls `iter(x)`. Only the current bytecode instruction distinguishes it from other iterations.
    """
    frame = _callers_frame()
    for at in dis.get_instructions(frame.f_code):
        if at.opname == "UNPACK_SEQUENCE" and frame.f_lasti <= at.offset <= frame.f_lasti + 2:
            return at.argval
    return None


def module_of_caller() -> dict[str, Any] | None:
    """Return the globals of the calling module, or None if the call is inside a function."""
    frame = _callers_frame()
    return frame.f_globals if frame.f_code.co_name == "<module>" else None
