"""Normalization: batch, layer, group, RMS and local response normalization, and division by a vector norm."""

from __future__ import annotations

import functools
import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from torchlike import _dtypes, _errors
from torchlike._ops.elementwise.partial_derivatives import absolute
from torchlike._ops.nn.windows import channels_last, channels_second
from torchlike._ops.reduce.reduce import extreme
from torchlike._ops.reduce.row_sums import in_c, row_sums, scaled, standardize
from torchlike._ops.reduce.vector_norm import power_of_size, root_of_powers
from torchlike._ops.schema.autocast_policies import FULL_ELSEWHERE
from torchlike._ops.schema.checks import EMPTY, INEXACT, REAL_FLOATS
from torchlike._ops.schema.declare import Array, Kept, Real, Scalar, constant, in_float32, namespace, operator
from torchlike._ops.schema.namespace import mean_of
from torchlike._ops.schema.rounding import stepwise, unchanged
from torchlike._ops.schema.typing_rules import Call, reduced_dims, to_float


def rsqrt(x):
    """Return 1 / sqrt(x)."""
    return 1 / np.sqrt(x) if namespace(x) is np else lax.rsqrt(x)


@functools.partial(jax.custom_jvp, nondiff_argnums=(1, 3, 4))
def _standardized(x, axes: tuple[int, ...], eps, step, step_of_sums):
    # `numpy.mean` takes ten times as long as the sum.
    total, count = namespace(x).sum, math.prod(x.shape[axis] for axis in axes)
    mean = total(x, axis=axes, keepdims=True) / count
    centred = x - mean
    squares = step_of_sums(total(centred * centred, axis=axes, keepdims=True))
    centred = centred if step is unchanged else x - step(mean)
    return centred * step(rsqrt(step_of_sums(squares / count) + eps)), mean, squares


@_standardized.defjvp
def _standardized_jvp(axes, step, step_of_sums, primals, tangents):
    # With this explicit rule, the backward pass needs two reductions and one element-wise pass. Differentiating the
    # formula step by step would need more.
    (x, eps), (dx, _) = primals, tangents
    out, mean, squares = _standardized(x, axes, eps, step, step_of_sums)
    average = lambda y: jnp.mean(y, axis=axes, keepdims=True)
    count = math.prod(x.shape[axis] for axis in axes)
    scale, along = lax.rsqrt(squares / count + eps), average(out * dx)
    shift = average(dx)
    change = 2 * jnp.sum((x - mean) * dx, axis=axes, keepdims=True)
    return (out, mean, squares), (scale * (dx - shift - out * along), shift, change)


def standardized(x, axes: tuple[int, ...], eps, step=unchanged, step_of_sums=unchanged):
    """Return (x - mean) / sqrt(variance + eps) over `axes`, the mean, and the sum of (x - mean)**2.

    `step_of_sums` rounds the sum of squares and the variance, and `step` rounds the mean and the inverse deviation.
    """
    if namespace(x) is not np:
        return _standardized(x, axes, eps, step, step_of_sums)
    if step is unchanged and axes == (x.ndim - 1,):
        return _standardized_rows(x, eps)
    return _standardized.fun(x, axes, eps, step, step_of_sums)


def _standardized_rows(x: np.ndarray, eps):
    """Standardize a NumPy array over the last dim; see `standardized`."""
    count = x.shape[-1]
    if in_c(x, count):
        out, mean, squares = standardize(x, count, eps, None, None)
        return out, mean.reshape(*x.shape[:-1], 1), squares.reshape(*x.shape[:-1], 1)
    mean = row_sums(x) / count
    centred = x - mean
    squares = np.vecdot(centred, centred)[..., None]
    return centred * rsqrt(squares / count + eps), mean, squares


def affine(x, weight, bias):
    """Return x * weight + bias. `weight` and `bias` may be None."""
    if weight is not None:
        x = x * weight
    return x if bias is None else x + bias


def per_channel(weight, x):
    """Reshape a vector over dim 1 of `x` so that it broadcasts over `x`."""
    return None if weight is None else weight.reshape((1, -1) + (1,) * (x.ndim - 2))


def _same_shape(call: Call) -> list:
    return [call.input.shape]


