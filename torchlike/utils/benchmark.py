"""Timing of Python statements (`torch.utils.benchmark`)."""

from __future__ import annotations

import statistics
import timeit
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from torchlike._internal import _errors


def timer() -> float:
    """Wait until all pending work has finished, then return the time in seconds."""
    from torchlike import cuda
    from torchlike._internal import boundary

    boundary()
    if cuda.is_available():
        cuda.synchronize()
    return perf_counter()


@dataclass
class Measurement:
    """The measured times of a statement, in seconds."""

    number_per_run: int
    raw_times: list[float]
    title: str

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

    def __repr__(self) -> str:
        unit, scale = next(
            (u, s) for u, s in (("s", 1), ("ms", 1e3), ("us", 1e6), ("ns", 1e9)) if self.median * s >= 1 or u == "ns"
        )
        runs = f"{len(self.raw_times)} measurement{'s' * (len(self.raw_times) > 1)}, {self.number_per_run} runs each"
        return f"{self.title}\n  {self.median * scale:.2f} {unit}\n  {runs}"


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
        self._title = "\n".join([label or stmt, *(part for part in (sub_label, description) if part)])
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
        return Measurement(number, [self._timer.timeit(number)], self._title)

    def repeat(self, repeat: int = -1, number: int = -1) -> Measurement:
        """Raise `NotImplementedError`, as in PyTorch. Use `timeit` or `blocked_autorange` instead."""
        raise NotImplementedError("See `Timer.blocked_autorange.`")

    def blocked_autorange(self, callback: Any = None, min_run_time: float = 0.2) -> Measurement:
        """Run the statement in blocks until the total time reaches `min_run_time`.

        The number of calls per block is chosen such that a block takes at least a hundredth of `min_run_time`.
        """
        number = 1
        while self._timer.timeit(number) < min_run_time / 100:
            number *= 10
        found: list[float] = []
        while sum(found) < min_run_time:
            found.append(self._timer.timeit(number))
            if callback is not None:
                callback(number, found[-1])
        return Measurement(number, found, self._title)


def _run_pending() -> None:
    from torchlike._internal import boundary

    boundary()
