"""Quantized linear layers with an activation. ReLU only raises the lowest level of the result, so it costs nothing."""

from __future__ import annotations

from typing import Any

import torchlike as torch
from torchlike.ao.nn import intrinsic as nni
from torchlike.ao.nn import quantized as nnq
from torchlike.ao.nn._refused import refused

__all__ = ["LinearReLU", "LinearLeakyReLU", "LinearTanh"]


class LinearReLU(nnq.Linear):
    """A quantized linear layer and ReLU.

    Args:
      in_features: the size of an input.
      out_features: the size of an output.
      bias: add a bias.
      dtype: `torch.qint8`.
    """

    _FLOAT_MODULE = nni.LinearReLU

    def __init__(self, in_features: int, out_features: int, bias: bool = True, dtype: Any = torch.qint8) -> None:
        super().__init__(in_features, out_features, bias, dtype)

    def forward(self, x: Any) -> Any:
        """Return ReLU of the quantized product."""
        return torch.ops.quantized.linear_relu(x, self._packed_params._packed_params, self.scale, self.zero_point)

    def _get_name(self) -> str:
        return "QuantizedLinearReLU"


LinearLeakyReLU = refused("LinearLeakyReLU", "torch.ao.nn.intrinsic.quantized")
LinearTanh = refused("LinearTanh", "torch.ao.nn.intrinsic.quantized")
