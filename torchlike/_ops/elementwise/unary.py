"""Element-wise functions of one tensor: signs, absolute values, named powers, tests, rounding and angles."""

from __future__ import annotations

import functools
from typing import Any

import jax
import jax.numpy as jnp

from torchlike import _errors
from torchlike._dtypes import (
    COMPLEX,
    FLOAT8,
    FLOAT8_SIGNED,
    FLOATING,
    INTEGER,
    bool_,
    float8_e5m2,
    float8_e8m0fnu,
    int64,
)
from torchlike._ops.elementwise.partial_derivatives import modulus, phase, with_mask
from torchlike._ops.schema.autocast_policies import FULL_ELSEWHERE
from torchlike._ops.schema.checks import in_order, not_bool, not_wide, only
from torchlike._ops.schema.declare import Array, Into, Real, constant, namespace, pointwise
from torchlike._ops.schema.namespace import choose
from torchlike._ops.schema.out_rules import CASTABLE, SAME
from torchlike._ops.schema.typing_rules import Call, to_bool, to_float, to_real


@pointwise(saves=(), aliases=("negative",), check=in_order(_errors.arithmetic.check_negation, not_wide("neg_cpu")))
def neg(input: Array):
    """Return the negative of each element.

    >>> torchlike.neg(torchlike.tensor([1, -2]))
    tensor([-1,  2])
    """
    return -input


def _abs_into(input: Any) -> Into:
    return CASTABLE if input.dtype.is_complex else SAME


@pointwise(out=_abs_into, promote=to_real, aliases=("absolute",), check=not_bool("abs_cpu"), float8=FLOAT8_SIGNED)
def abs(input: Array):
    """Return the absolute value of each element, or the real modulus of a complex element.

    The gradient at 0 is 0.

    >>> torchlike.abs(torchlike.tensor([-1, 2]))
    tensor([1, 2])
    """
    xp = namespace(input)
    if input.dtype.kind == "c":
        return modulus(input)
    if xp is not jnp or input.dtype.kind not in "fV":
        return xp.abs(input)
    # At NaN and 0, the gradient is the incoming gradient times 0.
    return xp.where(input > 0, input, xp.where(input < 0, -input, xp.abs(constant(input)) + input * 0))


@pointwise(opmath=False, loop="sign_cpu", remembers=("input", "result"))
def sgn(input: Array):
    """Return x / |x| for each complex element x, or 0 for x = 0. For real elements, return the sign."""
    return phase(input) if input.dtype.kind == "c" else _sign(input)


def _check_sign(call) -> None:
    if call.input.dtype.is_complex:
        raise NotImplementedError(
            "Unlike NumPy, torch.sign is not intended to support complex numbers. Please use torch.sgn instead."
        )


@pointwise(saves=(), opmath=False, check=_check_sign)
def sign(input: Array):
    """Return -1, 0 or 1 for each element below, at or above zero. The sign of NaN is 0.

    >>> torchlike.sign(torchlike.tensor([-3, 0, 2]))
    tensor([-1,  0,  1])
    """
    return _sign(input)


def _sign(x):
    if x.dtype.kind == "b":
        return x
    xp = namespace(x)
    if x.dtype.kind == "u":
        return xp.minimum(x, xp.ones_like(x))
    # The gradient is zero but not missing: the result stays connected to x.
    return (x > 0).astype(x.dtype) - (x < 0).astype(x.dtype)


def _bool_to_int64(dtype):
    d = int64 if dtype is bool_ else dtype
    return d, d


@pointwise(
    out=CASTABLE._replace(called="pow"),
    autocast=FULL_ELSEWHERE,
    promote=_bool_to_int64,
    node="PowBackward0",
    loop="pow",
    lasts=lambda plan, order: order == 2,
)
def square(input: Array):
    """Return the square of each element.

    >>> torchlike.square(torchlike.tensor([2, 3]))
    tensor([4, 9])
    """
    return input * input


@pointwise(autocast=FULL_ELSEWHERE, remembers=("result",), promote=to_float)
def reciprocal(input: Array):
    """Return 1 / x for each element x.

    >>> torchlike.reciprocal(torchlike.tensor([2.0, 4.0]))
    tensor([0.5000, 0.2500])
    """
    return 1 / input


@pointwise(remembers=("result",), promote=to_float, loop="sqrt_vml_cpu")
def sqrt(input: Array):
    """Return the square root of each element. It is NaN below 0, and its gradient at 0 is inf.

    >>> torchlike.sqrt(torchlike.tensor([4.0, 9.0]))
    tensor([2., 3.])
    """
    return namespace(input).sqrt(input)


@pointwise(autocast=FULL_ELSEWHERE, remembers=("result",), promote=to_float)
def rsqrt(input: Array):
    """Return 1 / sqrt(x) for each element x: inf at 0, NaN below 0.

    >>> torchlike.rsqrt(torchlike.tensor([4.0, 1.0]))
    tensor([0.5000, 1.0000])
    """
    return 1 / namespace(input).sqrt(input)


