"""Normal numbers from pairs of uniform ones, rounded step by step as PyTorch's kernels round.

    radius = sqrt(-2 log(1 - u1)),  theta = 2 pi u2,  pair = radius cos(theta), radius sin(theta)

Float32 follows the vector code that PyTorch runs on x86 (Cephes' polynomials, with fused multiply-adds), float64 the C
library. The float32 formula is written once, over what a fused multiply-add is: `fma(wide(a), b, c)`.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ._libm import cos, log, sin
from ._rounding import fma32, fma64

Words = Callable[[int], np.ndarray]  # the next so many words of a stream
_f32, _f64 = np.float32, np.float64
_EIGHT = np.dtype("V32")
_SLAB32 = 1 << 18  # numbers that the compiled formula makes at a time
_BLOCK32, _SLAB64 = 1 << 15, 1 << 14  # and NumPy: the temporaries then stay in the processor's cache
_COLD_SLABS = 32  # what it takes NumPy to lose as much time as a compilation costs


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
    """Fill `out`, float32, (16 n,), 16 at a time from as many words: 8 radii, 8 angles -> 8 cosines, 8 sines.

    A process that draws millions has the formula compiled after a while; both ways round alike.
    """
    for start in range(0, len(out), _SLAB32):
        slab = out[start : start + _SLAB32]
        _fill_slab(slab.reshape(-1, 2, 8), words(len(slab)), _f32(mean), _f32(std))


def _fill_slab(out: np.ndarray, words: np.ndarray, mean: np.float32, std: np.float32) -> None:
    """At most a slab. The compiled formula takes a whole one, so that more than a fifth is worth filling up."""
    global _cold_slabs
    if 5 * len(words) < _SLAB32 or _cold_slabs < _COLD_SLABS:
        _cold_slabs += len(words) / _SLAB32
        _interpreted(out, words, mean, std)
        return
    if len(words) < _SLAB32:
        words = np.concatenate((words, np.zeros(_SLAB32 - len(words), words.dtype)))
    whole = out.view(_EIGHT)[..., 0]  # eight numbers as one, which are copied faster
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
    """The formula as one XLA program. XLA makes a fused multiply-add of a product and the sum it goes into.

    Where the sum has two products, either could be the one; so the other is hidden behind `^ zero`, an input. Should a
    processor or a version of XLA do otherwise, the first slab shows it, and NumPy goes on.
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
    """uint32 words, (16 n,) -> two halves of standard normals, (n, 8) each; NumPy arrays or, when compiled, JAX's."""
    xp = words.__array_namespace__()
    blocks = (words & np.uint32(0xFFFFFF)).astype(np.int32).reshape(-1, 2, 8)
    radius = xp.sqrt(_f32(-2) * _log_of_complement(blocks[:, 0], wide, fma))
    cosine, sine = _cos_sin_of_turns(blocks[:, 1], wide, fma)
    return radius * cosine, radius * sine


def _horner(x: Any, coefficients: tuple[np.float32, ...], fma: Callable) -> Any:
    """The polynomial at `x`, which is wide, rounded to float32 at every step."""
    first, second, *rest = coefficients
    value = fma(x, first, second)
    for c in rest:
        value = fma(x, value, c)
    return value


def _log_of_complement(k: Any, wide: Callable, fma: Callable) -> Any:
    """log(1 - k / 2^24) for int32 k in [0, 2^24), float32."""
    bits = (np.int32(1 << 24) - k).astype(_f32).view(np.int32)
    exponent = (bits - _ROOT_HALF_BITS) >> 23
    x = (bits - (exponent << 23)).view(_f32) - _f32(1)  # the mantissa lies in [sqrt(1/2), sqrt(2))
    power = (exponent - np.int32(24)).astype(_f32)
    square = x * x
    tail = fma(wide(_horner(wide(x), _LOG, fma) * x), square, power * _LN2_LOW)
    tail -= square * _f32(0.5)  # these two products are exact: fused or not is the same
    tail += x
    tail += power * _LN2_HIGH
    return tail


def _cos_sin_of_turns(k: Any, wide: Callable, fma: Callable) -> tuple[Any, Any]:
    """cos and sin of 2 pi k / 2^24 for int32 k in [0, 2^24), float32."""
    theta = k.astype(_f32) * _f32(2.0**-24) * _f32(2 * math.pi)
    octant = ((theta * _f32(4 / math.pi)).astype(np.int32) + np.int32(1)) & np.int32(-2)
    steps = wide(octant.astype(_f32))
    theta = fma(steps, -_QUARTER_PI_LOW, fma(steps, -_QUARTER_PI_HIGH, theta))  # of the inner one nothing is lost
    square = theta * theta
    wider = wide(square)
    cosine = fma(wider, _horner(wider, _COS, fma) * square, square * _f32(-0.5)) + _f32(1)
    sine = fma(wide(theta), _horner(wider, _SIN, fma) * square, theta)
    return _turn_by_octant(cosine.view(np.int32), sine.view(np.int32), octant)


def _turn_by_octant(cosine: Any, sine: Any, octant: Any) -> tuple[Any, Any]:
    """Exchange the two where `octant` is 2 or 6 and set their signs; all by bits, which is faster than `where`."""
    differ = (cosine ^ sine) & -((octant >> 1) & 1)
    cosine = cosine ^ differ ^ (((octant + 2) & 4) << 29)
    sine = sine ^ differ ^ ((octant & 4) << 29)
    return cosine.view(_f32), sine.view(_f32)


def normals64(out: np.ndarray, words: Words, mean: float, std: float) -> None:
    """Fill `out`, float64, (16 n,), 16 at a time as `normals32` does, each from a pair of words."""
    for start in range(0, len(out), _SLAB64):
        slab = out[start : start + _SLAB64]
        bits = words(len(slab)) & np.uint64(2**53 - 1)
        blocks = (bits.view(np.int64).astype(_f64) * 2.0**-53).reshape(-1, 2, 8)
        radius, theta = np.sqrt(-2 * log(1 - blocks[:, 0])), blocks[:, 1] * (2 * math.pi)
        for i, turn in enumerate((cos, sin)):
            slab.reshape(-1, 2, 8)[:, i] = fma64(radius * turn(theta), std, mean)
