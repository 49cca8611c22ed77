"""Activations: the element-wise functions between a network's layers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from torchlike import _dtypes, _errors
from torchlike._ops.elementwise.partial_derivatives import modulus
from torchlike._ops.reduce import row_sums
from torchlike._ops.schema.casts import FULL_ELSEWHERE, LOWER
from torchlike._ops.schema.checks import NUMBERS, REAL_FLOATS
from torchlike._ops.schema.declare import Array, Scalar, constant, namespace, operator, pointwise
from torchlike._ops.schema.namespace import fractional
from torchlike._ops.schema.out_rules import Into
from torchlike._ops.schema.rounding import stepwise
from torchlike._ops.schema.typing_rules import Call, through_integers, to_float, wrap_dim
from torchlike._ops.special.error_function import erf

PLACES = ("nn.functional",)


def floating(kernel: str, *also: int) -> Callable[[Call], None]:
    """A check that refuses integers as PyTorch's `kernel` does, and complex numbers unless it takes them `also`."""

    def check(call: Call) -> None:
        dtype = call.arrays[0].dtype
        if dtype.category not in (_dtypes.FLOATING, *also):
            raise _errors.dtypes.not_implemented(kernel, dtype)

    return check


def logistic(x):
    """1 / (1 + exp(-x)) without overflow."""
    if namespace(x) is np:
        with np.errstate(over="ignore"):
            return 1 / (1 + np.exp(-x))
    return jax.nn.sigmoid(x)


def magnitude(x):
    """|x| with gradient 0 at 0."""
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
    """log(1 + exp(x)) without overflow."""
    return (_log1p_exp.fun if namespace(x) is np else _log1p_exp)(x)


# -- smooth ------------------------------------------------------------------------------------------------------------


def _check_gelu(call: Call) -> None:
    if call.approximate not in ("none", "tanh"):
        raise RuntimeError("approximate argument must be either none or tanh.")
    floating("GeluKernelImpl")(call)


@pointwise(where=PLACES, check=_check_gelu, inplace=False, loop="GeluKernelImpl")
def gelu(input: Array, *, approximate: str = "none"):
    """x times the normal distribution function at x, exactly or by its tanh approximation.

    >>> import torchlike as torch
    >>> torch.nn.functional.gelu(torch.tensor([1.0]))
    tensor([0.8413])
    """
    if approximate == "tanh":
        inner = math.sqrt(2 / math.pi) * (input + 0.044715 * input * input * input)
        return 0.5 * input * (1 + namespace(input).tanh(inner))
    if namespace(input) is np and row_sums.in_c(input):
        return row_sums.gelu(input)
    out = erf(input * math.sqrt(0.5))
    out += 1  # NumPy takes no new memory for these
    out *= input
    out *= 0.5
    return out


@pointwise(where=PLACES, check=floating("silu_cpu", _dtypes.COMPLEX), inplace=False)
def silu(input: Array):
    """x * sigmoid(x)."""
    return input * logistic(input)


@pointwise(where=PLACES, check=floating("mish_cpu"), inplace=False)
def mish(input: Array):
    """x * tanh(softplus(x))."""
    return input * namespace(input).tanh(log1p_exp(input))


@pointwise(
    out=Into(_errors.outs.scalar_type, quiet=True, called="log_sigmoid_forward"),
    where=PLACES,
    check=floating("log_sigmoid_cpu"),
    inplace=False,
    node="LogSigmoidBackward0",
    loop="log_sigmoid_cpu",
)
def logsigmoid(input: Array):
    """log(sigmoid(x)), without overflow."""
    return -log1p_exp(-input)


@pointwise(autocast=FULL_ELSEWHERE, where=PLACES, check=floating("softplus_cpu"), inplace=False)
def softplus(input: Array, beta: Scalar = 1, threshold: Scalar = 20):
    """log(1 + exp(beta x)) / beta; x itself where beta x > threshold."""
    xp = namespace(input)
    scaled = input * beta
    linear = scaled > threshold
    safe = xp.where(linear, xp.zeros_like(input), scaled)  # so that the branch not taken has a finite gradient
    return xp.where(linear, input, xp.log1p(xp.exp(safe)) / beta)


@pointwise(where=PLACES, promote=through_integers, inplace=False, node="DivBackward0", loop="abs_cpu", takes=NUMBERS)
def softsign(input: Array):
    """x / (1 + |x|)."""
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
    """x - tanh(x)."""
    step, x = stepwise(input)
    return x - step(namespace(x).tanh(x))


# -- exponential for negative numbers ----------------------------------------------------------------------------------


def exponential_unit(x, alpha, scale=1.0, input_scale=1.0):
    """scale * (x, or alpha (exp(input_scale x) - 1) where x <= 0)."""
    xp = namespace(x)
    inside = x <= 0
    below = xp.expm1(xp.where(inside, x, xp.zeros_like(x)) * input_scale) * alpha
    return xp.where(inside, below, x) * scale if scale != 1.0 else xp.where(inside, below, x)


@pointwise(where=(), check=floating("elu_cpu"), name="_elu", node="EluBackward0")
def _elu(input: Array, alpha: Scalar = 1.0):
    """x where x > 0, alpha (exp(x) - 1) elsewhere."""
    return exponential_unit(input, alpha)


