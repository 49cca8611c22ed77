"""Dropout of a quantized tensor, which is the identity."""

from __future__ import annotations

from typing import Any

from torchlike import nn

__all__ = ["Dropout"]


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
