"""Quasi-random sequences, whose points fill a hypercube more evenly than random points."""

from __future__ import annotations

import functools
import importlib.resources
from typing import Any

import numpy as np

import torchlike
from torchlike import _errors
from torchlike._tensor.tensor import Tensor


class SobolEngine:
    """A Sobol sequence in [0, 1)^dimension with the direction numbers of Joe and Kuo.

    Args:
      dimension: the number of dimensions, at most 21201.
      scramble: multiply the direction numbers by random matrices, and shift all points by a random vector (Owen;
        Matoušek).
      seed: the seed of the scrambling, or None for the default generator. A seed gives the same points as in PyTorch.

    The sequence has 2^30 points, since a coordinate has 30 bits. The points are computed on the host.

    >>> import torchlike as torch
    >>> torch.quasirandom.SobolEngine(2).draw(3)
    tensor([[0.0000, 0.0000],
            [0.5000, 0.5000],
            [0.7500, 0.2500]])
    """

    MAXBIT = 30
    MAXDIM = 21201

    def __init__(self, dimension: int, scramble: bool = False, seed: int | None = None) -> None:
        if not 1 <= dimension <= self.MAXDIM:
            raise ValueError(f"Supported range of dimensionality for SobolEngine is [1, {self.MAXDIM}]")
        self.dimension, self.scramble, self.seed = dimension, scramble, seed
        directions = _directions()[:dimension]
        shift = np.zeros(dimension, np.int64)
        if scramble:
            shift, directions = self._scrambled(directions)
        self.sobolstate = torchlike.tensor(directions, device="cpu")
        self.shift = torchlike.tensor(shift, device="cpu")
        self.quasi = self.shift.clone()
        self._origin = self.quasi[None] / 2**self.MAXBIT  # in the default dtype at construction
        self.num_generated = 0

    def draw(self, n: int = 1, out: Tensor | None = None, dtype: Any = None) -> Tensor:
        """Return the next `n` points as a tensor of shape (n, dimension).

        The dtype is float32 or float64; if None, it is the default dtype.
        """
        dtype = torchlike.get_default_dtype() if dtype is None else dtype
        parts = [] if self.num_generated else [self._origin.to(dtype)]
        if not parts or n != 1:
            parts.append(self._next(n - len(parts), dtype))
        self.num_generated += n
        points = torchlike.cat(parts)
        return points if out is None else out.resize_as_(points).copy_(points)

    def draw_base2(self, m: int, out: Tensor | None = None, dtype: Any = None) -> Tensor:
        """Return the next 2^m points.

        Raises:
          ValueError: the total number of points would not be a power of two.
        """
        total = self.num_generated + 2**m
        if total & (total - 1):
            raise ValueError(
                "The balance properties of Sobol' points require n to be a power of 2. "
                f"{self.num_generated} points have been previously generated, then: n={self.num_generated}+2**{m}="
                f"{total}. If you still want to do this, please use 'SobolEngine.draw()' instead."
            )
        return self.draw(2**m, out, dtype)

    def reset(self) -> SobolEngine:
        """Restart the sequence."""
        self.quasi.copy_(self.shift)
        self.num_generated = 0
        return self

    def fast_forward(self, n: int) -> SobolEngine:
        """Skip `n` points."""
        first = self._place()
        last = first + (n if self.num_generated else n - 1)
        if last > first:
            self._refuse_beyond(last)
            passed = np.array([(_gray(first) ^ _gray(last)) >> bit & 1 for bit in range(self.MAXBIT)], bool)
            moves = self.sobolstate.numpy()[:, passed]
            self.quasi = torchlike.tensor(np.bitwise_xor.reduce(moves, 1) ^ self.quasi.numpy(), device="cpu")
        self.num_generated += n
        return self

    def _next(self, count: int, dtype: Any) -> Tensor:
        """Return the points after the last one.

        Each point is the exclusive or of its predecessor and one direction number.
        """
        if dtype not in (torchlike.float32, torchlike.float64):
            raise _errors.dtypes.not_implemented("_sobol_engine_draw", dtype)
        points = torchlike.empty((count, self.dimension), dtype=dtype, device="cpu")
        if not count:
            return points
        first = self._place()
        self._refuse_beyond(first + count)
        before = np.arange(first, first + count)
        lowest_zero = np.bitwise_count(before ^ (before + 1)) - 1
        moves = self.sobolstate.numpy().T[lowest_zero]  # (count, dimension)
        moves[0] ^= self.quasi.numpy()
        found = np.bitwise_xor.accumulate(moves, 0)
        self.quasi = torchlike.tensor(found[-1], device="cpu")
        return torchlike.tensor(found, device="cpu").to(dtype) / 2**self.MAXBIT

    def _place(self) -> int:
        """Return the index of the point in `quasi`."""
        return max(self.num_generated - 1, 0)

    def _refuse_beyond(self, last: int) -> None:
        if last >= 2**self.MAXBIT:
            raise ValueError(
                f"A Sobol sequence has 2**{self.MAXBIT} points, but point number {last + 1} was requested. "
                "Start again with reset(), or use another seed."
            )

    def _scrambled(self, directions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return a random shift, and the directions multiplied by random lower triangular bit matrices."""
        generator = None if self.seed is None else torchlike.Generator().manual_seed(self.seed)
        bits = self.MAXBIT
        draw = lambda *size: torchlike.randint(2, size, device="cpu", generator=generator).numpy()
        shift = draw(self.dimension, bits) @ (1 << np.arange(bits))
        matrices = np.tril(draw(self.dimension, bits, bits), -1) + np.eye(bits, dtype=np.int64)
        rows = matrices @ (1 << np.arange(bits)[::-1])  # (dimension, bits): each row of a matrix as one integer
        parity = np.bitwise_count(directions[:, :, None] & rows[:, None, :]).astype(np.int64) & 1
        return shift, parity @ (1 << np.arange(bits)[::-1])

    def __repr__(self) -> str:
        settings = {"dimension": self.dimension, "scramble": self.scramble or None, "seed": self.seed}
        shown = [f"{name}={value}" for name, value in settings.items() if value is not None]
        return f"{type(self).__name__}({', '.join(shown)})"


def _gray(number: int) -> int:
    return number ^ number >> 1


@functools.cache
def _directions() -> np.ndarray:
    """Return the direction numbers of all dimensions, an array of shape (21201, 30).

    The lowest bit set in column j is 2^(29 - j).

    S. Joe, F. Y. Kuo, Constructing Sobol sequences with better two-dimensional projections, 2008. SciPy's table has the
    primitive polynomial and the initial numbers of each dimension; a recurrence gives the rest.
    """
    table = importlib.resources.files("scipy") / "stats" / "_sobol_direction_numbers.npz"
    with table.open("rb") as file, np.load(file) as found:
        polynomials, first = found["poly"], found["vinit"]
    bits = SobolEngine.MAXBIT
    numbers = np.zeros((len(polynomials), bits), np.int64)
    numbers[0] = 1
    degrees = np.array([int(p).bit_length() - 1 for p in polynomials])
    for degree in range(1, degrees.max() + 1):
        rows = degrees == degree
        rows[0] = False
        v, polynomial = numbers[rows], polynomials[rows]
        v[:, :degree] = first[rows, :degree]
        for j in range(degree, bits):
            v[:, j] = v[:, j - degree]
            for k in range(1, degree + 1):
                v[:, j] ^= (polynomial >> (degree - k) & 1) * v[:, j - k] << k
        numbers[rows] = v
    return numbers << np.arange(bits)[::-1]