@pointwise(
    remembers=("result",),
    promote=to_float,
    where=("torch", "Tensor", "nn.functional"),
    loop="sigmoid_cpu_reduced_float",
)
def sigmoid(input: Array):
    """Return 1 / (1 + exp(-x)) for each element x.

    >>> torchlike.sigmoid(torchlike.tensor([0.0, 1.0]))
    tensor([0.5000, 0.7311])
    """
    return jax.nn.sigmoid(input) if namespace(input) is jnp else 1 / (1 + namespace(input).exp(-input))


def _check_relu(call) -> None:
    if call.input.dtype.name == "bool":
        raise RuntimeError("Boolean inputs not supported for relu")
    if call.input.dtype.is_complex:
        raise _errors.arithmetic.clamped_complex()


@pointwise(
    remembers=("result",),
    where=("torch", "Tensor"),
    opmath=False,
    check=_check_relu,
    loop="clamp_min_scalar_cpu",
    lasts=lambda plan, order: True,
)
def relu(input: Array):
    """Return max(x, 0) for each element x.

    NaN stays NaN, and -0 stays -0. The gradient at 0 is 0.

    >>> torchlike.relu(torchlike.tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """
    found = choose(input < 0, input.dtype.type(0), input)
    return jnp.where(input <= 0, constant(found), input) if namespace(input) is jnp else found


@pointwise(saves=(), opmath=False, inplace=False, out=False, float8=FLOAT8)
def clone(input: Array):
    """Return a copy of the tensor."""
    return input


@pointwise(
    opmath=False, refuses_complex="nan_to_num", chooses=True, out=Into(_errors.dtypes.nan_to_num_out), loop="nan_to_num"
)
def nan_to_num(input: Array, nan: Real | None = None, posinf: Real | None = None, neginf: Real | None = None):
    """Return the tensor with NaN, inf and -inf replaced by `nan`, `posinf` and `neginf`.

    The defaults of `posinf` and `neginf` are the largest and the lowest number of the dtype.

    Args:
      nan: the number in place of NaN. None means 0.
      posinf, neginf: the numbers in place of inf and -inf.

    >>> torchlike.nan_to_num(torchlike.tensor([1.0, torchlike.nan]))
    tensor([1., 0.])
    """
    if input.dtype.kind in "biu":
        return input
    replace = functools.partial(_replaced, nan=nan, posinf=posinf, neginf=neginf)
    replace = with_mask(replace, jnp.isfinite)
    return replace(input.real) + 1j * replace(input.imag) if input.dtype.kind == "c" else replace(input)


def _replaced(x, nan, posinf, neginf):
    xp = namespace(x)
    limits = jnp.finfo(x.dtype)
    top = limits.max if posinf is None else posinf
    bottom = limits.min if neginf is None else neginf
    filled = [xp.asarray(0.0 if n is None else n).astype(x.dtype) for n in (nan, top, bottom)]
    x = xp.where(xp.isnan(x), filled[0], x)
    return xp.where(x == xp.inf, filled[1], xp.where(x == -xp.inf, filled[2], x))


# -- tests -------------------------------------------------------------------------------------------------------------


@pointwise(promote=to_bool, opmath=False, differentiable=False, inplace=False, out=False, float8=FLOAT8)
def isnan(input: Array):
    """Return whether each element is NaN.

    >>> torchlike.isnan(torchlike.tensor([1.0, torchlike.nan]))
    tensor([False,  True])
    """
    return input != input


@pointwise(
    promote=to_bool, opmath=False, differentiable=False, inplace=False, out=False, loop="isinf", float8=(float8_e5m2,)
)
def isinf(input: Array):
    """Return whether each element is infinite. A complex element is infinite if either part is.

    >>> torchlike.isinf(torchlike.tensor([1.0, -torchlike.inf]))
    tensor([False,  True])
    """
    return namespace(input).isinf(input)


@pointwise(
    promote=to_bool,
    opmath=False,
    differentiable=False,
    inplace=False,
    out=False,
    loop="isfinite",
    float8=(float8_e5m2, float8_e8m0fnu),
)
def isfinite(input: Array):
    """Return whether each element is neither infinite nor NaN.

    >>> torchlike.isfinite(torchlike.tensor([1.0, torchlike.inf]))
    tensor([ True, False])
    """
    return namespace(input).isfinite(input)


def _real_only(name: str):
    def check(call) -> None:
        if call.input.dtype.is_complex:
            raise RuntimeError(f"{name} does not support complex inputs.")

    return check


@pointwise(
    promote=to_bool,
    opmath=False,
    differentiable=False,
    inplace=False,
    check=_real_only("isposinf"),
    out=Into(_errors.dtypes.bool_out("isposinf")),
)
def isposinf(input: Array):
    """Return whether each element is +inf."""
    xp = namespace(input)
    return input == xp.inf if input.dtype.kind not in "biu" else xp.zeros(input.shape, bool)


@pointwise(
    promote=to_bool,
    opmath=False,
    differentiable=False,
    inplace=False,
    check=_real_only("isneginf"),
    out=Into(_errors.dtypes.bool_out("isneginf")),
)
def isneginf(input: Array):
    """Return whether each element is -inf."""
    xp = namespace(input)
    return input == -xp.inf if input.dtype.kind not in "biu" else xp.zeros(input.shape, bool)


