"""Normal numbers from pairs of uniform ones, rounded step by step as PyTorch's kernels round.

    radius = sqrt(-2 log(1 - u1)),  theta = 2 pi u2,  pair = radius cos(theta), radius sin(theta)

Float32 follows the vector code that PyTorch runs on x86 (Cephes' polynomials, with fused multiply-adds), float64 the C
library.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable

import numpy as np

from ._rounding import cos_sin, fma32, fma64, log

_f32, _f64 = np.float32, np.float64
_SLAB = 1 << 17  # words worked on at a time: the temporaries then stay in the processor's cache
_COLD_SLABS = 64  # what it takes NumPy to lose as much time as a compilation costs


def _constants(*values: float) -> tuple[np.float64, ...]:
    """Float32 constants held as float64, ready for `fma32`."""
    return tuple(_f64(_f32(v)) for v in values)


_LOG = _constants(7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1,
                  -1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1)  # fmt: skip
_SIN = _constants(-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1)
_COS = _constants(2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2)
# The part taken off in float64 has so few bits that nothing is lost; fused or not is then the same.
_QUARTER_PI_HIGH = 0.78515625 + 2.4187564849853515625e-4
(_MINUS_QUARTER_PI_LOW,) = _constants(-3.77489497744594108e-8)
_LN2_HIGH, _LN2_LOW = _f32(0.693359375), _f32(-2.12194440e-4)
_ROOT_HALF_BITS = np.int32(_f32(0.707106781186547524).view(np.int32))
_cold_slabs = 0.0


def normals32(words: np.ndarray, mean: float, std: float) -> np.ndarray:
    """Normals from uint32 words, 16 at a time: 8 radii, 8 angles -> 8 cosines, 8 sines; float32, (n,) -> (n,).

    A process that draws millions has the formula compiled after a while; both ways round alike.
    """
    out = np.empty(len(words), _f32)
    for start in range(0, len(words), _SLAB):
        out[start : start + _SLAB] = _of_slab(words[start : start + _SLAB])
    if mean:
        return fma32(out.astype(_f64), *_constants(std, mean))
    if std != 1:
        out *= _f32(std)
    return out


def _of_slab(words: np.ndarray) -> np.ndarray:
    """At most a slab. The compiled formula takes a whole one, so that more than a fifth is worth filling up."""
    global _cold_slabs
    if 5 * len(words) < _SLAB:
        return _standard_normals(words)
    if _cold_slabs < _COLD_SLABS:
        _cold_slabs += len(words) / _SLAB
        return _standard_normals(words)
    filled = words if len(words) == _SLAB else np.concatenate((words, np.zeros(_SLAB - len(words), words.dtype)))
    return np.asarray(_compiled()(filled))[: len(words)]


@functools.cache
def _compiled() -> Callable[[np.ndarray], np.ndarray]:
    import jax

    if not jax.config.jax_enable_x64:  # float64 would silently be float32
        return _standard_normals
    on_host = jax.sharding.SingleDeviceSharding(jax.devices("cpu")[0])
    words = jax.ShapeDtypeStruct((_SLAB,), np.uint32, sharding=on_host)
    return jax.jit(_standard_normals).lower(words).compile()


def _standard_normals(words):  # NumPy arrays or, when compiled, JAX's
    xp = words.__array_namespace__()
    blocks = (words & np.uint32(0xFFFFFF)).view(np.int32).reshape(-1, 2, 8)
    radius = xp.sqrt(_f32(-2) * _log_of_complement(blocks[:, 0]))
    cosine, sine = _cos_sin_of_turns(blocks[:, 1])
    return xp.stack((radius * cosine, radius * sine), 1).reshape(-1)


def _horner32(x: np.ndarray, coefficients: tuple[np.float64, ...]) -> np.ndarray:
    """The polynomial at float64-held float32 `x`, rounded to float32 at every step."""
    first, second, *rest = coefficients
    value = fma32(x, first, second)
    for c in rest:
        value = fma32(x, value, c)
    return value


def _log_of_complement(k: np.ndarray) -> np.ndarray:
    """log(1 - k / 2^24) for int32 k in [0, 2^24), float32."""
    bits = (np.int32(1 << 24) - k).astype(_f32).view(np.int32)
    exponent = (bits - _ROOT_HALF_BITS) >> 23
    x = (bits - (exponent << 23)).view(_f32) - _f32(1)  # the mantissa lies in [sqrt(1/2), sqrt(2))
    power = (exponent - np.int32(24)).astype(_f32)
    wide = x.astype(_f64)
    square = x * x
    tail = fma32((_horner32(wide, _LOG) * x).astype(_f64), square, power * _LN2_LOW)
    tail -= square * _f32(0.5)
    tail += x
    tail += power * _LN2_HIGH
    return tail


def _cos_sin_of_turns(k: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """cos and sin of 2 pi k / 2^24 for int32 k in [0, 2^24), float32."""
    theta = k.astype(_f32) * _f32(2.0**-24) * _f32(2 * math.pi)
    octant = ((theta * _f32(4 / math.pi)).astype(np.int32) + np.int32(1)) & np.int32(-2)
    steps = octant.astype(_f64)
    theta = fma32(steps, _MINUS_QUARTER_PI_LOW, theta.astype(_f64) - steps * _QUARTER_PI_HIGH)
    cosine, sine = _cos_near_zero(theta), _sin_near_zero(theta)
    return _turn_by_octant(cosine.view(np.int32), sine.view(np.int32), octant)


def _turn_by_octant(cosine: np.ndarray, sine: np.ndarray, octant: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Exchange the two where `octant` is 2 or 6 and set their signs; all by bits, which is faster than `where`."""
    differ = (cosine ^ sine) & -((octant >> 1) & 1)
    cosine = cosine ^ differ ^ (((octant + 2) & 4) << 29)
    sine = sine ^ differ ^ ((octant & 4) << 29)
    return cosine.view(_f32), sine.view(_f32)


def _cos_near_zero(x: np.ndarray) -> np.ndarray:
    square = x * x
    wide = square.astype(_f64)
    quartic = fma32(wide, _horner32(wide, _COS) * square, square * _f32(-0.5))
    return quartic + _f32(1)


def _sin_near_zero(x: np.ndarray) -> np.ndarray:
    square = x * x
    cubic = _horner32(square.astype(_f64), _SIN) * square
    return fma32(x.astype(_f64), cubic, x)


def normals64(uniforms: np.ndarray, mean: float, std: float) -> np.ndarray:
    """Normals from float64 uniforms in [0, 1), 16 at a time as `normals32` does; float64, (n,) -> (n,)."""
    blocks = uniforms.reshape(-1, 2, 8)
    radius = np.sqrt(-2 * log(1 - blocks[:, 0]))
    cosine, sine = cos_sin(blocks[:, 1] * (2 * math.pi))
    pairs = np.stack((radius * cosine, radius * sine), axis=1)
    return fma64(pairs, std, mean).reshape(-1)
