"""Rejection sampling of large arrays from one sequential stream of uniforms.

Each element takes a random number of uniforms, so the position of an element's first uniform is known only when the
previous element is done. A compiled loop finds these positions. NumPy then computes the samples, because it rounds as
PyTorch does. XLA generates native code for a loop only if the loop body accesses less than 1 kB; a larger loop runs
operator by operator, fifty times slower. The loop body is therefore kept minimal. Its logarithm differs from the C
library's, which changes a decision about once in 10^14.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from torchlike._engine.xla.forked import forked

from ._generator import Generator
from ._real import fill_uniform64

ELEMENTS, UNIFORMS = 1 << 15, 1 << 17  # the maximum numbers of elements and uniforms in a block
_REACH = 4  # the number of uniforms that one iteration may read
_FEWEST = 1 << 11  # for fewer elements, sampling in Python is faster than a block
_COLD_ELEMENTS = 1 << 17  # after this many elements, compiling a loop would have been faster than sampling in Python
_counted = 0


@dataclass(frozen=True)
class Process:
    """The sampling process of one element.

    `iterate(number, row, own, p)` performs one iteration. It reads the uniforms from position `p` on. It returns
    whether the element is done, the number of uniforms taken, the state for the next iteration (`own`), and the values
    to keep if the element is done. `number(k)` returns uniform p + k, and `number(k, j)` returns item p + k of the j-th
    array that `prepared` returned, counted from 1. `row` has functions that return the element's columns.

    Attributes:
      iterate: the iteration.
      own: the initial state, which determines the dtypes of the state.
      kept: the number of values to keep for each element.
      prepared: a function that precomputes arrays from the uniforms with NumPy.
    """

    iterate: Callable[..., tuple]
    own: tuple
    kept: int = 0
    prepared: Callable[[np.ndarray], tuple] = lambda uniforms: ()


@dataclass(frozen=True)
class Block:
    """A block of sampled elements.

    Attributes:
      elements: the slice of the elements.
      uniforms: the uniforms that they read.
      starts, ends: for each element, the positions of its first uniform and after its last uniform.
      kept: the kept values of the elements (see `Process`).
      own: the state after the last iteration.
    """

    elements: slice
    uniforms: np.ndarray
    starts: np.ndarray
    ends: np.ndarray
    kept: list[np.ndarray]
    own: tuple


def worth_compiling(count: int) -> bool:
    """Add `count` to the process's total, and return whether a compiled loop pays off.

    The total includes earlier elements that were sampled one by one. Arrays of fewer than `_FEWEST` elements are not
    counted, because a loop never pays off for them. Return False if float64 is disabled in JAX, and in a forked
    process.
    """
    global _counted
    if count < _FEWEST or forked.is_closed:
        return False
    _counted += count
    return _counted > _COLD_ELEMENTS and _has_float64()


def _has_float64() -> bool:
    """Return whether float64 is enabled in JAX. If the user has disabled it, JAX would silently use float32."""
    import jax

    config: Any = jax.config
    return config.jax_enable_x64


def blocks(process: Process, generator: Generator, count: int, columns: Callable, own: tuple) -> Iterator[Block]:
    """Sample `count` elements and yield them in blocks. Afterwards, the generator is positioned after the last element.

    `columns(slice)` returns the float64 columns of some elements. The caller may `send` the initial state of the next
    block, which replaces `own`.
    """
    width = len(columns(slice(0, 1)))
    loop, source = _compiled(process, width), _Source(generator)
    uniforms, row = _Ahead(UNIFORMS, 1 + len(process.prepared(np.ones(1)))), _Ahead(ELEMENTS, width)

    def draw(out: list[np.ndarray], _: slice) -> None:
        source.draw(out[0])
        _put(out[1:], process.prepared(out[0]))

    work_out = lambda out, some: _put(out, columns(some))
    p = first = 0
    each = 2.5  # estimated uniforms per element; if it is too low, this loop runs once more
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
                raise AssertionError("one element consumed a whole block of random numbers")
            continue
        ends = np.asarray(ends)[:done]
        found = [np.asarray(column)[:done] for column in kept]
        some = slice(first, first + done)
        own = (yield Block(some, uniforms.arrays[0], np.append(0, ends[:-1]), ends, found, own)) or own
        used = int(ends[-1])  # an unfinished element keeps the uniforms that it has read
        p, first, each = p - used, first + done, 1.02 * used / done
        source.used(used)
        uniforms.drop(used)
        row.drop(done)
    source.give_back()


class _Ahead:
    """Buffers of fixed length that hold the next part of an infinite sequence.

    The buffers have XLA's alignment, because XLA copies unaligned arrays.
    """

    def __init__(self, length: int, count: int) -> None:
        self.arrays = [_aligned(length) for _ in range(count)]
        self.known = self._dropped = 0

    def fill(self, write: Callable[[list[np.ndarray], slice], None], upto: int) -> None:
        """Extend the known part to `upto` numbers, or to the full length.

        `write(arrays, place)` writes the numbers of the slice `place` of the sequence.
        """
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
    """Uniforms that are sampled ahead of their use.

    It saves states of the generator, so that unused uniforms can be given back.
    """

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
    """Repeat `process.iterate` until `count` elements are done or fewer than `_REACH` uniforms remain before `end`.

    Return the number of finished elements, the position after the last uniform taken, the state, the position after the
    last uniform of each element, and the kept values.
    """
    from jax import lax, numpy

    read = functools.partial(lax.dynamic_index_in_dim, keepdims=False, allow_negative_indices=False)
    write = functools.partial(lax.dynamic_update_index_in_dim, axis=0, allow_negative_indices=False)

    def iterate(carry: tuple) -> tuple:
        i, p, own, ends, kept = carry
        row = [functools.partial(read, column, i) for column in columns]
        done, taken, own, found = process.iterate(lambda k, j=0: read(numbers[j], p + k), row, own, p)
        p = p + taken
        return i + done, p, own, write(ends, p, i), tuple(write(column, value, i) for column, value in zip(kept, found))

    kept = tuple(numpy.zeros(ELEMENTS) for _ in range(process.kept))
    continues = lambda carry: (carry[0] < count) & (carry[1] + _REACH <= end)
    return lax.while_loop(continues, iterate, (count * 0, p, own, numpy.zeros(ELEMENTS, np.int64), kept))
