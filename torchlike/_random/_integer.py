"""Random integers and permutations."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable

import numpy as np

from torchlike import _errors

from ._checks import bounds, is_floating, is_no_number, mantissa_digits, require_in_bounds, warn_beyond_precision
from ._generator import Generator, default_generator
from ._real import SLAB
from ._rounding import narrow

Size = tuple[int, ...]
_INT64_MIN, _INT64_MAX = -(2**63), 2**63 - 1
_ONE_WORD_LIMIT = 1 << 28  # wider ranges are drawn from two words
_MOST_PERMUTED = (2**32 - 1) // 20
_MOST_HELD = {"float16": 11, "float32": 24, "float64": 53}  # bits; of bfloat16 PyTorch asks nothing
_WORTH_SCIPY = 1 << 20
_FULL_RANGE_NAMES = ("int64", "float64", "float32", "bfloat16")
_followed = 0  # places exchanged without SciPy


def random_(generator: Generator | None, size: Size, dtype: np.dtype) -> np.ndarray:
    """Integers over the whole of the dtype, as `Tensor.random_()` draws them.

    Integers in [0, max], floating numbers in [0, 2^digits of the significand], bools; int64 and float64 use two words
    each, all others one.
    """
    generator, dtype = generator or default_generator, np.dtype(dtype)
    if 0 in size:  # PyTorch looks at the dtype where there is something to draw
        return np.empty(size, dtype)
    if is_no_number(dtype) or dtype.name in ("uint16", "uint32", "uint64"):
        raise _errors.dtypes.not_implemented("random_kernel_cpu", dtype)
    count = math.prod(size)
    largest = 1 << mantissa_digits(dtype) if is_floating(dtype) else int(bounds(dtype)[1])
    wide = dtype.name in ("int64", "float64")
    return _below(generator, count, largest + 1, wide, lambda words: _convert(words, dtype), dtype).reshape(size)


def randint(generator: Generator | None, size: Size, dtype: np.dtype, low: int, high: int | None) -> np.ndarray:
    """Integers in [low, high), as `torch.randint` and `Tensor.random_(low, high)` draw them.

    `high=None` stands for the dtype's largest value, itself included. A range below 2^28 takes one word modulo the
    range, a wider one two words.

    >>> from torchlike._random import Generator
    >>> randint(Generator().manual_seed(0), (5,), np.dtype("int64"), 0, 10).tolist()
    [4, 9, 3, 0, 3]
    """
    generator, dtype = generator or default_generator, np.dtype(dtype)
    if is_no_number(dtype) and dtype.kind != "c":  # of complex numbers it is the bounds that are refused
        raise _errors.dtypes.not_implemented("random_update_from_to", dtype)
    if dtype.kind == "c" and high is None:
        raise RuntimeError("random_from_to_impl handles only integral, floating-point and boolean types")
    count = math.prod(size)
    if high is None and low == _INT64_MIN:
        return _full_range(generator, count, dtype).reshape(size)
    low, last = _closed_range(low, high, dtype)
    span = last - low + 1
    moved = lambda offsets: _convert(offsets.astype(np.int64) + np.int64(low) if low else offsets, dtype)
    return _below(generator, count, span, span >= _ONE_WORD_LIMIT, moved, dtype).reshape(size)


def _below(
    generator: Generator,
    count: int,
    span: int,
    wide: bool,
    convert: Callable[[np.ndarray], np.ndarray],
    dtype: np.dtype,
) -> np.ndarray:
    """So many words modulo `span`, converted, a part at a time."""
    values = np.empty(count, dtype)
    with generator.lock:
        words = generator.raw64 if wide else generator.raw32
        for start in range(0, count, SLAB):
            some = values[start : start + SLAB]
            some[:] = convert(_modulo(words(len(some)), span))
    return values


def _full_range(generator: Generator, count: int, dtype: np.dtype) -> np.ndarray:
    if dtype.name not in _FULL_RANGE_NAMES:
        raise _errors.random.random_full_range()
    with generator.lock:
        return _convert(generator.raw64(count).view(np.int64), dtype)


def _closed_range(low: int, high: int | None, dtype: np.dtype) -> tuple[int, int]:
    """The first and the last integer to draw, or PyTorch's error."""
    if high is not None and low >= high:
        raise _errors.random.random_order(low, high)
    if is_floating(dtype):
        low, last = _representable_range(low, high, dtype)
    else:
        last = high - 1 if high is not None else int(bounds(dtype)[1])
    _check_range(low, last, dtype)
    return low, last


def _representable_range(low: int, high: int | None, dtype: np.dtype) -> tuple[int, int]:
    """The range drawn in towards integers that the dtype holds, so that rounding cannot leave it."""
    digits = mantissa_digits(dtype)
    above = _rounded(low + 1, dtype)
    if above < low:
        low = above + (1 << max(abs(low + 1).bit_length() - digits, 0))
    if high is None:
        last = 1 << digits
        if low >= last:
            raise _errors.random.random_order_to_last(low, last)
        return low, last
    below = _rounded(high - 1, dtype)
    if below >= high:
        high = below - (1 << max(abs(high - 1).bit_length() - digits, 0))
    if low >= high:
        raise _errors.random.random_order_in_dtype(low, high)
    return low, high - 1


