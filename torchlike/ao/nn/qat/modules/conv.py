"""The convolutions of quantization-aware training."""

from __future__ import annotations

from typing import Any

from torchlike import nn
from torchlike.ao.nn.intrinsic import _FusedModule
from torchlike.ao.nn.qat.modules.linear import check_configured
from torchlike.nn.modules.conv import _ConvNd as _FloatConvNd


class _ConvNd(_FloatConvNd):
    """The base class: a convolution whose weight is rounded to quantized values.

    Args:
      in_channels: the number of input channels.
      out_channels: the number of output channels.
      kernel_size: the size of the kernel.
      stride: the distance of the windows.
      padding: the padding on both sides of each dim.
      dilation: the distance of the kernel elements.
      groups: the number of channel groups.
      bias: add a bias.
      padding_mode: the kind of padding.
      qconfig: the configuration, whose `weight` makes the rounding module.
      device: of the parameters.
      dtype: of the parameters.

    Raises:
      AssertionError: there is no configuration.
    """

    _FLOAT_MODULE: Any
    _FLOAT_CONV_MODULE: Any
    _FLOAT_RELU_MODULE: Any = None

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        qconfig: Any = None,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        made = {"device": device, "dtype": dtype}
        places = kernel_size, stride, padding, dilation
        self._FLOAT_CONV_MODULE.__init__(self, in_channels, out_channels, *places, groups, bias, padding_mode, **made)
        if not qconfig:
            raise AssertionError("qconfig must be provided for QAT module")
        self.qconfig = qconfig
        self.weight_fake_quant = qconfig.weight(factory_kwargs=made)

    def forward(self, input: Any) -> Any:
        """Return the convolution with the rounded weight."""
        return self._conv_forward(input, self.weight_fake_quant(self.weight), self.bias)

    @classmethod
    def from_float(cls, mod: Any, use_precomputed_fake_quant: bool = False) -> Any:
        """Return a layer that shares the parameters of a float layer.

        Args:
          mod: the float layer, with a configuration.
          use_precomputed_fake_quant: not used.

        Raises:
          AssertionError: `mod` is of another class, or has no configuration.
        """
        if type(mod) is not cls._FLOAT_MODULE:
            raise AssertionError(
                f"qat.{cls.__name__}.from_float only works for {cls._FLOAT_MODULE.__name__}, got {type(mod).__name__}"
            )
        check_configured(mod)
        mod = mod[0] if isinstance(mod, _FusedModule) else mod
        made = cls(*arguments_of(mod), qconfig=mod.qconfig)
        made.weight = mod.weight
        made.bias = mod.bias
        return made

    def to_float(self) -> Any:
        """Return a float layer with the same parameters."""
        conv = float_conv(self)
        if self._FLOAT_RELU_MODULE is None:
            return conv
        fused = self._FLOAT_MODULE(conv, self._FLOAT_RELU_MODULE())
        fused.train(self.training)
        return fused


def arguments_of(conv: Any) -> Any:
    """Return the arguments that make a similar convolution."""
    places = conv.kernel_size, conv.stride, conv.padding, conv.dilation
    return conv.in_channels, conv.out_channels, *places, conv.groups, conv.bias is not None, conv.padding_mode


def float_conv(conv: Any) -> Any:
    """Return a float convolution with the parameters of one of quantization-aware training."""
    made = conv._FLOAT_CONV_MODULE(*arguments_of(conv))
    made.weight = nn.Parameter(conv.weight.detach())
    if conv.bias is not None:
        made.bias = nn.Parameter(conv.bias.detach())
    return made


class Conv1d(_ConvNd, nn.Conv1d):
    """A one-dim convolution whose weight is rounded to quantized values. Its arguments are those of `_ConvNd`."""

    _FLOAT_MODULE = nn.Conv1d
    _FLOAT_CONV_MODULE = nn.Conv1d


class Conv2d(_ConvNd, nn.Conv2d):
    """A two-dim convolution whose weight is rounded to quantized values. Its arguments are those of `_ConvNd`."""

    _FLOAT_MODULE = nn.Conv2d
    _FLOAT_CONV_MODULE = nn.Conv2d


class Conv3d(_ConvNd, nn.Conv3d):
    """A three-dim convolution whose weight is rounded to quantized values. Its arguments are those of `_ConvNd`."""

    _FLOAT_MODULE = nn.Conv3d
    _FLOAT_CONV_MODULE = nn.Conv3d
