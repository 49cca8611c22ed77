"""The error function for NumPy and JAX arrays, and related functions for JAX arrays.

NumPy has no error function. SciPy's function costs 0.1 s of imports and 15 ns per element. For float32, the common case
(GELU), this module has its own formula, fitted by weighted least squares. Its error is at most 5 units in the last
place. The error of XLA's function is at most 7 units.
"""

from __future__ import annotations

import math

import jax
import jax.numpy as jnp
import numpy as np

from torchlike._engine.interpreter.rules import always, rule
from torchlike._ops.schema.namespace import namespace

# erf(x) = tanh(x P(x**2)); NumPy has vectorized code for tanh. The highest power comes first.
_P = np.asarray(
    [1.4185757e-07, -5.6685646e-06, 8.763784e-05, -0.00061978592, -0.00019182948, 0.10276906, 1.1283793], np.float32
)
_BLOCK = 1 << 15  # elements per block, so that each pass finds its block in the processor's cache
_FEW = 1 << 16  # float64 elements up to which calling `math.erf` costs less than importing SciPy

_one_by_one = np.frompyfunc(math.erf, 1, 1)


def erf(x):
    """Return the error function of a floating-point array.

    >>> torchlike.erf(torchlike.tensor([0.0, 1.0]))
    tensor([0.0000, 0.8427])
    """
    if namespace(x) is not np:
        return jax.lax.erf(x)
    if x.dtype == np.float32:
        return _by_tanh(x)
    if x.size <= _FEW:
        return np.asarray(_one_by_one(x), x.dtype)
    from scipy import special

    return special.erf(x)


rule("erf")(always(erf))


def _by_tanh(x: np.ndarray) -> np.ndarray:
    given = np.ravel(x)
    found = np.empty_like(given)
    squares = np.empty(min(given.size, _BLOCK), np.float32)
    for start in range(0, given.size, _BLOCK):
        part, block = given[start : start + _BLOCK], found[start : start + _BLOCK]
        t = np.multiply(part, part, out=squares[: part.size])
        np.multiply(t, _P[0], out=block)
        for factor in _P[1:-1]:
            np.add(block, factor, out=block)
            np.multiply(block, t, out=block)
        np.add(block, _P[-1], out=block)
        np.tanh(np.multiply(block, part, out=block), out=block)
    return found.reshape(x.shape)


# -- compiled programs only --------------------------------------------------------------------------------------------


def inverse(x):
    """Return the inverse error function of a JAX array.

    In float32, XLA's function has errors of 100 units in the last place near 1. One step of Newton's method reduces
    them. Where |x| is at least 0.5, the residual is computed from `erfc`.
    """
    found = jnp.copysign(jax.lax.erf_inv(x), x)
    if x.dtype.itemsize > 4:
        return found
    size, y = jnp.abs(x), jnp.abs(found)
    residual = jnp.where(size < 0.5, jax.lax.erf(y) - size, (1 - size) - jax.lax.erfc(y))
    refined = y - residual * jnp.exp(y * y) * np.float32(math.sqrt(math.pi) / 2)
    return jnp.where(size < 1, jnp.copysign(refined, x), found)


_TERMS = 8  # the number of terms of the asymptotic series
_FAR = {4: 8.0, 8: 20.0}  # for each item size, the argument from which these terms suffice


def scaled_complement(x):
    """Return erfc(x) * exp(x**2) of a JAX array. JAX's function returns 0 where erfc(x) underflows."""
    limit = _FAR[x.dtype.itemsize]
    near, far = jnp.minimum(x, limit), jnp.maximum(x, limit)
    # The square of `head` is exact, so that the rounding of the square of x is not magnified.
    head = jnp.trunc(jnp.maximum(near, -30) * 16) / 16
    found = jnp.exp(head * head) * (jnp.exp((near - head) * (near + head)) * jax.lax.erfc(near))
    series, half = jnp.ones_like(far), 1 / (2 * far * far)
    for k in range(_TERMS, 0, -1):
        series = 1 - (2 * k - 1) * half * series
    return jnp.where(x > limit, series / (far * math.sqrt(math.pi)), found)
