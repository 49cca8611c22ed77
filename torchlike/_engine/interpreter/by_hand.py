"""Programs of NumPy calls that are written by hand, for operators whose jaxpr would take long to trace."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


class HandProgram:
    """A function over NumPy arrays with the interface of `jaxpr.Program`.

    Attributes:
      loops: one item, the cost of the function's loop as a number of interpreted calls.
      runs: the number of runs, counted by the executor.
      moved: not known; the plan's inputs and results are counted anyway.
    """

    moved = 0
    __slots__ = ("_function", "loops", "runs")

    def __init__(self, function: Callable[..., tuple], calls: int) -> None:
        self._function, self.loops, self.runs = function, [calls], 0

    def __call__(self, *arrays: Any) -> list[np.ndarray]:
        return [*map(np.asarray, self._function(*arrays))]


class ByHand:
    """The `Plan.flat` of an operator whose program is written by hand."""

    __slots__ = ("_program",)

    def __init__(self, function: Callable[..., tuple], calls: int) -> None:
        self._program = HandProgram(function, calls)

    def __call__(self) -> HandProgram:
        return self._program
