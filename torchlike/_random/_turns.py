"""Large draws by rejection: elements take turns at one stream, and none knows where the one before it ends.

A compiled loop finds the ends; what is computed from the numbers of an element is left to NumPy, which rounds as
PyTorch does. XLA makes native code of a loop whose turn touches less than 1 kB (a larger one runs operator by operator,
fifty times slower), so a turn does what is necessary and no more. Decisions made with another logarithm than the C
library's differ about once in 10^14.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._generator import Generator
from ._real import fill_uniform64

ELEMENTS, UNIFORMS = 1 << 15, 1 << 17  # of a block
_REACH = 4  # uniforms that a turn may look at
_FEWEST = 1 << 11  # elements, below which a block costs more than Python
_COLD_ELEMENTS = 1 << 17  # what it takes Python to lose as much time as a compilation costs
_cold = 0


@dataclass(frozen=True)
class Process:
    """How one element is drawn.

    `turn(number, row, own, p)` looks at the uniforms from `p` on and returns whether the element is done, how many
    uniforms it took, `own` (what is remembered until the next turn) and what there is to keep of a finished element.
    `number(k, j)` is the k-th uniform (j = 0) or what `prepared` made of it; `row` has the element's columns.
    """

    turn: Callable[..., tuple]
    own: tuple
    kept: int = 0
    prepared: Callable[[np.ndarray], tuple] = lambda uniforms: ()


@dataclass(frozen=True)
class Block:
    """Elements drawn together: which, the uniforms they read, where each begins and ends in these, what was kept."""

    elements: slice
    uniforms: np.ndarray
    starts: np.ndarray
    ends: np.ndarray
    kept: list[np.ndarray]
    own: tuple


def worth_compiling(count: int) -> bool:
    """Whether so many elements, with those that were drawn one by one before, are worth a compiled loop."""
    global _cold
    if count < _FEWEST:
        return False
    _cold += count
    return _cold > _COLD_ELEMENTS and _wide()


def _wide() -> bool:
    """Whether JAX has float64, which somebody may have switched off: it would silently be float32."""
    import jax

    config: Any = jax.config
    return config.jax_enable_x64


def blocks(process: Process, generator: Generator, count: int, columns: Callable, own: tuple) -> Iterator[Block]:
    """Draw so many elements and leave the generator behind the last one.

    `columns(slice)` gives the float64 columns of some elements. Who iterates may `send` what the next block is to begin
    with in place of `own`.
    """
    width = len(columns(slice(0, 1)))
    loop, source = _compiled(process, width), _Source(generator)
    uniforms, row = _Ahead(UNIFORMS, 1 + len(process.prepared(np.ones(1)))), _Ahead(ELEMENTS, width)

    def draw(out: list[np.ndarray], _: slice) -> None:
        source.draw(out[0])
        _put(out[1:], process.prepared(out[0]))

    work_out = lambda out, some: _put(out, columns(some))
    p = first = 0
    each = 2.5  # uniforms for an element, of which fewer than needed cost another turn of this loop
    while first < count:
        many = min(ELEMENTS, count - first)
        uniforms.fill(draw, int(each * many) + 64)
        row.fill(work_out, many)
        places = [np.int64(x) for x in (many, p, uniforms.known)]
        done, p, own, ends, kept = loop(uniforms.arrays, row.arrays, *places, own)
        done, p = int(done), int(p)
        own = tuple(np.asarray(value) for value in own)
        if not done:
            each = 2 * each + 1
            if uniforms.known == UNIFORMS:
                raise AssertionError("one element took a whole block of numbers")
            continue
        ends = np.asarray(ends)[:done]
        found = [np.asarray(column)[:done] for column in kept]
        some = slice(first, first + done)
        own = (yield Block(some, uniforms.arrays[0], np.append(0, ends[:-1]), ends, found, own)) or own
        used = int(ends[-1])  # an element that was begun keeps its numbers
        p, first, each = p - used, first + done, 1.02 * used / done
        source.used(used)
        uniforms.drop(used)
        row.drop(done)
    source.give_back()


class _Ahead:
    """Arrays of one fixed length that hold the next part of an endless sequence; aligned as XLA wants them, which
    otherwise copies them."""

    def __init__(self, length: int, count: int) -> None:
        self.arrays = [_aligned(length) for _ in range(count)]
        self.known = self._dropped = 0

    def fill(self, write: Callable[[list[np.ndarray], slice], None], upto: int) -> None:
        """Have `write(arrays, place in the sequence)` go on until so many numbers are known, or all."""
        start, self.known = self.known, max(self.known, min(len(self.arrays[0]), upto))
        if self.known > start:
            place = slice(self._dropped + start, self._dropped + self.known)
            write([array[start : self.known] for array in self.arrays], place)

    def drop(self, count: int) -> None:
        for array in self.arrays:
            array[: self.known - count] = array[count : self.known].copy()
        self.known -= count
        self._dropped += count


def _aligned(length: int) -> np.ndarray:
    memory = np.zeros(length + 8)
    skipped = -memory.ctypes.data % 64 // 8
    return memory[skipped : skipped + length]


def _put(out: list[np.ndarray], values: tuple[np.ndarray, ...]) -> None:
    for target, source in zip(out, values):
        target[:] = source


class _Source:
    """Uniforms ahead of their use, and the states of the generator from which they can be drawn again."""

    def __init__(self, generator: Generator) -> None:
        self._generator = generator
        self._read = self._drawn = 0
        self._states: list[tuple[int, np.ndarray]] = []

    def draw(self, out: np.ndarray) -> None:
        self._states.append((self._drawn, self._generator.state_bytes()))
        self._drawn += len(out)
        fill_uniform64(self._generator, out)

    def used(self, count: int) -> None:
        self._read += count
        while len(self._states) > 1 and self._states[1][0] <= self._read:
            self._states.pop(0)

    def give_back(self) -> None:
        spare, (place, state) = self._generator.spare_normal, self._states[0]
        self._generator.load_state_bytes(state)
        self._generator.raw64(self._read - place)
        self._generator.spare_normal = spare


@functools.cache
def _compiled(process: Process, columns: int) -> Callable:
    import jax

    on_host = jax.sharding.SingleDeviceSharding(jax.local_devices(backend="cpu")[0])
    of = lambda kind, *shape: jax.ShapeDtypeStruct(shape, kind, sharding=on_host)
    number, uniforms = of(np.int64), of(np.float64, UNIFORMS)
    prepared = [uniforms] * (1 + len(process.prepared(np.ones(1))))
    own = tuple(of(value.dtype) for value in process.own)
    program = jax.jit(functools.partial(_loop, process))
    return program.lower(prepared, [of(np.float64, ELEMENTS)] * columns, *[number] * 3, own).compile()


def _loop(process: Process, numbers: list, columns: list, count: Any, p: Any, end: Any, own: tuple) -> tuple:
    from jax import lax, numpy

    read = functools.partial(lax.dynamic_index_in_dim, keepdims=False, allow_negative_indices=False)
    write = functools.partial(lax.dynamic_update_index_in_dim, axis=0, allow_negative_indices=False)

    def turn(carry: tuple) -> tuple:
        i, p, own, ends, kept = carry
        row = [functools.partial(read, column, i) for column in columns]
        done, taken, own, found = process.turn(lambda k, j=0: read(numbers[j], p + k), row, own, p)
        p = p + taken
        return i + done, p, own, write(ends, p, i), tuple(write(column, value, i) for column, value in zip(kept, found))

    kept = tuple(numpy.zeros(ELEMENTS) for _ in range(process.kept))
    going_on = lambda carry: (carry[0] < count) & (carry[1] + _REACH <= end)
    return lax.while_loop(going_on, turn, (count * 0, p, own, numpy.zeros(ELEMENTS, np.int64), kept))
