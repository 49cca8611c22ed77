"""Exponentials, logarithms and the trigonometric and hyperbolic functions; integers become floats."""

from __future__ import annotations

import numpy as np

from torchlike._dtypes import int32
from torchlike._ops.elementwise.partial_derivatives import inverse_cosine, sine_ratio
from torchlike._ops.schema.casts import FULL_ELSEWHERE
from torchlike._ops.schema.declare import Array, constant, namespace, operator, pointwise
from torchlike._ops.schema.typing_rules import to_float

SPECIAL = ("torch", "Tensor", "special")


@pointwise(autocast=FULL_ELSEWHERE, remembers=("result",), promote=to_float, loop="exp_vml_cpu")
def exp(input: Array):
    """e to the power of each element."""
    return namespace(input).exp(input)


@pointwise(remembers=("result",), promote=to_float, where=SPECIAL, loop="exp2")
def exp2(input: Array):
    """2 to the power of each element."""
    return namespace(input).exp2(input)


@pointwise(autocast=FULL_ELSEWHERE, remembers=("result",), promote=to_float, where=SPECIAL, loop="expm1_vml_cpu")
def expm1(input: Array):
    """exp(x) - 1, exact near 0."""
    return namespace(input).expm1(input)


@pointwise(autocast=FULL_ELSEWHERE, promote=to_float, loop="log_vml_cpu")
def log(input: Array):
    """The natural logarithm of each element; -inf at 0, NaN below."""
    return namespace(input).log(input)


@pointwise(autocast=FULL_ELSEWHERE, promote=to_float, where=SPECIAL, loop="log1p_vml_cpu")
def log1p(input: Array):
    """log(1 + x), exact near 0."""
    return namespace(input).log1p(input)


@pointwise(autocast=FULL_ELSEWHERE, promote=to_float, loop="log2_vml_cpu")
def log2(input: Array):
    """The logarithm to base 2."""
    return namespace(input).log2(input)


@pointwise(autocast=FULL_ELSEWHERE, promote=to_float, loop="log10_vml_cpu")
def log10(input: Array):
    """The logarithm to base 10."""
    return namespace(input).log10(input)


@pointwise(promote=to_float, loop="sin_vml_cpu")
def sin(input: Array):
    """The sine of an angle in radians."""
    return namespace(input).sin(input)


@pointwise(promote=to_float, loop="cos_vml_cpu")
def cos(input: Array):
    """The cosine of an angle in radians."""
    return namespace(input).cos(input)


@pointwise(autocast=FULL_ELSEWHERE, remembers=("result",), promote=to_float, loop="tan_vml_cpu")
def tan(input: Array):
    """The tangent of an angle in radians."""
    return namespace(input).tan(input)


@pointwise(autocast=FULL_ELSEWHERE, promote=to_float, aliases=("arcsin",), loop="asin_vml_cpu")
def asin(input: Array):
    """The arcsine in radians; NaN outside [-1, 1]."""
    return namespace(input).arcsin(input)


@pointwise(autocast=FULL_ELSEWHERE, promote=to_float, aliases=("arccos",), loop="acos_vml_cpu")
def acos(input: Array):
    """The arccosine in radians; NaN outside [-1, 1]."""
    return namespace(input).arccos(input)


@pointwise(promote=to_float, aliases=("arctan",), loop="atan_vml_cpu")
def atan(input: Array):
    """The arctangent in radians."""
    return namespace(input).arctan(input)


@pointwise(autocast=FULL_ELSEWHERE, promote=to_float)
def sinh(input: Array):
    """The hyperbolic sine."""
    return namespace(input).sinh(input)


@pointwise(autocast=FULL_ELSEWHERE, promote=to_float)
def cosh(input: Array):
    """The hyperbolic cosine."""
    return namespace(input).cosh(input)


@pointwise(remembers=("result",), promote=to_float, loop="tanh_vml_cpu")
def tanh(input: Array):
    """The hyperbolic tangent."""
    return namespace(input).tanh(input)


@pointwise(promote=to_float, aliases=("arcsinh",))
def asinh(input: Array):
    """The inverse hyperbolic sine."""
    return namespace(input).arcsinh(input)


@pointwise(promote=to_float, aliases=("arccosh",))
def acosh(input: Array):
    """The inverse hyperbolic cosine; NaN below 1."""
    return namespace(input).arccosh(input) if input.dtype.kind == "c" else inverse_cosine(input)


@pointwise(promote=to_float, aliases=("arctanh",))
def atanh(input: Array):
    """The inverse hyperbolic tangent; NaN outside [-1, 1]."""
    return namespace(input).arctanh(input)


@pointwise(promote=to_float, where=SPECIAL)
def sinc(input: Array):
    """sin(pi x) / (pi x), and 1 at 0."""
    return sine_ratio(input)


@operator(
    shape=lambda call: [(call.input.shape, call.input.dtype), (call.input.shape, int32)],
    where=(),
    node="FrexpBackward0",
    remembers=("others",),
    chooses=True,
)
def _frexp(input: Array):
    """The mantissa in [0.5, 1) and the exponent of 2."""
    xp = namespace(input)
    mantissa, exponent = xp.frexp(constant(input))
    if xp is not np:  # bits are moved there, through which no gradient flows
        exact = xp.where(xp.isfinite(input), input - constant(input), 0)
        mantissa = mantissa + exact * xp.exp2(-exponent.astype(input.dtype))
    return mantissa, exponent.astype("int32")
