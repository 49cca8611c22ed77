"""Timing of Python statements (`torch.utils.benchmark`)."""

from __future__ import annotations

import math
import statistics
import timeit
from collections.abc import Iterable
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from torchlike._internal import _errors
from torchlike.utils._compare import Compare as Compare
from torchlike.utils._compare import unit_of

_MOST_DIGITS = 4
_RESOLUTION = 2.4e-8  # seconds; PyTorch shows no digits below about this


def timer() -> float:
    """Wait until all pending work has finished, then return the time in seconds."""
    from torchlike import cuda
    from torchlike._internal import boundary

    boundary()
    if cuda.is_available():
        cuda.synchronize()
    return perf_counter()


@dataclass(frozen=True)
class TaskSpec:
    """The description of a measured statement. It determines the row and the column in a `Compare`."""

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
      task_spec: the description of the statement.
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


class Timer:
    """A helper class that measures the execution time of a Python statement.

    Each call executes all operators of the statement, even if their results are unused.

    Args:
      stmt: the statement. The value of an expression is kept alive until the next call.
      setup, global_setup: code that runs before the measurement. `global_setup` runs once, when the timer is created;
        `setup` runs before each measurement.
      timer: the function that returns the current time. The default first waits for all pending work.
      globals: the namespace in which the statement runs.
      label, sub_label, description: the title of the measurement.
      num_threads: must be 1, PyTorch's default. XLA uses one thread pool for the whole process.
    """

    def __init__(
        self,
        stmt: str = "pass",
        setup: str = "pass",
        global_setup: str = "",
        timer: Any = timer,
        globals: dict[str, Any] | None = None,
        label: str | None = None,
        sub_label: str | None = None,
        description: str | None = None,
        env: str | None = None,
        num_threads: int = 1,
        language: Any = "python",
    ) -> None:
        refused = {"env": env is not None, "num_threads": num_threads != 1, "language": str(language) != "python"}
        for name, given in refused.items():
            if given:
                raise _errors.arguments.unsupported("utils.benchmark.Timer", name)
        self._task_spec = TaskSpec(stmt, setup, global_setup, label, sub_label, description)
        names = {} if globals is None else dict(globals)
        exec(global_setup, names)
        names["_run_pending"] = _run_pending
        try:
            compile(stmt.strip(), "<timed>", "eval")
            stmt = f"_kept = {stmt.strip()}"
        except SyntaxError:
            pass
        self._timer = timeit.Timer(stmt + "\n_run_pending()", setup, timer, names)

    def timeit(self, number: int = 1_000_000) -> Measurement:
        """Run the statement `number` times and return one measurement, after a warm-up."""
        self._timer.timeit(max(number // 100, 2))
        return Measurement(number, [self._timer.timeit(number)], self._task_spec)

    def repeat(self, repeat: int = -1, number: int = -1) -> Measurement:
        """Raise `NotImplementedError`, as in PyTorch. Use `timeit` or `blocked_autorange` instead."""
        raise NotImplementedError("See `Timer.blocked_autorange.`")

    def blocked_autorange(self, callback: Any = None, min_run_time: float = 0.2) -> Measurement:
        """Run the statement in blocks until the total time reaches `min_run_time`.

        The number of calls per block is chosen such that a block takes at least a hundredth of `min_run_time`.
        """
        return self._in_blocks(lambda found: True, min_run_time, float("inf"), callback)

    def adaptive_autorange(
        self,
        threshold: float = 0.1,
        *,
        min_run_time: float = 0.01,
        max_run_time: float = 10.0,
        callback: Any = None,
    ) -> Measurement:
        """Run the statement in blocks until the times agree, for `min_run_time` to `max_run_time` seconds.

        They agree if there are at least four and their interquartile range is less than `threshold` times the median.
        """

        def agree(found: Measurement) -> bool:
            return len(found.times) > 3 and found.meets_confidence(threshold)

        return self._in_blocks(agree, min_run_time, max_run_time, callback)

    def _in_blocks(self, is_enough: Any, least: float, most: float, callback: Any) -> Measurement:
        number = 1
        while self._timer.timeit(number) < least / 100:
            number *= 10
        found = Measurement(number, [], self._task_spec)
        total = 0.0
        while total < least or (total < most and not is_enough(found)):
            found.raw_times.append(self._timer.timeit(number))
            total += found.raw_times[-1]
            if callback is not None:
                callback(number, found.raw_times[-1])
        return found


def _run_pending() -> None:
    from torchlike._internal import boundary

    boundary()
