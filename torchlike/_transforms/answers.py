"""The answers of a trace: the Python values that its tensors and sizes were converted to.

A later call of the traced function gives the same answers without reading elements, so it takes the same branches as
the example call.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from torchlike import _errors


class Answers:
    """The conversions of one example call, in order.

    Args:
      found: the kind and the answer of each conversion; None while the example call runs.
    """

    def __init__(self, found: list[tuple[str, Any]] | None = None) -> None:
        self.records, self.found, self.place = found is None, found or [], 0

    def answer(self, kind: str, ask: Callable[[], Any], operands: tuple = ()) -> Any:
        """Return the result of a conversion: `ask()` in the example call, and its result in later calls.

        `operands` are the sizes that are converted.

        Raises:
          RuntimeError: the Python code converts something else than in the example call.
        """
        if self.records:
            made = ask()
            self.found.append((kind, copy.copy(made)))
            return made
        expected = self.found[self.place] if self.place < len(self.found) else ("", None)
        if expected[0] != kind:
            raise _errors.compiling.another_way(kind, expected[0])
        self.place += 1
        return copy.copy(expected[1])


_current: ContextVar[Answers | None] = ContextVar("answers", default=None)


def current() -> Answers | None:
    """Return the answers of the trace that is running, or None."""
    return _current.get()


@contextmanager
def answering(answers: Answers | None) -> Iterator[None]:
    """Use these answers inside of the block. None: conversions read their tensors."""
    token = _current.set(answers)
    try:
        yield
    finally:
        _current.reset(token)