def _like_input(call: Call) -> list:
    """Return the input's shape and dtype: float32 parameters do not widen a half-precision input."""
    return [(tuple(call.input.shape), call.input.dtype)]


def _check_layer_norm(call: Call) -> None:
    x, shape = call.input, tuple(call.normalized_shape)
    if not shape:
        raise RuntimeError(
            "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, "
            "but got normalized_shape = []"
        )
    for name in ("weight", "bias"):
        given = call.arguments.get(name)
        if given is not None and tuple(given.shape) != shape:
            raise RuntimeError(
                f"Expected {name} to be of same shape as normalized_shape, but got {name} of shape "
                f"{list(given.shape)} and normalized_shape = {list(shape)}"
            )
    if tuple(x.shape[-len(shape) :]) != shape:
        raise _errors.normalization.normalized_input(shape, x.shape, ", " if call.op.name == "_layer_norm" else "")
    if (x.dtype.category < _dtypes.FLOATING or x.dtype in _dtypes.FLOAT8) and call.op.name == "_layer_norm":
        raise _errors.dtypes.not_implemented("LayerNormKernelImpl", x.dtype)


def _check_dtypes(call: Call) -> None:
    given = [call.arguments.get(name) for name in ("weight", "bias", "running_mean", "running_var")]
    _errors.normalization.check_parameter_dtypes(call.input, given)


def _layer_norm_checks(call: Call) -> None:
    _check_layer_norm(call)
    _check_dtypes(call)


@operator(
    autocast=FULL_ELSEWHERE,
    where=(),
    shape=_like_input,
    check=_layer_norm_checks,
    saves=("input", "weight"),
    out=False,
    node="NativeLayerNormBackward0",
    name="_layer_norm",
    in_errors="layer_norm",
    fused=True,
    loop="LayerNormKernelImpl",
    takes=REAL_FLOATS,
)
def _layer_norm(
    input: Array,
    normalized_shape: tuple | int,
    weight: Array | None = None,
    bias: Array | None = None,
    eps: Real = 1e-5,
):
    """Standardize over the last dims, then multiply by the weight and add the bias.

    The statistics are taken over the last `len(normalized_shape)` dims, whose sizes are `normalized_shape`.
    """
    sizes: Any = normalized_shape
    columns = math.prod(sizes)
    if namespace(input) is np and in_c(input, columns):
        return standardize(input, columns, eps, weight, bias)[0]
    axes = tuple(range(input.ndim - len(sizes), input.ndim))
    return affine(standardized(input, axes, eps)[0], weight, bias)


@operator(
    autocast=FULL_ELSEWHERE,
    where=(),
    shape=_like_input,
    check=_check_layer_norm,
    out=False,
    node=lambda call: "ToCopyBackward0" if call.input.dtype.itemsize == 2 else "MulBackward0",
    name="_rms_norm",
    remembers=(Kept("input", only_for="input"), Kept("weight", only_for="input")),
    in_errors="rms_norm",
    formats=1,
    loop="rms_norm",
    takes=INEXACT,
)
def _rms_norm(input: Array, normalized_shape: tuple | int, weight: Array | None = None, eps: Real = 1e-5):
    """Divide by the root mean square over the last dims, then multiply by the weight."""
    sizes: Any = normalized_shape
    axes = tuple(range(input.ndim - len(sizes), input.ndim))
    scaled = input * rsqrt(mean_of(input * input, axes) + eps)
    return scaled if weight is None else scaled * weight


def _check_group_norm(call: Call) -> None:
    x, groups = call.input, call.num_groups
    if x.ndim < 2:
        raise _errors.normalization.group_norm_dims(x.ndim)
    if groups < 1:
        raise _errors.normalization.group_norm_groups(groups)
    if x.shape[1] % groups:
        raise _errors.normalization.group_norm_channels(x.shape, groups)
    for name in ("weight", "bias"):
        given = call.arguments.get(name)
        if given is not None and tuple(given.shape) != (x.shape[1],):
            raise RuntimeError(
                f"Expected {name} to be a vector of size equal to the number of channels in input, but got "
                f"{name} of shape {list(given.shape)} and input of shape {list(x.shape)}"
            )
    _check_dtypes(call)


