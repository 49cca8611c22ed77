"""Timing of Python statements."""

from __future__ import annotations

import enum
import timeit
from time import perf_counter
from typing import Any

from torchlike._internal import _errors
from torchlike.utils.benchmark.utils.common import Measurement, TaskSpec

__all__ = ["Language", "Timer", "timer"]


def timer() -> float:
    """Wait until all pending work has finished, then return the time in seconds."""
    from torchlike import cuda
    from torchlike._internal import boundary

    boundary()
    if cuda.is_available():
        cuda.synchronize()
    return perf_counter()


class Language(enum.Enum):
    """The language of a statement."""

    PYTHON = 0
    CPP = 1


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
        language: Language | str = Language.PYTHON,
    ) -> None:
        is_python = language in (Language.PYTHON, "py", "python")
        refused = {"env": env is not None, "num_threads": num_threads != 1, "language": not is_python}
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
