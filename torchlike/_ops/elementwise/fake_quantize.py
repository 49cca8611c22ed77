"""Fake quantization: rounding to the values that a quantized tensor can represent."""

from __future__ import annotations

from typing import Any

import numpy as np
from jax import lax

from torchlike._ops.schema.checks import REAL_FLOATS
from torchlike._ops.schema.declare import Array, constant, namespace, pointwise


def _row(name: str, loop: str) -> Any:
    return pointwise(
        name=name,
        inplace=False,
        where=(),
        out=False,
        keeps=("scale", "zero_point"),
        node=lambda call: call.node,
        loop=loop,
        takes=REAL_FLOATS,
    )


def inverse(scale: Array) -> Array:
    """Return 1 / scale, rounded once. XLA would simplify the inverse of a quotient that the same program computes."""
    return 1 / scale if isinstance(scale, np.ndarray) else 1 / lax.optimization_barrier(scale)


def _quantized(input: Array, scale: Array, zero_point: Array, quant_min: int, quant_max: int):
    xp = namespace(input)
    zero = zero_point.astype(input.dtype)
    at = constant(input) * inverse(scale).astype(input.dtype)
    level = xp.rint(at + zero) if zero_point.dtype.kind == "f" else xp.rint(at) + zero
    nearest = xp.fmin(xp.fmax(level, quant_min), quant_max)
    inside = (level >= quant_min) & (level <= quant_max)
    # Zero, but with the gradient of `input` (a straight-through estimator).
    change = xp.where(inside, input - constant(input), xp.zeros_like(input))
    return constant((nearest - zero) * scale.astype(input.dtype)) + change


@_row("_fake_quantize_tensor", "fake_quantize_tensor_cachemask_kernel_type_handling")
def _of_tensor(input: Array, scale: Array, zero_point: Array, quant_min: int, quant_max: int, node: str):
    """Return (clip(round(input / scale) + zero_point, quant_min, quant_max) - zero_point) * scale.

    A floating-point `zero_point` is added before the rounding.
    """
    return _quantized(input, scale, zero_point, quant_min, quant_max)


@_row("_fake_quantize_channel", "fake_quantize_channel_cachemask_cpu_type_handling")
def _of_channels(input: Array, scale: Array, zero_point: Array, quant_min: int, quant_max: int, node: str):
    """Return the same as `_of_tensor`, with a scale and zero point for each channel, shaped to broadcast to `input`."""
    return _quantized(input, scale, zero_point, quant_min, quant_max)
