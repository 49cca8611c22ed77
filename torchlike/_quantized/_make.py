"""Functions that make quantized tensors."""

from __future__ import annotations

from typing import Any

from torchlike import _dtypes, _errors
from torchlike._dtypes import quantized as q
from torchlike._quantized import _tensor as t
from torchlike._tensor import factories
from torchlike._tensor.binding import CALLERS as rows
from torchlike._tensor.tensor import Tensor

_WHOLE = (q.qint8, q.quint8, q.qint32)
_REDUCED = {q.quint8: (0, 127), q.qint8: (-64, 63)}
_FULL = {q.quint8: (0, 255), q.qint8: (-128, 127)}


def quantize_per_tensor(input: Tensor, scale: float | Tensor, zero_point: int | Tensor, dtype: Any) -> Any:
    """Quantize a float32 tensor: each element becomes clip(round(x / scale + zero_point)).

    Args:
      input: a float32 tensor of any shape.
      scale: the distance between neighboring values, a number or a tensor with one element.
      zero_point: the integer that stands for 0, a number or a tensor with one element.
      dtype: `torch.quint8`, `torch.qint8` or `torch.qint32`.

    Raises:
      RuntimeError: `input` is not float32, `dtype` is not quantized, or `zero_point` is not in its range.

    >>> x = torchlike.quantize_per_tensor(torchlike.tensor([0.0, 0.5, 1.0]), 0.1, 10, torchlike.quint8)
    >>> x.int_repr()
    tensor([10, 15, 20], dtype=torch.uint8)
    """
    step, zero = _number(scale, float), _number(zero_point, int)
    _check("quantize_tensor_per_tensor_affine", input, dtype, (zero,))
    return t.quantized(input, dtype, step, zero)


def quantize_per_channel(input: Tensor, scales: Tensor, zero_points: Tensor, axis: int, dtype: Any) -> Any:
    """Quantize a float32 tensor with a scale and a zero point for each index of the dim `axis`.

    Args:
      input: a float32 tensor of any shape.
      scales: (channels,), the scales.
      zero_points: (channels,), the integers that stand for 0. Floating-point zero points are added before rounding.
      axis: the dim of the channels.
      dtype: `torch.quint8`, `torch.qint8` or `torch.qint32`.

    Raises:
      RuntimeError: `input` is not float32, `dtype` is not quantized, a zero point is not in its range, or the lengths
        do not fit.

    >>> scales, zeros = torchlike.tensor([0.1, 0.5]), torchlike.tensor([0, 1])
    >>> torchlike.quantize_per_channel(torchlike.ones(2, 2), scales, zeros, 0, torchlike.qint8).int_repr()
    tensor([[10, 10],
            [ 3,  3]], dtype=torch.int8)
    """
    if not 0 <= axis < input.dim():
        raise _errors.quantized.channel_axis(axis, input.dim())
    if scales.numel() != input.shape[axis]:
        raise _errors.quantized.scales_length(input.shape[axis], scales.numel())
    is_float = zero_points.is_floating_point()
    whole = () if is_float else zero_points.tolist()
    _check("quantize_tensor_per_channel_affine", input, dtype, whole)
    made = _channels(scales, zero_points, axis)
    at_scale, at_zero = made.shaped(input.dim())
    row = rows["_quantize_to_float_zero" if is_float else "_quantize_channels"]
    return t.make(row(input.detach(), at_scale.float(), at_zero, dtype.stored.name), dtype, made)


def quantize_per_tensor_dynamic(input: Tensor, dtype: Any, reduce_range: bool) -> Any:
    """Quantize a float32 tensor with the scale and the zero point that its own range determines.

    Args:
      input: a float32 tensor of any shape.
      dtype: `torch.quint8` or `torch.qint8`.
      reduce_range: use half of the range of the dtype.

    >>> torchlike.quantize_per_tensor_dynamic(torchlike.tensor([0.0, 25.5]), torchlike.quint8, False).int_repr()
    tensor([  0, 255], dtype=torch.uint8)
    """
    scale, zero_point = rows["_dynamic_parameters"](input.detach(), *(_REDUCED if reduce_range else _FULL)[dtype])
    return quantize_per_tensor(input, scale, zero_point, dtype)


def dequantize(tensor: Any) -> Any:
    """Return the real numbers of a quantized tensor as float32. A plain tensor is cast to float32.

    Args:
      tensor: a tensor, or a sequence of tensors.

    >>> torchlike.dequantize(torchlike.quantize_per_tensor(torchlike.ones(2), 0.5, 3, torchlike.quint8))
    tensor([1., 1.])
    """
    if isinstance(tensor, list | tuple):
        return tuple(each.dequantize() for each in tensor)
    return tensor.dequantize()


def _make_per_tensor_quantized_tensor(input: Tensor, scale: float, zero_point: int) -> Any:
    """Return a quantized tensor of the given integers and one scale.

    Args:
      input: integers of dtype uint8, int8 or int32.
      scale: the distance between neighboring values.
      zero_point: the integer that stands for 0.
    """
    return t.make(input.clone(), _of_integers(input), t.PerTensor(float(scale), int(zero_point)))


def _make_per_channel_quantized_tensor(input: Tensor, scale: Tensor, zero_point: Tensor, axis: int) -> Any:
    """Return a quantized tensor of the given integers, and a scale for each channel.

    Args:
      input: integers of dtype uint8, int8 or int32.
      scale: (channels,), the scales.
      zero_point: (channels,), the zero points.
      axis: the dim of the channels.
    """
    return t.make(input.clone(), _of_integers(input), _channels(scale, zero_point, axis))


def _empty_affine_quantized(
    size: Any, *, scale: float = 1, zero_point: int = 0, dtype: Any = None, device: Any = None
) -> Any:
    """Return a quantized tensor of zeros. In PyTorch, the elements are undefined.

    Args:
      size: the shape.
      scale: the distance between neighboring values.
      zero_point: the integer that stands for 0.
      dtype: the quantized dtype.
      device: the device.
    """
    if not isinstance(dtype, q.quantized_dtype):
        raise _errors.quantized.not_quantized(dtype)
    ints = factories.zeros(size, dtype=_dtypes.from_numpy(dtype.stored), device=device)
    return t.make(ints, dtype, t.PerTensor(float(scale), int(zero_point)))


def _number(x: Any, kind: type) -> Any:
    return kind(x.item() if isinstance(x, Tensor) else x)


def _channels(scales: Tensor, zero_points: Tensor, axis: int) -> t.PerChannel:
    kinds = (_dtypes.float32, _dtypes.float32) if zero_points.is_floating_point() else (_dtypes.float64, _dtypes.int64)
    return t.PerChannel(scales.detach().to(kinds[0]), zero_points.detach().to(kinds[1]), axis)


def _of_integers(ints: Tensor) -> Any:
    for dtype in _WHOLE:
        if ints.dtype.numpy == dtype.stored:
            return dtype
    raise _errors.quantized.not_quantized(ints.dtype)


def _check(function: str, input: Tensor, dtype: Any, zero_points: Any) -> None:
    if not isinstance(dtype, q.quantized_dtype):
        raise _errors.quantized.not_quantized(dtype)
    if dtype not in _WHOLE:
        raise _errors.arguments.kind_unsupported(f"torch.{dtype.name}", "tensors with several elements per byte")
    if input.dtype is not _dtypes.float32:
        raise _errors.quantized.only_float32(input.dtype)
    limits = _dtypes.iinfo(dtype)
    for zero_point in zero_points:
        if not limits.min <= zero_point <= limits.max:
            raise _errors.quantized.zero_point_range(function, zero_point, zero_point > limits.max)
