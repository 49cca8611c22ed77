"""Uniform and normal random numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from torchlike import _errors
from torchlike._errors.warned import warn

from ._box_muller import normals
from ._checks import bounds, require_floating, require_in_bounds
from ._generator import Generator, default_generator
from ._libm import cos, log1p, sin
from ._rounding import fma32, fma64, narrow

Size = tuple[int, ...]
SLAB = 1 << 14  # numbers per chunk, so that temporaries fit into the processor's cache


def uniform32(generator: Generator, count: int) -> np.ndarray:
    """Return float32 numbers in [0, 1). Each takes one word: the low 24 bits divided by 2^24."""
    words = generator.raw32(count)
    words &= np.uint32(0xFFFFFF)
    values = words.view(np.int32).astype(np.float32)  # int32 converts faster than uint32
    values *= np.float32(2.0**-24)
    return values


def uniform64(generator: Generator, count: int) -> np.ndarray:
    """Return float64 numbers in [0, 1). Each takes two words: the low 53 bits divided by 2^53."""
    values = np.empty(count)
    fill_uniform64(generator, values)
    return values


def fill_uniform64(generator: Generator, out: np.ndarray) -> None:
    for start in range(0, len(out), SLAB):
        some = out[start : start + SLAB]
        words = generator.raw64(len(some))
        words &= np.uint64(2**53 - 1)
        some[:] = words.view(np.int64)
        some *= 2.0**-53


def uniform(
    generator: Generator | None, size: Size, dtype: np.dtype, low: float = 0.0, high: float = 1.0
) -> np.ndarray:
    """Return uniform numbers in [low, high), as `Tensor.uniform_` samples them.

    A float64 number takes 53 random bits, the other floating-point dtypes take 24. A complex number is two real
    samples. A number that rounds up to `high` becomes `low`.

    >>> from torchlike._random import Generator
    >>> uniform(Generator().manual_seed(0), (2,), np.dtype("float32")).tolist()
    [0.49625658988952637, 0.7682217955589294]
    """
    generator, dtype = generator or default_generator, np.dtype(dtype)
    if dtype.kind == "c":
        return _as_complex(uniform(generator, (*size, 2), _part(dtype), low, high), dtype)
    require_floating(dtype, "check_uniform_bounds")
    _check_uniform(low, high, dtype)
    count = math.prod(size)
    with generator.lock:
        if dtype == np.float64:
            values = _stretch64(uniform64(generator, count), float(low), float(high))
        else:
            values = _stretch32(uniform32(generator, count), np.float32(low), np.float32(high))
    values = narrow(values, dtype)
    if (low, high) != (0, 1) or dtype.itemsize == 2:
        values[values == dtype.type(high)] = dtype.type(low)
    return values.reshape(size)


def _check_uniform(low: float, high: float, dtype: np.dtype) -> None:
    require_in_bounds(low, "from", dtype)
    require_in_bounds(high, "to", dtype)
    if low > high:
        raise RuntimeError(f"uniform_ expects to return a [from, to) range, but found from={low:g} > to={high:g}")
    if high - low > bounds(dtype)[1]:
        raise _errors.random.uniform_width(low, high, dtype)


def _stretch32(x: np.ndarray, low: np.float32, high: np.float32) -> np.ndarray:
    if low == 0:
        return x if high == 1 else x * high
    return fma32(x.astype(np.float64), float(high - low), float(low))


def _stretch64(x: np.ndarray, low: float, high: float) -> np.ndarray:
    return x if (low, high) == (0, 1) else fma64(x, high - low, low)


def normal(
    generator: Generator | None,
    size: Size,
    dtype: np.dtype,
    mean: float = 0.0,
    std: float = 1.0,
    *,
    contiguous: bool = True,
) -> np.ndarray:
    """Return normal numbers, as `Tensor.normal_` samples them.

    Sixteen or more numbers are sampled in blocks of sixteen. If some are left over, the last sixteen are sampled again.
    Fewer numbers, or numbers for a tensor that is not `contiguous`, are sampled in pairs of float64. The generator
    stores the unused half of a pair for the next call. A complex number is two real samples with std / sqrt(2).

    Float32 numbers are equal to PyTorch's on x86 processors with AVX2. On other processors, PyTorch itself differs in
    the last bit.
    """
    generator, dtype = generator or default_generator, np.dtype(dtype)
    if not std >= 0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {std:g}")
    if 0 in size:  # PyTorch does not check the dtype of an empty tensor
        return np.empty(size, dtype)
    if dtype.kind == "c":
        pairs = normal(generator, (*size, 2), _part(dtype), mean, std / math.sqrt(2), contiguous=contiguous)
        return _as_complex(pairs, dtype)
    require_floating(dtype, "normal_kernel_cpu")
    count = math.prod(size)
    with generator.lock:
        if count >= 16 and contiguous:
            return narrow(_in_blocks(generator, count, dtype, mean, std), dtype).reshape(size)
        standard = standard_normals(generator, count)
    return narrow(fma64(standard, float(std), float(mean)), dtype).reshape(size)


def _in_blocks(generator: Generator, count: int, dtype: np.dtype, mean: float, std: float) -> np.ndarray:
    """Sample all whole blocks. If some numbers are left over, sample the last sixteen again."""
    values = np.empty(count, np.float64 if dtype == np.float64 else np.float32)
    whole, left = count // 16 * 16, count % 16
    words = generator.raw64 if dtype == np.float64 else generator.raw32
    normals(values[:whole], words, mean, std)
    if left:
        if dtype.itemsize >= 4:  # PyTorch samples and discards the remainder for float32 and float64 only
            words(left)
        normals(values[-16:], words, mean, std)
    return values


def standard_normals(generator: Generator, count: int) -> np.ndarray:
    """Return float64 normals, sampled in pairs: the cosine, then the sine.

    The generator keeps an unused sine for the next call.
    """
    values = np.empty(count + 1)
    waiting = count > 0 and generator.spare_normal is not None
    if waiting:
        values[0] = generator.spare_normal
    end = waiting + (count - waiting + 1) // 2 * 2
    for start in range(waiting, end, SLAB):
        _pairs(generator, values[start : min(start + SLAB, end)].reshape(-1, 2))
    if count:
        generator.spare_normal = float(values[count]) if end > count else None
    return values[:count]


def _pairs(generator: Generator, out: np.ndarray) -> None:
    """Fill `out`, an array of shape (n, 2), with pairs of normals."""
    u1, u2 = uniform64(generator, out.size).reshape(-1, 2).T
    radius = np.sqrt(-2.0 * log1p(-u2))
    theta = 2.0 * math.pi * u1
    np.multiply(radius, cos(theta), out=out[:, 0])
    np.multiply(radius, sin(theta), out=out[:, 1])


def trunc_normal(
    generator: Generator | None,
    size: Size,
    dtype: np.dtype,
    mean: float = 0.0,
    std: float = 1.0,
    a: float = -2.0,
    b: float = 2.0,
) -> np.ndarray:
    """Return normal numbers within [a, b] by rejection sampling, as `nn.init.trunc_normal_` samples them."""
    generator, dtype = generator or default_generator, np.dtype(dtype)
    if mean < a - 2 * std or mean > b + 2 * std:
        warn(
            "mean is more than 2 std from [a, b] in nn.init.trunc_normal_. The distribution of values may be incorrect."
        )
    if _normal_cdf((b - mean) / std) - _normal_cdf((a - mean) / std) > 0.3:
        return _reject_normals(generator, size, dtype, mean, std, a, b)
    return _reject_uniforms(generator, size, dtype, mean, std, a, b)


def _normal_cdf(x: float) -> float:
    return (1.0 + math.erf(x / math.sqrt(2.0))) / 2.0


def _reject_normals(generator, size, dtype, mean, std, a, b) -> np.ndarray:
    low, high = dtype.type(a), dtype.type(b)
    values = normal(generator, size, dtype, mean, std)
    while (outside := (values < low) | (values > high)).any():
        values = np.where(outside, normal(generator, size, dtype, mean, std), values)
    return values


def _reject_uniforms(generator, size, dtype, mean, std, a, b) -> np.ndarray:
    """Sample from a range with little of the normal distribution's mass.

    Candidates are uniform in the range, and each is accepted with a probability proportional to its density.
    """
    log_peak = -0.5 * ((max(a, min(mean, b)) - mean) / std) ** 2
    values, pending = None, np.ones(size, bool)
    while values is None or pending.any():
        candidates = uniform(generator, size, dtype, a, b)
        values = candidates if values is None else np.where(pending, candidates, values)
        log_density = _log_density(candidates, mean, std, log_peak)
        with np.errstate(divide="ignore"):
            pending = pending & (np.log(uniform(generator, size, dtype)) > log_density)
    return values


def _log_density(x: np.ndarray, mean: float, std: float, log_peak: float) -> np.ndarray:
    number = x.dtype.type
    scaled = (x - number(mean)) / number(std)
    return scaled * scaled * number(-0.5) - number(log_peak)


def in_memory_order(draw: Callable[[Size], np.ndarray], size: Size, strides: Sequence[int]) -> np.ndarray:
    """Return samples for a tensor with this size and these strides, which PyTorch fills in memory order.

    `draw` is called with the sizes of the dims in memory order, and the dims of its result are then permuted back.

    >>> in_memory_order(lambda size: np.arange(6).reshape(size), (2, 3), (1, 2)).tolist()
    [[0, 2, 4], [1, 3, 5]]
    """
    order = sorted(range(len(size)), key=lambda dim: -strides[dim])
    return draw(tuple(size[dim] for dim in order)).transpose(np.argsort(order))


def _part(dtype: np.dtype) -> np.dtype:
    return np.dtype(np.float32 if dtype == np.complex64 else np.float64)


def _as_complex(pairs: np.ndarray, dtype: np.dtype) -> np.ndarray:
    return pairs.view(dtype)[..., 0]