@pointwise(where=(), check=floating("elu_cpu"), name="_celu", node="CeluBackward0")
def _celu(input: Array, alpha: Scalar = 1.0):
    """x where x > 0, alpha (exp(x / alpha) - 1) elsewhere."""
    return exponential_unit(input, alpha, input_scale=1 / alpha)


@pointwise(where=(), check=floating("elu_cpu"), name="_selu", node="EluBackward0")
def _selu(input: Array):
    """The exponential unit with the two constants that keep activations normalised."""
    return exponential_unit(input, 1.6732632423543772848170429916717, 1.0507009873554804934193349852946)


# -- piecewise linear --------------------------------------------------------------------------------------------------


@pointwise(where=(), check=floating("leaky_relu_cpu"), name="_leaky_relu", node="LeakyReluBackward0")
def _leaky_relu(input: Array, negative_slope: Scalar = 0.01):
    """x where x > 0, negative_slope * x elsewhere."""
    return namespace(input).where(input > 0, input, input * negative_slope)


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
    """x held between min_val and max_val; the gradient is 0 at the bounds."""
    xp = namespace(input)
    low, high = xp.asarray(min_val, input.dtype), xp.asarray(max_val, input.dtype)
    return xp.where(input <= low, low, xp.where(input >= high, high, input))


@pointwise(
    where=(),
    name="_threshold",
    node="ThresholdBackward0",
    loop="threshold_cpu",
    takes=(_dtypes.INTEGER, _dtypes.FLOATING),
)
def _threshold(input: Array, threshold: Scalar, value: Scalar):
    """x where x > threshold, `value` elsewhere."""
    xp = namespace(input)
    return xp.where(input <= threshold, xp.asarray(value, input.dtype), input)


@pointwise(where=(), check=floating("hardswish_cpu"), name="_hardswish", node="HardswishBackward0")
def _hardswish(input: Array):
    """x * min(max(x + 3, 0), 6) / 6; the gradient at -3 is 0, at 3 it is 1."""
    xp = namespace(input)
    inside = (input > -3) & (input < 3)
    safe = xp.where(inside, input, xp.zeros_like(input))
    return xp.where(inside, safe * (safe + 3) / 6, xp.where(input <= -3, input * 0, input))


@pointwise(
    where=(),
    inplace=False,
    saves=("slopes",),
    keeps=("slopes",),
    name="_rrelu_with_noise",
    node="RreluWithNoiseBackward0",
    remembers=("slopes",),
    vanishing=("input",),
)
def _rrelu_with_noise(input: Array, slopes: Array):
    """slopes * x, of slopes that were drawn for each element."""
    return input * slopes


@pointwise(where=(), check=floating("hardsigmoid_cpu"), name="_hardsigmoid", node="HardsigmoidBackward0")
def _hardsigmoid(input: Array):
    """min(max(x + 3, 0), 6) / 6; the gradient at both ends is 0."""
    xp = namespace(input)
    inside = (input > -3) & (input < 3)
    return xp.where(inside, (input + 3) / 6, xp.clip(constant(input) + 3, 0, 6) / 6)


@pointwise(where=("torch", "nn.functional"), check=floating("hardshrink_cpu"), inplace=False, rounded=("lambd",))
def hardshrink(input: Array, lambd: Scalar = 0.5):
    """x where |x| > lambd, else 0."""
    xp = namespace(input)
    return xp.where(xp.abs(input) <= lambd, xp.zeros_like(input), input)


def _shrinks(input: Any, lambd: float = 0.5) -> None:
    dtype = input.aval.dtype
    if dtype.category == _dtypes.FLOATING:
        largest = float(_dtypes.finfo(dtype).max)
        if not 0 <= lambd <= largest:
            raise _errors.activations.shrink_range(largest, dtype, lambd)


@pointwise(where=PLACES, check=floating("softshrink_check"), guard=_shrinks, inplace=False, loop="softshrink_check")
def softshrink(input: Array, lambd: Scalar = 0.5):
    """x moved toward 0 by lambd, stopping there."""
    xp = namespace(input)
    zero = xp.zeros_like(input) + input * 0  # NaN stays NaN
    return xp.where(input > lambd, input - lambd, xp.where(input < -lambd, input + lambd, zero))


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
    node="PreluKernelBackward0",
    takes=REAL_FLOATS,
)
def prelu(input: Array, weight: Array):
    """x where x > 0, weight * x elsewhere; one weight, or one for each channel (dim 1)."""
    if weight.size > 1 and input.ndim > 1:
        weight = weight.reshape((-1,) + (1,) * (input.ndim - 2))
    elif input.ndim == 0:
        weight = weight.reshape(())
    return namespace(input).where(input > 0, input, weight * input)


def _glu_shape(call: Call) -> list:
    shape = list(call.input.shape)
    dim = wrap_dim(call.dim, len(shape))
    if shape[dim] % 2:
        raise RuntimeError(f"Halving dimension must be even, but dimension {dim} is size {shape[dim]}")
    shape[dim] //= 2
    return [tuple(shape)]


@operator(where=PLACES, shape=_glu_shape, check=floating("glu_cpu"))
def glu(input: Array, dim: int = -1):
    """The first half of a dim times the sigmoid of the second."""
    a, b = namespace(input).split(input, 2, dim)
    return a * logistic(b)
