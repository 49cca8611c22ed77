"""Philox 4x32-10 as array operations: random bits as a function of a generator's state and element indices.

The algorithm is that of Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011. The key is the seed. The
counter's low half is the generator's offset divided by 4, and its high half is the number of a parallel stream.
"""

from __future__ import annotations

import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from torchlike._engine.xla.target import platform

ROUNDS = 10
_MULTIPLIERS = 0xD2511F53, 0xCD9E8D57
_WEYL = 0x9E3779B9, 0xBB67AE85
STREAMS = 1 << 18  # the number of parallel streams of a device that is not a CUDA GPU; an H100 has 270,336
_BLOCK = 256  # the threads of a block of PyTorch's CUDA kernels

MANY = 1 << 62  # the `count` of `bits` for a tensor whose size is not known

Words = tuple[Any, Any, Any, Any]


def philox(counter: Words, key: tuple[Any, Any]) -> Words:
    """Return four random 32-bit words for a counter of four words and a key of two. The arrays are of uint32."""
    a, b, c, d = counter
    low, high = key
    for i in range(ROUNDS):
        if i:
            low, high = low + np.uint32(_WEYL[0]), high + np.uint32(_WEYL[1])
        high_a, low_a = _product(_MULTIPLIERS[0], a)
        high_c, low_c = _product(_MULTIPLIERS[1], c)
        a, b, c, d = high_c ^ b ^ low, low_c, high_a ^ d ^ high, low_a
    return a, b, c, d


def _product(factor: int, x: Any) -> tuple[Any, Any]:
    """Return the high and the low 32 bits of a product. A TPU lacks 64-bit integers, so it multiplies 16-bit halves."""
    if platform() == "tpu":
        return _high(np.uint32(factor & 0xFFFF), np.uint32(factor >> 16), x), x * np.uint32(factor)
    wide = x.astype(np.uint64) * np.uint64(factor)
    return (wide >> np.uint64(32)).astype(np.uint32), wide.astype(np.uint32)


def _high(low: np.uint32, high: np.uint32, x: Any) -> Any:
    """Return the high 32 bits of the product of x and a factor whose 16-bit halves are given."""
    half, mask = np.uint32(16), np.uint32(0xFFFF)
    a, b = x & mask, x >> half
    middle = a * high + ((a * low) >> half)
    return b * high + (middle >> half) + ((b * low + (middle & mask)) >> half)


def offset_advance(count: int, width: int, streams: int = STREAMS) -> int:
    """Return how far the offset advances for `count` numbers of `width` 32-bit words each, as in PyTorch."""
    return 4 * -(-count // (4 // width * streams))


def numbers(shape: tuple[int, ...], strides: tuple[int, ...] | None = None) -> Any:
    """Return the index of each element in memory order, as uint32, or as uint64 for a larger tensor."""
    kind = np.dtype(np.uint32 if math.prod(shape) < 2**32 else np.uint64)
    found = jnp.zeros(shape, kind)
    step = 1
    for dim in reversed(range(len(shape))):
        stride = step if strides is None else strides[dim]
        found = found + jax.lax.broadcasted_iota(kind, shape, dim) * np.array(stride, kind)
        step *= shape[dim]
    return found


def bits(state: Any, position: Any, index: Any, count: int, width: int, streams: int = STREAMS) -> tuple[Words, Any]:
    """Return four random words for each element, and the position of the element's number among those of its words.

    Element i is in stream i mod `streams`. A stream gives 4 words at a time, which are 4 / `width` numbers. This is the
    mapping of PyTorch's CUDA kernels for a GPU with `streams` threads.

    Args:
      state: the seed and the offset, as four words.
      position: an offset from that state.
      index: the indices of the elements (see `numbers`).
      count: the number of elements of the whole tensor.
      width: the number of words of a number, 1 or 2.
      streams: the number of parallel streams of the device.
    """
    if count <= streams:
        return _words(state, position, index, None), None
    per_call, kind = 4 // width, index.dtype.type
    turn = index // kind(streams)
    return _words(state, position, index % kind(streams), turn // kind(per_call)), turn % kind(per_call)


def bits_of_vectors(
    state: Any, position: Any, index: Any, count: int, vector: int, streams: int = STREAMS
) -> tuple[Words, Any]:
    """Do the same as `bits` for PyTorch's kernels that read `vector` consecutive elements at a time; `width` is 1."""
    kind = index.dtype.type
    threads = min(streams, -(-count // _BLOCK) * _BLOCK)
    place = index % kind(vector)
    call = place // kind(4)
    if count > threads * vector:
        call = call + index // kind(threads * vector) * kind(max(vector // 4, 1))
        index = index % kind(threads * vector)
    return _words(state, position, index // kind(vector), call), place % kind(4)


def _words(state: Any, position: Any, stream: Any, call: Any) -> Words:
    """Return the four words that each stream gives in call number `call` after `position`. None means call 0."""
    low, high = _call(*after(state, position)[2:])
    stream = stream.astype(np.uint32)
    first, second = jnp.broadcast_to(low, stream.shape), jnp.broadcast_to(high, stream.shape)
    if call is not None:
        first = low + call.astype(np.uint32)
        second = high + (first < low).astype(np.uint32)
    return philox((first, second, stream, jnp.zeros_like(stream)), (state[0], state[1]))


def after(state: Any, position: Any) -> list:
    """Return the state of a generator after `position`, as a list of four words."""
    low = state[2] + jnp.asarray(position).astype(np.uint32)
    return [state[0], state[1], low, state[3] + (low < state[2]).astype(np.uint32)]


def _call(low: Any, high: Any) -> tuple[Any, Any]:
    """Return an offset divided by 4, the number of words of a call."""
    return (low >> np.uint32(2)) | (high << np.uint32(30)), high >> np.uint32(2)


def selected_word(lane: Any, choices: tuple) -> Any:
    """Return the array of `choices` that `lane` selects for each element, or the first if `lane` is None."""
    return choices[0] if lane is None else jax.lax.select_n(lane.astype(np.int32), *choices)
