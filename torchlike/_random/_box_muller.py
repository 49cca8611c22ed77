"""Normal numbers from pairs of uniforms by the Box-Muller transform. Every step is rounded as in PyTorch's kernels.

    radius = sqrt(-2 log(1 - u1)),  theta = 2 pi u2,  pair = radius cos(theta), radius sin(theta)

The float32 version follows PyTorch's vector code on x86 (Cephes' polynomials with fused multiply-adds). The float64
version uses the C library. `_native.normals` computes the numbers, and NumPy does where it was not compiled.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from torchlike import _native

from ._libm import cos, log, sin
from ._rounding import fma32, fma64

Words = Callable[[int], np.ndarray]  # a function that returns the next words of a stream, given their number
_f32, _f64 = np.float32, np.float64
_SLAB = 1 << 14  # numbers per call, so that temporaries fit into the processor's cache


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


def normals(out: np.ndarray, words: Words, mean: float, std: float) -> None:
    """Fill `out`, a float32 or float64 array of shape (16 n,), with normal numbers.

    Each block of 16 words gives 16 numbers: 8 words give radii, 8 words give angles, and the numbers are the radii
    times the 8 cosines and times the 8 sines. A word has as many bits as a number, which may take two of the generator.
    """
    fill = _by_numpy if _native.normals is None else _native.normals.fill
    for start in range(0, len(out), _SLAB):
        slab = out[start : start + _SLAB]
        fill(words(len(slab)), slab, mean, std)


def _by_numpy(words: np.ndarray, out: np.ndarray, mean: float, std: float) -> None:
    (_by_numpy32 if out.dtype == _f32 else _by_numpy64)(words.reshape(-1, 2, 8), out.reshape(-1, 2, 8), mean, std)


def _by_numpy32(words: np.ndarray, out: np.ndarray, mean: float, std: float) -> None:
    blocks = (words & np.uint32(0xFFFFFF)).astype(np.int32)
    radius = np.sqrt(_f32(-2) * _log_of_complement(blocks[:, 0]))
    for i, turn in enumerate(_cos_sin_of_turns(blocks[:, 1])):
        out[:, i] = fma32((radius * turn).astype(_f64), float(_f32(std)), float(_f32(mean)))


def _by_numpy64(words: np.ndarray, out: np.ndarray, mean: float, std: float) -> None:
    blocks = (words & np.uint64(2**53 - 1)).view(np.int64).astype(_f64) * 2.0**-53
    radius, theta = np.sqrt(-2 * log(1 - blocks[:, 0])), blocks[:, 1] * (2 * math.pi)
    for i, turn in enumerate((cos, sin)):
        out[:, i] = fma64(radius * turn(theta), std, mean)


def _fma(a: np.ndarray, b: Any, c: Any) -> np.ndarray:
    """Return a * b + c rounded to float32, for a float64 array `a` of float32 values."""
    wide = a * b
    wide += c
    return wide.astype(_f32)


def _horner(x: np.ndarray, coefficients: tuple[np.float32, ...]) -> np.ndarray:
    """Return the polynomial at `x`, rounded to float32 at every step. `x` is a float64 array of float32 values."""
    first, second, *rest = coefficients
    value = _fma(x, first, second)
    for c in rest:
        value = _fma(x, value, c)
    return value


def _log_of_complement(k: np.ndarray) -> np.ndarray:
    """Return log(1 - k / 2^24) as float32, for int32 k in [0, 2^24)."""
    bits = (np.int32(1 << 24) - k).astype(_f32).view(np.int32)
    exponent = (bits - _ROOT_HALF_BITS) >> 23
    x = (bits - (exponent << 23)).view(_f32) - _f32(1)  # the mantissa lies in [sqrt(1/2), sqrt(2))
    power = (exponent - np.int32(24)).astype(_f32)
    square = x * x
    tail = _fma((_horner(x.astype(_f64), _LOG) * x).astype(_f64), square, power * _LN2_LOW)
    tail -= square * _f32(0.5)  # this product and the last one are exact, so fusing does not matter
    tail += x
    tail += power * _LN2_HIGH
    return tail


def _cos_sin_of_turns(k: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return cos and sin of 2 pi k / 2^24 as float32, for int32 k in [0, 2^24)."""
    theta = k.astype(_f32) * _f32(2.0**-24) * _f32(2 * math.pi)
    octant = ((theta * _f32(4 / math.pi)).astype(np.int32) + np.int32(1)) & np.int32(-2)
    steps = octant.astype(_f32).astype(_f64)
    theta = _fma(steps, -_QUARTER_PI_LOW, _fma(steps, -_QUARTER_PI_HIGH, theta))  # the inner sum is exact
    square = theta * theta
    wide = square.astype(_f64)
    cosine = _fma(wide, _horner(wide, _COS) * square, square * _f32(-0.5)) + _f32(1)
    sine = _fma(theta.astype(_f64), _horner(wide, _SIN) * square, theta)
    return _turn_by_octant(cosine.view(np.int32), sine.view(np.int32), octant)


def _turn_by_octant(cosine: np.ndarray, sine: np.ndarray, octant: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Exchange the two values if `octant` is 2 or 6, and set their signs. Bit operations are faster than `where`."""
    differ = (cosine ^ sine) & -((octant >> 1) & 1)
    cosine = cosine ^ differ ^ (((octant + 2) & 4) << 29)
    sine = sine ^ differ ^ ((octant & 4) << 29)
    return cosine.view(_f32), sine.view(_f32)
