"""Random integers and permutations."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable

import numpy as np

from torchlike import _errors

from ._checks import bounds, is_floating, is_not_sampled, mantissa_digits, require_in_bounds, warn_beyond_precision
from ._generator import Generator, default_generator
from ._real import SLAB
from ._rounding import narrow

Size = tuple[int, ...]
_INT64_MIN, _INT64_MAX = -(2**63), 2**63 - 1
_ONE_WORD_LIMIT = 1 << 28  # larger ranges are sampled from two words
_MOST_PERMUTED = (2**32 - 1) // 20
# The bits of the longest permutation. PyTorch does not check bfloat16.
_MOST_HELD = {"float16": 11, "float32": 24, "float64": 53}
_WORTH_SCIPY = 1 << 20
_FULL_RANGE_NAMES = ("int64", "float64", "float32", "bfloat16")
_followed = 0  # the total number of places permuted without SciPy


def random_(generator: Generator | None, size: Size, dtype: np.dtype) -> np.ndarray:
    """Return integers over the full range of the dtype, as `Tensor.random_()` samples them.

    The range is [0, max] for integer dtypes, [0, 2^digits of the significand] for floating-point dtypes, and {0, 1} for
    bool. A number takes two words for int64 and float64, and one word for all other dtypes.
    """
    generator, dtype = generator or default_generator, np.dtype(dtype)
    if 0 in size:  # PyTorch does not check the dtype of an empty tensor
        return np.empty(size, dtype)
    if is_not_sampled(dtype) or dtype.name in ("uint16", "uint32", "uint64"):
        raise _errors.dtypes.not_implemented("random_kernel_cpu", dtype)
    count = math.prod(size)
    wide = dtype.name in ("int64", "float64")
    return _below(generator, count, limits(dtype)[1] + 1, wide, lambda words: _convert(words, dtype), dtype).reshape(
        size
    )


def randint(generator: Generator | None, size: Size, dtype: np.dtype, low: int, high: int | None) -> np.ndarray:
    """Return integers in [low, high), as `torch.randint` and `Tensor.random_(low, high)` sample them.

    `high=None` means up to and including the dtype's largest value, or 2^digits of the significand for floating-point
    dtypes. If the range has fewer than 2^28 integers, a number is one word modulo their count. A larger range takes two
    words.

    >>> from torchlike._random import Generator
    >>> randint(Generator().manual_seed(0), (5,), np.dtype("int64"), 0, 10).tolist()
    [4, 9, 3, 0, 3]
    """
    generator, dtype = generator or default_generator, np.dtype(dtype)
    if is_not_sampled(dtype) and dtype.kind != "c":  # for complex dtypes, PyTorch's error is about the bounds
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


def limits(dtype: np.dtype, low: int | None = None, high: int | None = None) -> tuple[int, int]:
    """Return the first and the last integer of `random_` for this dtype or, if `low` is given, of `randint`."""
    if low is None:
        return 0, 1 << mantissa_digits(dtype) if is_floating(dtype) else int(bounds(dtype)[1])
    return (low, _INT64_MAX) if high is None and low == _INT64_MIN else _closed_range(low, high, dtype)


def _below(
    generator: Generator,
    count: int,
    span: int,
    wide: bool,
    convert: Callable[[np.ndarray], np.ndarray],
    dtype: np.dtype,
) -> np.ndarray:
    """Return `count` words modulo `span`, converted by `convert`. They are processed in chunks."""
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
    """Return the first and the last integer of the range. Raise PyTorch's error for an invalid range."""
    if high is not None and low >= high:
        raise _errors.random.random_order(low, high)
    if is_floating(dtype):
        low, last = _representable_range(low, high, dtype)
    else:
        last = high - 1 if high is not None else int(bounds(dtype)[1])
    _check_range(low, last, dtype)
    return low, last


