"""Element-wise activation functions."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from torchlike import _dtypes, _errors
from torchlike._ops.elementwise.partial_derivatives import modulus, with_one_slope, with_slopes
from torchlike._ops.reduce import row_sums
from torchlike._ops.schema.autocast_policies import FULL_ELSEWHERE, LOWER
from torchlike._ops.schema.checks import NUMBERS, REAL_FLOATS
from torchlike._ops.schema.declare import Array, Kept, Scalar, constant, in_float32, namespace, operator, pointwise
from torchlike._ops.schema.namespace import choose, fractional
from torchlike._ops.schema.out_rules import Into
from torchlike._ops.schema.rounding import stepwise
from torchlike._ops.schema.typing_rules import Call, through_integers, to_float, wrap_dim
from torchlike._ops.special.error_function import erf

PLACES = ("nn.functional",)


def floating(kernel: str, *also: int) -> Callable[[Call], None]:
    """Return a check that raises PyTorch's error for dtypes that `kernel` does not support.

    The supported dtypes are the floating-point dtypes and those of the categories `also`, such as complex.
    """

    def check(call: Call) -> None:
        dtype = call.arrays[0].dtype
        if dtype.category not in (_dtypes.FLOATING, *also):
            raise _errors.dtypes.not_implemented(kernel, dtype)

    return check


def logistic(x):
    """Return 1 / (1 + exp(-x)) without overflow warnings."""
    if namespace(x) is np:
        with np.errstate(over="ignore"):
            return 1 / (1 + np.exp(-x))
    return jax.nn.sigmoid(x)


def magnitude(x):
    """Return |x|, with gradient 0 at 0."""
    return x * namespace(x).sign(x) if x.dtype.kind != "c" else modulus(x)


@jax.custom_jvp
def _log1p_exp(x):
    xp = namespace(x)
    return xp.maximum(x, 0) + xp.log1p(xp.exp(-xp.abs(x)))


@_log1p_exp.defjvp
def _log1p_exp_jvp(primals, tangents):
    (x,), (dx,) = primals, tangents
    return _log1p_exp(x), logistic(x) * dx


def log1p_exp(x):
    """Return log(1 + exp(x)) without overflow."""
    return (_log1p_exp.fun if namespace(x) is np else _log1p_exp)(x)


# -- smooth ------------------------------------------------------------------------------------------------------------


def _check_gelu(call: Call) -> None:
    if call.approximate not in ("none", "tanh"):
        raise RuntimeError("approximate argument must be either none or tanh.")
    floating("GeluKernelImpl")(call)


@pointwise(where=PLACES, check=_check_gelu, inplace=False, loop="GeluKernelImpl")
def gelu(input: Array, *, approximate: str = "none"):
    """Return x * Phi(x) for each element x, where Phi is the CDF of the standard normal distribution.

    Args:
      input: any shape.
      approximate: "none", or "tanh" for 0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x**3))).

    Raises:
      RuntimeError: `approximate` has another value.

    >>> import torchlike as torch
    >>> torch.nn.functional.gelu(torch.tensor([1.0]))
    tensor([0.8413])
    """
    if approximate == "tanh":
        return _gelu_by_tanh(input)
    if namespace(input) is np and row_sums.in_c(input):
        return row_sums.activated(input, "gelu")
    return _gelu_by_erf(input)


@with_one_slope
def _gelu_by_tanh(x):
    inner = math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)
    return 0.5 * x * (1 + namespace(x).tanh(inner))


@with_one_slope
def _gelu_by_erf(x):
    out = erf(x * math.sqrt(0.5))
    out += 1  # in place, so NumPy allocates no memory
    out *= 0.5
    out *= x
    return out


@pointwise(where=PLACES, check=floating("silu_cpu", _dtypes.COMPLEX), host=in_float32, inplace=False)
def silu(input: Array):
    """Return x * sigmoid(x) for each element x."""
    if namespace(input) is np and row_sums.in_c(input):
        return row_sums.activated(input, "silu")
    return _silu(input)


_silu = with_one_slope(lambda x: x * logistic(x))


@pointwise(where=PLACES, check=floating("mish_cpu"), inplace=False)
def mish(input: Array):
    """Return x * tanh(softplus(x)) for each element x."""
    return _mish(input)


_mish = with_one_slope(lambda x: x * namespace(x).tanh(log1p_exp(x)))


@pointwise(
    out=Into(_errors.outs.scalar_type, quiet=True, called="log_sigmoid_forward"),
    where=PLACES,
    check=floating("log_sigmoid_cpu"),
    inplace=False,
    node="LogSigmoidBackward0",
    loop="log_sigmoid_cpu",
)
def logsigmoid(input: Array):
    """Return log(sigmoid(x)) for each element x, without overflow.

    Args:
      input: any shape.

    >>> import torchlike as torch
    >>> torch.nn.functional.logsigmoid(torch.tensor([0.0]))
    tensor([-0.6931])
    """
    return 0 - log1p_exp(-input)  # a subtraction, because the value of large x is 0, not -0


@pointwise(autocast=FULL_ELSEWHERE, where=PLACES, check=floating("softplus_cpu"), inplace=False)
def softplus(input: Array, beta: Scalar = 1, threshold: Scalar = 20):
    """Return log(1 + exp(beta * x)) / beta for each element x, or x where beta * x > threshold.

    Args:
      input: any shape.
      beta: the inverse scale.
      threshold: the value of beta * x above which the function is linear.

    >>> import torchlike as torch
    >>> torch.nn.functional.softplus(torch.tensor([0.0, 30.0]))
    tensor([ 0.6931, 30.0000])
    """
    xp = namespace(input)
    scaled = input * beta
    linear = scaled > threshold
    safe = xp.where(linear, xp.zeros_like(input), scaled)  # so that the unselected branch has a finite gradient
    return xp.where(linear, input, xp.log1p(xp.exp(safe)) / beta)


@pointwise(where=PLACES, promote=through_integers, inplace=False, node="DivBackward0", loop="abs_cpu", takes=NUMBERS)
def softsign(input: Array):
    """Return x / (1 + |x|) for each element x.

    Args:
      input: any shape.

    >>> import torchlike as torch
    >>> torch.nn.functional.softsign(torch.tensor([-1.0, 3.0])).tolist()
    [-0.5, 0.75]
    """
    return fractional(input) / fractional(1 + magnitude(input))


def _check_minuend(call: Call) -> None:
    if call.input.dtype is _dtypes.bool_:
        raise _errors.arithmetic.bool_minus()


@pointwise(
    remembers=(),
    where=PLACES,
    promote=to_float,
    inplace=False,
    node="SubBackward0",
    opmath=False,
    loop="tanh_vml_cpu",
    check=_check_minuend,
)
def tanhshrink(input: Array):
    """Return x - tanh(x) for each element x.

    Args:
      input: any shape.

    >>> import torchlike as torch
    >>> torch.nn.functional.tanhshrink(torch.tensor([1.0]))
    tensor([0.2384])
    """
    step, x = stepwise(input)
    return x - step(namespace(x).tanh(x))


# -- exponential for negative inputs -----------------------------------------------------------------------------------


def exponential_unit(x, alpha, scale=1.0, input_scale=1.0):
    """Return scale * x where x > 0, and scale * alpha * (exp(input_scale * x) - 1) elsewhere."""
    xp = namespace(x)
    inside = ~(x > 0)  # NaN has the slope NaN
    below = xp.expm1(xp.where(inside, x, xp.zeros_like(x)) * input_scale) * alpha
    return xp.where(inside, below, x) * scale if scale != 1.0 else xp.where(inside, below, x)


def _by_form(name: str, *others: str) -> dict[str, Any]:
    """Return rules of an operator that saves its input, or its result if `in_place` is set, and the arrays `others`."""
    return {
        "node": lambda call: f"{name}Backward{int(call.in_place)}",
        "remembers": lambda call: ("result" if call.in_place else "input", *others),
    }


@pointwise(where=(), check=floating("elu_cpu"), name="_elu", **_by_form("Elu"))
def _elu(input: Array, alpha: Scalar = 1.0, in_place: bool = False):
    """Return x where x > 0, and alpha * (exp(x) - 1) elsewhere, for each element x."""
    return exponential_unit(input, alpha)


def _has_scale(input: Any, alpha: float = 1.0, in_place: bool = False) -> None:
    if alpha == 0:
        raise RuntimeError("ZeroDivisionError: alpha cannot be 0 for CELU")


@pointwise(where=(), check=floating("elu_cpu"), guard=_has_scale, name="_celu", **_by_form("Celu"))
def _celu(input: Array, alpha: Scalar = 1.0, in_place: bool = False):
    """Return x where x > 0, and alpha * (exp(x / alpha) - 1) elsewhere, for each element x."""
    return exponential_unit(input, alpha, input_scale=1 / alpha)


@pointwise(where=(), check=floating("elu_cpu"), name="_selu", **_by_form("Elu"))
def _selu(input: Array, in_place: bool = False):
    """Return scale * x where x > 0, and scale * alpha * (exp(x) - 1) elsewhere, for each element x.

    scale is 1.0507... and alpha is 1.6732...: with them, the activations of a network keep zero mean and unit variance.
    """
    return exponential_unit(input, 1.6732632423543772848170429916717, 1.0507009873554804934193349852946)


# -- piecewise linear --------------------------------------------------------------------------------------------------


@pointwise(where=(), check=floating("leaky_relu_cpu"), name="_leaky_relu", **_by_form("LeakyRelu"))
def _leaky_relu(input: Array, negative_slope: Scalar = 0.01, in_place: bool = False):
    """Return x where x > 0, and negative_slope * x elsewhere, for each element x."""
    return choose(input > 0, input, input * negative_slope)


@pointwise(where=(), check=floating("leaky_relu_cpu"), name="_rrelu_with_mean", **_by_form("RreluWithNoise"))
def _rrelu_with_mean(input: Array, slope: Scalar, in_place: bool = False):
    """Return x where x > 0, and slope * x elsewhere, for each element x."""
    return choose(input > 0, input, input * slope)


def _check_hardtanh(call: Call) -> None:
    if call.input.dtype is _dtypes.bool_:
        raise RuntimeError("Bool inputs not supported for hardtanh")
    if call.input.dtype.is_complex:
        raise _errors.arithmetic.clamped_complex()


def _clamps(input: Any, min_val: float = -1.0, max_val: float = 1.0) -> None:
    if input.aval.dtype is _dtypes.uint8 and min_val < 0:
        raise RuntimeError("cannot do hardtanh on an unsigned type with negative limits")


@pointwise(where=(), name="_hardtanh", node="HardtanhBackward0", check=_check_hardtanh, guard=_clamps)
def _hardtanh(input: Array, min_val: Scalar = -1.0, max_val: Scalar = 1.0):
    """Return each element clamped to [min_val, max_val]. The gradient at the bounds is 0."""
    xp = namespace(input)
    low, high = xp.asarray(min_val, input.dtype), xp.asarray(max_val, input.dtype)
    found = choose(input < low, low, choose(input > high, high, input))
    return found if xp is np else xp.where((input > low) & (input < high), input, constant(found))


@pointwise(
    where=(),
    name="_threshold",
    node=lambda call: f"ThresholdBackward{int(call.in_place)}",
    loop="threshold_cpu",
    takes=(_dtypes.INTEGER, _dtypes.FLOATING),
)
def _threshold(input: Array, threshold: Scalar, value: Scalar, in_place: bool = False):
    """Return x where x > threshold, and `value` elsewhere, for each element x."""
    xp = namespace(input)
    return choose(input <= threshold, xp.asarray(value, input.dtype), input)


@pointwise(where=(), check=floating("hardswish_cpu"), host=in_float32, name="_hardswish", node="HardswishBackward0")
def _hardswish(input: Array):
    """Return x * min(max(x + 3, 0), 6) / 6 for each element x.

    The gradient is 0 at x = -3 and 1 at x = 3.
    """
    if namespace(input) is np and row_sums.in_c(input):
        return row_sums.activated(input, "hardswish")
    zero = input.dtype.type(0)
    outside = (input <= -3) | (input >= 3)  # NaN is inside
    between = _hardswish_between(choose(outside, zero, input))
    return choose(outside, choose(input <= -3, constant(input) * 0, input * 6 / 6), between)


_hardswish_between = with_slopes(lambda x: x * (x + 3) / 6, lambda _, x: x / 3 + 0.5)


@pointwise(
    where=(),
    inplace=False,
    keeps=("slopes",),
    name="_rrelu_with_noise",
    vanishing=("input",),
    **_by_form("RreluWithNoise", "slopes"),
)
def _rrelu_with_noise(input: Array, slopes: Array, in_place: bool = False):
    """Return slopes * input, where `slopes` was sampled element by element."""
    return input * slopes


@pointwise(
    where=(),
    check=floating("hardsigmoid_cpu"),
    name="_hardsigmoid",
    node="HardsigmoidBackward0",
    underivable="aten::hardsigmoid_backward",
)
def _hardsigmoid(input: Array):
    """Return min(max(x + 3, 0), 6) / 6 for each element x. The gradient at x = -3 and x = 3 is 0."""
    xp = namespace(input)
    inside = (input > -3) & (input < 3)
    return choose(inside, (input + 3) / 6, xp.clip(constant(input) + 3, 0, 6) / 6)


@pointwise(
    where=("torch", "Tensor", "nn.functional"), check=floating("hardshrink_cpu"), inplace=False, rounded=("lambd",)
)
def hardshrink(input: Array, lambd: Scalar = 0.5):
    """Return x where |x| > lambd, and 0 elsewhere, for each element x.

    Args:
      input: any shape.
      lambd: the threshold.

    >>> import torchlike as torch
    >>> torch.nn.functional.hardshrink(torch.tensor([-2.0, 0.25])).tolist()
    [-2.0, 0.0]
    """
    xp = namespace(input)
    return xp.where(xp.abs(input) > lambd, input, _zero_unless_nan(input))


def _zero_unless_nan(x):
    """Return 0, or NaN where x is NaN. It has no gradient."""
    return constant(namespace(x).where(x == x, namespace(x).zeros_like(x), x))


def _shrinks(input: Any, lambd: float = 0.5) -> None:
    dtype = input.aval.dtype
    if dtype.category == _dtypes.FLOATING:
        largest = float(_dtypes.finfo(dtype).max)
        if not 0 <= lambd <= largest:
            raise _errors.activations.shrink_range(largest, dtype, lambd)


@pointwise(where=PLACES, check=floating("softshrink_check"), guard=_shrinks, inplace=False, loop="softshrink_check")
def softshrink(input: Array, lambd: Scalar = 0.5):
    """Return x - lambd where x > lambd, x + lambd where x < -lambd, and 0 elsewhere, for each element x.

    Args:
      input: any shape.
      lambd: the threshold, at least 0.

    Raises:
      RuntimeError: `lambd` is negative.

    >>> import torchlike as torch
    >>> torch.nn.functional.softshrink(torch.tensor([-2.0, 0.25])).tolist()
    [-1.5, 0.0]
    """
    xp = namespace(input)
    inside = xp.where(input < -lambd, input + lambd, _zero_unless_nan(input))
    return xp.where(input > lambd, input - lambd, inside)


# -- with parameters or over a dim -------------------------------------------------------------------------------------


def _check_prelu(call: Call) -> None:
    x, w = call.input, call.weight
    if x.dtype is not w.dtype:
        raise _errors.activations.prelu_dtype(x.dtype, w.dtype)
    if w.numel != 1 and not x.ndim:
        raise RuntimeError("Not allow zero-dim input tensor.")
    channels = x.shape[1] if x.ndim > 1 else 1
    if w.numel != 1 and w.numel != channels:
        raise RuntimeError(
            "Mismatch of parameter numbers and input channel size. Found parameter numbers = "
            f"{w.numel} and channel size = {channels}."
        )
    if w.ndim > 1:
        raise RuntimeError(f"prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = {w.ndim}")


def _prelu_shape(call: Call) -> list:
    return [call.input.shape]


@operator(
    autocast=LOWER,
    where=("torch", "Tensor", "nn.functional"),
    shape=_prelu_shape,
    check=_check_prelu,
    out=False,
    remembers=lambda call: ("inputs", Kept("weight", "row" if call.input.ndim == 2 and call.weight.ndim else "view")),
    node="PreluKernelBackward0",
    fused=True,
    formats="order",
    takes=REAL_FLOATS,
)
def prelu(input: Array, weight: Array):
    """Return x where x > 0, and weight * x elsewhere, for each element x.

    Args:
      input: (N, C, ...), or any shape for a single weight.
      weight: () or (1,), or (C,), one slope for each channel (dim 1).

    Raises:
      RuntimeError: the number of weights is neither 1 nor C, or the dtypes differ.

    >>> import torchlike as torch
    >>> torch.nn.functional.prelu(torch.tensor([-2.0, 2.0]), torch.tensor(0.25)).tolist()
    [-0.5, 2.0]
    """
    if weight.size > 1 and input.ndim > 1:
        weight = weight.reshape((-1,) + (1,) * (input.ndim - 2))
    elif input.ndim == 0:
        weight = weight.reshape(())
    xp = namespace(input)
    if xp is np:
        return np.where(input > 0, input, weight * input)
    positive = input > 0
    # The product has no gradient where it is not selected, even if a factor is not finite.
    factors = xp.where(positive, 0, weight), xp.where(positive, 0, input)
    return xp.where(positive, input, factors[0] * factors[1])


def _glu_shape(call: Call) -> list:
    shape = list(call.input.shape)
    if not shape:
        raise RuntimeError("glu does not support scalars because halving size must be even")
    dim = wrap_dim(call.dim, len(shape))
    if shape[dim] % 2:
        raise RuntimeError(f"Halving dimension must be even, but dimension {dim} is size {shape[dim]}")
    shape[dim] //= 2
    return [tuple(shape)]


@operator(where=PLACES, shape=_glu_shape, check=floating("glu_cpu"), formats="order")
def glu(input: Array, dim: int = -1):
    """Return a * sigmoid(b), where a and b are the two halves of `input` along `dim`."""
    a, b = namespace(input).split(input, 2, dim)
    return a * logistic(b)
