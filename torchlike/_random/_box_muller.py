"""Normal numbers from pairs of uniforms by the Box-Muller transform. Every step is rounded as in PyTorch's kernels.

    radius = sqrt(-2 log(1 - u1)),  theta = 2 pi u2,  pair = radius cos(theta), radius sin(theta)

The float32 version follows PyTorch's vector code on x86 (Cephes' polynomials with fused multiply-adds). The float64
version uses the C library. The float32 formula is written once, in terms of a fused multiply-add `fma(wide(a), b, c)`,
so that NumPy and XLA can both run it.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from torchlike._engine.xla.forked import forked

from ._libm import cos, log, sin
from ._rounding import fma32, fma64

Words = Callable[[int], np.ndarray]  # a function that returns the next words of a stream, given their number
_f32, _f64 = np.float32, np.float64
_EIGHT = np.dtype("V32")
_SLAB32 = 1 << 18  # numbers per call of the compiled formula
_BLOCK32, _SLAB64 = 1 << 15, 1 << 14  # numbers per chunk in NumPy, so that temporaries fit into the processor's cache
_COLD_SLABS = 32  # the number of slabs after which the time lost by NumPy exceeds that of a compilation


def _constants(*values: float) -> tuple[np.float32, ...]:
    return tuple(_f32(v) for v in values)


_LOG = _constants(
    7.0376836292e-2,
    -1.1514610310e-1,
    1.1676998740e-1,
    -1.2420140846e-1,
    1.4249322787e-1,
    -1.6668057665e-1,
    2.0000714765e-1,
    -2.4999993993e-1,
    3.3333331174e-1,
)
_SIN = _constants(-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1)
_COS = _constants(2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2)
_QUARTER_PI_HIGH, _QUARTER_PI_LOW = _constants(0.78515625 + 2.4187564849853515625e-4, 3.77489497744594108e-8)
_LN2_HIGH, _LN2_LOW = _constants(0.693359375, -2.12194440e-4)
_ROOT_HALF_BITS = np.int32(_f32(0.707106781186547524).view(np.int32))
_cold_slabs = 0.0


def normals32(out: np.ndarray, words: Words, mean: float, std: float) -> None:
    """Fill `out`, a float32 array of shape (16 n,), with normal numbers.

    Each block of 16 words gives 16 numbers: 8 words give radii, 8 words give angles, and the numbers are the radii
    times the 8 cosines and times the 8 sines. After a process has sampled millions of numbers, the formula is compiled.
    NumPy and XLA give bitwise equal results.
    """
    for start in range(0, len(out), _SLAB32):
        slab = out[start : start + _SLAB32]
        _fill_slab(slab.reshape(-1, 2, 8), words(len(slab)), _f32(mean), _f32(std))


def _fill_slab(out: np.ndarray, words: np.ndarray, mean: np.float32, std: np.float32) -> None:
    """Fill at most one slab.

    The compiled formula always computes a whole slab, so it is used only for at least a fifth of a slab.
    """
    global _cold_slabs
    if 5 * len(words) < _SLAB32 or _cold_slabs < _COLD_SLABS or forked.is_closed:
        _cold_slabs += len(words) / _SLAB32
        _interpreted(out, words, mean, std)
        return
    if len(words) < _SLAB32:
        words = np.concatenate((words, np.zeros(_SLAB32 - len(words), words.dtype)))
    whole = out.view(_EIGHT)[..., 0]  # eight numbers as one element, for faster copies
    for i, half in enumerate(_compiled()(words, mean, std, np.int32(0))):
        whole[:, i] = np.asarray(half).view(_EIGHT)[: len(out), 0]


def _interpreted(out: np.ndarray, words: np.ndarray, mean: np.float32, std: np.float32) -> None:
    for start in range(0, len(words), _BLOCK32):
        some = out[start // 16 : (start + _BLOCK32) // 16]
        halves = _standard_normals(words[start : start + _BLOCK32], lambda x: x.astype(_f64), _rounded_sum)
        for i, values in enumerate(halves):
            some[:, i] = fma32(values.astype(_f64), float(std), float(mean))


def _rounded_sum(a: np.ndarray, b: Any, c: Any) -> np.ndarray:
    wide = a * b
    wide += c
    return wide.astype(_f32)


@functools.cache
def _compiled() -> Callable[..., tuple[np.ndarray, np.ndarray]]:
    """Return the formula as one XLA program. XLA contracts a product and a following sum to a fused multiply-add.

    If both terms of a sum are products, XLA could fuse either one. The second term is therefore hidden behind
    `^ zero`, where `zero` is an input. The program is compared with NumPy on one slab. If they differ, because of the
    processor or the version of XLA, NumPy computes the formula.
    """
    import jax
    from jax.lax import bitcast_convert_type as bits

    def program(words, mean, std, zero):
        fma = lambda a, b, c: a * b + (bits(bits(c, np.int32) ^ zero, _f32) if c.ndim else c)
        return [part * std + mean for part in _standard_normals(words, lambda x: x, fma)]

    on_host = jax.sharding.SingleDeviceSharding(jax.local_devices(backend="cpu")[0])
    kinds = [((_SLAB32,), np.uint32), ((), _f32), ((), _f32), ((), np.int32)]
    found = jax.jit(program).lower(*(jax.ShapeDtypeStruct(*kind, sharding=on_host) for kind in kinds)).compile()
    return found if _agrees(found) else _uncompiled


def _agrees(compiled: Callable) -> bool:
    words = np.random.MT19937(0).random_raw(_SLAB32).astype(np.uint32)
    given = words, _f32(0.3), _f32(0.7), np.int32(0)
    return all(np.array_equal(a, b) for a, b in zip(compiled(*given), _uncompiled(*given)))


def _uncompiled(words: np.ndarray, mean: np.float32, std: np.float32, zero: np.int32) -> tuple[np.ndarray, np.ndarray]:
    out = np.empty((len(words) // 16, 2, 8), _f32)
    _interpreted(out, words, mean, std)
    return out[:, 0], out[:, 1]


def _standard_normals(words: Any, wide: Callable, fma: Callable) -> tuple[Any, Any]:
    """Return two halves of standard normals, of shape (n, 8) each, from uint32 words of shape (16 n,).

    The arrays are NumPy arrays or, in the compiled formula, JAX arrays.
    """
    xp = words.__array_namespace__()
    blocks = (words & np.uint32(0xFFFFFF)).astype(np.int32).reshape(-1, 2, 8)
    radius = xp.sqrt(_f32(-2) * _log_of_complement(blocks[:, 0], wide, fma))
    cosine, sine = _cos_sin_of_turns(blocks[:, 1], wide, fma)
    return radius * cosine, radius * sine


def _horner(x: Any, coefficients: tuple[np.float32, ...], fma: Callable) -> Any:
    """Return the polynomial at `x`, rounded to float32 at every step. `x` is a result of `wide`."""
    first, second, *rest = coefficients
    value = fma(x, first, second)
    for c in rest:
        value = fma(x, value, c)
    return value


def _log_of_complement(k: Any, wide: Callable, fma: Callable) -> Any:
    """Return log(1 - k / 2^24) as float32, for int32 k in [0, 2^24)."""
    bits = (np.int32(1 << 24) - k).astype(_f32).view(np.int32)
    exponent = (bits - _ROOT_HALF_BITS) >> 23
    x = (bits - (exponent << 23)).view(_f32) - _f32(1)  # the mantissa lies in [sqrt(1/2), sqrt(2))
    power = (exponent - np.int32(24)).astype(_f32)
    square = x * x
    tail = fma(wide(_horner(wide(x), _LOG, fma) * x), square, power * _LN2_LOW)
    tail -= square * _f32(0.5)  # this product and the last one are exact, so fusing does not matter
    tail += x
    tail += power * _LN2_HIGH
    return tail


def _cos_sin_of_turns(k: Any, wide: Callable, fma: Callable) -> tuple[Any, Any]:
    """Return cos and sin of 2 pi k / 2^24 as float32, for int32 k in [0, 2^24)."""
    theta = k.astype(_f32) * _f32(2.0**-24) * _f32(2 * math.pi)
    octant = ((theta * _f32(4 / math.pi)).astype(np.int32) + np.int32(1)) & np.int32(-2)
    steps = wide(octant.astype(_f32))
    theta = fma(steps, -_QUARTER_PI_LOW, fma(steps, -_QUARTER_PI_HIGH, theta))  # the inner sum is exact
    square = theta * theta
    wider = wide(square)
    cosine = fma(wider, _horner(wider, _COS, fma) * square, square * _f32(-0.5)) + _f32(1)
    sine = fma(wide(theta), _horner(wider, _SIN, fma) * square, theta)
    return _turn_by_octant(cosine.view(np.int32), sine.view(np.int32), octant)


def _turn_by_octant(cosine: Any, sine: Any, octant: Any) -> tuple[Any, Any]:
    """Exchange the two values if `octant` is 2 or 6, and set their signs. Bit operations are faster than `where`."""
    differ = (cosine ^ sine) & -((octant >> 1) & 1)
    cosine = cosine ^ differ ^ (((octant + 2) & 4) << 29)
    sine = sine ^ differ ^ ((octant & 4) << 29)
    return cosine.view(_f32), sine.view(_f32)


def normals64(out: np.ndarray, words: Words, mean: float, std: float) -> None:
    """Fill `out`, a float64 array of shape (16 n,), in blocks of 16, as `normals32` does.

    Each number takes two words.
    """
    for start in range(0, len(out), _SLAB64):
        slab = out[start : start + _SLAB64]
        bits = words(len(slab)) & np.uint64(2**53 - 1)
        blocks = (bits.view(np.int64).astype(_f64) * 2.0**-53).reshape(-1, 2, 8)
        radius, theta = np.sqrt(-2 * log(1 - blocks[:, 0])), blocks[:, 1] * (2 * math.pi)
        for i, turn in enumerate((cos, sin)):
            slab.reshape(-1, 2, 8)[:, i] = fma64(radius * turn(theta), std, mean)
