"""Counts of the calls of a compiled function, for `torchlike.explain()`."""

from __future__ import annotations

from collections import Counter
from types import TracebackType

from torchlike._compile.trusted import is_trusted
from torchlike._engine.report.explain import Cause
from torchlike._errors.callers import Place


class History:
    """The call counts of one compiled function. `forgotten` counts the runs of dropped recordings."""

    def __init__(self) -> None:
        self.forgotten = 0
        self.again: Counter[str] = Counter()  # changes that caused another capture
        self.uncompiled: Counter[str] = Counter()  # reasons for uncompiled calls

    def causes(self) -> tuple[tuple[Cause, ...], tuple[Cause, ...]]:
        """Return the causes of repeated captures and of uncompiled calls, each sorted by frequency."""
        again, uncompiled = (
            tuple(Cause(*pair) for pair in each.most_common()) for each in (self.again, self.uncompiled)
        )
        return again, uncompiled


def raised(error: BaseException) -> str:
    """Describe the error that ended a call, with the line of the user's code."""
    places, tb = [], error.__traceback__
    while isinstance(tb, TracebackType):
        if not is_trusted(tb.tb_frame.f_globals.get("__name__")):
            places.append(Place(tb.tb_frame.f_code.co_filename, tb.tb_lineno))
        tb = tb.tb_next
    return f"{places[-1]}: it raises {type(error).__name__}" if places else f"it raises {type(error).__name__}"
