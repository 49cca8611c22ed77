"""Orthogonal polynomials of degree n at x, by their recurrences.

As in PyTorch, none of them has a gradient.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import jax
import numpy as np

from torchlike._ops.schema.checks import SINGLE_REALS
from torchlike._ops.schema.declare import Operand, namespace, pointwise
from torchlike._ops.schema.typing_rules import to_float


class Recurrence(NamedTuple):
    """A three-term recurrence: P0 = 1, P1 = first(x), P(k + 1) = after(k, x, P(k), P(k - 1))."""

    first: Callable
    after: Callable


def _fused(x, p, rest):
    """Return x * p - rest.

    NumPy's float32 result is rounded only once, as in a fused multiply-add, which PyTorch's and XLA's compilers
    generate.
    """
    if namespace(p) is np and p.dtype == np.float32:
        return (x.astype(np.float64) * p - rest).astype(np.float32)
    return x * p - rest


def _chebyshev_after(k, x, p, q):
    return 2 * x * p - q


CHEBYSHEV_T = Recurrence(lambda x: x, _chebyshev_after)
CHEBYSHEV_U = Recurrence(lambda x: 2 * x, _chebyshev_after)
CHEBYSHEV_V = Recurrence(lambda x: 2 * x - 1, _chebyshev_after)
CHEBYSHEV_W = Recurrence(lambda x: 2 * x + 1, _chebyshev_after)
HERMITE_H = Recurrence(lambda x: 2 * x, lambda k, x, p, q: 2 * (x * p - k * q))
HERMITE_HE = Recurrence(lambda x: x, lambda k, x, p, q: _fused(x, p, k * q))
LAGUERRE = Recurrence(lambda x: 1 - x, lambda k, x, p, q: ((2 * k + 1 - x) * p - k * q) / (k + 1))
LEGENDRE = Recurrence(lambda x: x, lambda k, x, p, q: ((2 * k + 1) * x * p - k * q) / (k + 1))


def _value(recurrence: Recurrence, x, n):
    """Return the polynomial of degree trunc(n) at x.

    The polynomial of a negative degree is 0, as is that of a degree that does not fit in 64 bits.
    """
    xp = namespace(n)
    x, n = xp.broadcast_arrays(x, xp.where(xp.abs(n) < 2.0**63, xp.trunc(n), -1).astype(n.dtype))

    def after(k, state):
        p, q = state
        found = recurrence.after(xp.asarray(k, p.dtype), x, p, q)
        return xp.where(k < n, found, p), xp.where(k < n, p, q)

    one = xp.ones_like(x)
    p, _ = _repeated(xp, xp.max(n, initial=0), after, (recurrence.first(x).astype(x.dtype), one))
    return xp.where(n < 0, 0 * one, xp.where(n < 1, one, p)).astype(x.dtype)


def _repeated(xp, degree, after: Callable, state):
    """Apply `after` for k from 1 up to, but not including, `degree`."""
    if xp is not np:
        return jax.lax.fori_loop(1, degree.astype("int32"), after, state)
    for k in range(1, int(degree)):
        state = after(k, state)
    return state


def _polynomial(kernel: Callable) -> Callable:
    row = pointwise(
        promote=to_float, where=("special",), inplace=False, opmath=False, differentiable=False, takes=SINGLE_REALS
    )
    return row(kernel)


@_polynomial
def chebyshev_polynomial_t(x: Operand, n: Operand):
    """Return the Chebyshev polynomial of the first kind of degree n at x, cos(n * acos(x)) for x in [-1, 1].

    Args:
      x: the points.
      n: the degree. It is broadcast with `x`, and its fraction is dropped.
    """
    return _value(CHEBYSHEV_T, x, n)


@_polynomial
def chebyshev_polynomial_u(x: Operand, n: Operand):
    """Return the Chebyshev polynomial of the second kind of degree n at x.

    Args:
      x: the points.
      n: the degree. It is broadcast with `x`, and its fraction is dropped.
    """
    return _value(CHEBYSHEV_U, x, n)


@_polynomial
def chebyshev_polynomial_v(x: Operand, n: Operand):
    """Return the Chebyshev polynomial of the third kind of degree n at x.

    Args:
      x: the points.
      n: the degree. It is broadcast with `x`, and its fraction is dropped.
    """
    return _value(CHEBYSHEV_V, x, n)


@_polynomial
def chebyshev_polynomial_w(x: Operand, n: Operand):
    """Return the Chebyshev polynomial of the fourth kind of degree n at x.

    Args:
      x: the points.
      n: the degree. It is broadcast with `x`, and its fraction is dropped.
    """
    return _value(CHEBYSHEV_W, x, n)


@_polynomial
def shifted_chebyshev_polynomial_t(x: Operand, n: Operand):
    """Return the Chebyshev polynomial of the first kind of degree n at 2x - 1.

    Args:
      x: the points.
      n: the degree. It is broadcast with `x`, and its fraction is dropped.
    """
    return _value(CHEBYSHEV_T, 2 * x - 1, n)


@_polynomial
def shifted_chebyshev_polynomial_u(x: Operand, n: Operand):
    """Return the Chebyshev polynomial of the second kind of degree n at 2x - 1.

    Args:
      x: the points.
      n: the degree. It is broadcast with `x`, and its fraction is dropped.
    """
    return _value(CHEBYSHEV_U, 2 * x - 1, n)


@_polynomial
def shifted_chebyshev_polynomial_v(x: Operand, n: Operand):
    """Return the Chebyshev polynomial of the third kind of degree n at 2x - 1.

    Args:
      x: the points.
      n: the degree. It is broadcast with `x`, and its fraction is dropped.
    """
    return _value(CHEBYSHEV_V, 2 * x - 1, n)


@_polynomial
def shifted_chebyshev_polynomial_w(x: Operand, n: Operand):
    """Return the Chebyshev polynomial of the fourth kind of degree n at 2x - 1.

    Args:
      x: the points.
      n: the degree. It is broadcast with `x`, and its fraction is dropped.
    """
    return _value(CHEBYSHEV_W, 2 * x - 1, n)


@_polynomial
def hermite_polynomial_h(x: Operand, n: Operand):
    """Return the physicist's Hermite polynomial of degree n at x.

    Args:
      x: the points.
      n: the degree. It is broadcast with `x`, and its fraction is dropped.
    """
    return _value(HERMITE_H, x, n)


@_polynomial
def hermite_polynomial_he(x: Operand, n: Operand):
    """Return the probabilist's Hermite polynomial of degree n at x.

    Args:
      x: the points.
      n: the degree. It is broadcast with `x`, and its fraction is dropped.
    """
    return _value(HERMITE_HE, x, n)


@_polynomial
def laguerre_polynomial_l(x: Operand, n: Operand):
    """Return the Laguerre polynomial of degree n at x.

    Args:
      x: the points.
      n: the degree. It is broadcast with `x`, and its fraction is dropped.
    """
    return _value(LAGUERRE, x, n)


@_polynomial
def legendre_polynomial_p(x: Operand, n: Operand):
    """Return the Legendre polynomial of degree n at x.

    Args:
      x: the points.
      n: the degree. It is broadcast with `x`, and its fraction is dropped.
    """
    return _value(LEGENDRE, x, n)
