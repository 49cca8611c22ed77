"""Symbolic sizes: one trace of a function for arrays of any size.

Tracing a gradient takes milliseconds per operator. A program over sequences of many lengths would trace again for each
length. Therefore, when a second set of shapes of the same ranks occurs, the function is traced with symbolic dims in
place of the dims that differ. Later sizes only replace the symbols by numbers. A function may need several patterns: a
dim of size 1, or two equal dims, often lead to another program.

JAX treats two symbolic dims, or a symbolic dim and a number, as unequal unless they are the same formula. The
comparisons made during the trace are therefore recorded, and a pattern applies only to sizes for which the compared
dims are unequal. A pattern is accepted only if it computes the same results as the program of the first shapes.
"""

from __future__ import annotations

import contextlib
import math
import threading
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import jax
import numpy as np

from torchlike._engine.heap import without_cycles
from torchlike._engine.interpreter.jaxpr import Flat, Program
from torchlike._engine.interpreter.rules import Unsupported
from torchlike._engine.trace.interrupts import reraise
from torchlike._engine.xla.jax_private import number_of, scope_of

Shapes = tuple[tuple[int, ...], ...]
MOST_PATTERNS = 16
MOST_FAILURES = 8
MOST_TRIES = 3  # the trace of a pattern can fail by chance: JAX's caches compare sizes whose hashes are alike
MOST_TRACED = 8  # the number of shapes that are compared with new ones
MOST_OFFSET = 8  # of a multiple of a size
LARGEST_CHECK = 1 << 22  # the maximum number of input elements in the check of a pattern
_comparison_lock = threading.Lock()


class AnySize:
    """The programs of one function whose jaxpr depends only on the shapes of its arrays."""

    def __init__(self) -> None:
        self._traced: deque[tuple[Shapes, Program]] = deque(maxlen=MOST_TRACED)
        self._patterns: list[Pattern] = []
        self._failures: Counter[tuple[Dim, ...]] = Counter()
        self._refusal: Unsupported | None = None

    def program(self, shapes: Shapes, trace: Callable[[Any], Any]) -> Program:
        """Return the program for these shapes.

        `trace(shapes)` returns the closed jaxpr for shapes that may be symbolic.

        Raises:
          Unsupported: if NumPy cannot run the program for these shapes, or could not for earlier shapes.
        """
        if self._refusal is not None:
            raise self._refusal.with_traceback(None)
        for pattern in self._patterns:
            sizes = pattern.sizes(shapes)
            if sizes is not None:
                return pattern.flat.program(sizes)
        for earlier, program in self._traced:
            if earlier == shapes:
                return program
        pattern = self._new_pattern(shapes, trace)
        if pattern is not None:
            return pattern.flat.program(pattern.sizes(shapes))
        try:
            program = Flat(trace(shapes)).program()
        except Unsupported as refusal:
            self._refusal = refusal
            raise
        self._traced.append((shapes, program))
        return program

    def _new_pattern(self, shapes: Shapes, trace: Callable[[Any], Any]) -> Pattern | None:
        """Return a new pattern that matches these shapes and earlier ones, or None if there is none.

        Of the patterns that match, the one with the most variable sizes is tried.
        """
        if self._failures.total() >= MOST_FAILURES or len(self._patterns) >= MOST_PATTERNS:
            return None
        found: tuple[Pattern, Shapes, Program] | None = None
        for earlier, program in reversed(self._traced):
            pattern = _matching(earlier, shapes)
            if pattern is None or self._failures[tuple(pattern.dims)] >= MOST_TRIES:
                continue
            if found is None or len(pattern.names) > len(found[0].names):
                found = pattern, earlier, program
        if found is None:
            return None
        pattern, earlier, program = found
        if not _generalizes(pattern, earlier, program, shapes, trace):
            self._failures[tuple(pattern.dims)] += 1
            return None
        self._patterns.append(pattern)
        return pattern


class Dim(NamedTuple):
    """A dim: factor * size + offset, where `name` is the name of the size. If `name` is empty, the dim is `offset`."""

    factor: int
    offset: int
    name: str

    def of(self, sizes: Mapping[str, Any]) -> Any:
        return self.factor * sizes[self.name] + self.offset if self.name else self.offset


class Pattern:
    """A family of shapes. Every dim is a constant or a linear function of one of the variable sizes."""

    def __init__(self, ranks: list[int], dims: list[Dim]) -> None:
        self.ranks, self.dims = ranks, dims
        self.names = sorted({dim.name for dim in dims if dim.name})
        self.numbers = {dim.offset for dim in dims if not dim.name}
        self.varying = sorted({dim for dim in dims if dim.name})
        self.flat: Any = None
        self.unequal: list[Any] = []  # formulas that the trace assumed to be nonzero

    def sizes(self, shapes: Shapes) -> dict[str, int] | None:
        """Return the sizes for these shapes.

        Return None if the shapes do not match the pattern, if a variable dim is smaller than 2, or if two dims that the
        trace treats as different are equal.
        """
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
        """Return the shapes with symbols for the sizes."""
        symbols = jax.export.symbolic_shape(", ".join(self.names), constraints=[f"{name} >= 2" for name in self.names])
        named = dict(zip(self.names, symbols))
        dims = iter([dim.of(named) for dim in self.dims])
        return tuple(tuple(next(dims) for _ in range(rank)) for rank in self.ranks)


