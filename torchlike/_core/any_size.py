"""One trace for arrays of any size.

Tracing a gradient costs milliseconds an operator, and a program over sequences of every length would pay them for every
length. So the second time that shapes of one rank come, the function is traced with symbolic dims in the place of what
differs, and every later size only has its numbers put in.

JAX takes two symbolic dims, or one and a number, for different unless they are the same formula. So a pattern is for
sizes that do differ there, and it is believed only if it computes what the first shapes' own program does.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from torchlike._core.jaxpr_numpy import Flat, Program

Shapes = tuple[tuple[int, ...], ...]
MOST_PATTERNS = 4
MOST_ATTEMPTS = 8
LARGEST_CHECK = 1 << 22  # elements of the inputs with which a pattern is tried out


class AnySize:
    """The programs of one function, whose jaxpr depends on the shapes of its arrays alone."""

    def __init__(self) -> None:
        self._first: tuple[Shapes, Program] | None = None
        self._patterns: list[Pattern] = []
        self._attempts = 0

    def program(self, shapes: Shapes, trace: Callable[[Any], Any]) -> Program:
        """The program for these shapes. `trace(shapes)` is the closed jaxpr for shapes that may be symbolic.

        Raises:
          Unsupported: NumPy does not run it.
        """
        for pattern in self._patterns:
            sizes = pattern.sizes(shapes)
            if sizes is not None:
                return pattern.flat.program(sizes)
        if self._first is not None and self._attempts < MOST_ATTEMPTS and len(self._patterns) < MOST_PATTERNS:
            self._attempts += 1
            pattern = _generalized(*self._first, shapes, trace)
            if pattern is not None:
                self._patterns.append(pattern)
                return pattern.flat.program(pattern.sizes(shapes))
        program = Flat(trace(shapes)).program()
        self._first = shapes, program
        return program


class Pattern:
    """Shapes of one form: every dim is a number, or a multiple of one of the sizes that vary."""

    def __init__(self, ranks: list[int], dims: list[tuple[int, str]]) -> None:
        self.ranks, self.dims = ranks, dims  # a dim is a factor and the name of a size, or a number and ""
        self.names = sorted({name for _, name in dims if name})
        self.numbers = {factor for factor, name in dims if not name}
        self.multiples = sorted({dim for dim in dims if dim[1]})
        self.flat: Any = None

    def sizes(self, shapes: Shapes) -> dict[str, int] | None:
        """The sizes that make these shapes; None where they are of another form, or two dims are equal by chance."""
        found: dict[str, int] = {}
        given = [n for shape in shapes for n in shape]
        if self.ranks != [len(shape) for shape in shapes]:
            return None
        for n, (factor, name) in zip(given, self.dims):
            if factor == 1 and name:
                found.setdefault(name, n)
        for n, (factor, name) in zip(given, self.dims):
            if n != (factor * found[name] if name else factor):
                return None
        values = {factor * found[name] for factor, name in self.multiples}
        if len(values) < len(self.multiples) or not values.isdisjoint(self.numbers) or min(found.values()) < 2:
            return None
        return found

    def symbolic(self) -> tuple:
        """The shapes with symbols for the sizes."""
        symbols = jax.export.symbolic_shape(", ".join(self.names), constraints=[f"{name} >= 2" for name in self.names])
        named = dict(zip(self.names, symbols))
        dims = iter([factor * named[name] if name else factor for factor, name in self.dims])
        return tuple(tuple(next(dims) for _ in range(rank)) for rank in self.ranks)


def _pattern(a: Shapes, b: Shapes) -> Pattern | None:
    """The form of which both are; None where they are of different ranks."""
    ranks = [len(shape) for shape in a]
    if ranks != [len(shape) for shape in b]:
        return None
    pairs = [pair for one, other in zip(a, b) for pair in zip(one, other)]
    sizes: list[tuple[int, int]] = []
    for pair in sorted({(m, n) for m, n in pairs if m != n}):
        if _multiple(pair, sizes) is None:
            sizes.append(pair)
    return Pattern(ranks, [(m, "") if m == n else _multiple((m, n), sizes) or (0, "") for m, n in pairs])


def _multiple(pair: tuple[int, int], sizes: list[tuple[int, int]]) -> tuple[int, str] | None:
    for i, (m, n) in enumerate(sizes):
        if m and pair[0] % m == 0 and pair[0] * n == pair[1] * m:
            return pair[0] // m, f"n{i}"
    return None


def _generalized(first: Shapes, program: Program, second: Shapes, trace: Callable) -> Pattern | None:
    pattern = _pattern(first, second)
    if pattern is None or not pattern.names:
        return None
    sizes = pattern.sizes(first)
    if sizes is None or pattern.sizes(second) is None:
        return None
    try:
        closed = trace(pattern.symbolic())
        pattern.flat = Flat(closed)
        inputs = [(pattern.flat.shape(v, sizes), v.aval.dtype) for v in closed.jaxpr.invars]
        return pattern if _agree(program, pattern.flat.program(sizes), inputs) else None
    except Exception:  # a kernel that asks what a symbol cannot answer, such as whether it is larger than another
        return None


def _agree(a: Program, b: Program, inputs: list[tuple[tuple, np.dtype]]) -> bool:
    """Whether two programs have the same results on random numbers."""
    if sum(math.prod(shape) for shape, _ in inputs) > LARGEST_CHECK:
        return False
    random = np.random.default_rng(0)
    arrays = [np.asarray(random.normal(0, 2, shape)).astype(dtype) for shape, dtype in inputs]
    with np.errstate(all="ignore"):
        pairs = list(zip(a(*arrays), b(*arrays), strict=True))
    alike = lambda x, y: np.allclose(x.astype(complex), y.astype(complex), 1e-4, 1e-5, equal_nan=True)
    return all(x.shape == y.shape and x.dtype == y.dtype and alike(x, y) for x, y in pairs)
