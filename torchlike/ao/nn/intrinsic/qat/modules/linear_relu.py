"""The linear layer with ReLU of quantization-aware training."""

from __future__ import annotations

from typing import Any

from torchlike import nn
from torchlike.ao.nn import intrinsic as nni
from torchlike.ao.nn import qat as nnqat
from torchlike.nn import functional as F

__all__ = ["LinearReLU"]


class LinearReLU(nnqat.Linear, nni._FusedModule):
    """A linear layer and ReLU, whose weight is rounded to quantized values.

    Args:
      in_features: the size of an input.
      out_features: the size of an output.
      bias: add a bias.
      qconfig: the configuration, whose `weight` makes the rounding module.
    """

    _FLOAT_MODULE = nni.LinearReLU

    def __init__(self, in_features: int, out_features: int, bias: bool = True, qconfig: Any = None) -> None:
        super().__init__(in_features, out_features, bias, qconfig)

    def forward(self, input: Any) -> Any:
        """Return ReLU of the product with the rounded weight."""
        return F.relu(super().forward(input))

    def to_float(self) -> Any:
        """Return a float layer with the same parameters, and ReLU."""
        made = super().to_float()
        made.train(True)
        return nni.LinearReLU(made, nn.ReLU())
