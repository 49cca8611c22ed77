"""The classes of recorded events and of their totals."""

from __future__ import annotations

from typing import NamedTuple

from torchlike.profiler._events import Average as FunctionEventAvg
from torchlike.profiler._events import EventList as EventList
from torchlike.profiler._events import FunctionEvent as FunctionEvent

__all__ = ["EventList", "FunctionEvent", "FunctionEventAvg", "Interval", "Kernel"]


class Interval:
    """An interval of time.

    Args:
      start: its start, in microseconds.
      end: its end.

    >>> Interval(1, 3).elapsed_us()
    2
    """

    def __init__(self, start: float, end: float) -> None:
        self.start = start
        self.end = end

    def elapsed_us(self) -> float:
        """Return the length of the interval."""
        return self.end - self.start


class Kernel(NamedTuple):
    """A kernel of an accelerator and its time."""

    name: str
    device: int
    duration: float