@operator(
    autocast=FULL_ELSEWHERE,
    where=(),
    shape=_like_input,
    check=_check_group_norm,
    saves=("input", "weight"),
    out=False,
    formats=1,
    node="NativeGroupNormBackward0",
    name="_group_norm",
    in_errors="group_norm",
    loop="GroupNormKernelImpl",
    takes=REAL_FLOATS,
)
def _group_norm(
    input: Array, num_groups: int, weight: Array | None = None, bias: Array | None = None, eps: Real = 1e-5
):
    """Standardize each group of channels of each sample, then multiply by the weight and add the bias.

    The channels (dim 1) are split into `num_groups` groups.
    """
    xp, size = namespace(input), math.prod(input.shape[1:]) // num_groups
    if xp is np:
        grouped = np.ascontiguousarray(input).reshape(len(input), num_groups, size)
    else:
        grouped = input.reshape((input.shape[0], num_groups, input.shape[1] // num_groups, *input.shape[2:]))
    out = standardized(grouped, tuple(range(2, grouped.ndim)), eps)[0].reshape(input.shape)
    return affine(out, per_channel(weight, input), per_channel(bias, input))


# -- batch norm --------------------------------------------------------------------------------------------------------


def _check_batch_norm(call: Call) -> None:
    x = call.input
    channels = x.shape[1]
    for name in ("running_mean", "running_var", "weight", "bias"):
        given = call.arguments.get(name)
        if given is not None and given.numel != channels:
            raise _errors.normalization.channel_vector(name, channels, given.numel)
        if given is not None and name.startswith("running") and given.ndim != 1:
            raise _errors.normalization.statistics_dims(given.ndim)
    _check_dtypes(call)


def _with_statistics(call: Call) -> list:
    return [*_like_input(call), call.input.shape[1:2], call.input.shape[1:2]]


@operator(
    where=(),
    shape=_with_statistics,
    check=_check_batch_norm,
    saves=("input", "weight"),
    out=False,
    formats=1,
    node="NativeBatchNormBackward0",
    name="_batch_norm_of_batch",
    in_errors="batch_norm",
    fused=True,
    opmath=False,
    loop="batch_norm",
    takes=(*REAL_FLOATS, EMPTY),
)
def _batch_norm_of_batch(input: Array, weight: Array | None, bias: Array | None, eps: Real):
    """Standardize each channel (dim 1) with the statistics of the batch.

    Returns:
      The result, the mean of each channel, and the unbiased variance of each channel.
    """
    step, x, weight, bias = stepwise(input, weight, bias)
    x = channels_last(x)  # as in the convolutions
    # PyTorch keeps the sums of float16, which has a small range, in float32.
    step_of_sums = unchanged if input.dtype == np.float16 else step
    out, mean, squares = standardized(x, tuple(range(x.ndim - 1)), eps, step, step_of_sums)
    count = input.size // max(input.shape[1], 1)
    unbiased = squares.reshape(-1) / max(count - 1, 1)
    return channels_second(affine(out, weight, bias)), mean.reshape(-1), unbiased


@operator(
    where=(),
    shape=_like_input,
    check=_check_batch_norm,
    out=False,
    formats=1,
    node="NativeBatchNormBackward0",
    saves=("input", "running_mean", "running_var", "weight"),
    host=in_float32,
    name="_batch_norm_of_running",
    in_errors="batch_norm",
    fused=True,
    loop="batch_norm",
    takes=(*REAL_FLOATS, EMPTY),
)
def _batch_norm_of_running(
    input: Array, running_mean: Array, running_var: Array, weight: Array | None, bias: Array | None, eps: Real
):
    """Standardize each channel (dim 1) with the running mean and variance."""
    if namespace(input) is np:
        factors = rsqrt(running_var + eps)
        factors = factors if weight is None else factors * weight
        return _scaled_channels(input, factors, affine(-running_mean, factors, bias))
    mean, var = per_channel(constant(running_mean), input), per_channel(constant(running_var), input)
    return affine((input - mean) * rsqrt(var + eps), per_channel(weight, input), per_channel(bias, input))


def _scaled_channels(x, factors, terms):
    """Return x * factors + terms for a NumPy array. The vectors have an element for each channel (dim 1)."""
    rows = channels_last(x)
    if in_c(x, len(factors)) and factors.dtype == terms.dtype == x.dtype and rows.flags.c_contiguous:
        return channels_second(scaled(rows, factors, terms))
    return affine(x, per_channel(factors, x), per_channel(terms, x))


@operator(
    where=(),
    shape=lambda call: [call.running.shape],
    out=False,
    differentiable=False,
    saves=(),
    name="_moving_average",
    opmath=False,
)
def _moving_average(running: Array, new: Array, momentum: Scalar):
    """Return (1 - momentum) running + momentum new."""
    step, running, new = stepwise(running, new)
    momentum = step(namespace(new).asarray(momentum, new.dtype))
    return step(step(1 - momentum) * running) + step(momentum * new)


# -- vectors -----------------------------------------------------------------------------------------------------------


def vector_norm(x, p: float, axis, keepdims: bool = False):
    """Return the p-norm over `axis`, or over all axes if `axis` is None or (). The gradient at zero is zero."""
    xp, axis = namespace(x), None if axis == () else axis
    if not x.ndim:
        return vector_norm(x.reshape(1), p, 0, keepdims).reshape(())
    size = absolute(x)
    if p == math.inf or (p != 0 and _is_one(x.shape, axis)):  # the norm of one element is its absolute value
        return extreme(size, "max", axis, keepdims, nan=True)
    if p == -math.inf:
        return extreme(size, "min", axis, keepdims, nan=True)
    if p == 0:
        return xp.sum((x != 0).astype(size.dtype), axis=axis, keepdims=keepdims)
    if p == 1:
        return xp.sum(size, axis=axis, keepdims=keepdims)
    total = xp.sum(
        (size * size if x.dtype.kind == "c" else x * x) if p == 2 else power_of_size(size, p),
        axis=axis,
        keepdims=keepdims,
    )
    return root_of_powers(total, p)


def _is_one(shape: tuple, axis) -> bool:
    """Return whether each result of a reduction over these axes has one element to reduce."""
    over = range(len(shape)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    return math.prod([shape[a] for a in over]) == 1


def _check_normalize(call: Call) -> None:
    dtype = call.input.dtype
    if dtype.category < _dtypes.FLOATING:
        raise _errors.normalization.vector_norm_dtype(dtype)
    reduced_dims(call.input.ndim, call.dim)


@operator(
    autocast=FULL_ELSEWHERE,
    where=("nn.functional",),
    shape=_same_shape,
    check=_check_normalize,
    formats="order",
    node="DivBackward0",
    loop="norm_cpu",
)
def normalize(input: Array, p: float = 2.0, dim: tuple | int | None = 1, eps: Real = 1e-12):
    """Divide by the p-norm over a dim, or by `eps` where the norm is smaller than `eps`.

    Args:
      input: any shape.
      p: the exponent of the norm.
      dim: the dim to reduce, or None for all dims.
      eps: the smallest divisor.
    """
    norm = vector_norm(input, p, dim, keepdims=True)
    return input / namespace(input).where(norm < eps, eps, norm)


@operator(
    autocast=FULL_ELSEWHERE,
    where=(),
    shape=_same_shape,
    out=False,
    name="_response_norm",
    node="PowBackward0",
    promote=to_float,
    loop="avg_pool2d",
    takes=(_dtypes.FLOATING, _dtypes.int64),
)
def _response_norm(input: Array, size: int, alpha: Scalar, beta: Scalar, k: Scalar, whole: bool):
    """Return the divisor of local response normalization, (k + alpha mean(x**2))**beta.

    The mean is taken over the `size` channels around each channel, with zeros beyond the first and last channel. With
    `whole`, as for integers, the mean is truncated to an integer.
    """
    xp = namespace(input)
    ends = ((0, 0), (size // 2, (size - 1) // 2)) + ((0, 0),) * (input.ndim - 2)
    squares = xp.pad(input * input, ends)
    channels = input.shape[1]
    total = squares[:, :channels]
    for shift in range(1, size):
        total = total + squares[:, shift : shift + channels]
    mean = xp.trunc(total / size) if whole else total / size
    return (k + alpha * mean) ** beta
