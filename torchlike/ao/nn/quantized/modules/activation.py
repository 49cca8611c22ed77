"""Quantized activations, and dropout, which is the identity."""

from __future__ import annotations

from typing import Any

import torchlike as torch
from torchlike import nn
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


class Dropout(nn.Dropout):
    """Return a quantized tensor unchanged.

    Args:
      p: the probability in training.
      inplace: not used.
    """

    def forward(self, input: Any) -> Any:
        """Return `input`."""
        return input

    def _get_name(self) -> str:
        return "QuantizedDropout"

    @classmethod
    def from_float(cls, mod: Any, use_precomputed_fake_quant: bool = False) -> Any:
        """Return the module for a `Dropout`.

        Args:
          mod: the float module.
          use_precomputed_fake_quant: not used.
        """
        return cls(mod.p, mod.inplace)
