"""Convolutions with an int8 weight whose input is quantized at run time, by its own range."""

from __future__ import annotations

from typing import Any

import torchlike as torch
from torchlike import nn
from torchlike._errors.warned import warn
from torchlike.ao.nn import quantized as nnq
from torchlike.nn import functional as F

__all__ = ["Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d"]


class _Dynamic:
    """What the dynamic convolutions share: the name, the warning, and the product."""

    _DIMS: int
    _REFLECTS = True

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        warn(
            f"The current implementation of the {self._get_name()} module has poor numerical accuracy and its use is "
            "not recommended"
        )
        super().__init__(*args, **kwargs)

    def _get_name(self) -> str:
        return f"DynamicQuantized{type(self).__name__}"

    def forward(self, input: Any, reduce_range: bool = True) -> Any:
        """Return the convolution of a float tensor, as a float tensor.

        Args:
          input: float32 (N, C, ...).
          reduce_range: use 7 bits of the activations.

        Raises:
          ValueError: `input` has another number of dims.
        """
        layer: Any = self
        layer._check_dims(input)
        if layer.padding_mode != "zeros":
            pads = [size for size in reversed(layer.padding) for _ in range(2)]
            input = F.pad(input, pads, mode=layer.padding_mode)
        name = f"conv{'_transpose' if layer.transposed else ''}{layer._DIMS}d_dynamic"
        return getattr(torch.ops.quantized, name)(input, layer._packed_params, reduce_range)


class Conv1d(_Dynamic, nnq.Conv1d):
    """A one-dim convolution with an int8 weight. Its input and its result are float tensors.

    As in PyTorch, the result is rounded with the scale of the input, and a warning says so.

    Args:
      in_channels: the number of input channels.
      out_channels: the number of output channels.
      kernel_size: the size of the kernel.
      stride: the distance of the windows.
      padding: the padding on both sides of each dim.
      dilation: the distance of the kernel elements.
      groups: the number of channel groups.
      bias: add a bias, which stays in floating point.
      padding_mode: `"zeros"` or `"reflect"`.
      device: of the weight.
      dtype: not used, as in PyTorch.

    Raises:
      ValueError: the sizes do not fit.
    """

    _FLOAT_MODULE = nn.Conv1d


class Conv2d(_Dynamic, nnq.Conv2d):
    """A two-dim convolution with an int8 weight. Its input and its result are float tensors.

    As in PyTorch, the result is rounded with the scale of the input, and a warning says so.

    Args:
      in_channels: the number of input channels.
      out_channels: the number of output channels.
      kernel_size: the size of the kernel.
      stride: the distance of the windows.
      padding: the padding on both sides of each dim.
      dilation: the distance of the kernel elements.
      groups: the number of channel groups.
      bias: add a bias, which stays in floating point.
      padding_mode: `"zeros"` or `"reflect"`.
      device: of the weight.
      dtype: not used, as in PyTorch.

    Raises:
      ValueError: the sizes do not fit.
    """

    _FLOAT_MODULE = nn.Conv2d


class Conv3d(_Dynamic, nnq.Conv3d):
    """A three-dim convolution with an int8 weight. Its input and its result are float tensors.

    As in PyTorch, the result is rounded with the scale of the input, and a warning says so.

    Args:
      in_channels: the number of input channels.
      out_channels: the number of output channels.
      kernel_size: the size of the kernel.
      stride: the distance of the windows.
      padding: the padding on both sides of each dim.
      dilation: the distance of the kernel elements.
      groups: the number of channel groups.
      bias: add a bias, which stays in floating point.
      padding_mode: `"zeros"` or `"reflect"`.
      device: of the weight.
      dtype: not used, as in PyTorch.

    Raises:
      ValueError: the sizes do not fit.
    """

    _FLOAT_MODULE = nn.Conv3d


class ConvTranspose1d(_Dynamic, nnq.ConvTranspose1d):
    """A one-dim transposed convolution with an int8 weight. Its input and its result are float tensors.

    As in PyTorch, the result is rounded with the scale of the input, and a warning says so.

    Args:
      in_channels: the number of input channels.
      out_channels: the number of output channels.
      kernel_size: the size of the kernel.
      stride: the distance of the windows.
      padding: the padding that is cut off on both sides of each dim.
      output_padding: the size that is added at the end of each dim.
      groups: the number of channel groups.
      bias: add a bias, which stays in floating point.
      dilation: the distance of the kernel elements.
      padding_mode: must be `"zeros"`.
      device: of the weight.
      dtype: not used, as in PyTorch.

    Raises:
      ValueError: the sizes do not fit.
    """

    _FLOAT_MODULE = nn.ConvTranspose1d


class ConvTranspose2d(_Dynamic, nnq.ConvTranspose2d):
    """A two-dim transposed convolution with an int8 weight. Its input and its result are float tensors.

    As in PyTorch, the result is rounded with the scale of the input, and a warning says so.

    Args:
      in_channels: the number of input channels.
      out_channels: the number of output channels.
      kernel_size: the size of the kernel.
      stride: the distance of the windows.
      padding: the padding that is cut off on both sides of each dim.
      output_padding: the size that is added at the end of each dim.
      groups: the number of channel groups.
      bias: add a bias, which stays in floating point.
      dilation: the distance of the kernel elements.
      padding_mode: must be `"zeros"`.
      device: of the weight.
      dtype: not used, as in PyTorch.

    Raises:
      ValueError: the sizes do not fit.
    """

    _FLOAT_MODULE = nn.ConvTranspose2d


class ConvTranspose3d(_Dynamic, nnq.ConvTranspose3d):
    """A three-dim transposed convolution with an int8 weight. Its input and its result are float tensors.

    As in PyTorch, the result is rounded with the scale of the input, and a warning says so.

    Args:
      in_channels: the number of input channels.
      out_channels: the number of output channels.
      kernel_size: the size of the kernel.
      stride: the distance of the windows.
      padding: the padding that is cut off on both sides of each dim.
      output_padding: the size that is added at the end of each dim.
      groups: the number of channel groups.
      bias: add a bias, which stays in floating point.
      dilation: the distance of the kernel elements.
      padding_mode: must be `"zeros"`.
      device: of the weight.
      dtype: not used, as in PyTorch.

    Raises:
      ValueError: the sizes do not fit.
    """

    _FLOAT_MODULE = nn.ConvTranspose3d
