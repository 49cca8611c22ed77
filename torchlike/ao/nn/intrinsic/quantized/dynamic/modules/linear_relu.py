"""The linear layer with ReLU whose input is quantized at run time."""

from __future__ import annotations

from typing import Any

import torchlike as torch
from torchlike.ao.nn import intrinsic as nni
from torchlike.ao.nn.quantized import dynamic as nnqd

__all__ = ["LinearReLU"]


class LinearReLU(nnqd.Linear):
    """A linear layer with an int8 weight, and ReLU. Its input and its result are float tensors.

    Args:
      in_features: the size of an input.
      out_features: the size of an output.
      bias: add a bias, which stays in floating point.
      dtype: `torch.qint8`.

    >>> import torchlike as torch
    >>> torch.ao.nn.intrinsic.quantized.dynamic.LinearReLU(3, 2)(torch.ones(1, 3)).shape
    torch.Size([1, 2])
    """

    _FLOAT_MODULE = nni.LinearReLU

    def __init__(self, in_features: int, out_features: int, bias: bool = True, dtype: Any = torch.qint8) -> None:
        super().__init__(in_features, out_features, bias, dtype)

    def forward(self, x: Any) -> Any:
        """Return ReLU of the product. The activations use 7 bits."""
        made = torch.ops.quantized.linear_relu_dynamic(x, self._packed_params._packed_params, reduce_range=True)
        return made.to(x.dtype)

    def _get_name(self) -> str:
        return "DynamicQuantizedLinearReLU"