def _pattern(a: Shapes, b: Shapes) -> Pattern | None:
    """Return a candidate pattern for two sets of shapes, or None if their ranks differ."""
    ranks = [len(shape) for shape in a]
    if ranks != [len(shape) for shape in b]:
        return None
    pairs = [pair for one, other in zip(a, b) for pair in zip(one, other)]
    sizes: list[tuple[int, int]] = []
    for pair in sorted({(m, n) for m, n in pairs if m != n}):
        if _dim_of(pair, sizes) is None:
            sizes.append(pair)
    return Pattern(ranks, [Dim(0, m, "") if m == n else _dim_of((m, n), sizes) or Dim(0, 0, "") for m, n in pairs])


def _dim_of(pair: tuple[int, int], sizes: list[tuple[int, int]]) -> Dim | None:
    """Return the symbolic form of a dim that has the values `pair` in the two sets of shapes.

    The form is a multiple of a size, a size plus an offset, or a multiple with a small offset. The last one relates the
    input of a convolution with a stride to its output: a pattern for even sizes, and one for odd sizes. Return None if
    no size fits.
    """
    a, b = pair
    for i, (m, n) in enumerate(sizes):
        if m and a % m == 0 and a * n == b * m:
            return Dim(a // m, 0, f"n{i}")
    for i, (m, n) in enumerate(sizes):
        if a - m == b - n:
            return Dim(1, a - m, f"n{i}")
    for i, (m, n) in enumerate(sizes):
        factor, rest = divmod(b - a, n - m)
        if not rest and factor > 1 and abs(a - factor * m) <= MOST_OFFSET:
            return Dim(factor, a - factor * m, f"n{i}")
    return None


def _matching(first: Shapes, second: Shapes) -> Pattern | None:
    """Return a candidate pattern that matches both sets of shapes, or None if there is none."""
    pattern = _pattern(first, second)
    if pattern is None or not pattern.names or pattern.sizes(first) is None or pattern.sizes(second) is None:
        return None
    return pattern


def _generalizes(pattern: Pattern, first: Shapes, program: Program, second: Shapes, trace: Callable) -> bool:
    """Trace the function for a pattern. Return whether it matches both sets of shapes and agrees with `program`."""
    sizes = pattern.sizes(first)
    try:
        shapes = pattern.symbolic()
        symbol = next(n for shape in shapes for n in shape if not isinstance(n, int))
        with without_cycles(), _comparisons(symbol) as pattern.unequal:
            closed = trace(shapes)
        if sizes is None or pattern.sizes(first) is None or pattern.sizes(second) is None:
            return False
        pattern.flat = Flat(closed)
        inputs = [(pattern.flat.shape(v, sizes), v.aval.dtype) for v in closed.jaxpr.invars]
        return _agree(program, pattern.flat.program(sizes), inputs)
    except Exception as error:  # a kernel may need a property that symbols lack, such as a known order
        reraise(error)
        return False


@contextlib.contextmanager
def _comparisons(symbol: Any) -> Iterator[list]:
    """Record comparisons of symbolic dims that JAX treats as unequal.

    After the block, the yielded list contains the differences of the compared dims.
    """
    kind: Any = type(symbol)
    pairs, found, plain = [], [], kind.__eq__

    def equal(one: Any, other: Any) -> bool:
        same = plain(one, other)
        if not same and (isinstance(other, int) or scope_of(other) is scope_of(one) is scope_of(symbol)):
            pairs.append((one, other))
        return same

    with _comparison_lock:
        kind.__eq__ = equal
        try:
            yield found
        finally:
            kind.__eq__ = plain
    formulas = {str(difference): difference for difference in (one - other for one, other in pairs)}
    found.extend(formula for formula in formulas.values() if isinstance(formula, kind))


def _agree(a: Program, b: Program, inputs: list[tuple[tuple, np.dtype]]) -> bool:
    """Return whether two programs have the same results for random inputs. Return False for large inputs."""
    if sum(math.prod(shape) for shape, _ in inputs) > LARGEST_CHECK:
        return False
    random = np.random.default_rng(0)
    arrays = [np.asarray(random.normal(0, 2, shape)).astype(dtype) for shape, dtype in inputs]
    with np.errstate(all="ignore"):
        pairs = list(zip(a(*arrays), b(*arrays), strict=True))
    alike = lambda x, y: np.allclose(x.astype(complex), y.astype(complex), 1e-4, 1e-5, equal_nan=True)
    return all(x.shape == y.shape and x.dtype == y.dtype and alike(x, y) for x, y in pairs)
