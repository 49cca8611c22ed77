"""Integer arithmetic of quantized networks: rounding to integers, and products of int8 that accumulate in int32.

uint8 activations are shifted to int8, because accelerators multiply int8 by int8. `docs/decisions/0102-quantization.md`
gives the formulas and the order of their roundings, which follows PyTorch's kernels.
"""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from torchlike._ops.elementwise.fake_quantize import inverse
from torchlike._ops.nn.windows import expand
from torchlike._ops.schema.declare import Array, Scalar, namespace, operator

_RANGES = {"uint8": (0, 255), "int8": (-128, 127), "int32": (-(2**31), 2**31 - 1)}
_SMALL_SCALE = float(np.float32(6.1e-5))  # a dynamic scale is not smaller than this


def _row(name: str, **options: Any) -> Any:
    return operator(name=name, where=(), out=False, opmath=False, promote=None, differentiable=False, **options)


def _clipped(xp: Any, level: Array, low: Array | int, high: Array | int, kind: str):
    """Clip to a range and cast. NaN becomes the highest level, as in PyTorch."""
    if kind == "int32":  # float32 cannot represent the bounds
        level = level.astype(np.float64)
    return xp.fmax(xp.fmin(level, high), low).astype(np.dtype(kind))


def _leveled(input: Array, scale: Array, zero_point: Array, kind: str):
    """Return clip(round(input / scale + zero_point)): product and sum are rounded once, and ties go to even levels."""
    xp, (low, high) = namespace(input), _RANGES[kind]
    exact = input.astype(np.float64) * inverse(scale).astype(np.float64) + zero_point
    return _clipped(xp, xp.rint(exact.astype(np.float32)), low, high, kind)


@_row("_quantize_values")
def _quantize_values(input: Array, scale: Array, zero_point: Array, kind: str):
    """Return clip(round(input / scale + zero_point)) as integers of dtype `kind`. Ties go to even levels."""
    return _leveled(input, scale, zero_point, kind)


@_row("_quantize_channels")
def _quantize_channels(input: Array, scale: Array, zero_point: Array, kind: str):
    """Return clip(round(input / scale + zero_point)), where the quotient is rounded before the sum.

    The sum in float64 keeps XLA from fusing the two.
    """
    xp, (low, high) = namespace(input), _RANGES[kind]
    level = (input * inverse(scale)).astype(np.float64) + zero_point
    return _clipped(xp, xp.rint(level.astype(np.float32)), low, high, kind)


@_row("_quantize_results")
def _quantize_results(input: Array, scale: Array, zero_point: Array, kind: str):
    """Return clip(round(input / scale) + zero_point), as the kernels of operators quantize their results."""
    xp, (low, high) = namespace(input), _RANGES[kind]
    level = xp.rint(input * inverse(scale)) + zero_point.astype(np.float32)
    return _clipped(xp, level, low, high, kind)


@_row("_quantize_to_float_zero")
def _quantize_to_float_zero(input: Array, scale: Array, zero_point: Array, kind: str):
    """Return clip(round(input / scale + zero_point)) for floating-point zero points."""
    xp, (low, high) = namespace(input), _RANGES[kind]
    return _clipped(xp, xp.rint(input * inverse(scale) + zero_point), low, high, kind)


@_row("_dynamic_parameters")
def _dynamic_parameters(input: Array, low: int, high: int):
    """Return the scale (float64) and the zero point (int32) with which the range of `input` fills [low, high]."""
    xp = namespace(input)
    return _filling(xp, xp.min(input), xp.max(input), low, high)


