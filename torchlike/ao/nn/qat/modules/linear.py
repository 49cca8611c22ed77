"""The linear layer of quantization-aware training."""

from __future__ import annotations

from typing import Any

from torchlike import nn
from torchlike._errors import arguments
from torchlike.ao.nn.intrinsic import LinearReLU
from torchlike.nn import functional as F
from torchlike.nn.utils.parametrize import is_parametrized, type_before_parametrizations


class Linear(nn.Linear):
    """A linear layer whose weight is rounded to quantized values.

    Args:
      in_features: the size of an input.
      out_features: the size of an output.
      bias: add a bias.
      qconfig: the configuration, whose `weight` makes the rounding module.
      device: of the parameters.
      dtype: of the parameters.

    Raises:
      AssertionError: there is no configuration.
    """

    _FLOAT_MODULE: Any = nn.Linear

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        qconfig: Any = None,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        made = {"device": device, "dtype": dtype}
        super().__init__(in_features, out_features, bias, **made)
        if not qconfig:
            raise AssertionError("qconfig must be provided for QAT module")
        self.qconfig = qconfig
        self.weight_fake_quant = qconfig.weight(factory_kwargs=made)

    def forward(self, input: Any) -> Any:
        """Return the product with the rounded weight."""
        return F.linear(input, self.weight_fake_quant(self.weight), self.bias)

    @classmethod
    def from_float(cls, mod: Any, use_precomputed_fake_quant: bool = False) -> Any:
        """Return a layer that shares the parameters of a float layer.

        Args:
          mod: the float layer, with a configuration.
          use_precomputed_fake_quant: not used.

        Raises:
          AssertionError: `mod` is of another class, or has no configuration.
        """
        kind = type_before_parametrizations(mod)
        if kind != cls._FLOAT_MODULE:
            raise AssertionError(
                f"qat.{cls.__name__}.from_float only works for {cls._FLOAT_MODULE.__name__}, got {kind.__name__}"
            )
        check_configured(mod)
        mod = mod[0] if kind == LinearReLU else mod
        if is_parametrized(mod):
            raise arguments.unsupported(f"qat.{cls.__name__}.from_float", "mod with parametrizations")
        made = cls(mod.in_features, mod.out_features, bias=mod.bias is not None, qconfig=mod.qconfig)
        made.weight = mod.weight
        made.bias = mod.bias
        return made

    def to_float(self) -> Any:
        """Return a float layer with the same parameters."""
        made = nn.Linear(self.in_features, self.out_features, self.bias is not None)
        made.weight = nn.Parameter(self.weight.detach())
        if self.bias is not None:
            made.bias = nn.Parameter(self.bias.detach())
        made.train(self.training)
        return made


def check_configured(mod: Any) -> None:
    """Raise if a module has no configuration."""
    if not hasattr(mod, "qconfig"):
        raise AssertionError("Input float module must have qconfig defined")
    if not mod.qconfig:
        raise AssertionError("Input float module must have a valid qconfig")
