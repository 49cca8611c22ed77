"""What a timer measured, and the units of times."""

from __future__ import annotations

import contextlib
import math
import statistics
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import torchlike

__all__ = [
    "Measurement",
    "TaskSpec",
    "ordered_unique",
    "select_unit",
    "set_torch_threads",
    "trim_sigfig",
    "unit_to_english",
]

_MOST_DIGITS = 4
_RESOLUTION = 2.4e-8  # seconds; PyTorch shows no digits below about this
UNITS = (("seconds", "s", 1.0), ("milliseconds", "ms", 1e-3), ("microseconds", "us", 1e-6), ("nanoseconds", "ns", 1e-9))


def unit_of(seconds: float) -> tuple[str, str, float]:
    """Return the name, the abbreviation and the seconds of the unit in which a time is shown."""
    return next((unit for unit in UNITS if seconds >= unit[2]), UNITS[-1])


@dataclass(frozen=True)
class TaskSpec:
    """What was measured. It determines the row and the column of a `Compare`."""

    stmt: str
    setup: str
    global_setup: str = ""
    label: str | None = None
    sub_label: str | None = None
    description: str | None = None
    env: str | None = None
    num_threads: int = 1

    @property
    def title(self) -> str:
        """The label, or the statement, with the sub-label."""
        return (self.label or self.stmt) + (f": {self.sub_label}" if self.sub_label else "")


@dataclass
class Measurement:
    """The measured times of a statement, in seconds.

    Args:
      number_per_run: the number of calls per measurement.
      raw_times: the time of each measurement.
      task_spec: what was measured.
      metadata: further data.
    """

    number_per_run: int
    raw_times: list[float]
    task_spec: TaskSpec
    metadata: dict[Any, Any] | None = None

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "task_spec":
            raise AttributeError(name)
        return getattr(self.task_spec, name)

    @staticmethod
    def merge(measurements: Iterable[Measurement]) -> list[Measurement]:
        """Return one measurement for each task, with the times per call of all measurements of the task."""
        times: dict[TaskSpec, list[float]] = {}
        for measurement in measurements:
            times.setdefault(measurement.task_spec, []).extend(measurement.times)
        return [Measurement(1, found, task, None) for task, found in times.items()]

    @property
    def as_row_name(self) -> str:
        """The name of the row in a `Compare`."""
        return self.task_spec.sub_label or self.task_spec.stmt or "[Unknown]"

    @property
    def significant_figures(self) -> int:
        """The number of digits of the median that the spread of the times supports."""
        free = max(len(self.times) - 1, 1)
        factor = 0.676 + 0.625 / free + 0.7 / free**2  # a quantile of Student's distribution, per interquartile range
        spread = max(self.iqr / len(self.times) ** 0.5 * factor, _RESOLUTION)
        if not self.median:
            return 1
        return min(max(math.floor(math.log10(self.median / spread)), 1), _MOST_DIGITS)

    @property
    def times(self) -> list[float]:
        """The time per call, for each measurement."""
        return [t / self.number_per_run for t in self.raw_times]

    @property
    def mean(self) -> float:
        """The mean time per call."""
        return statistics.fmean(self.times)

    @property
    def median(self) -> float:
        """The median time per call."""
        return statistics.median(self.times)

    @property
    def iqr(self) -> float:
        """The interquartile range of the times per call."""
        if len(self.raw_times) < 2:
            return 0.0
        first, _, third = statistics.quantiles(self.times, n=4, method="inclusive")
        return third - first

    def meets_confidence(self, threshold: float = 0.1) -> bool:
        """Return whether the interquartile range is less than `threshold` times the median."""
        return self.iqr / self.median < threshold

    def __repr__(self) -> str:
        _, unit, scale = unit_of(self.median)
        runs = f"{len(self.raw_times)} measurement{'s' * (len(self.raw_times) > 1)}, {self.number_per_run} runs each"
        title = "\n".join(part for part in (self.title, self.task_spec.description) if part)
        return f"{title}\n  {self.median / scale:.2f} {unit}\n  {runs}"


def select_unit(t: float) -> tuple[str, float]:
    """Return the abbreviation and the seconds of the unit in which a time is shown.

    Args:
      t: the time in seconds. Times below a nanosecond have the unit "s", as in PyTorch.

    >>> select_unit(0.002)
    ('ms', 0.001)
    """
    magnitude = int(torchlike.tensor(t).log10().item() // 3)
    return {-3: ("ns", 1e-9), -2: ("us", 1e-6), -1: ("ms", 1e-3)}.get(magnitude, ("s", 1))


def unit_to_english(u: str) -> str:
    """Return the name of a unit.

    Args:
      u: the abbreviation.

    >>> unit_to_english("ms")
    'millisecond'
    """
    return {short: name[:-1] for name, short, _ in UNITS}[u]


def trim_sigfig(x: float, n: int) -> float:
    """Round a number to some digits.

    Args:
      x: the number.
      n: the number of digits.

    >>> trim_sigfig(314.0, 2)
    310.0
    """
    if n != int(n):
        raise AssertionError("Number of significant figures must be an integer")
    scale = 10 ** (int(torchlike.tensor(x).abs().log10().ceil().item()) - n)
    return float(torchlike.tensor(x / scale).round() * scale)


def ordered_unique(elements: Iterable[Any]) -> list[Any]:
    """Return the different elements in the order in which they first occur.

    Args:
      elements: the elements.

    >>> ordered_unique([2, 1, 2])
    [2, 1]
    """
    return list(dict.fromkeys(elements))


@contextlib.contextmanager
def set_torch_threads(n: int) -> Iterator[None]:
    """Set the number of threads inside of a `with` statement.

    Args:
      n: the number of threads.

    >>> with set_torch_threads(torchlike.get_num_threads()):
    ...     pass
    """
    before = torchlike.get_num_threads()
    try:
        torchlike.set_num_threads(n)
        yield
    finally:
        torchlike.set_num_threads(before)
