"""How long a statement takes."""

from __future__ import annotations

import statistics
import timeit
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from torchlike._internal import _errors


def timer() -> float:
    """The time in seconds, once all pending work is done."""
    from torchlike import cuda
    from torchlike._internal import boundary

    boundary()
    if cuda.is_available():
        cuda.synchronize()
    return perf_counter()


@dataclass
class Measurement:
    """Times of a statement, in seconds."""

    number_per_run: int
    raw_times: list[float]
    title: str

    @property
    def times(self) -> list[float]:
        """Of one call, for each run."""
        return [t / self.number_per_run for t in self.raw_times]

    @property
    def mean(self) -> float:
        """Of all runs."""
        return statistics.fmean(self.times)

    @property
    def median(self) -> float:
        """Of all runs."""
        return statistics.median(self.times)

    @property
    def iqr(self) -> float:
        """Between the first and the third quarter of the runs."""
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
    """Times a statement of Python. What it makes is computed in each call, also where nobody looks at it.

    Args:
      stmt: the statement; the value of an expression is kept until the next call.
      setup, global_setup: run before, once.
      globals: the names that the statement knows.
      label, sub_label, description: what to call it.
      num_threads: 1, as PyTorch's default; XLA's threads are those of the process, so others are refused.
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
        """Call it `number` times."""
        self._timer.timeit(max(number // 100, 2))
        return Measurement(number, [self._timer.timeit(number)], self._title)

    def repeat(self, repeat: int = -1, number: int = -1) -> Measurement:
        """Refused, as in PyTorch: `timeit` or `blocked_autorange`."""
        raise NotImplementedError("See `Timer.blocked_autorange.`")

    def blocked_autorange(self, callback: Any = None, min_run_time: float = 0.2) -> Measurement:
        """Call it in runs of a hundredth of `min_run_time`, for so long in all."""
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
