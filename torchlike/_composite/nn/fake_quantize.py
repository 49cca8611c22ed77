"""Fake quantization: differentiable rounding to quantized values, for quantization-aware training."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from torchlike import _dtypes, _errors
from torchlike._dtypes import modes
from torchlike._tensor import factories, public_calls
from torchlike._tensor.binding import CALLERS as rows
from torchlike._tensor.tensor import Tensor

_PER_TENSOR = "FakeQuantizePerTensorAffineCachemask"
_FUSED = "FusedMovingAvgObsFakeQuantHelperBackward0"
_PER_CHANNEL = "FakeQuantizePerChannelAffineCachemaskBackward0"


def fake_quantize_per_tensor_affine(
    input: Tensor, scale: float | Tensor, zero_point: int | Tensor, quant_min: int, quant_max: int
) -> Tensor:
    """Round to the values of a quantized tensor. The gradient is 0 for elements outside of the quantized range.

    Args:
      input: floating-point tensor.
      scale: distance between neighboring values, a number or a tensor with one element.
      zero_point: the level of 0, an int or a tensor with one element.
      quant_min: the lowest level.
      quant_max: the highest level.

    Raises:
      RuntimeError: `quant_min` exceeds `quant_max`, or `zero_point` lies outside of these bounds. The second check is
          skipped if `scale` and `zero_point` are both tensors.
    """
    _check_bounds(quant_min, quant_max)
    if isinstance(scale, Tensor) and isinstance(zero_point, Tensor):
        _check_constants("_fake_quantize_per_tensor_affine_cachemask_tensor_qparams", scale)
        node = f"{_PER_TENSOR}TensorQparamsBackward0"
        at = [_kept(_one(scale).to(_dtypes.float32)), _kept(_one(zero_point).to(_dtypes.int32))]
    else:
        scale, zero_point = _number(scale), int(_number(zero_point))
        if not quant_min <= zero_point <= quant_max:
            raise _errors.quantized.zero_point_outside()
        node = f"{_PER_TENSOR}Backward0"
        at = [factories.tensor(scale, dtype=_dtypes.float32), factories.tensor(zero_point, dtype=_dtypes.int32)]
    return rows["_fake_quantize_tensor"](input, *[x.to(input.device) for x in at], quant_min, quant_max, node)


def fake_quantize_per_channel_affine(
    input: Tensor, scale: Tensor, zero_point: Tensor, axis: int, quant_min: int, quant_max: int
) -> Tensor:
    """Round to the values of a quantized tensor that has a scale and a zero point for each channel.

    Args:
      input: floating-point tensor.
      scale: one-dimensional tensor of float32 or bfloat16, with one element per channel.
      zero_point: one-dimensional tensor of int32, float32 or float16, with one element per channel.
      axis: the dim of the channels.
      quant_min: the lowest level.
      quant_max: the highest level.
    """
    if scale.dtype not in (_dtypes.float32, _dtypes.bfloat16):
        raise _errors.quantized.scale_dtype(scale.dtype)
    if zero_point.dtype not in (_dtypes.int32, _dtypes.float32, _dtypes.float16):
        raise _errors.quantized.zero_point_dtype(zero_point.dtype)
    for name, x in (("scale", scale), ("zero point", zero_point)):
        if x.dim() != 1:
            raise RuntimeError(f"{name} should be a 1-D tensor")
    if scale.numel() != zero_point.numel():
        raise RuntimeError("scale and zero-point need to have the same dimensions")
    if scale.numel() != input.size(axis):
        raise _errors.quantized.channels()
    _check_bounds(quant_min, quant_max)
    if zero_point.dtype is _dtypes.int32 and bool(((zero_point < quant_min) | (zero_point > quant_max)).any()):
        raise _errors.quantized.zero_point_outside()
    _check_constants("_fake_quantize_per_channel_affine_cachemask", scale)
    shape = [1] * input.dim()
    shape[axis] = -1
    at = [_kept(x).view(shape) for x in (scale.float(), zero_point)]
    return rows["_fake_quantize_channel"](input, *at, quant_min, quant_max, _PER_CHANNEL)


def fused_moving_avg_obs_fake_quant(
    input: Tensor,
    observer_on: Tensor,
    fake_quant_on: Tensor,
    running_min: Tensor,
    running_max: Tensor,
    scale: Tensor,
    zero_point: Tensor,
    averaging_const: float,
    quant_min: int,
    quant_max: int,
    ch_axis: int,
    per_row_fake_quant: bool = False,
    symmetric_quant: bool = False,
) -> Tensor:
    """Move the averages of the range of `input`, choose a scale and a zero point for them, and round `input`.

    Args:
      input: floating-point tensor.
      observer_on: one element; nonzero if the averages are moved.
      fake_quant_on: one element; nonzero if `input` is rounded. Otherwise a copy is returned.
      running_min, running_max: the averages, overwritten.
      scale, zero_point: the parameters, overwritten.
      averaging_const: the weight of the newest range.
      quant_min: the lowest level.
      quant_max: the highest level.
      ch_axis: the dim of the channels.
      per_row_fake_quant: use one range for each channel.
      symmetric_quant: put zero in the middle of the range.

    >>> on, low, high = torchlike.ones(1), torchlike.tensor(torchlike.inf), torchlike.tensor(-torchlike.inf)
    >>> at = torchlike.ones(1), torchlike.zeros(1, dtype=torchlike.int32)
    >>> x = torchlike.tensor([0.0, 1.0, 2.549])
    >>> torchlike.fused_moving_avg_obs_fake_quant(x, on, on, low, high, *at, 0.01, 0, 255, -1)
    tensor([0.0000, 0.9996, 2.5490])
    """
    if per_row_fake_quant and not running_min.numel():
        for x, start in ((running_min, math.inf), (running_max, -math.inf), (scale, 1), (zero_point, 0)):
            x.resize_(input.size(ch_axis)).fill_(start)
    with modes.no_grad():
        if observer_on.item():
            _move(input.detach(), running_min, running_max, averaging_const, ch_axis if per_row_fake_quant else None)
        if not fake_quant_on.item():
            return input.clone()
        found = rows["_range_parameters"](running_min, running_max, quant_min, quant_max, symmetric_quant)
        scale.copy_(found[0])
        zero_point.copy_(found[1])
    at = [_kept(x) for x in (scale, zero_point)]
    if per_row_fake_quant:
        shape = [1] * input.dim()
        shape[ch_axis] = -1
        at = [x.view(shape) for x in at]
        return rows["_fake_quantize_channel"](input, *at, quant_min, quant_max, _FUSED)
    return rows["_fake_quantize_tensor"](input, *[x.view(()) for x in at], quant_min, quant_max, _FUSED)


def _move(x: Tensor, least: Tensor, most: Tensor, rate: float, axis: int | None) -> None:
    """Move the averages towards the range of `x`. At first, they are the range itself."""
    lines = x.flatten() if axis is None else x.transpose(0, axis).flatten(1)
    found = rows["aminmax"](lines, dim=-1)
    for old, new in ((least, found[0]), (most, found[1])):
        old.copy_(rows["where"](rows["isinf"](old), new, old + rate * (new - old)))


def _check_bounds(low: int, high: int) -> None:
    if low > high:
        raise RuntimeError("`quant_min` should be less than or         equal to `quant_max`.")


def _check_constants(function: str, scale: Tensor) -> None:
    if scale.requires_grad and modes.local.grad:
        raise _errors.autograd.not_differentiable(function, "scale")


def _kept(x: Tensor) -> Tensor:
    """Return a copy. Observers overwrite the parameters, which the backward pass of PyTorch does not read."""
    return x.detach().clone()


def _number(x: Any) -> Any:
    return x.item() if isinstance(x, Tensor | np.generic) else x


def _one(x: Tensor) -> Tensor:
    if x.numel() != 1:
        raise _errors.memory.not_one_element(x.numel())
    return x.detach().view(())


FUNCTIONS = public_calls.functions(
    fake_quantize_per_tensor_affine, fake_quantize_per_channel_affine, fused_moving_avg_obs_fake_quant
)
