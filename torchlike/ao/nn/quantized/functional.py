"""`torch.ao.nn.quantized.functional`: functions of quantized tensors."""

from __future__ import annotations

from typing import Any

import torchlike as torch
from torchlike._errors.warned import warn
from torchlike.nn import functional as F
from torchlike.nn.modules._tuples import _ntuple

__all__ = [
    "avg_pool2d",
    "avg_pool3d",
    "adaptive_avg_pool2d",
    "adaptive_avg_pool3d",
    "conv1d",
    "conv2d",
    "conv3d",
    "interpolate",
    "linear",
    "max_pool1d",
    "max_pool2d",
    "celu",
    "leaky_relu",
    "hardtanh",
    "hardswish",
    "threshold",
    "elu",
    "hardsigmoid",
    "clamp",
    "upsample",
    "upsample_bilinear",
    "upsample_nearest",
]
_SHAPES = {1: "(N, C, L)", 2: "(N, C, H, W)", 3: "(N, C, D, H, W)"}


def _check(input: Any, name: str) -> None:
    if not input.is_quantized:
        raise ValueError(f"Input to 'quantized.{name}' must be quantized!")


# -- pooling -----------------------------------------------------------------------------------------------------------


def avg_pool2d(
    input: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Any:
    """Return the means of windows of (N, C, H, W).

    Args:
      input: a quantized tensor.
      kernel_size: the size of the windows.
      stride: the distance of the windows, by default their size.
      padding: the padding on both sides of each dim.
      ceil_mode: round the size of the result up.
      count_include_pad: divide by the size of the window, with the padding.
      divisor_override: divide by this number.

    Raises:
      ValueError: the input is not quantized.

    >>> import torchlike as torch
    >>> x = torch.quantize_per_tensor(torch.ones(1, 1, 2, 2), 0.5, 0, torch.quint8)
    >>> torch.ao.nn.quantized.functional.avg_pool2d(x, 2).dequantize()
    tensor([[[[1.]]]])
    """
    _check(input, "avg_pool2d")
    return F.avg_pool2d(input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)


def avg_pool3d(
    input: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Any:
    """Return the means of windows of (N, C, D, H, W).

    Args:
      input: a quantized tensor.
      kernel_size: the size of the windows.
      stride: the distance of the windows, by default their size.
      padding: the padding on both sides of each dim.
      ceil_mode: round the size of the result up.
      count_include_pad: divide by the size of the window, with the padding.
      divisor_override: divide by this number.

    Raises:
      ValueError: the input is not quantized.

    >>> import torchlike as torch
    >>> x = torch.quantize_per_tensor(torch.ones(1, 1, 2, 2, 2), 0.5, 0, torch.quint8)
    >>> torch.ao.nn.quantized.functional.avg_pool3d(x, 2).shape
    torch.Size([1, 1, 1, 1, 1])
    """
    _check(input, "avg_pool3d")
    return F.avg_pool3d(input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)


def adaptive_avg_pool2d(input: Any, output_size: Any) -> Any:
    """Return means of windows of (N, C, H, W), so that the result has the given size.

    Args:
      input: a quantized tensor.
      output_size: the size of the result.

    Raises:
      ValueError: the input is not quantized.

    >>> import torchlike as torch
    >>> x = torch.quantize_per_tensor(torch.ones(1, 1, 2, 2), 0.5, 0, torch.quint8)
    >>> torch.ao.nn.quantized.functional.adaptive_avg_pool2d(x, 1).dequantize()
    tensor([[[[1.]]]])
    """
    _check(input, "functional.adaptive_avg_pool2d")
    return F.adaptive_avg_pool2d(input, output_size)


def adaptive_avg_pool3d(input: Any, output_size: Any) -> Any:
    """Return means of windows of (N, C, D, H, W), so that the result has the given size.

    Args:
      input: a quantized tensor.
      output_size: the size of the result.

    Raises:
      ValueError: the input is not quantized.

    >>> import torchlike as torch
    >>> x = torch.quantize_per_tensor(torch.ones(1, 1, 2, 2, 2), 0.5, 0, torch.quint8)
    >>> torch.ao.nn.quantized.functional.adaptive_avg_pool3d(x, 1).shape
    torch.Size([1, 1, 1, 1, 1])
    """
    _check(input, "functional.adaptive_avg_pool3d")
    return F.adaptive_avg_pool3d(input, output_size)


def max_pool1d(
    input: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """Return the maxima of windows of (N, C, L).

    Args:
      input: a quantized tensor.
      kernel_size: the size of the windows.
      stride: the distance of the windows, by default their size.
      padding: the padding on both sides.
      dilation: the distance of the elements of a window.
      ceil_mode: round the size of the result up.
      return_indices: must be False.

    Raises:
      NotImplementedError: `return_indices` is True.

    >>> import torchlike as torch
    >>> x = torch.quantize_per_tensor(torch.tensor([[[1.0, 3.0]]]), 0.5, 0, torch.quint8)
    >>> torch.ao.nn.quantized.functional.max_pool1d(x, 2).dequantize()
    tensor([[[3.]]])
    """
    if return_indices:
        raise NotImplementedError("return_indices is not yet implemented!")
    return F.max_pool1d(input, kernel_size, stride, padding, dilation, ceil_mode)


def max_pool2d(
    input: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """Return the maxima of windows of (N, C, H, W).

    Args:
      input: a quantized tensor.
      kernel_size: the size of the windows.
      stride: the distance of the windows, by default their size.
      padding: the padding on both sides of each dim.
      dilation: the distance of the elements of a window.
      ceil_mode: round the size of the result up.
      return_indices: must be False.

    Raises:
      NotImplementedError: `return_indices` is True.

    >>> import torchlike as torch
    >>> x = torch.quantize_per_tensor(torch.ones(1, 1, 2, 2), 0.5, 0, torch.quint8)
    >>> torch.ao.nn.quantized.functional.max_pool2d(x, 2).dequantize()
    tensor([[[[1.]]]])
    """
    if return_indices:
        raise NotImplementedError("return_indices is not yet implemented!")
    return F.max_pool2d(input, kernel_size, stride, padding, dilation, ceil_mode)


# -- products ----------------------------------------------------------------------------------------------------------


def linear(input: Any, weight: Any, bias: Any = None, scale: float | None = None, zero_point: int | None = None) -> Any:
    """Return the product of a quantized tensor and a quantized weight, plus a bias.

    Args:
      input: (..., in), quint8.
      weight: (out, in), qint8.
      bias: (out,), float32, or None.
      scale: the scale of the result, by default that of the input.
      zero_point: the zero point of the result, by default that of the input.

    >>> import torchlike as torch
    >>> x = torch.quantize_per_tensor(torch.ones(1, 2), 0.5, 0, torch.quint8)
    >>> weight = torch.quantize_per_tensor(torch.ones(3, 2), 0.5, 0, torch.qint8)
    >>> torch.ao.nn.quantized.functional.linear(x, weight).dequantize()
    tensor([[2., 2., 2.]])
    """
    at = _scale_of(input, scale, zero_point)
    return torch.ops.quantized.linear(input, torch.ops.quantized.linear_prepack(weight, bias), *at)


def _scale_of(input: Any, scale: float | None, zero_point: int | None) -> tuple[float, int]:
    found = input.q_scale() if scale is None else scale
    return found, input.q_zero_point() if zero_point is None else zero_point


def _conv(dims: int, input: Any, weight: Any, bias: Any, places: tuple, groups: int, mode: str, at: tuple) -> Any:
    if mode != "zeros":
        raise NotImplementedError("Only zero-padding is supported!")
    if input.dtype is not torch.quint8:
        raise NotImplementedError("Only torch.quint8 is supported for activation tensor!")
    if weight.dtype is not torch.qint8:
        raise NotImplementedError("Only torch.qint8 is supported for weight tensor!")
    if input.ndim != dims + 2:
        raise ValueError(f"Input shape must be `{_SHAPES[dims]}`!")
    each = _ntuple(dims)
    stride, padding, dilation = (each(place) for place in places)
    pack = getattr(torch.ops.quantized, f"conv{dims}d_prepack")
    packed = pack(weight, bias, stride, padding, dilation, groups)
    return getattr(torch.ops.quantized, f"conv{dims}d")(input, packed, *at)


def conv1d(
    input: Any,
    weight: Any,
    bias: Any,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
    padding_mode: str = "zeros",
    scale: float = 1.0,
    zero_point: int = 0,
    dtype: Any = torch.quint8,
) -> Any:
    """Return the convolution of a quantized tensor (N, C, L).

    Args:
      input: a quint8 tensor.
      weight: (out, in / groups, k), qint8.
      bias: (out,), float32, or None.
      stride: the distance of the windows.
      padding: the padding on both sides.
      dilation: the distance of the kernel elements.
      groups: the number of channel groups.
      padding_mode: must be `"zeros"`.
      scale: the scale of the result.
      zero_point: the zero point of the result.
      dtype: not used, as in PyTorch.

    Raises:
      NotImplementedError: the padding mode or a dtype is not supported.
      ValueError: `input` has another number of dims.

    >>> import torchlike as torch
    >>> x = torch.quantize_per_tensor(torch.ones(1, 1, 3), 0.5, 0, torch.quint8)
    >>> weight = torch.quantize_per_tensor(torch.ones(1, 1, 2), 0.5, 0, torch.qint8)
    >>> torch.ao.nn.quantized.functional.conv1d(x, weight, None).dequantize()
    tensor([[[2., 2.]]])
    """
    return _conv(1, input, weight, bias, (stride, padding, dilation), groups, padding_mode, (scale, zero_point))


def conv2d(
    input: Any,
    weight: Any,
    bias: Any,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
    padding_mode: str = "zeros",
    scale: float = 1.0,
    zero_point: int = 0,
    dtype: Any = torch.quint8,
) -> Any:
    """Return the convolution of a quantized tensor (N, C, H, W).

    Args:
      input: a quint8 tensor.
      weight: (out, in / groups, kh, kw), qint8.
      bias: (out,), float32, or None.
      stride: the distance of the windows.
      padding: the padding on both sides of each dim.
      dilation: the distance of the kernel elements.
      groups: the number of channel groups.
      padding_mode: must be `"zeros"`.
      scale: the scale of the result.
      zero_point: the zero point of the result.
      dtype: not used, as in PyTorch.

    Raises:
      NotImplementedError: the padding mode or a dtype is not supported.
      ValueError: `input` has another number of dims.

    >>> import torchlike as torch
    >>> x = torch.quantize_per_tensor(torch.ones(1, 1, 2, 2), 0.5, 0, torch.quint8)
    >>> weight = torch.quantize_per_tensor(torch.ones(1, 1, 2, 2), 0.5, 0, torch.qint8)
    >>> torch.ao.nn.quantized.functional.conv2d(x, weight, None).dequantize()
    tensor([[[[4.]]]])
    """
    return _conv(2, input, weight, bias, (stride, padding, dilation), groups, padding_mode, (scale, zero_point))


def conv3d(
    input: Any,
    weight: Any,
    bias: Any,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
    padding_mode: str = "zeros",
    scale: float = 1.0,
    zero_point: int = 0,
    dtype: Any = torch.quint8,
) -> Any:
    """Return the convolution of a quantized tensor (N, C, D, H, W).

    Args:
      input: a quint8 tensor.
      weight: (out, in / groups, kd, kh, kw), qint8.
      bias: (out,), float32, or None.
      stride: the distance of the windows.
      padding: the padding on both sides of each dim.
      dilation: the distance of the kernel elements.
      groups: the number of channel groups.
      padding_mode: must be `"zeros"`.
      scale: the scale of the result.
      zero_point: the zero point of the result.
      dtype: not used, as in PyTorch.

    Raises:
      NotImplementedError: the padding mode or a dtype is not supported.
      ValueError: `input` has another number of dims.

    >>> import torchlike as torch
    >>> x = torch.quantize_per_tensor(torch.ones(1, 1, 2, 2, 2), 0.5, 0, torch.quint8)
    >>> weight = torch.quantize_per_tensor(torch.ones(1, 1, 2, 2, 2), 0.5, 0, torch.qint8)
    >>> torch.ao.nn.quantized.functional.conv3d(x, weight, None).dequantize()
    tensor([[[[[8.]]]]])
    """
    return _conv(3, input, weight, bias, (stride, padding, dilation), groups, padding_mode, (scale, zero_point))


# -- resizing ----------------------------------------------------------------------------------------------------------


def interpolate(
    input: Any, size: Any = None, scale_factor: Any = None, mode: str = "nearest", align_corners: bool | None = None
) -> Any:
    """Resize (N, C, ...) to `size`, or scale it by `scale_factor`.

    Args:
      input: a quantized tensor.
      size: the new sizes.
      scale_factor: the factors of the sizes.
      mode: `"nearest"` or `"bilinear"`.
      align_corners: whether the centers (True) or the outer borders (False) of the corner elements coincide.

    Raises:
      ValueError: the input is not quantized.

    >>> import torchlike as torch
    >>> x = torch.quantize_per_tensor(torch.tensor([[[1.0, 2.0]]]), 0.5, 0, torch.quint8)
    >>> torch.ao.nn.quantized.functional.interpolate(x, scale_factor=2).dequantize()
    tensor([[[1., 1., 2., 2.]]])
    """
    _check(input, "interpolate")
    return F.interpolate(input, size, scale_factor, mode, align_corners)


def upsample(
    input: Any, size: Any = None, scale_factor: Any = None, mode: str = "nearest", align_corners: bool | None = None
) -> Any:
    """Call `interpolate` under its deprecated name, with a warning.

    Args:
      input: a quantized tensor.
      size: the new sizes.
      scale_factor: the factors of the sizes.
      mode: `"nearest"` or `"bilinear"`.
      align_corners: whether the centers (True) or the outer borders (False) of the corner elements coincide.

    >>> import torchlike as torch
    >>> x = torch.quantize_per_tensor(torch.ones(1, 1, 2), 0.5, 0, torch.quint8)
    >>> torch.ao.nn.quantized.functional.upsample(x, 3).shape
    torch.Size([1, 1, 3])
    """
    _warn("upsample")
    return interpolate(input, size, scale_factor, mode, align_corners)


def upsample_bilinear(input: Any, size: Any = None, scale_factor: Any = None) -> Any:
    """Call `interpolate` with `mode="bilinear"` and `align_corners=True`, with a warning.

    Args:
      input: a quantized tensor (N, C, H, W).
      size: the new sizes.
      scale_factor: the factors of the sizes.

    >>> import torchlike as torch
    >>> x = torch.quantize_per_tensor(torch.ones(1, 1, 2, 2), 0.5, 0, torch.quint8)
    >>> torch.ao.nn.quantized.functional.upsample_bilinear(x, 3).shape
    torch.Size([1, 1, 3, 3])
    """
    _warn("upsample_bilinear")
    return interpolate(input, size, scale_factor, mode="bilinear", align_corners=True)


def upsample_nearest(input: Any, size: Any = None, scale_factor: Any = None) -> Any:
    """Call `interpolate` with `mode="nearest"`, with a warning.

    Args:
      input: a quantized tensor (N, C, ...).
      size: the new sizes.
      scale_factor: the factors of the sizes.

    >>> import torchlike as torch
    >>> x = torch.quantize_per_tensor(torch.ones(1, 1, 2), 0.5, 0, torch.quint8)
    >>> torch.ao.nn.quantized.functional.upsample_nearest(x, 3).shape
    torch.Size([1, 1, 3])
    """
    _warn("upsample_nearest")
    return interpolate(input, size, scale_factor, mode="nearest")


def _warn(name: str) -> None:
    warn(f"nn.quantized.functional.{name} is deprecated. Use nn.quantized.functional.interpolate instead.")


# -- activations -------------------------------------------------------------------------------------------------------


def celu(input: Any, scale: float, zero_point: int, alpha: float = 1.0) -> Any:
    """Return the CELU.

    Args:
      input: a quantized tensor.
      scale: the scale of the result.
      zero_point: the zero point of the result.
      alpha: the limit for negative numbers, negated.

    Raises:
      ValueError: the input is not quantized.

    >>> import torchlike as torch
    >>> x = torch.quantize_per_tensor(torch.tensor([-9.0, 2.0]), 0.1, 100, torch.quint8)
    >>> torch.ao.nn.quantized.functional.celu(x, 0.5, 2).dequantize()
    tensor([-1.,  2.])
    """
    _check(input, "celu")
    return torch.ops.quantized.celu(input, scale, zero_point, alpha)


def elu(input: Any, scale: float, zero_point: int, alpha: float = 1.0) -> Any:
    """Return the ELU.

    Args:
      input: a quantized tensor.
      scale: the scale of the result.
      zero_point: the zero point of the result.
      alpha: the limit for negative numbers, negated.

    Raises:
      ValueError: the input is not quantized.

    >>> import torchlike as torch
    >>> x = torch.quantize_per_tensor(torch.tensor([-9.0, 2.0]), 0.1, 100, torch.quint8)
    >>> torch.ao.nn.quantized.functional.elu(x, 0.5, 2).dequantize()
    tensor([-1.,  2.])
    """
    _check(input, "elu")
    return torch.ops.quantized.elu(input, scale, zero_point, alpha)


def leaky_relu(
    input: Any,
    negative_slope: float = 0.01,
    inplace: bool = False,
    scale: float | None = None,
    zero_point: int | None = None,
) -> Any:
    """Return the leaky ReLU.

    Args:
      input: a quantized tensor.
      negative_slope: the factor of negative numbers.
      inplace: overwrite the input. It has no effect with `scale` and `zero_point`, as in PyTorch.
      scale: the scale of the result, by default that of the input.
      zero_point: the zero point of the result, by default that of the input.

    >>> import torchlike as torch
    >>> x = torch.quantize_per_tensor(torch.tensor([-2.0, 2.0]), 0.5, 100, torch.quint8)
    >>> torch.ao.nn.quantized.functional.leaky_relu(x, 0.5).dequantize()
    tensor([-1.,  2.])
    """
    if scale is not None and zero_point is not None:
        return torch.ops.quantized.leaky_relu(input, negative_slope, False, scale, zero_point)
    return _into(input, F.leaky_relu(input, negative_slope), inplace)


def hardtanh(input: Any, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Any:
    """Return the tensor clamped to `[min_val, max_val]`.

    Args:
      input: a quantized tensor.
      min_val: the lower bound.
      max_val: the upper bound.
      inplace: overwrite the input.

    Raises:
      ValueError: the input is not quantized.

    >>> import torchlike as torch
    >>> x = torch.quantize_per_tensor(torch.tensor([-9.0, 0.5]), 0.5, 100, torch.quint8)
    >>> torch.ao.nn.quantized.functional.hardtanh(x).dequantize()
    tensor([-1.0000,  0.5000])
    """
    _check(input, "hardtanh")
    return _into(input, F.hardtanh(input, min_val, max_val), inplace)


def hardswish(input: Any, scale: float, zero_point: int) -> Any:
    """Return x clip(x + 3, 0, 6) / 6.

    Args:
      input: a quantized tensor.
      scale: the scale of the result.
      zero_point: the zero point of the result.

    Raises:
      ValueError: the input is not quantized.

    >>> import torchlike as torch
    >>> x = torch.quantize_per_tensor(torch.tensor([-9.0, 4.0]), 0.5, 100, torch.quint8)
    >>> torch.ao.nn.quantized.functional.hardswish(x, 0.5, 0).dequantize()
    tensor([0., 4.])
    """
    _check(input, "hardswish")
    return torch.ops.quantized.hardswish(input, scale, zero_point)


def threshold(input: Any, threshold: float, value: float) -> Any:
    """Return x where x > threshold, and `value` elsewhere.

    Args:
      input: a quantized tensor.
      threshold: elements up to this number are replaced.
      value: the number that replaces them.

    Raises:
      ValueError: the input is not quantized, or an argument is None.

    >>> import torchlike as torch
    >>> x = torch.quantize_per_tensor(torch.tensor([-9.0, 4.0]), 0.5, 100, torch.quint8)
    >>> torch.ao.nn.quantized.functional.threshold(x, 1.0, 0.0).dequantize()
    tensor([0., 4.])
    """
    _check(input, "threshold")
    if threshold is None:
        raise ValueError("Input to 'threshold' must be specified!")
    if value is None:
        raise ValueError("Input to 'value' must be specified!")
    return F.threshold(input, threshold, value)


def hardsigmoid(input: Any, inplace: bool = False) -> Any:
    """Return min(max(x + 3, 0), 6) / 6.

    Args:
      input: a quantized tensor.
      inplace: overwrite the input.

    Raises:
      ValueError: the input is not quantized.

    >>> import torchlike as torch
    >>> x = torch.quantize_per_tensor(torch.tensor([-9.0, 0.0]), 0.5, 100, torch.quint8)
    >>> torch.ao.nn.quantized.functional.hardsigmoid(x).dequantize()
    tensor([0.0000, 0.5000])
    """
    _check(input, "hardsigmoid")
    return _into(input, F.hardsigmoid(input), inplace)


def clamp(input: Any, min_: float, max_: float) -> Any:
    """Return the tensor clamped to `[min_, max_]`.

    Args:
      input: a quantized tensor.
      min_: the lower bound.
      max_: the upper bound.

    Raises:
      ValueError: the input is not quantized.

    >>> import torchlike as torch
    >>> x = torch.quantize_per_tensor(torch.tensor([-9.0, 4.0]), 0.5, 100, torch.quint8)
    >>> torch.ao.nn.quantized.functional.clamp(x, 0.0, 1.0).dequantize()
    tensor([0., 1.])
    """
    _check(input, "clamp")
    return torch.clamp(input, min_, max_)


def _into(input: Any, made: Any, inplace: bool) -> Any:
    return input.overwrite(made) if inplace else made
