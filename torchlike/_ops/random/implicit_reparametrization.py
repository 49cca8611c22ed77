"""Numbers that were drawn by rejection, as differentiable functions of the parameters that they were drawn with.

A draw x of CDF F(x; a) moves with its parameter so that F stays the same: dx/da = -(dF/da) / (dF/dx). The numbers
themselves come from the host's generator; what is recorded is the identity on them, with this gradient.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy.special import digamma

from torchlike._ops.schema.declare import Array, namespace, operator, pointwise

_MOST_TERMS = 100_000
_library_slope: Any = jax.lax.random_gamma_grad  # its signature is not to be seen from outside


@pointwise(where=(), inplace=False, node="StandardGammaBackward0", underivable="_standard_gamma_grad")
def _gamma_drawn(concentration: Array, drawn: Array):
    """`drawn`, gamma numbers of scale one, as a function of their shape parameters."""
    return drawn if namespace(drawn) is np else _gamma(concentration, drawn)


@jax.custom_jvp
def _gamma(concentration, drawn):
    return drawn


@_gamma.defjvp
def _gamma_jvp(primals, tangents):
    return primals[1], _gamma_slope(*primals) * tangents[0]


def _once(slope):
    """A function of arrays, element by element, whose derivative is not known: NaN. Gradients of gradients are refused
    before they come to it; forward mode over a gradient is not."""
    function = jax.custom_jvp(slope)

    @function.defjvp
    def unknown(primals, tangents):
        return function(*primals), sum(t * jnp.nan for t in tangents)

    return function


def _slope_of_gamma(concentration, drawn):
    wide = _library_slope(concentration.astype(jnp.float64), drawn.astype(jnp.float64))
    return wide.astype(drawn.dtype)


_gamma_slope = _once(_slope_of_gamma)


@operator(where=(), shape=lambda call: [call.drawn.shape], node="_DirichletBackward", once=True)
def _dirichlet_drawn(concentration: Array, drawn: Array):
    """`drawn`, points of the simplex over the last dim, as a function of their concentrations; (..., K)."""
    return drawn if namespace(drawn) is np else _dirichlet(concentration, drawn)


@jax.custom_jvp
def _dirichlet(concentration, drawn):
    return drawn


@_dirichlet.defjvp
def _dirichlet_jvp(primals, tangents):
    a, x = (p.astype(jnp.float64) for p in primals)
    others = a.sum(-1, keepdims=True) - a
    # Each element is a beta number against all others; what it gains they lose in proportion.
    along = _beta_slope(x, a, others) * tangents[0]
    moved = along - x * along.sum(-1, keepdims=True)
    return primals[1], moved.astype(primals[1].dtype)


def _beta_slope_over_rest(x, a, b):
    """(dx/da) / (1 - x) of a beta number x of parameters a and b, float64, to rounding.

    Up to the mean, with D = psi(a + b) - psi(a) and the series of positive terms of the incomplete beta function,

        F / p = x (1 - x) / a  sum_n t_n,   t_n = prod_{k <= n} (a + b + k - 1) x / (a + k),

    above it with that of 1 - F, in which a and b, x and 1 - x change places; -dF/da / p is the same sum of t_n times
    the derivative of its logarithm.
    """
    low = x * (a + b) <= a
    first, second, share = jnp.where(low, a, b), jnp.where(low, b, a), jnp.where(low, x, 1 - x)
    slope = jnp.log(x) + digamma(a + b) - digamma(a) - jnp.where(low, 1 / a, 0)
    total = first + second

    def more(state):
        n, _, _, _, live = state
        return (n < _MOST_TERMS) & live.any()

    def step(state):
        n, term, slope, summed, _ = state
        grown = total + n - 1
        term = term * grown * share / (first + n)
        slope = slope + 1 / grown - jnp.where(low, 1 / (first + n), 0)
        added = term * slope
        return n + 1, term, slope, summed + added, jnp.abs(added) > 1e-17 * jnp.abs(summed)

    start = (jnp.float64(1), jnp.ones_like(x), slope, slope, jnp.ones_like(x, bool))
    summed = jax.lax.while_loop(more, step, start)[3]
    # Above the mean F is one less the series, which turns the sign.
    return jnp.where(low, -summed * x / a, summed * x / b)


_beta_slope = _once(_beta_slope_over_rest)