@_row("_range_parameters")
def _range_parameters(least: Array, most: Array, low: int, high: int, symmetric: bool):
    """Return the scales (float32) and zero points (int32) with which the ranges [least, most] fill [low, high].

    If `symmetric`, the ranges are first widened so that the zero point is in the middle.
    """
    xp = namespace(least)
    if not symmetric:
        scale, zero = _filling(xp, least, most, low, high)
        return scale.astype(np.float32), zero
    below, above = -((high - low) // 2 + 1), (high - low) // 2
    # The quotients are rounded to float32 once. XLA divides float32 by a constant less exactly.
    ratios = least.astype(np.float64) / below, most.astype(np.float64) / above
    widest = xp.maximum(*[xp.abs(ratio).astype(np.float32) for ratio in ratios]).astype(np.float64)
    both = (least < 0) & (most > 0)
    least = xp.where(both, (widest * below).astype(np.float32), least)
    most = xp.where(both, (widest * above).astype(np.float32), most)
    scale, zero = _filling(xp, least, most, low, high)
    return scale.astype(np.float32), xp.where(both, np.int32(round((low + high) / 2)), zero)


def _filling(xp: Any, least: Array, most: Array, low: int, high: int):
    """Return the scales and zero points with which ranges, extended to include 0, fill [low, high]."""
    least = xp.minimum(least, np.float32(0)).astype(np.float64)
    most = xp.maximum(most, np.float32(0)).astype(np.float64)
    exact = (most - least) / (high - low)
    exact = xp.where(exact.astype(np.float32) == 0, 0.1, exact)
    grown = xp.maximum(exact, _SMALL_SCALE)
    factor = xp.where(exact < _SMALL_SCALE, grown / exact, 1.0)
    below, above = least * factor / grown, most * factor / grown
    # Both ends give the same zero point, except for the range [0, 0].
    is_lower = abs(low) - xp.abs(below) < abs(high) - xp.abs(above)
    zero = xp.clip(xp.rint(xp.where(is_lower, low - below, high - above)), low, high)
    return grown, zero.astype(np.int32)


def _signed(x: Array):
    """Return unsigned bytes minus 128 as int8. Signed bytes remain unchanged."""
    return x if x.dtype == np.int8 else (x.astype(np.int32) - 128).astype(np.int8)


@_row("_int8_linear")
def _int8_linear(input: Array, weight: Array):
    """Return the int32 product of (..., k) bytes and (n, k) int8. An unsigned `input` is taken minus 128."""
    return _product(_signed(input), weight)


def _product(x: Array, weight: Array):
    if isinstance(x, np.ndarray):  # exact in float64, for which NumPy has BLAS
        return (x.astype(np.float64) @ weight.astype(np.float64).T).astype(np.int32)
    dims = (((x.ndim - 1,), (1,)), ((), ()))
    return lax.dot_general(x, weight, dims, preferred_element_type=np.int32)


@_row("_int8_conv", numpy=False)
def _int8_conv(input: Array, weight: Array, fill: Scalar, stride: tuple, padding: tuple, dilation: tuple, groups: int):
    """Return the int32 convolution of (N, C, ...) bytes with (O, C / groups, ...) int8.

    An unsigned `input` is taken minus 128. `fill` is the level of the padding, before this shift. The padding of a dim
    is a number, or the numbers before, after and between the elements, as transposed convolutions need them.
    """
    count = input.ndim - 2
    pads = [(0, 0, 0)] * 2 + [p if isinstance(p, tuple) else (p, p, 0) for p in expand(padding, count)]
    x = _signed(lax.pad(input, lax.convert_element_type(fill, input.dtype), pads))
    spatial = "DHW"[3 - count :]
    return lax.conv_general_dilated(
        x,
        weight,
        expand(stride, count),
        "VALID",
        rhs_dilation=expand(dilation, count),
        dimension_numbers=(f"NC{spatial}", f"OI{spatial}", f"NC{spatial}"),
        feature_group_count=groups,
        preferred_element_type=np.int32,
    )


@_row("_requantize")
def _requantize(
    input: Array, bias: Array | None, scale: Array, out_scale: Array, zero_point: Array, kind: str, relu: bool
):
    """Return clip(round((input + bias / scale) * scale / out_scale) + zero_point) as integers of dtype `kind`.

    `input` is an int32 accumulator, and `scale` the scale of its levels. With `relu`, no level is below `zero_point`.
    """
    xp, (low, high) = namespace(input), _RANGES[kind]
    total = input.astype(np.float32)
    if bias is not None:
        total = total + bias / scale
    zero = zero_point.astype(np.float32)
    level = xp.rint(total * (scale / out_scale)) + zero
    return _clipped(xp, level, xp.maximum(zero, np.float32(low)) if relu else low, high, kind)


@_row("_int8_lstm", numpy=False)
def _int8_lstm(input: Array, h: Array, c: Array, weight: Array, sums: Array, scale: Array, bias: Array, high: int):
    """Return the outputs (L, N, hidden) and the last states of an LSTM layer.

    `input` (L, N, 4 hidden) are the gates' shares of the inputs. Each state is quantized to the levels 0 to `high`.
    """

    def step(state: tuple, gates: Array) -> tuple:
        h, c = state
        exact, zero = _filling(jnp, jnp.min(h), jnp.max(h), 0, high)
        step_size = exact.astype(np.float32)
        levels = _signed(_leveled(h, step_size, zero, "uint8"))
        total = _product(levels, weight) - (zero - 128) * sums
        gates = total.astype(np.float32) * (step_size * scale) + bias + gates
        i, f, g, o = jnp.split(gates, 4, -1)
        c = lax.logistic(f) * c + lax.logistic(i) * jnp.tanh(g)
        h = lax.logistic(o) * jnp.tanh(c)
        return (h, c), h

    (h, c), outputs = lax.scan(step, (h, c), input)
    return outputs, h, c