def _representable_range(low: int, high: int | None, dtype: np.dtype) -> tuple[int, int]:
    """Shrink the range to integers that the dtype can represent, so that rounding cannot leave it."""
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
    """Convert `integer` to `dtype` and back to int64. Overflow gives the smallest int64, as on x86."""
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
    """Return words % span.

    It divides and multiplies, because NumPy vectorizes the division by a scalar but not the remainder.
    """
    if span > np.iinfo(words.dtype).max:
        return words
    if span & (span - 1) == 0:
        words &= words.dtype.type(span - 1)
        return (
            words.view(f"i{words.itemsize}") if span <= np.iinfo(words.dtype).max // 2 + 1 else words
        )  # signed integers convert faster
    divisor = words.dtype.type(span)
    return words - words // divisor * divisor


def _convert(integers: np.ndarray, dtype: np.dtype) -> np.ndarray:
    return narrow(integers, dtype) if is_floating(dtype) else integers.astype(dtype)


def draw_seed(generator: Generator | None = None) -> int:
    """Return a random seed in [0, 2^63), as `DataLoader` and its samplers sample theirs."""
    return int(random_(generator, (), np.dtype(np.int64)))


def randperm(generator: Generator | None, n: int, dtype: np.dtype = np.dtype(np.int64)) -> np.ndarray:
    """Return a permutation of 0 ... n-1 by the Fisher-Yates shuffle, as `torch.randperm` makes it.

    Raises:
        NotImplementedError: if n is 214748364 or more. PyTorch then uses another algorithm.
    """
    generator, dtype = generator or default_generator, np.dtype(dtype)
    check_permutation(n, dtype)
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


def check_permutation(n: int, dtype: np.dtype) -> None:
    """Raise PyTorch's error if a dtype cannot hold a permutation of 0 ... n-1."""
    if dtype.kind in "bc":
        raise _errors.dtypes.not_implemented("randperm", dtype)
    most = _MOST_HELD.get(dtype.name)
    if most is not None and n > 2**most + 1:
        raise _errors.random.permutation_too_long(most, dtype)


def _exchanged(targets: np.ndarray) -> np.ndarray:
    """Return 0 ... n-1 after exchanging place i with place targets[i] >= i, for i = 0 ... n-2 in order.

    LAPACK's row exchange (`laswp`) does this. However, importing SciPy takes as long as permuting a million places in
    NumPy. NumPy therefore permutes the first million places of a process, unless SciPy is already imported.
    """
    global _followed
    n = len(targets) + 1
    if _followed + n <= _WORTH_SCIPY and "scipy.linalg.lapack" not in sys.modules:
        _followed += n
        return _by_following(np.append(targets, np.uint32(n - 1)).astype(np.int64))
    from scipy.linalg import lapack

    return lapack.dlaswp(np.arange(n, dtype=np.float64).reshape(n, 1), targets.view(np.int32), overwrite_a=True)[:, 0]  # type: ignore[attr-defined]


def _by_following(targets: np.ndarray) -> np.ndarray:
    """Compute the result of all exchanges at once by pointer jumping.

    Step i reads the value at its target. If no earlier step had the same target, this is the target's initial value.
    Otherwise it is the value that the last such step wrote there, which that step had read at its own place. Places
    thus point to earlier places, and following the pointers gives their values. The result overwrites `targets`.
    """
    places = np.arange(len(targets))
    order = targets << 32
    order |= places
    order.sort()  # by target, then by step
    step, target = order & 0xFFFFFFFF, order >> 32
    again = target[1:] == target[:-1]
    last = np.flatnonzero(np.append(~again, True))
    held = places.astype(np.int32)  # int32 halves the memory of the random accesses
    held[target[last]] = step[last]
    repeated = np.flatnonzero(again) + 1
    step, target, earlier = step[repeated], target[repeated], step[repeated - 1]
    own = step == target  # steps whose target is their own place, whose value an earlier step wrote
    held[step[own]] = earlier[own]
    _follow(held)
    targets[step] = held[earlier]
    return targets


def _follow(pointers: np.ndarray) -> None:
    """Replace every pointer by the end of its chain. Each iteration doubles the distance (pointer jumping)."""
    active = np.flatnonzero(pointers != np.arange(len(pointers), dtype=pointers.dtype))
    while active.size:
        ahead = pointers[active]
        further = pointers[ahead]
        pointers[active] = further
        active = active[further != ahead]
