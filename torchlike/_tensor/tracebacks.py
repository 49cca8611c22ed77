"""Tracebacks without torchlike's internal frames.

Public functions are boundaries: an error that leaves one keeps the frames of the user's program and the frame of the
boundary itself. Errors that torchlike did not raise on purpose keep all frames, because they are bugs to report. The
environment variable `TORCHLIKE_TRACEBACK=full` keeps all frames of every error.
"""

from __future__ import annotations

import os
from types import TracebackType

from torchlike import _errors
from torchlike._errors.callers import is_ours, is_users
from torchlike._ops.schema.foreign_errors import is_foreign

_IS_FULL = os.environ.get("TORCHLIKE_TRACEBACK") == "full"


def shortened(error: Exception) -> Exception:
    """Remove torchlike's frames, and the frames that they called, from the traceback of an error. Return the error.

    The frames of the user's program remain, with the library frames that the program called. Errors that torchlike
    caught before it raised this one are removed from its context, so that a traceback shows only those that the program
    was handling. Call this function as `except Exception as error: raise shortened(error)`. It replaces a MemoryError
    of NumPy by PyTorch's error.
    """
    if isinstance(error, MemoryError) and is_foreign(error):
        last, error = error.__traceback__, _errors.memory.host_out_of_memory(error)
        error.__suppress_context__ = True
        if _IS_FULL:
            return error
    elif _IS_FULL or is_foreign(error):
        return error
    else:
        last = error.__traceback__
    if isinstance(error, TypeError) and last is not None:
        _name_boundary(error, last.tb_frame.f_code.co_qualname)
    if last is not None and error.__cause__ is None and _is_raised_by_us(last):
        error.__context__, error.__suppress_context__ = _caught_by_program(error.__context__), False
    return error.with_traceback(_without_ours(last))


def _is_raised_by_us(last: TracebackType) -> bool:
    while last.tb_next is not None:
        last = last.tb_next
    return is_ours(last.tb_frame.f_code.co_filename)


def _caught_by_program(context: BaseException | None) -> BaseException | None:
    """Return the first error in a chain of contexts that the program caught. Skip errors that torchlike caught."""
    while context is not None:
        caught = context.__traceback__
        if caught is not None and not is_ours(caught.tb_frame.f_code.co_filename):
            break
        context = context.__context__
    return context


def for_user(error: BaseException, frames: TracebackType | None) -> TracebackType | None:
    """Return the frames to print for an error that a program did not catch: all but torchlike's frames."""
    return frames if _IS_FULL or not isinstance(error, Exception) or is_foreign(error) else _without_ours(frames)


def _without_ours(last: TracebackType | None) -> TracebackType | None:
    """Return a traceback without torchlike's frames, and without the frames of libraries that they called."""
    kept, is_called_by_user = [], True
    while last is not None:
        file = last.tb_frame.f_code.co_filename
        is_called_by_user = not is_ours(file) and (is_called_by_user or is_users(file))
        if is_called_by_user:
            kept.append(last)
        last = last.tb_next
    made: TracebackType | None = None
    for each in reversed(kept):
        line: int | None = each.tb_lineno  # None if a signal arrived at an instruction without a line
        made = TracebackType(made, each.tb_frame, each.tb_lasti, line or 0)
    return made


def _name_boundary(error: TypeError, boundary: str) -> None:
    """Name the method or alias that the program called in the message of an argument error."""
    owner, _, name = boundary.partition(".")
    if owner in ("Tensor", "torch"):
        _errors.arguments.as_of(error, name, owner == "Tensor")