@pointwise(promote=to_bool, opmath=False, differentiable=False, inplace=False, out=False, float8=FLOAT8)
def isreal(input: Array):
    """Return whether each element has a zero imaginary part."""
    xp = namespace(input)
    return input.imag == 0 if input.dtype.kind == "c" else xp.ones(input.shape, bool)


def _check_signbit(call) -> None:
    if call.input.dtype.is_complex:
        raise NotImplementedError("signbit is not implemented for complex tensors.")


@pointwise(
    check=_check_signbit,
    promote=to_bool,
    opmath=False,
    differentiable=False,
    inplace=False,
    out=Into(_errors.dtypes.bool_out("signbit")),
)
def signbit(input: Array):
    """Return whether the sign bit of each element is set, as for negative numbers and -0.0."""
    xp = namespace(input)
    if input.dtype.kind in "bu":
        return xp.zeros(input.shape, bool)
    return input < 0 if input.dtype.kind == "i" else xp.signbit(input)


# -- rounding ----------------------------------------------------------------------------------------------------------


def _round_floats(xp, x, function):
    return x if x.dtype.kind in "iu" else getattr(xp, function)(x)


def _rounding_check(name: str):
    refuse_bool = not_bool(f"{name}_vml_cpu", wide=True)
    refuse_complex = _errors.dtypes.no_complex(name)

    def check(call) -> None:
        refuse_complex(call)
        refuse_bool(call)

    return check


@pointwise(saves=(), opmath=False, check=_rounding_check("floor"))
def floor(input: Array):
    """Return the largest integer not greater than each element.

    >>> torchlike.floor(torchlike.tensor([1.7, -1.2]))
    tensor([ 1., -2.])
    """
    return _round_floats(namespace(input), input, "floor")


@pointwise(saves=(), opmath=False, check=_rounding_check("ceil"))
def ceil(input: Array):
    """Return the smallest integer not less than each element.

    >>> torchlike.ceil(torchlike.tensor([1.2, 1.7]))
    tensor([2., 2.])
    """
    return _round_floats(namespace(input), input, "ceil")


@pointwise(saves=(), opmath=False, check=_rounding_check("trunc"), aliases=("fix",))
def trunc(input: Array):
    """Return each element rounded toward zero.

    >>> torchlike.trunc(torchlike.tensor([1.7, -1.2]))
    tensor([ 1., -1.])
    """
    return _round_floats(namespace(input), input, "trunc")


_MOST_PLACES = 308  # 10.0**308 is the largest power of ten that is a finite Python float


def _round_into(input: Any, *decimals: int) -> Into:
    return SAME._replace(overloads=not decimals)


def _check_round(call: Call) -> None:
    check = only("round_cpu", FLOATING) if call.decimals else only("round_vml_cpu", INTEGER, FLOATING, wide=True)
    check(call)


@pointwise(
    saves=(),
    check=_check_round,
    where=("torch", "Tensor", "special"),
    out=_round_into,
    node=lambda call: f"RoundBackward{int(call.decimals != 0)}",
)
def round(input: Array, *, decimals: int = 0):
    """Return each element rounded to the nearest number with `decimals` decimal places.

    A tie is rounded to the number whose last digit is even.

    Args:
      decimals: the number of decimal places. A negative number rounds to tens, hundreds and so on.

    >>> torchlike.round(torchlike.tensor([0.5, 1.5, 2.6]))
    tensor([0., 2., 3.])
    """
    xp = namespace(input)
    if input.dtype.kind in "iu":
        return input
    if not decimals:
        return xp.round(input)
    places = decimals if decimals > 0 else -decimals
    scale = 10.0**places if places <= _MOST_PLACES else xp.inf
    return xp.round(input * scale) / scale if decimals > 0 else xp.round(input / scale) * scale


@pointwise(saves=(), check=only("frac_cpu", FLOATING))
def frac(input: Array):
    """Return the fractional part of each element, with the sign of the element.

    >>> torchlike.frac(torchlike.tensor([1.25, 2.5]))
    tensor([0.2500, 0.5000])
    """
    return input - namespace(input).trunc(input)


# -- angles ------------------------------------------------------------------------------------------------------------


def _angle_check(name: str):
    def check(call) -> None:
        if call.input.dtype.category == COMPLEX:
            raise RuntimeError(f"{name} is not supported for complex tensors.")

    return check


@pointwise(promote=to_float, saves=(), check=_angle_check("deg2rad"), loop="mul_cpu_reduced_float")
def deg2rad(input: Array):
    """Convert each element from degrees to radians.

    >>> torchlike.deg2rad(torchlike.tensor([180.0, 90.0]))
    tensor([3.1416, 1.5708])
    """
    return input * 0.017453292519943295


@pointwise(promote=to_float, saves=(), check=_angle_check("rad2deg"), loop="mul_cpu_reduced_float")
def rad2deg(input: Array):
    """Convert each element from radians to degrees."""
    return input * 57.29577951308232
