"""Quantized activations."""

from __future__ import annotations

from typing import Any

import torchlike as torch
from torchlike import nn
from torchlike._errors.warned import warn
from torchlike.ao.nn._refused import refused
from torchlike.ao.nn.quantized.modules.utils import output_parameters


class ReLU6(nn.ReLU):
    """Clamp a quantized tensor to [0, 6].

    Args:
      inplace: overwrite the input.

    >>> import torchlike as torch
    >>> x = torch.quantize_per_tensor(torch.tensor([-1.0, 9.0]), 0.5, 4, torch.quint8)
    >>> torch.ao.nn.quantized.ReLU6()(x).dequantize()
    tensor([0., 6.])
    """

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.inplace = inplace

    def forward(self, input: Any) -> Any:
        """Return the clamped tensor."""
        return torch.ops.quantized.relu6(input, self.inplace)

    def _get_name(self) -> str:
        return "QuantizedReLU6"

    @staticmethod
    def from_float(mod: Any, use_precomputed_fake_quant: bool = False) -> Any:
        """Return the module for a `ReLU6`.

        Args:
          mod: the float module.
          use_precomputed_fake_quant: not used.
        """
        return ReLU6(mod.inplace)


class Hardswish(nn.Hardswish):
    """Return x clip(x + 3, 0, 6) / 6 of a quantized tensor.

    Args:
      scale: the scale of the result.
      zero_point: the zero point of the result.
      device: of the buffers.
      dtype: of the buffers.
    """

    def __init__(self, scale: float, zero_point: int, device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        self.register_buffer("scale", torch.tensor(scale, device=device, dtype=dtype))
        self.register_buffer("zero_point", torch.tensor(zero_point, device=device, dtype=dtype))

    def forward(self, input: Any) -> Any:
        """Return the quantized result."""
        return torch.ops.quantized.hardswish(input, float(self.scale), int(self.zero_point))

    def _get_name(self) -> str:
        return "QuantizedHardswish"

    @staticmethod
    def from_float(mod: Any, use_precomputed_fake_quant: bool = False) -> Any:
        """Return the module for a `Hardswish` with an observer.

        Args:
          mod: the float module.
          use_precomputed_fake_quant: not used.
        """
        return Hardswish(*output_parameters(mod))


class LeakyReLU(nn.LeakyReLU):
    """Return the leaky ReLU of a quantized tensor.

    Args:
      scale: the scale of the result.
      zero_point: the zero point of the result.
      negative_slope: the factor of negative numbers.
      inplace: overwrite the input.
      device: of the buffers.
      dtype: of the buffers.
    """

    def __init__(
        self,
        scale: float,
        zero_point: int,
        negative_slope: float = 1e-2,
        inplace: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(negative_slope, inplace)
        self.register_buffer("scale", torch.tensor(scale, device=device, dtype=dtype))
        self.register_buffer("zero_point", torch.tensor(zero_point, device=device, dtype=dtype))

    def forward(self, input: Any) -> Any:
        """Return the quantized result."""
        ends = float(self.scale), int(self.zero_point)
        return torch.ops.quantized.leaky_relu(input, self.negative_slope, self.inplace, *ends)

    def _get_name(self) -> str:
        return "QuantizedLeakyReLU"

    @classmethod
    def from_float(cls, mod: Any, use_precomputed_fake_quant: bool = False) -> Any:
        """Return the module for a `LeakyReLU` with an observer.

        Args:
          mod: the float module.
          use_precomputed_fake_quant: not used.
        """
        return cls(*output_parameters(mod), mod.negative_slope, mod.inplace)


class ELU(nn.ELU):
    """Return the ELU of a quantized tensor.

    Args:
      scale: the scale of the result.
      zero_point: the zero point of the result.
      alpha: the limit for negative numbers, negated.

    >>> import torchlike as torch
    >>> x = torch.quantize_per_tensor(torch.tensor([-9.0, 2.0]), 0.1, 100, torch.quint8)
    >>> torch.ao.nn.quantized.ELU(0.5, 2)(x).dequantize()
    tensor([-1.,  2.])
    """

    def __init__(self, scale: float, zero_point: int, alpha: float = 1.0) -> None:
        super().__init__(alpha)
        self.scale = scale
        self.zero_point = zero_point

    def forward(self, input: Any) -> Any:
        """Return the quantized result."""
        return torch.ops.quantized.elu(input, self.scale, self.zero_point, self.alpha)

    def _get_name(self) -> str:
        return "QuantizedELU"

    @staticmethod
    def from_float(mod: Any, use_precomputed_fake_quant: bool = False) -> Any:
        """Return the module for an `ELU` with an observer.

        Args:
          mod: the float module.
          use_precomputed_fake_quant: not used.
        """
        return ELU(*output_parameters(mod), mod.alpha)


class Sigmoid(nn.Sigmoid):
    """Return the sigmoid of a quantized tensor.

    Args:
      output_scale: the scale of the result.
      output_zero_point: the zero point of the result.

    >>> import torchlike as torch
    >>> x = torch.quantize_per_tensor(torch.tensor([0.0, 9.0]), 0.1, 100, torch.quint8)
    >>> torch.ao.nn.quantized.Sigmoid(0.25, 0)(x).dequantize()
    tensor([0.5000, 1.0000])
    """

    def __init__(self, output_scale: float, output_zero_point: int) -> None:
        super().__init__()
        self.output_scale = output_scale
        self.output_zero_point = output_zero_point

    def forward(self, input: Any) -> Any:
        """Return the quantized result."""
        return torch.ops.quantized.sigmoid(input, self.output_scale, self.output_zero_point)

    @classmethod
    def from_float(cls, mod: Any, use_precomputed_fake_quant: bool = False) -> Any:
        """Return the module for a `Sigmoid` with an observer.

        Args:
          mod: the float module.
          use_precomputed_fake_quant: not used.
        """
        return cls(*output_parameters(mod))


class Softmax(nn.Softmax):
    """Return the softmax of a quantized tensor.

    Args:
      dim: the dim whose results sum to 1.
      scale: the scale of the result.
      zero_point: the zero point of the result.

    >>> import torchlike as torch
    >>> x = torch.quantize_per_tensor(torch.tensor([1.0, 1.0]), 0.1, 100, torch.quint8)
    >>> torch.ao.nn.quantized.Softmax(0, 0.25, 0)(x).dequantize()
    tensor([0.5000, 0.5000])
    """

    def __init__(self, dim: int | None = None, scale: float = 1.0, zero_point: int = 0) -> None:
        super().__init__()
        self.dim = dim
        self.scale = scale
        self.zero_point = zero_point

    def forward(self, input: Any) -> Any:
        """Return the quantized result. Without a dim, it is 0 or 1, by the number of dims, with a warning."""
        dim = self.dim if self.dim is not None else nn.functional._get_softmax_dim("softmax", input.dim(), 3)
        return torch.ops.quantized.softmax(input, dim, self.scale, self.zero_point)

    def _get_name(self) -> str:
        return "QuantizedSoftmax"

    @staticmethod
    def from_float(mod: Any, use_precomputed_fake_quant: bool = False) -> Any:
        """Return the module for a `Softmax` with an observer.

        Args:
          mod: the float module.
          use_precomputed_fake_quant: not used.
        """
        return Softmax(mod.dim, *output_parameters(mod))


class PReLU(nn.Module):
    """Return the PReLU of a quantized tensor, with quantized slopes.

    Args:
      output_scale: the scale of the result.
      output_zero_point: the zero point of the result.
      num_parameters: the number of slopes, 1 or that of the channels.

    >>> import torchlike as torch
    >>> layer = torch.ao.nn.quantized.PReLU(0.5, 10)
    >>> layer.set_weight(torch.quantize_per_tensor(torch.tensor([0.5]), 0.01, 0, torch.quint8))
    >>> x = torch.quantize_per_tensor(torch.tensor([-2.0, 2.0]), 0.5, 100, torch.quint8)
    >>> layer(x).dequantize()
    tensor([-1.,  2.])
    """

    def __init__(self, output_scale: float, output_zero_point: int, num_parameters: int = 1) -> None:
        super().__init__()
        self.num_parameters = num_parameters
        self.scale = output_scale
        self.zero_point = output_zero_point
        slopes = torch.randn(num_parameters, dtype=torch.float)
        self.set_weight(torch.quantize_per_tensor(slopes, scale=1.0, zero_point=0, dtype=torch.quint8))

    def set_weight(self, w: Any) -> None:
        """Replace the slopes.

        Args:
          w: a quint8 tensor (num_parameters,).
        """
        self.weight = w

    def forward(self, input: Any) -> Any:
        """Return the quantized result."""
        return torch.ops.quantized.prelu(input, self.weight, self.scale, self.zero_point)

    def _get_name(self) -> str:
        return "QuantizedPReLU"

    @classmethod
    def from_float(cls, mod: Any, use_precomputed_fake_quant: bool = False) -> Any:
        """Return the module for a `PReLU` with an observer.

        Args:
          mod: the float module.
          use_precomputed_fake_quant: not used.
        """
        made = cls(*output_parameters(mod), mod.num_parameters)
        slopes, watcher = mod.weight.float(), mod.qconfig.weight()
        watcher(slopes)
        if watcher.dtype is not torch.quint8:
            warn(f"PReLU's weight observer should have dtype quint8 but got {watcher.dtype}")
        scale, zero_point = watcher.calculate_qparams()
        made.set_weight(torch.quantize_per_tensor(slopes, float(scale), int(zero_point), torch.quint8))
        return made


MultiheadAttention = refused("MultiheadAttention")
