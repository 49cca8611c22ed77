"""Random numbers of accelerator tensors: one operator for all distributions that need one formula for each number.

Each formula maps random words to numbers as PyTorch's CUDA kernels do. They compute half precision in float32.
"""

from __future__ import annotations

import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from torchlike._dtypes import from_numpy
from torchlike._engine import aval
from torchlike._ops.elementwise.float8 import cast
from torchlike._ops.random.philox import STREAMS, Words, bits, bits_of_vectors, numbers, selected_word
from torchlike._ops.schema.declare import Array, Scalar, declare, operator
from torchlike._ops.schema.typing_rules import Call, Typed

_WIDE = ("randint64", "randperm")  # the distributions whose numbers take 64 bits for each dtype


def width_of(name: str, dtype: np.dtype) -> int:
    """Return how many 32-bit words a random number takes."""
    return 2 if name in _WIDE or (dtype == np.float64 and name != "randint32") else 1


# -- words to numbers --------------------------------------------------------------------------------------------------


def unit(words: Words, lane: Any, double: bool) -> Any:
    """Return uniform numbers in (0, 1]."""
    if double:
        return selected_word(lane, tuple(_unit64(words[i], words[i + 1]) for i in (0, 2)))
    return _unit32(selected_word(lane, words))


def _unit32(word: Any) -> Any:
    return word.astype(np.float32) * np.float32(2.0**-32) + np.float32(2.0**-33)


def _unit64(low: Any, high: Any) -> Any:
    mixed = low.astype(np.uint64) ^ (high.astype(np.uint64) << np.uint64(21))
    return mixed.astype(np.float64) * 2.0**-53 + 2.0**-54


def _standard_normal(words: Words, lane: Any, double: bool) -> Any:
    """Return standard normal numbers by the Box-Muller transform."""
    if double:
        first, second = _unit64(words[0], words[1]), _unit64(words[2], words[3])
        sine = None if lane is None else lane == 0
    else:
        pair = None if lane is None else lane >> lane.dtype.type(1)
        first, second = _unit32(selected_word(pair, words[::2])), _unit32(selected_word(pair, words[1::2]))
        sine = None if lane is None else (lane & lane.dtype.type(1)) == 0
    radius, angle = jnp.sqrt(-2 * jnp.log(first)), first.dtype.type(2 * math.pi) * second
    return radius * (jnp.sin(angle) if sine is None else jnp.where(sine, jnp.sin(angle), jnp.cos(angle)))


def limit(chance: Any) -> Any:
    """Return the smallest word that is not `below` a probability. A probability of 1 has no such word."""
    wide = chance.astype(np.float64 if chance.ndim == 0 else np.float32)
    return jnp.clip(jnp.ceil(wide * 2.0**32), 0, 2.0**32 - 1).astype(np.uint32)


def below(word: Any, probability: Any) -> Any:
    """Return True with the given probability, a number or an array that broadcasts to `word`."""
    chance = jnp.asarray(probability)
    return (word < limit(chance)) | (chance >= 1)


# -- distributions: (words, lane, double, first, second) -> numbers ----------------------------------------------------


def _uniform(words, lane, double, low, high):
    return unit(words, lane, double) * (high - low) + low


def _normal(words, lane, double, mean, std):
    return _standard_normal(words, lane, double) * std + mean


def _log_normal(words, lane, double, mean, std):
    return jnp.exp(_normal(words, lane, double, mean, std))


def _exponential(words, lane, double, rate, _):
    u = unit(words, lane, double)
    least = jnp.finfo(u.dtype).eps / 2
    return -jnp.where(u >= 1 - least, -least, jnp.log(u)) / rate


def _cauchy(words, lane, double, median, sigma):
    u = unit(words, lane, double)
    u = jnp.clip(u, jnp.finfo(u.dtype).eps, 1 - jnp.finfo(u.dtype).eps)
    return median + sigma * jnp.tan(math.pi * (u - 0.5))


def _geometric(words, lane, double, p, _):
    return jnp.maximum(jnp.ceil(jnp.log(unit(words, lane, double)) / jnp.log1p(-p)), 1)


_REAL = {
    "uniform": _uniform,
    "normal": _normal,
    "log_normal": _log_normal,
    "exponential": _exponential,
    "cauchy": _cauchy,
    "geometric": _geometric,
}


def _integers(name: str, words: Words, lane: Any, low: Any, last: Any) -> Any:
    """Return integers in [low, last]: 64-bit arithmetic modulo the number of integers."""
    span = last.astype(np.int64).astype(np.uint64) - low.astype(np.int64).astype(np.uint64) + np.uint64(1)
    if name == "randint32":
        found = (selected_word(lane, words) % span.astype(np.uint32)).astype(np.uint64)
    else:
        raw = _long(words, lane)
        found = jnp.where(span == 0, raw, raw % jnp.maximum(span, 1))
    return (found + low.astype(np.int64).astype(np.uint64)).astype(np.int64)


