"""One trace for arrays of any size.

Tracing a gradient costs milliseconds an operator, and a program over sequences of every length would pay them for every
length. So the second time that shapes of one rank come, the function is traced with symbolic dims in the place of what
differs, and every later size only has its numbers put in.

JAX takes two symbolic dims, or one and a number, for different unless they are the same formula. So what was compared
is remembered, a pattern is for sizes that do differ there, and it is believed only if it computes what the first
shapes' own program does.
"""

from __future__ import annotations

import contextlib
import math
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import jax
import numpy as np

from torchlike._engine.interpreter.jaxpr import Flat, Program
from torchlike._engine.interpreter.rules import Unsupported
from torchlike._engine.xla.jax_private import number_of, scope_of

Shapes = tuple[tuple[int, ...], ...]
MOST_PATTERNS = 4
MOST_ATTEMPTS = 8
_one_at_a_time = threading.Lock()
LARGEST_CHECK = 1 << 22  # elements of the inputs with which a pattern is tried out


class AnySize:
    """The programs of one function, whose jaxpr depends on the shapes of its arrays alone."""

    def __init__(self) -> None:
        self._first: tuple[Shapes, Program] | None = None
        self._patterns: list[Pattern] = []
        self._attempts = 0
        self._refusal: Unsupported | None = None

    def program(self, shapes: Shapes, trace: Callable[[Any], Any]) -> Program:
        """The program for these shapes. `trace(shapes)` is the closed jaxpr for shapes that may be symbolic.

        Raises:
          Unsupported: NumPy does not run it, or did not for other shapes.
        """
        if self._refusal is not None:
            raise self._refusal.with_traceback(None)
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
        try:
            program = Flat(trace(shapes)).program()
        except Unsupported as refusal:
            self._refusal = refusal
            raise
        self._first = shapes, program
        return program


class Dim(NamedTuple):
    """A dim: factor * size + offset, or (without the name of a size) the offset alone."""

    factor: int
    offset: int
    name: str

    def of(self, sizes: Mapping[str, Any]) -> Any:
        return self.factor * sizes[self.name] + self.offset if self.name else self.offset


class Pattern:
    """Shapes of one form: every dim is a number, or follows from one of the sizes that vary."""

    def __init__(self, ranks: list[int], dims: list[Dim]) -> None:
        self.ranks, self.dims = ranks, dims
        self.names = sorted({dim.name for dim in dims if dim.name})
        self.numbers = {dim.offset for dim in dims if not dim.name}
        self.varying = sorted({dim for dim in dims if dim.name})
        self.flat: Any = None
        self.unequal: list[Any] = []  # formulas that the trace took for other numbers than 0

    def sizes(self, shapes: Shapes) -> dict[str, int] | None:
        """The sizes that make these shapes; None where they are of another form, or two dims are equal by chance."""
        if self.ranks != [len(shape) for shape in shapes]:
            return None
        given = [n for shape in shapes for n in shape]
        found = {dim.name: n for n, dim in zip(given, self.dims) if dim.factor == 1 and not dim.offset}
        if any(n != dim.of(found) for n, dim in zip(given, self.dims)):
            return None
        values = {dim.of(found) for dim in self.varying}
        if len(values) < len(self.varying) or not values.isdisjoint(self.numbers) or min(values) < 2:
            return None
        return None if any(number_of(formula, found) == 0 for formula in self.unequal) else found

    def symbolic(self) -> tuple:
        """The shapes with symbols for the sizes."""
        symbols = jax.export.symbolic_shape(", ".join(self.names), constraints=[f"{name} >= 2" for name in self.names])
        named = dict(zip(self.names, symbols))
        dims = iter([dim.of(named) for dim in self.dims])
        return tuple(tuple(next(dims) for _ in range(rank)) for rank in self.ranks)


def _pattern(a: Shapes, b: Shapes) -> Pattern | None:
    """The form of which both are; None where they are of different ranks."""
    ranks = [len(shape) for shape in a]
    if ranks != [len(shape) for shape in b]:
        return None
    pairs = [pair for one, other in zip(a, b) for pair in zip(one, other)]
    sizes: list[tuple[int, int]] = []
    for pair in sorted({(m, n) for m, n in pairs if m != n}):
        if _following(pair, sizes) is None:
            sizes.append(pair)
    return Pattern(ranks, [Dim(0, m, "") if m == n else _following((m, n), sizes) or Dim(0, 0, "") for m, n in pairs])


def _following(pair: tuple[int, int], sizes: list[tuple[int, int]]) -> Dim | None:
    """How a dim that is `pair` in the two shapes follows from a size: as its multiple, or a number more or less."""
    a, b = pair
    for i, (m, n) in enumerate(sizes):
        if m and a % m == 0 and a * n == b * m:
            return Dim(a // m, 0, f"n{i}")
    for i, (m, n) in enumerate(sizes):
        if a - m == b - n:
            return Dim(1, a - m, f"n{i}")
    return None


def _generalized(first: Shapes, program: Program, second: Shapes, trace: Callable) -> Pattern | None:
    pattern = _pattern(first, second)
    if pattern is None or not pattern.names:
        return None
    sizes = pattern.sizes(first)
    if sizes is None or pattern.sizes(second) is None:
        return None
    try:
        shapes = pattern.symbolic()
        with _comparisons(next(n for shape in shapes for n in shape if not isinstance(n, int))) as pattern.unequal:
            closed = trace(shapes)
        if pattern.sizes(first) is None or pattern.sizes(second) is None:
            return None
        pattern.flat = Flat(closed)
        inputs = [(pattern.flat.shape(v, sizes), v.aval.dtype) for v in closed.jaxpr.invars]
        return pattern if _agree(program, pattern.flat.program(sizes), inputs) else None
    except Exception:  # a kernel that asks what a symbol cannot answer, such as whether it is larger than another
        return None


@contextlib.contextmanager
def _comparisons(symbol: Any) -> Iterator[list]:
    """The differences of what is compared, with a formula of symbols among them, and taken for unequal."""
    kind: Any = type(symbol)
    pairs, found, plain = [], [], kind.__eq__

    def equal(one: Any, other: Any) -> bool:
        same = plain(one, other)
        if not same and (isinstance(other, int) or scope_of(other) is scope_of(one) is scope_of(symbol)):
            pairs.append((one, other))
        return same

    with _one_at_a_time:
        kind.__eq__ = equal
        try:
            yield found
        finally:
            kind.__eq__ = plain
    formulas = {str(difference): difference for difference in (one - other for one, other in pairs)}
    found.extend(formula for formula in formulas.values() if isinstance(formula, kind))


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
