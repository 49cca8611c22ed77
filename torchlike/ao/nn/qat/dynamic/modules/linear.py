"""The linear layer of quantization-aware training for dynamic quantization."""

from __future__ import annotations

from typing import Any

import torchlike as torch
from torchlike.ao.nn import qat as nnqat

__all__ = ["Linear"]


class Linear(nnqat.Linear):
    """A linear layer whose weight is rounded, for a model whose activations are quantized at run time.

    Args:
      in_features: the size of an input.
      out_features: the size of an output.
      bias: add a bias.
      qconfig: the configuration. Its observer of activations must be dynamic and memoryless.
      device: of the parameters.
      dtype: of the parameters.

    Raises:
      ValueError: the observer of activations is of another kind.
    """

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        qconfig: Any = None,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(in_features, out_features, bias, qconfig, device, dtype)
        if not torch.ao.quantization.qconfig._activation_is_memoryless(qconfig):
            raise ValueError(
                "Dynamic QAT requires a memoryless observer."
                "This means a MovingAverage observer with averaging constant equal to 1"
            )