def _long(words: Words, lane: Any) -> Any:
    """Return 64-bit words. The first of the two 32-bit words is the high half."""
    pairs = [(words[i].astype(np.uint64) << np.uint64(32)) | words[i + 1].astype(np.uint64) for i in (0, 2)]
    return selected_word(lane, tuple(pairs))


# -- operators ---------------------------------------------------------------------------------------------------------


def _typing(call: Call) -> Typed:
    return Typed([aval(call.shape, call.dtype, call.device)], None, [None])


@declare("operator", _typing, where=(), out=False, saves=(), opmath=False, differentiable=False, numpy=False)
def _random_fill(
    state: Array,
    position: Scalar,
    first: Scalar,
    second: Scalar,
    name: str,
    shape: tuple,
    strides: Any,
    dtype: Any,
    streams: int = STREAMS,
):
    """Return random numbers.

    Args:
      state: the seed and the offset of a Philox generator, as four 32-bit words.
      position: the position of the first number after that state.
      first, second: the parameters of the distribution.
      name: the distribution.
      shape, dtype: those of the result. A complex dtype has parts of the same distribution.
      strides: the strides of the tensor that is filled, in the order of whose memory the numbers are generated.
      streams: the number of parallel streams of the device.
    """
    if dtype.is_complex:
        strides = None if strides is None else (*[2 * s for s in strides], 1)
        part = from_numpy(np.dtype(f"f{dtype.itemsize // 2}"))
        parts = _fill(state, position, first, second, name, (*shape, 2), strides, part, streams)
        return jax.lax.complex(parts[..., 0], parts[..., 1])
    return _fill(state, position, first, second, name, shape, strides, dtype, streams)


def _fill(state, position, first, second, name, shape, strides, dtype, streams):
    width, count = width_of(name, dtype.numpy), math.prod(shape)
    words, lane = bits(state, position, numbers(shape, strides), count, width, streams)
    if name == "bernoulli":
        found = unit(words, lane, True) < first if width == 2 else below(selected_word(lane, words), first)
        return found.astype(dtype.numpy)
    if name == "randperm":
        return jnp.argsort(_keys(_long(words, lane), shape[-1]), axis=-1).astype(dtype.numpy)
    if name.startswith("randint"):
        return cast(_integers(name, words, lane, jnp.asarray(first), jnp.asarray(second)), dtype)
    double = width == 2
    kind = np.float64 if double else np.float32
    first, second = jnp.asarray(first).astype(kind), jnp.asarray(second).astype(kind)
    found = cast(_REAL[name](words, lane, double, first, second), dtype)
    if name == "uniform":  # rounding may reach the upper bound, which is excluded
        found = jnp.where(found == cast(second, dtype), cast(first, dtype), found)
    return found


def _keys(words: Any, count: int) -> Any:
    """Return the sorting keys of PyTorch's `randperm` of `count` numbers: as few bits as make equal keys unlikely."""
    if count < 2:
        return words
    number = math.ceil(math.log2(count - (6 * count * count + 1) / (12 * math.log(0.9))))
    if number <= 32:  # the keys are 32-bit integers from an interval without its last number
        words = words % np.uint64(2**32 - 1) + np.uint64(2**31)
    return words & np.uint64((1 << min(number, 64)) - 1)


@operator(
    where=(),
    shape=lambda call: [call.input.shape],
    promote=None,
    out=False,
    keeps=("state",),
    saves=("state",),
    remembers=(),
    opmath=False,
    numpy=False,
    formats=1,
    node="NativeDropoutBackward0",
)
def _random_dropout(
    input: Array,
    state: Array,
    position: Scalar,
    p: Scalar,
    strides: Any = None,
    vector: int = 1,
    streams: int = STREAMS,
):
    """Set each element to zero with probability `p`, and scale the others by 1 / (1 - p).

    The gradient generates the same random numbers again, so no mask is kept.

    Args:
      input: the elements.
      state, position: see `_random_fill`.
      p: the probability.
      strides: the strides of `input` in memory, in whose order the numbers are generated; None means row-major.
      vector: how many consecutive elements a thread of PyTorch's kernel reads at a time.
      streams: the number of parallel streams of the device.
    """
    index = numbers(input.shape, strides)
    if vector == 1:
        words, lane = bits(state, position, index, input.size, 1, streams)
    else:
        words, lane = bits_of_vectors(state, position, index, input.size, vector, streams)
    p = jnp.asarray(p)
    wide = np.float64 if input.dtype == np.float64 else np.float32
    scale = (1 / (1 - p.astype(np.float64))).astype(wide)
    return jnp.where(below(selected_word(lane, words), 1 - p), (input.astype(wide) * scale).astype(input.dtype), 0)
