"""The modules that quantize the input of a converted model and dequantize its output."""

from __future__ import annotations

from typing import Any

import torchlike as torch
from torchlike import nn


class Quantize(nn.Module):
    """Quantize the input.

    Args:
      scale: the distance between neighboring values.
      zero_point: the integer that stands for 0.
      dtype: the quantized dtype.
      factory_kwargs: `device` and `dtype` of the buffers.

    >>> import torchlike as torch
    >>> torch.ao.nn.quantized.Quantize(0.5, 1, torch.quint8)(torch.ones(2)).int_repr()
    tensor([3, 3], dtype=torch.uint8)
    """

    def __init__(self, scale: float, zero_point: int, dtype: Any, factory_kwargs: Any = None) -> None:
        super().__init__()
        given = factory_kwargs or {}
        self.register_buffer("scale", torch.tensor([scale], **given))
        whole = {name: value for name, value in given.items() if name != "dtype"}
        self.register_buffer("zero_point", torch.tensor([zero_point], dtype=torch.long, **whole))
        self.dtype = dtype

    def forward(self, X: Any) -> Any:
        """Return `X`, quantized."""
        return torch.quantize_per_tensor(X, float(self.scale), int(self.zero_point), self.dtype)

    @staticmethod
    def from_float(mod: Any, use_precomputed_fake_quant: bool = False) -> Any:
        """Return the module for a `QuantStub` with an observer.

        Args:
          mod: the stub.
          use_precomputed_fake_quant: not used.

        Raises:
          AssertionError: the stub has no observer.
        """
        if not hasattr(mod, "activation_post_process"):
            raise AssertionError(f"Module {type(mod).__name__} must have activation_post_process attribute")
        scale, zero_point = mod.activation_post_process.calculate_qparams()
        return Quantize(scale.float().item(), zero_point.long().item(), mod.activation_post_process.dtype)

    def extra_repr(self) -> str:
        """Return the parameters."""
        return f"scale={self.scale}, zero_point={self.zero_point}, dtype={self.dtype}"


class DeQuantize(nn.Module):
    """Return the real numbers of a quantized input.

    Args:
      *args, **kwargs: must be empty.

    >>> import torchlike as torch
    >>> x = torch.quantize_per_tensor(torch.ones(2), 0.5, 1, torch.quint8)
    >>> torch.ao.nn.quantized.DeQuantize()(x)
    tensor([1., 1.])
    """

    def forward(self, Xq: Any) -> Any:
        """Return the real numbers of `Xq`."""
        return Xq.dequantize()

    @staticmethod
    def from_float(mod: Any, use_precomputed_fake_quant: bool = False) -> Any:
        """Return the module for a `DeQuantStub`.

        Args:
          mod: the stub.
          use_precomputed_fake_quant: not used.
        """
        return DeQuantize()
