"""Quantized convolutions."""

from __future__ import annotations

from typing import Any

import torchlike as torch
from torchlike import nn
from torchlike._errors import arguments
from torchlike._quantized import _empty_affine_quantized
from torchlike.ao.nn import intrinsic as nni
from torchlike.ao.nn.intrinsic import qat as nniqat
from torchlike.ao.nn.quantized.modules.utils import (
    WeightedQuantizedModule,
    _quantize_weight,
    check_float_module,
    output_parameters,
)
from torchlike.nn.modules._tuples import _ntuple
from torchlike.nn.utils import fuse_conv_bn_weights

_SHAPES = {1: "(N, C, L)", 2: "(N, C, H, W)", 3: "(N, C, D, H, W)"}


class _ConvNd(WeightedQuantizedModule):
    """The base class: a convolution with an int8 weight. Its input and its result are quantized.

    Args:
      in_channels: the number of input channels.
      out_channels: the number of output channels.
      kernel_size: the size of the kernel.
      stride: the distance of the windows.
      padding: the padding on both sides of each dim.
      dilation: the distance of the kernel elements.
      groups: the number of channel groups.
      bias: add a bias, which stays in floating point.
      padding_mode: must be `"zeros"`.
      device: of the weight.
      dtype: not used, as in PyTorch.

    Raises:
      ValueError: the sizes do not fit.
      NotImplementedError: the padding mode is `"reflect"`.
    """

    _DIMS: int
    _FLOAT_MODULE: Any
    _NNIQAT_CONV_BN_MODULES: tuple[type, ...] = ()
    _HAS_RELU = False
    _REFLECTS = False

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
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        if out_channels <= 0:
            raise ValueError(f"out_channels must be greater than 0, got {out_channels}")
        for name, count in (("in_channels", in_channels), ("out_channels", out_channels)):
            if count % groups != 0:
                raise ValueError(f"{name} must be divisible by groups")
        if padding_mode not in ("zeros", "reflect"):
            raise ValueError(f"'padding_mode' {padding_mode} is not supported by quantized convolution")
        if padding_mode == "reflect" and not self._REFLECTS:
            raise arguments.unsupported(self._get_name(), "padding_mode='reflect'")
        each = _ntuple(self._DIMS)
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = each(kernel_size)
        self.stride = each(stride)
        self.padding = each(padding)
        self.dilation = each(dilation)
        self.transposed = False
        self.output_padding = each(0)
        self.groups = groups
        self.padding_mode = padding_mode
        shape = [out_channels, in_channels // groups, *self.kernel_size]
        weight = _empty_affine_quantized(shape, scale=1, zero_point=0, dtype=torch.qint8, device=device)
        self.set_weight_bias(weight, torch.zeros(out_channels, dtype=torch.float, device=device) if bias else None)
        self.scale = 1.0
        self.zero_point = 0

    def _get_name(self) -> str:
        return f"QuantizedConv{'ReLU' if self._HAS_RELU else ''}{self._DIMS}d"

    def set_weight_bias(self, w: Any, b: Any) -> None:
        """Replace the weight and the bias.

        Args:
          w: a qint8 tensor (out, in / groups, ...).
          b: (out,), float32, or None.
        """
        pack = getattr(torch.ops.quantized, f"conv{self._DIMS}d_prepack")
        padding = self.padding if self.padding_mode == "zeros" else (0,) * self._DIMS
        self._packed_params = pack(w, b, self.stride, padding, self.dilation, self.groups)

    def _weight_bias(self) -> Any:
        return self._packed_params.unpack()

    def weight(self) -> Any:
        """Return the quantized weight."""
        return self._weight_bias()[0]

    def bias(self) -> Any:
        """Return the float bias, or None."""
        return self._weight_bias()[1]

    def forward(self, input: Any) -> Any:
        """Return the quantized convolution, and ReLU of it if the module has one.

        Args:
          input: a quantized tensor (N, C, ...).

        Raises:
          ValueError: `input` has another number of dims.
        """
        self._check_dims(input)
        convolve = getattr(torch.ops.quantized, f"conv{self._DIMS}d{'_relu' if self._HAS_RELU else ''}")
        return convolve(input, self._packed_params, self.scale, self.zero_point)

    def _check_dims(self, input: Any) -> None:
        if len(input.shape) != self._DIMS + 2:
            raise ValueError(f"Input shape must be `{_SHAPES[self._DIMS]}`!")

    def extra_repr(self) -> str:
        """Return the sizes and the parameters of the result."""
        shown = [
            f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}, "
            f"scale={self.scale}, zero_point={self.zero_point}"
        ]
        if self.padding != (0,) * self._DIMS:
            shown.append(f"padding={self.padding}")
        if self.dilation != (1,) * self._DIMS:
            shown.append(f"dilation={self.dilation}")
        if self.output_padding != (0,) * self._DIMS:
            shown.append(f"output_padding={self.output_padding}")
        if self.groups != 1:
            shown.append(f"groups={self.groups}")
        if self.bias() is None:
            shown.append("bias=False")
        return ", ".join(shown)

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        super()._save_to_state_dict(destination, prefix, keep_vars)
        weight, bias = self._weight_bias()
        destination[prefix + "weight"] = weight
        destination[prefix + "bias"] = bias
        destination[prefix + "scale"] = torch.tensor(self.scale)
        destination[prefix + "zero_point"] = torch.tensor(self.zero_point)

    def _load_from_state_dict(
        self,
        state_dict: Any,
        prefix: str,
        local_metadata: Any,
        strict: bool,
        missing_keys: Any,
        unexpected_keys: Any,
        error_msgs: Any,
    ) -> None:
        self.set_weight_bias(state_dict.pop(prefix + "weight"), state_dict.pop(prefix + "bias"))
        self.scale = float(state_dict.pop(prefix + "scale"))
        self.zero_point = int(state_dict.pop(prefix + "zero_point"))
        super()._load_from_state_dict(
            state_dict, prefix, local_metadata, False, missing_keys, unexpected_keys, error_msgs
        )

    @classmethod
    def from_float(cls, mod: Any, use_precomputed_fake_quant: bool = False) -> Any:
        """Return the quantized layer of a layer with observers, or of quantization-aware training.

        Args:
          mod: the float layer.
          use_precomputed_fake_quant: not used, as in PyTorch.

        Raises:
          AssertionError: `mod` is of another class, has no configuration, or its weight has another dtype than qint8.
        """
        layer, watcher = cls._layer_and_observer(mod)
        watcher(layer.weight)
        if watcher.dtype is not torch.qint8:
            raise AssertionError(f"Weight observer must have a dtype of qint8, got {watcher.dtype}")
        places = layer.kernel_size, layer.stride, layer.padding, layer.dilation, layer.groups
        made = cls(layer.in_channels, layer.out_channels, *places, layer.bias is not None, layer.padding_mode)
        made.set_weight_bias(_quantize_weight(layer.weight.float(), watcher), layer.bias)
        observer = getattr(mod, "activation_post_process", None)
        if observer is not None and observer.dtype is not torch.float:
            made.scale, made.zero_point = output_parameters(mod)
        return made

    @classmethod
    def _layer_and_observer(cls, mod: Any) -> tuple[Any, Any]:
        if not hasattr(mod, "weight_fake_quant"):
            check_float_module(cls, mod, (cls._FLOAT_MODULE,), type(mod))
            layer = mod[0] if isinstance(mod, nni._FusedModule) else mod
            return layer, layer.qconfig.weight()
        if not hasattr(mod, "activation_post_process"):
            raise AssertionError("Input QAT module must have observer attached")
        if type(mod) in cls._NNIQAT_CONV_BN_MODULES:
            norm = mod.bn
            statistics = norm.running_mean, norm.running_var, norm.eps, norm.weight, norm.bias
            mod.weight, mod.bias = fuse_conv_bn_weights(mod.weight, mod.bias, *statistics)
        return mod, mod.weight_fake_quant


