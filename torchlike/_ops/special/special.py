"""Special functions: error functions, gamma functions, modified Bessel functions, the logit, and entropy terms."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from torchlike import _dtypes, _errors
from torchlike._dtypes import FLOATING
from torchlike._ops.elementwise.partial_derivatives import times_logarithm, with_slopes
from torchlike._ops.schema.autocast_policies import FULL_ELSEWHERE
from torchlike._ops.schema.checks import REALS, SINGLE_REALS, not_complex, only
from torchlike._ops.schema.declare import Array, Operand, constant, namespace, pointwise
from torchlike._ops.schema.namespace import widened
from torchlike._ops.schema.node_names import of_two
from torchlike._ops.schema.out_rules import CASTABLE, Into
from torchlike._ops.schema.rounding import stepwise
from torchlike._ops.schema.typing_rules import Call, to_float
from torchlike._ops.special import error_function
from torchlike._ops.special.bessel import hurwitz_zeta

EVERYWHERE = ("torch", "Tensor", "special")


def library(x):
    """Return the module of special functions for the kind of array of `x`: SciPy's or JAX's."""
    if namespace(x) is np:
        from scipy import special

        return special
    return jax.scipy.special


@pointwise(promote=to_float, where=EVERYWHERE, check=not_complex("erf_vml_cpu"))
def erf(input: Array):
    """Return the error function, 2 / sqrt(pi) times the integral of exp(-t**2) from 0 to x.

    >>> torchlike.erf(torchlike.tensor([0.0, 1.0]))
    tensor([0.0000, 0.8427])
    """
    return error_function.erf(input)


@pointwise(promote=to_float, where=EVERYWHERE, check=not_complex("erfc_vml_cpu"))
def erfc(input: Array):
    """Return the complementary error function, 1 - erf(x)."""
    return library(input).erfc(input)


@pointwise(
    promote=to_float,
    where=("special",),
    inplace=False,
    node="SpecialErfcxBackward0",
    remembers=("inputs", "result"),
    takes=SINGLE_REALS,
)
def erfcx(input: Array):
    """Return the scaled complementary error function, erfc(x) * exp(x**2).

    It stays accurate where erfc(x) underflows.
    """
    return _scaled_erfc(input)


_scaled_erfc = with_slopes(
    lambda x: library(x).erfcx(x) if namespace(x) is np else error_function.scaled_complement(x),
    lambda r, x: 2 * x * r - 2 / math.sqrt(math.pi),
)


@pointwise(autocast=FULL_ELSEWHERE, promote=to_float, where=EVERYWHERE, check=not_complex("erfinv_vml_cpu"))
def erfinv(input: Array):
    """Return the inverse error function: inf at 1, -inf at -1, NaN outside [-1, 1].

    >>> torchlike.erfinv(torchlike.tensor([0.0, 0.5]))
    tensor([0.0000, 0.4769])
    """
    return _inverse_erf(input)


_inverse_erf = with_slopes(
    lambda x: np.copysign(library(x).erfinv(x), x) if namespace(x) is np else error_function.inverse(x),
    lambda r, x: math.sqrt(math.pi) / 2 * namespace(x).exp(r * r),
)


@pointwise(promote=to_float, check=not_complex("lgamma_vml_cpu"))
def lgamma(input: Array):
    """Return the natural logarithm of the absolute value of the gamma function.

    >>> torchlike.lgamma(torchlike.tensor([1.0, 5.0]))
    tensor([0.0000, 3.1781])
    """
    return _log_gamma(input)


def _log_gamma_of(x):
    return namespace(x).where(x == -np.inf, np.inf, library(x).gammaln(x)).astype(x.dtype)


@pointwise(promote=to_float, where=EVERYWHERE, aliases=(), check=not_complex("digamma"))
def digamma(input: Array):
    """Return the digamma function, the derivative of the logarithm of the gamma function.

    It is -inf at 0, inf at -0, and NaN at negative integers.

    >>> torchlike.digamma(torchlike.tensor([1.0, 0.5]))
    tensor([-0.5772, -1.9635])
    """
    return _digamma(input)


def _digamma_of(x):
    xp = namespace(x)
    return xp.where(x == 0, xp.copysign(xp.asarray(np.inf, x.dtype), -x), library(x).digamma(x))


_digamma = with_slopes(_digamma_of, lambda result, x: _trigamma(x))
_log_gamma = with_slopes(_log_gamma_of, lambda result, x: _digamma(x))


def _check_order(call: Call) -> None:
    if call.n < 0:
        raise RuntimeError("polygamma(n, x) does not support negative n.")
    not_complex(("digamma", "trigamma")[call.n] if call.n < 2 else "polygamma")(call)


@pointwise(
    promote=to_float, where=("torch", "special"), inplace=False, opmath=False, check=_check_order, loop="trigamma"
)
def polygamma(n: int, input: Array):
    """Return the n-th derivative of the digamma function, for n >= 0.

    Args:
      n: the order of the derivative.
    """
    (step, input) = stepwise(input)
    if n < 2:
        return _trigamma(input) if n else _digamma(input)
    zeta = step(hurwitz_zeta(float(n + 1), input))
    return zeta * (math.factorial(n) * (-1) ** (n + 1))


def _trigamma_of(x):
    """Return the trigamma function.

    The argument is shifted by 6 with the recurrence, and the asymptotic series is applied there. Arguments below 1/2
    are first mapped to larger ones by the reflection formula.
    """
    xp = namespace(x)
    pi = xp.asarray(np.pi, x.dtype)
    low = x < 0.5
    sine = xp.sin(pi * xp.where(low, x, 0.5))
    z = xp.where(low, 1 - x, x)
    found = xp.zeros_like(x)
    for _ in range(6):
        found = found + 1 / (z * z)
        z = z + 1
    square = 1 / (z * z)
    found = found + (1 + 1 / (2 * z) + square * (1 / 6 - square * (1 / 30 - square / 42))) / z
    return xp.where(low, pi * pi / (sine * sine) - found, found).astype(x.dtype)


_trigamma = with_slopes(_trigamma_of, lambda result, x: -2 * hurwitz_zeta(3.0, x))


def _check_mvlgamma(call: Call) -> None:
    if call.p < 1:
        raise RuntimeError("p has to be greater than or equal to 1")
    if call.input.dtype is _dtypes.bool_:
        raise RuntimeError("The input tensor may not be a boolean tensor.")
    not_complex("mvlgamma")(call)


def _mvlgamma_into(input: Any, *_: Any) -> Into:
    return Into(cast=_errors.outs.mvlgamma(input.dtype))


@pointwise(out=_mvlgamma_into, promote=to_float, check=_check_mvlgamma)
def mvlgamma(input: Array, p: int):
    """Return the logarithm of the multivariate gamma function of dimension p.

    Args:
      p: the dimension, at least 1.
    """
    gammaln = library(input).gammaln
    constants = p * (p - 1) / 4 * np.log(np.pi)
    return sum((gammaln(input - i / 2) for i in range(1, p)), gammaln(input)) + constants


@pointwise(check=only("igamma_cpu", FLOATING))
def igamma(input: Array, other: Array):
    """Return the regularized lower incomplete gamma function P(input, other) for shape parameter `input`."""
    return _incomplete_gamma("gammainc", input, other, 0)


@pointwise(check=only("igammac_cpu", FLOATING))
def igammac(input: Array, other: Array):
    """Return the regularized upper incomplete gamma function Q(input, other) = 1 - igamma(input, other)."""
    return _incomplete_gamma("gammaincc", input, other, 1)


def _incomplete_gamma(name: str, a, x, below: int):
    """Return an incomplete gamma function, computed in float64. In float32, XLA has errors of 1% for large arguments.

    For an infinite shape parameter `a`, the result is the limit `below`, or NaN if `x` is infinite or negative.
    """
    xp, function = namespace(a), getattr(library(a), name)
    wide = [v.astype("float64") for v in (a, x)]
    found = function(*wide) if xp is np else _without_long_loops(function, wide[0], wide[1], below)
    found = found.astype(a.dtype)
    limit = xp.where(xp.isinf(x), xp.nan, xp.where(x < 0, xp.nan, below)).astype(found.dtype)
    return xp.where(xp.isposinf(a), limit, found)


def _without_long_loops(function: Callable, a, x, below: int):
    """Return the incomplete gamma function for JAX.

    XLA sums a series whose number of terms grows with the square root of `a`. For large `a`, this function uses the
    first terms of Temme's uniform asymptotic expansion, whose error is below the rounding error.
    """
    jnp = jax.numpy
    large, nothing = a > 1e6, (a == 0) & (x > 0)
    wide = jnp.where(large, a, 1e9), jnp.where(large, x, 1e9)
    a, x = (jnp.where(large | nothing, 1, v) for v in (a, x))
    return jnp.where(large, _temme(*wide, 1 if below else -1), jnp.where(nothing, 1 - below, function(a, x)))


def _temme(a, x, side: int):
    """Return Q(a, x) if `side` is 1, or P(a, x) if it is -1, for large `a`. (DLMF 8.12.3 and 8.12.4)"""
    jnp = jax.numpy
    gap = jnp.minimum((x - a) / a, 1e300)
    near = jnp.abs(gap) < 0.1
    small = jnp.where(near, gap, 0)
    series = functools.reduce(lambda total, n: total * -small + 2 / n, range(24, 1, -1), 0 * small)
    apart = jnp.where(near, 1, gap)
    eta = jnp.where(near, small * jnp.sqrt(series), jnp.sign(apart) * jnp.sqrt(2 * (apart - jnp.log1p(apart))))
    inner = jnp.where(jnp.abs(eta) < 0.01, eta, 0)
    terms = -1 / 3 + inner / 12 - 2 * inner**2 / 135 - (1 / 540 + inner / 288) / a
    rest = jnp.exp(-a * inner**2 / 2) / jnp.sqrt(2 * np.pi * a) * terms
    rest = jnp.where(jnp.abs(eta) < 0.01, rest, 0)
    found = jax.scipy.special.erfc(side * eta * jnp.sqrt(a / 2)) / 2 + side * rest
    return jnp.where(x < 0, jnp.nan, found)


@pointwise(promote=to_float, where=EVERYWHERE, check=not_complex("i0_vml_cpu"))
def i0(input: Array):
    """Return the modified Bessel function of the first kind of order 0, element by element."""
    return library(input).i0(input) if namespace(input) is np else _i0(input)


@jax.custom_jvp
def _i0(x):
    return jax.scipy.special.i0(x)


@_i0.defjvp
def _i0_jvp(primals, changes):
    return _i0(*primals), _i1(*primals) * changes[0]


@jax.custom_jvp
def _i1(x):
    return jax.scipy.special.i1(x)


@_i1.defjvp
def _i1_jvp(primals, changes):
    (x,) = primals
    return _i1(x), (_i0(x) - _i1_over_x(_i1, x, 1)) * changes[0]


@jax.custom_jvp
def _i1e(x):
    return jax.scipy.special.i1e(x)


@_i1e.defjvp
def _i1e_jvp(primals, changes):
    (x,), xp = primals, jax.numpy
    sign = xp.sign(x)  # 0 at 0, where |x| has no derivative
    slope = jax.scipy.special.i0e(x) - sign * _i1e(x) - _i1_over_x(_i1e, x, xp.exp(-sign * x))
    return _i1e(x), slope * changes[0]


def _i1_over_x(function, x, scale):
    """Return `scale` * i1(x) / x. `function` computes `scale` * i1(x).

    For |x| < 1 the power series of i1 is used, because derivatives of the quotient are differences of nearly equal
    numbers there.
    """
    near = jax.numpy.abs(x) < 1
    square, found = jax.numpy.where(near, x, 0) ** 2 / 4, 0
    for k in range(12, -1, -1):
        found = found * square + 0.5 / (math.factorial(k) * math.factorial(k + 1))
    far = jax.numpy.where(near, 1, x)
    return jax.numpy.where(near, found * scale, function(far) / far).astype(x.dtype)


@pointwise(
    promote=to_float,
    where=("special",),
    inplace=False,
    node="SpecialI0EBackward0",
    remembers=("inputs", "result"),
    takes=REALS,
)
def i0e(input: Array):
    """Return the exponentially scaled modified Bessel function of order 0, i0(x) * exp(-|x|)."""
    return library(input).i0e(input)


@pointwise(
    promote=to_float,
    where=("special",),
    inplace=False,
    node="SpecialI1Backward0",
    remembers=("inputs", "result"),
    takes=REALS,
)
def i1(input: Array):
    """Return the modified Bessel function of the first kind of order 1, element by element."""
    return library(input).i1(input) if namespace(input) is np else _i1(input)


@pointwise(
    promote=to_float,
    where=("special",),
    inplace=False,
    node="SpecialI1EBackward0",
    remembers=("inputs", "result"),
    takes=REALS,
)
def i1e(input: Array):
    """Return the exponentially scaled modified Bessel function of order 1, i1(x) * exp(-|x|)."""
    return library(input).i1e(input) if namespace(input) is np else _i1e(input)


@pointwise(promote=to_float, where=EVERYWHERE, check=not_complex("logit_cpu"), opmath=False)
def logit(input: Array, eps: float | None = None):
    """Return the logit, log(x / (1 - x)).

    If `eps` is given, x is first clamped to [eps, 1 - eps].

    Args:
      eps: the bound to which x is clamped.
    """
    xp = namespace(input)
    if eps is not None:
        low, high = (xp.asarray(b).astype(input.dtype) for b in (eps, 1 - eps))
        outside = constant(xp.where(input < low, low, high))
        input = xp.where((input < low) | (input > high), outside, input)
    return _log_odds(input)


def _log_odds_slope(result, p):
    wide = widened(p)
    return jax.numpy.where((p < 0) | (p > 1), np.nan, 1 / (wide * (1 - wide))).astype(p.dtype)


_log_odds = with_slopes(lambda p: namespace(p).log(p / (1 - p)), _log_odds_slope)


@pointwise(
    promote=to_float,
    where=("special",),
    inplace=False,
    remembers=(),
    opmath=False,
    loop="erf_vml_cpu",
    takes=REALS,
    out=CASTABLE._replace(called=None),
)
def ndtr(input: Array):
    """Return the distribution function of the standard normal distribution at x.

    It loses all accuracy for very negative x; see `log_ndtr`.
    """
    root = namespace(input).asarray(np.sqrt(0.5), input.dtype)
    return (1 + error_function.erf(widened(input * root)).astype(input.dtype)) * root.dtype.type(0.5)


@pointwise(
    promote=to_float,
    where=("special",),
    inplace=False,
    node="SpecialLogNdtrBackward0",
    remembers=("inputs", "result"),
    takes=SINGLE_REALS,
)
def log_ndtr(input: Array):
    """Return the logarithm of the standard normal distribution function. It is accurate even for very negative x."""
    return library(input).log_ndtr(input)


@pointwise(
    promote=to_float,
    where=("special",),
    inplace=False,
    node="SpecialNdtriBackward0",
    remembers=("result",),
    takes=SINGLE_REALS,
)
def ndtri(input: Array):
    """Return the quantile function of the standard normal distribution, the inverse of `ndtr`."""
    return _quantile(input)


def _quantile_slope(result, p):
    return jax.numpy.exp(result * result / 2) * np.sqrt(2 * np.pi).astype(p.dtype)


_quantile = with_slopes(lambda p: library(p).ndtri(p), _quantile_slope)


@pointwise(promote=to_float, where=("special",), inplace=False, node="SpecialEntrBackward0", takes=REALS)
def entr(input: Array):
    """Return the entropy term -x * log(x), which is 0 at 0 and -inf below 0."""
    return library(input).entr(input)


@pointwise(promote=to_float, node=of_two("Xlogy"), opmath=False, takes=REALS)
def xlogy(input: Operand, other: Operand):
    """Return input * log(other), or 0 where `input` is 0 and `other` is not NaN."""
    step, input, other = stepwise(input, other)
    return times_logarithm(input, other, step)


@pointwise(
    promote=to_float, where=("special",), inplace=False, node=of_two("SpecialXlog1Py"), opmath=False, takes=REALS
)
def xlog1py(input: Operand, other: Operand):
    """Return input * log1p(other), or 0 where `input` is 0 and `other` is not NaN."""
    step, input, other = stepwise(input, other)
    return times_logarithm(input, other, step, "log1p")