def _rounded(integer: int, dtype: np.dtype) -> int:
    """`integer` through `dtype` and back to int64, where overflow gives the least int64, as it does on x86."""
    value = float(narrow(np.float64(integer), dtype))
    return int(value) if _INT64_MIN <= value < 2.0**63 else _INT64_MIN


def _check_range(low: int, last: int, dtype: np.dtype) -> None:
    if dtype.kind == "c":
        raise _errors.random.random_kind()
    require_in_bounds(low, "from", dtype)
    require_in_bounds(last, "to - 1", dtype)
    if is_floating(dtype):
        warn_beyond_precision(low, "from", dtype)
        warn_beyond_precision(last, "to - 1", dtype)


def _modulo(words: np.ndarray, span: int) -> np.ndarray:
    """words % span; by multiplication, since NumPy vectorises the division by a scalar but not the remainder."""
    if span > np.iinfo(words.dtype).max:
        return words
    if span & (span - 1) == 0:
        words &= words.dtype.type(span - 1)
        return (
            words.view(f"i{words.itemsize}") if span <= np.iinfo(words.dtype).max // 2 + 1 else words
        )  # converts faster
    divisor = words.dtype.type(span)
    return words - words // divisor * divisor


def _convert(integers: np.ndarray, dtype: np.dtype) -> np.ndarray:
    return narrow(integers, dtype) if is_floating(dtype) else integers.astype(dtype)


def draw_seed(generator: Generator | None = None) -> int:
    """A seed in [0, 2^63): the draw that `DataLoader` and its samplers make for theirs."""
    return int(random_(generator, (), np.dtype(np.int64)))


def randperm(generator: Generator | None, n: int, dtype: np.dtype = np.dtype(np.int64)) -> np.ndarray:
    """A permutation of 0 ... n-1 by Fisher and Yates' exchanges, as `torch.randperm` makes it.

    Raises:
        NotImplementedError: n of 214748364 or more, for which PyTorch changes to another algorithm.
    """
    generator, dtype = generator or default_generator, np.dtype(dtype)
    if dtype.kind in "bc":
        raise _errors.dtypes.not_implemented("randperm", dtype)
    most = _MOST_HELD.get(dtype.name)
    if most is not None and n > 2**most + 1:
        raise _errors.random.permutation_too_long(most, dtype)
    if n >= _MOST_PERMUTED:
        raise _errors.arguments.unsupported("randperm", f"n={n}")
    if n < 2:
        return np.arange(n, dtype=dtype)
    steps = np.arange(n - 1, dtype=np.uint32)
    with generator.lock:
        targets = generator.raw32(n - 1)
    targets %= np.uint32(n) - steps
    targets += steps
    return _exchanged(targets).astype(dtype)


def _exchanged(targets: np.ndarray) -> np.ndarray:
    """What 0 ... n-1 becomes when place i is exchanged with place targets[i] >= i, for i = 0 ... n-2 in turn.

    LAPACK exchanges rows so after a factorisation, but SciPy, which has it, takes as long to import as a million places
    take to follow by NumPy.
    """
    global _followed
    n = len(targets) + 1
    if _followed + n <= _WORTH_SCIPY and "scipy.linalg.lapack" not in sys.modules:
        _followed += n
        return _by_following(np.append(targets, np.uint32(n - 1)).astype(np.int64))
    from scipy.linalg import lapack

    return lapack.dlaswp(np.arange(n, dtype=np.float64).reshape(n, 1), targets.view(np.int32), overwrite_a=True)[:, 0]  # type: ignore[attr-defined]


def _by_following(targets: np.ndarray) -> np.ndarray:
    """The exchanges for all places at once.

    Step i fetches what lies at its target: the target itself, or what the last earlier step with the same target left
    there, which is what that step found at its own place. So places point back to earlier places, and what they hold
    is found by following pointers, for all places at once. The answer is written over `targets`.
    """
    places = np.arange(len(targets))
    order = targets << 32
    order |= places
    order.sort()  # by target, then by step
    step, target = order & 0xFFFFFFFF, order >> 32
    again = target[1:] == target[:-1]
    last = np.flatnonzero(np.append(~again, True))
    held = places.astype(np.int32)  # half the memory to jump about in
    held[target[last]] = step[last]
    repeated = np.flatnonzero(again) + 1
    step, target, earlier = step[repeated], target[repeated], step[repeated - 1]
    own = step == target  # what a place holds before its own step was left there by an earlier one
    held[step[own]] = earlier[own]
    _follow(held)
    targets[step] = held[earlier]
    return targets


def _follow(pointers: np.ndarray) -> None:
    """Replace every pointer by the end of its chain, doubling the distance looked ahead each time."""
    active = np.flatnonzero(pointers != np.arange(len(pointers), dtype=pointers.dtype))
    while active.size:
        ahead = pointers[active]
        further = pointers[ahead]
        pointers[active] = further
        active = active[further != ahead]
