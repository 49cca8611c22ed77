"""Exponential, logarithmic, trigonometric and hyperbolic functions. Integer inputs give floating-point results."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from jax import lax

from torchlike._dtypes import int32
from torchlike._ops.elementwise.partial_derivatives import (
    hyperbolic_tangent,
    inverse_cosine,
    power_of_two,
    sine_ratio,
    with_slopes,
)
from torchlike._ops.schema.autocast_policies import FULL_ELSEWHERE
from torchlike._ops.schema.declare import Array, constant, namespace, operator, pointwise
from torchlike._ops.schema.typing_rules import to_float

SPECIAL = ("torch", "Tensor", "special")


@pointwise(autocast=FULL_ELSEWHERE, remembers=("result",), promote=to_float, loop="exp_vml_cpu")
def exp(input: Array):
    """Return e raised to the power of each element.

    >>> torchlike.exp(torchlike.tensor([0.0, 1.0]))
    tensor([1.0000, 2.7183])
    """
    return namespace(input).exp(input)


@pointwise(remembers=("result",), promote=to_float, where=SPECIAL, loop="exp2")
def exp2(input: Array):
    """Return 2 raised to the power of each element.

    >>> torchlike.exp2(torchlike.tensor([0.0, 3.0]))
    tensor([1., 8.])
    """
    return power_of_two(input)


@pointwise(autocast=FULL_ELSEWHERE, remembers=("result",), promote=to_float, where=SPECIAL, loop="expm1_vml_cpu")
def expm1(input: Array):
    """Return exp(x) - 1 for each element x, accurate near 0.

    >>> torchlike.expm1(torchlike.tensor([0.0, 1.0]))
    tensor([0.0000, 1.7183])
    """
    return namespace(input).expm1(input)


@pointwise(autocast=FULL_ELSEWHERE, promote=to_float, loop="log_vml_cpu")
def log(input: Array):
    """Return the natural logarithm of each element: -inf at 0, NaN below 0.

    >>> torchlike.log(torchlike.tensor([1.0, 2.0]))
    tensor([0.0000, 0.6931])
    """
    return namespace(input).log(input)


@pointwise(autocast=FULL_ELSEWHERE, promote=to_float, where=SPECIAL, loop="log1p_vml_cpu")
def log1p(input: Array):
    """Return log(1 + x) for each element x, accurate near 0.

    >>> torchlike.log1p(torchlike.tensor([0.0, 1.0]))
    tensor([0.0000, 0.6931])
    """
    return namespace(input).log1p(input)


@pointwise(autocast=FULL_ELSEWHERE, promote=to_float, loop="log2_vml_cpu")
def log2(input: Array):
    """Return the base-2 logarithm of each element.

    >>> torchlike.log2(torchlike.tensor([1.0, 8.0]))
    tensor([0., 3.])
    """
    return namespace(input).log2(input)


@pointwise(autocast=FULL_ELSEWHERE, promote=to_float, loop="log10_vml_cpu")
def log10(input: Array):
    """Return the base-10 logarithm of each element.

    >>> torchlike.log10(torchlike.tensor([1.0, 5.0]))
    tensor([0.0000, 0.6990])
    """
    return namespace(input).log10(input)


@pointwise(promote=to_float, loop="sin_vml_cpu")
def sin(input: Array):
    """Return the sine of each element, in radians.

    >>> torchlike.sin(torchlike.tensor([0.0, 1.0]))
    tensor([0.0000, 0.8415])
    """
    return namespace(input).sin(input)


@pointwise(promote=to_float, loop="cos_vml_cpu")
def cos(input: Array):
    """Return the cosine of each element, in radians.

    >>> torchlike.cos(torchlike.tensor([0.0, 1.0]))
    tensor([1.0000, 0.5403])
    """
    return namespace(input).cos(input)


@pointwise(autocast=FULL_ELSEWHERE, remembers=("result",), promote=to_float, loop="tan_vml_cpu")
def tan(input: Array):
    """Return the tangent of each element, in radians.

    >>> torchlike.tan(torchlike.tensor([0.0, 1.0]))
    tensor([0.0000, 1.5574])
    """
    return namespace(input).tan(input)


@pointwise(autocast=FULL_ELSEWHERE, promote=to_float, aliases=("arcsin",), loop="asin_vml_cpu")
def asin(input: Array):
    """Return the arcsine of each element, in radians. It is NaN outside [-1, 1].

    >>> torchlike.asin(torchlike.tensor([0.0, 1.0]))
    tensor([0.0000, 1.5708])
    """
    return namespace(input).arcsin(input)


@pointwise(autocast=FULL_ELSEWHERE, promote=to_float, aliases=("arccos",), loop="acos_vml_cpu")
def acos(input: Array):
    """Return the arccosine of each element, in radians. It is NaN outside [-1, 1].

    >>> torchlike.acos(torchlike.tensor([1.0, 0.0]))
    tensor([0.0000, 1.5708])
    """
    return namespace(input).arccos(input)


@pointwise(promote=to_float, aliases=("arctan",), loop="atan_vml_cpu")
def atan(input: Array):
    """Return the arctangent of each element, in radians.

    >>> torchlike.atan(torchlike.tensor([0.0, 1.0]))
    tensor([0.0000, 0.7854])
    """
    return namespace(input).arctan(input)


@pointwise(autocast=FULL_ELSEWHERE, promote=to_float)
def sinh(input: Array):
    """Return the hyperbolic sine of each element.

    >>> torchlike.sinh(torchlike.tensor([0.0, 1.0]))
    tensor([0.0000, 1.1752])
    """
    xp = namespace(input)
    return xp.sinh(input) if xp is np or input.dtype.kind != "c" else _complex_sinh(input)


# XLA computes it as a difference of exponentials, which is 0 for small numbers.
_complex_sinh = with_slopes(
    lambda z: lax.complex(jnp.sinh(z.real) * jnp.cos(z.imag), jnp.cosh(z.real) * jnp.sin(z.imag)),
    lambda _, z: jnp.cosh(z),
)


@pointwise(autocast=FULL_ELSEWHERE, promote=to_float)
def cosh(input: Array):
    """Return the hyperbolic cosine of each element.

    >>> torchlike.cosh(torchlike.tensor([0.0, 1.0]))
    tensor([1.0000, 1.5431])
    """
    return namespace(input).cosh(input)


@pointwise(remembers=("result",), promote=to_float, loop="tanh_vml_cpu")
def tanh(input: Array):
    """Return the hyperbolic tangent of each element.

    >>> torchlike.tanh(torchlike.tensor([0.0, 1.0]))
    tensor([0.0000, 0.7616])
    """
    return hyperbolic_tangent(input)


@pointwise(promote=to_float, aliases=("arcsinh",))
def asinh(input: Array):
    """Return the inverse hyperbolic sine of each element."""
    return namespace(input).arcsinh(input)


@pointwise(promote=to_float, aliases=("arccosh",))
def acosh(input: Array):
    """Return the inverse hyperbolic cosine of each element. It is NaN below 1."""
    return namespace(input).arccosh(input) if input.dtype.kind == "c" else inverse_cosine(input)


@pointwise(promote=to_float, aliases=("arctanh",))
def atanh(input: Array):
    """Return the inverse hyperbolic tangent of each element. It is NaN outside [-1, 1].

    >>> torchlike.atanh(torchlike.tensor([0.0, 0.5]))
    tensor([0.0000, 0.5493])
    """
    return namespace(input).arctanh(input)


@pointwise(promote=to_float, where=SPECIAL)
def sinc(input: Array):
    """Return sin(pi * x) / (pi * x) for each element x, and 1 at x = 0.

    >>> torchlike.sinc(torchlike.tensor([0.0, 0.5]))
    tensor([1.0000, 0.6366])
    """
    return sine_ratio(input)


@operator(
    shape=lambda call: [(call.input.shape, call.input.dtype), (call.input.shape, int32)],
    where=(),
    node="FrexpBackward0",
    remembers=("others",),
    chooses=True,
)
def _frexp(input: Array):
    """Return the mantissa, with magnitude in [0.5, 1), and the exponent of 2 of each element."""
    return _mantissa(input), namespace(input).frexp(constant(input))[1].astype("int32")


def _mantissa_slope(_, x):
    exponent = jnp.where(jnp.isfinite(x), jnp.frexp(constant(x))[1], 0)
    return jnp.exp2(-exponent.astype(x.dtype))


_mantissa = with_slopes(lambda x: namespace(x).frexp(x)[0], _mantissa_slope)
