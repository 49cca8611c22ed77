"""Element-wise operators on arrays of fewer dims, so that one NumPy program serves many shapes.

Adjacent dims in which the same arrays are broadcast can be merged: an operator on (8, 16, 32, 32) and (1, 16, 1, 1) is
the operator on (8, 16, 1024) and (1, 16, 1).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import groupby
from typing import Any

import numpy as np

from torchlike._engine.interpreter.jaxpr import Program

Shape = tuple[int, ...]


def collapse(shapes: Sequence[Shape]) -> list[Shape]:
    """Return shapes with as few dims as possible that broadcast in the same way.

    All returned shapes have the same number of dims. Dims in which all arrays have size 1 are dropped.
    """
    rank = max(map(len, shapes), default=0)
    wide = [(1,) * (rank - len(shape)) + tuple(shape) for shape in shapes]
    dims = [dim for dim in zip(*wide) if any(n != 1 for n in dim)]
    merged = [[math.prod(sizes) for sizes in zip(*group)] for _, group in groupby(dims, _broadcast)]
    return [tuple(dim[i] for dim in merged) for i in range(len(shapes))]


def _broadcast(dim: Sequence[int]) -> tuple[bool, ...]:
    """Return, for each array, whether it is broadcast in a dim."""
    return tuple(n == 1 for n in dim)


class Collapsed:
    """A program for arrays of other shapes, with the interface of `Program`."""

    __slots__ = ("_given", "_program", "_results", "loops", "moved", "runs")

    def __init__(self, program: Program, given: Sequence[Shape], results: Sequence[Shape]) -> None:
        """Take the program, the collapsed shapes of its arrays, and the shapes of the results before collapsing.

        The program may take numbers after the arrays.
        """
        self._program, self._given, self._results = program, [*given], [*results]
        self.loops, self.moved, self.runs = program.loops, program.moved, program.runs

    def __call__(self, *arrays: Any) -> list[np.ndarray]:
        """Return the results."""
        count = len(self._given)
        merged = [np.asarray(a).reshape(shape) for a, shape in zip(arrays, self._given)]
        found = self._program(*merged, *arrays[count:])
        return [np.asarray(a).reshape(shape) for a, shape in zip(found, self._results)]