class Conv1d(_ConvNd):
    """A quantized one-dim convolution of (N, C, L) with an int8 weight. `from_float` converts a float layer.

    Args:
      in_channels: the number of input channels.
      out_channels: the number of output channels.
      kernel_size: the size of the kernel.
      stride: the distance of the windows.
      padding: the padding on both sides of each dim.
      dilation: the distance of the kernel elements.
      groups: the number of channel groups.
      bias: add a bias, which stays in floating point.
      padding_mode: must be `"zeros"`.
      device: of the weight.
      dtype: not used, as in PyTorch.

    Raises:
      ValueError: the sizes do not fit.
      NotImplementedError: the padding mode is `"reflect"`.

    >>> import torchlike as torch
    >>> x = torch.quantize_per_tensor(torch.ones(1, 2, 4), 0.5, 0, torch.quint8)
    >>> torch.ao.nn.quantized.Conv1d(2, 3, 3)(x).shape
    torch.Size([1, 3, 2])
    """

    _DIMS = 1
    _FLOAT_MODULE = nn.Conv1d
    _NNIQAT_CONV_BN_MODULES = (nniqat.ConvBn1d, nniqat.ConvBnReLU1d)


class Conv2d(_ConvNd):
    """A quantized two-dim convolution of (N, C, H, W) with an int8 weight. `from_float` converts a float layer.

    Args:
      in_channels: the number of input channels.
      out_channels: the number of output channels.
      kernel_size: the size of the kernel.
      stride: the distance of the windows.
      padding: the padding on both sides of each dim.
      dilation: the distance of the kernel elements.
      groups: the number of channel groups.
      bias: add a bias, which stays in floating point.
      padding_mode: must be `"zeros"`.
      device: of the weight.
      dtype: not used, as in PyTorch.

    Raises:
      ValueError: the sizes do not fit.
      NotImplementedError: the padding mode is `"reflect"`.

    >>> import torchlike as torch
    >>> x = torch.quantize_per_tensor(torch.ones(1, 2, 4, 4), 0.5, 0, torch.quint8)
    >>> torch.ao.nn.quantized.Conv2d(2, 3, 3)(x).shape
    torch.Size([1, 3, 2, 2])
    """

    _DIMS = 2
    _FLOAT_MODULE = nn.Conv2d
    _NNIQAT_CONV_BN_MODULES = (nniqat.ConvBn2d, nniqat.ConvBnReLU2d)


