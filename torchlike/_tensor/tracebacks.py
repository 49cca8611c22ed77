"""Tracebacks without torchlike's internal frames.

Public functions are boundaries: an error that leaves one keeps the frames of the user's program and the frame of the
boundary itself. Errors that torchlike did not raise on purpose keep all frames, because they are bugs to report. The
environment variable `TORCHLIKE_TRACEBACK=full` keeps all frames of every error.
"""

from __future__ import annotations

import os
from types import TracebackType

from torchlike._errors.callers import is_users
from torchlike._ops.schema.foreign_errors import is_foreign

_IS_FULL = os.environ.get("TORCHLIKE_TRACEBACK") == "full"


def shortened(error: Exception) -> Exception:
    """Remove the internal frames below the handler from the traceback of an error, and return the error.

    Call it as `except Exception as error: raise shortened(error)`.
    """
    if _IS_FULL or is_foreign(error):
        return error
    last = error.__traceback__
    kept = []
    while last is not None:
        if is_users(last.tb_frame.f_code.co_filename):
            kept.append(last)
        last = last.tb_next
    made: TracebackType | None = None
    for each in reversed(kept):
        made = TracebackType(made, each.tb_frame, each.tb_lasti, each.tb_lineno)
    return error.with_traceback(made)
