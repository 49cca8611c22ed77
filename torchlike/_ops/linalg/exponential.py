"""The exponential of matrices in NumPy and JAX.

`jax.scipy.linalg.expm` chooses between five approximations, which takes XLA four seconds to compile with gradients. In
float32 it is wrong by up to 4e-3, and for a norm above 3e5 it returns NaN. Here, the largest of the approximations, a
quotient of polynomials of degree 13, serves all matrices of a small norm. Other matrices are divided by a power of two,
and the result is squared as often (N. J. Higham, "The scaling and squaring method for the matrix exponential
revisited", 2005).
"""

from __future__ import annotations

from math import comb, factorial
from typing import Any

import numpy as np
from jax import lax

from torchlike._ops.schema.namespace import constant, namespace

_DEGREE = 13
_LIMIT = 5.371920351148152  # the largest norm for which the error is below the precision of float64 (Higham)
_SQUARINGS = 32  # for norms up to 2e10
# The coefficients of the numerator; those of the denominator have alternating signs. The first is 1, so that the
# exponential of zeros is exactly the identity.
_COEFFICIENTS = [comb(_DEGREE, k) * factorial(2 * _DEGREE - k) / factorial(2 * _DEGREE) for k in range(_DEGREE + 1)]


def exponential(a: Any) -> Any:
    """Return the exponential of square matrices (..., n, n), in their dtype."""
    if a.size == 0:
        return a
    xp = namespace(a)
    count = _squarings(constant(a))
    odd, even = _polynomials(a / 2.0 ** count[..., None, None])
    return _squared(xp.linalg.solve(even - odd, even + odd), count)


def _squarings(a: Any) -> Any:
    """Return the number of squarings for each matrix, (...). Divided by 2**number, its norm is at most `_LIMIT`."""
    xp = namespace(a)
    norm = xp.abs(a).sum(-2).max(-1)
    count = xp.ceil(xp.log2(xp.where(norm > _LIMIT, norm, _LIMIT) / _LIMIT))
    return xp.where(xp.isfinite(norm), xp.minimum(count, _SQUARINGS), 0.0)


def _polynomials(a: Any) -> tuple[Any, Any]:
    """Return the terms with odd and with even powers of the numerator."""
    c, one = _COEFFICIENTS, np.eye(a.shape[-1], dtype=a.dtype)
    a2 = a @ a
    a4 = a2 @ a2
    a6 = a4 @ a2
    odd = a @ (a6 @ (c[13] * a6 + c[11] * a4 + c[9] * a2) + c[7] * a6 + c[5] * a4 + c[3] * a2 + c[1] * one)
    even = a6 @ (c[12] * a6 + c[10] * a4 + c[8] * a2) + c[6] * a6 + c[4] * a4 + c[2] * a2 + c[0] * one
    return odd, even


def _squared(a: Any, count: Any) -> Any:
    """Return each matrix squared `count` times."""
    xp = namespace(a)
    most = count.max()

    def square(x: Any, i: Any) -> Any:
        return xp.where((i < count)[..., None, None], x @ x, x)

    if xp is np:
        for i in range(int(most)):
            a = square(a, i)
        return a

    def step(x: Any, i: Any) -> tuple:
        return lax.cond(i < most, square, lambda x, i: x, x, i), None

    return lax.scan(step, a, xp.arange(_SQUARINGS, dtype=count.dtype))[0]