class Conv3d(_ConvNd):
    """A quantized three-dim convolution of (N, C, D, H, W) with an int8 weight. `from_float` converts a float layer.

    Args:
      in_channels: the number of input channels.
      out_channels: the number of output channels.
      kernel_size: the size of the kernel.
      stride: the distance of the windows.
      padding: the padding on both sides of each dim.
      dilation: the distance of the kernel elements.
      groups: the number of channel groups.
      bias: add a bias, which stays in floating point.
      padding_mode: must be `"zeros"`.
      device: of the weight.
      dtype: not used, as in PyTorch.

    Raises:
      ValueError: the sizes do not fit.
      NotImplementedError: the padding mode is `"reflect"`.

    >>> import torchlike as torch
    >>> x = torch.quantize_per_tensor(torch.ones(1, 2, 4, 4, 4), 0.5, 0, torch.quint8)
    >>> torch.ao.nn.quantized.Conv3d(2, 3, 3)(x).shape
    torch.Size([1, 3, 2, 2, 2])
    """

    _DIMS = 3
    _FLOAT_MODULE = nn.Conv3d
    _NNIQAT_CONV_BN_MODULES = (nniqat.ConvBn3d, nniqat.ConvBnReLU3d)


class _ConvTransposeNd(_ConvNd):
    """The base class: a transposed convolution with an int8 weight. Its input and its result are quantized.

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
      ValueError: the sizes do not fit, or the padding mode is another one.
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        output_padding: Any = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Any = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        if padding_mode != "zeros":
            raise ValueError(f'Only "zeros" padding mode is supported for ConvTranspose{self._DIMS}d')
        places = kernel_size, stride, padding, dilation
        super().__init__(in_channels, out_channels, *places, groups, False, padding_mode, device, dtype)
        self.transposed = True
        self.output_padding = _ntuple(self._DIMS)(output_padding)
        shape = [in_channels, out_channels // groups, *self.kernel_size]
        weight = _empty_affine_quantized(shape, scale=1, zero_point=0, dtype=torch.qint8, device=device)
        self.set_weight_bias(weight, torch.zeros(out_channels, dtype=torch.float, device=device) if bias else None)

    def _get_name(self) -> str:
        return f"QuantizedConvTranspose{self._DIMS}d"

    def set_weight_bias(self, w: Any, b: Any) -> None:
        """Replace the weight and the bias.

        Args:
          w: a qint8 tensor (in, out / groups, ...), with one scale.
          b: (out,), float32, or None.
        """
        if not self.transposed:  # the base class makes a weight of another shape
            return
        pack = getattr(torch.ops.quantized, f"conv_transpose{self._DIMS}d_prepack")
        places = self.stride, self.padding, self.output_padding, self.dilation
        self._packed_params = pack(w, b, *places, self.groups)

    def forward(self, input: Any) -> Any:
        """Return the quantized transposed convolution.

        Args:
          input: a quantized tensor (N, C, ...).

        Raises:
          ValueError: `input` has another number of dims.
        """
        self._check_dims(input)
        convolve = getattr(torch.ops.quantized, f"conv_transpose{self._DIMS}d")
        return convolve(input, self._packed_params, self.scale, self.zero_point)

    @classmethod
    def from_float(cls, mod: Any, use_precomputed_fake_quant: bool = False) -> Any:
        """Return the quantized layer of a layer with observers.

        Args:
          mod: the float layer.
          use_precomputed_fake_quant: not used, as in PyTorch.

        Raises:
          AssertionError: `mod` is of another class, has no configuration, or its weight has another dtype than qint8.
        """
        kind = cls._FLOAT_MODULE
        if type(mod) is not kind:
            raise AssertionError(f" nnq.{cls.__name__}.from_float only works for {kind.__name__}")
        if not hasattr(mod, "qconfig"):
            raise AssertionError("Input float module must have qconfig defined.")
        watcher = mod.qconfig.weight()
        watcher(mod.weight)
        if watcher.dtype is not torch.qint8:
            raise AssertionError(f"Weight observer must have a dtype of qint8, got {watcher.dtype}")
        places = mod.kernel_size, mod.stride, mod.padding, mod.output_padding, mod.groups
        made = cls(mod.in_channels, mod.out_channels, *places, mod.bias is not None, mod.dilation, mod.padding_mode)
        made.set_weight_bias(_quantize_weight(mod.weight.float(), watcher), mod.bias)
        observer = getattr(mod, "activation_post_process", None)
        if observer is not None and observer.dtype is not torch.float:
            made.scale, made.zero_point = output_parameters(mod)
        return made


class ConvTranspose1d(_ConvTransposeNd):
    """A quantized one-dim transposed convolution of (N, C, L). `from_float` converts a float layer.

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
      ValueError: the sizes do not fit, or the padding mode is another one.

    >>> import torchlike as torch
    >>> x = torch.quantize_per_tensor(torch.ones(1, 2, 4), 0.5, 0, torch.quint8)
    >>> torch.ao.nn.quantized.ConvTranspose1d(2, 3, 3)(x).shape
    torch.Size([1, 3, 6])
    """

    _DIMS = 1
    _FLOAT_MODULE = nn.ConvTranspose1d


class ConvTranspose2d(_ConvTransposeNd):
    """A quantized two-dim transposed convolution of (N, C, H, W). `from_float` converts a float layer.

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
      ValueError: the sizes do not fit, or the padding mode is another one.

    >>> import torchlike as torch
    >>> x = torch.quantize_per_tensor(torch.ones(1, 2, 4, 4), 0.5, 0, torch.quint8)
    >>> torch.ao.nn.quantized.ConvTranspose2d(2, 3, 3)(x).shape
    torch.Size([1, 3, 6, 6])
    """

    _DIMS = 2
    _FLOAT_MODULE = nn.ConvTranspose2d


class ConvTranspose3d(_ConvTransposeNd):
    """A quantized three-dim transposed convolution of (N, C, D, H, W). `from_float` converts a float layer.

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
      ValueError: the sizes do not fit, or the padding mode is another one.

    >>> import torchlike as torch
    >>> x = torch.quantize_per_tensor(torch.ones(1, 2, 4, 4, 4), 0.5, 0, torch.quint8)
    >>> torch.ao.nn.quantized.ConvTranspose3d(2, 3, 3)(x).shape
    torch.Size([1, 3, 6, 6, 6])
    """

    _DIMS = 3
    _FLOAT_MODULE = nn.ConvTranspose3d
