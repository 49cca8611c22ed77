"""What layers with a fused batch norm share: the norm, its modes, and the rounding of the scaled weight.

The weight is scaled by the running statistics before it is rounded, and the result is scaled back before the batch
norm (Krishnamoorthi, "Quantizing deep convolutional networks for efficient inference", 2018, section 3.2.2).
"""

from __future__ import annotations

from typing import Any

import torchlike as torch
from torchlike.ao.nn.intrinsic import _FusedModule
from torchlike.ao.nn.qat.modules.linear import check_configured
from torchlike.nn import init


class _Normed(_FusedModule):
    """The base class of layers with a fused batch norm."""

    weight: Any
    bias: Any
    bn: Any

    def _set_norm(self, norm: Any, freeze_bn: bool, qconfig: Any) -> None:
        if not qconfig:
            raise AssertionError("qconfig must be provided for QAT module")
        self.qconfig = qconfig
        self.freeze_bn = freeze_bn if self.training else True
        self.bn = norm
        self.weight_fake_quant = qconfig.weight()

    def _set_mode(self, freeze_bn: bool) -> None:
        self.reset_bn_parameters()
        if self.training and not freeze_bn:
            self.update_bn_stats()
        else:
            self.freeze_bn_stats()

    def reset_running_stats(self) -> None:
        """Reset the running statistics."""
        self.bn.reset_running_stats()

    def reset_bn_parameters(self) -> None:
        """Re-initialize the parameters of the batch norm."""
        self.bn.reset_running_stats()
        init.uniform_(self.bn.weight)
        init.zeros_(self.bn.bias)

    def update_bn_stats(self) -> Any:
        """Let the batch norm use and update its statistics. Return the module."""
        self.freeze_bn = False
        self.bn.training = True
        return self

    def freeze_bn_stats(self) -> Any:
        """Let the batch norm use its running statistics as they are. Return the module."""
        self.freeze_bn = True
        self.bn.training = False
        return self

    def train(self, mode: bool = True) -> Any:
        """Set the training mode. A frozen batch norm keeps its own.

        Args:
          mode: True for training.
        """
        self.training = mode
        if not self.freeze_bn:
            for module in self.children():
                module.train(mode)
        return self

    def _normed(self, input: Any) -> Any:
        """Return the batch norm of the product with the rounded, scaled weight."""
        factor = self.bn.weight / torch.sqrt(self.bn.running_var + self.bn.eps)  # (out,)
        ones = [1] * (self.weight.dim() - 1)
        scaled = self.weight_fake_quant(self.weight * factor.reshape([-1, *ones]))
        zeros = torch.zeros(scaled.shape[0], device=scaled.device, dtype=input.dtype)
        channels = [1, -1, *ones[1:]]
        found = self._product(input, scaled, zeros) / factor.reshape(channels)
        if self.bias is not None:
            found = found + self.bias.reshape(channels)
        return self.bn(found)

    def _product(self, input: Any, weight: Any, bias: Any) -> Any:
        raise NotImplementedError


def share(made: Any, layer: Any, norm: Any) -> Any:
    """Let a module share the parameters and statistics of a float layer and its batch norm. Return the module."""
    made.weight = layer.weight
    made.bias = layer.bias
    for name in ("weight", "bias", "running_mean", "running_var", "num_batches_tracked"):
        setattr(made.bn, name, getattr(norm, name))
    return made


def statistics_of(norm: Any) -> tuple[Any, ...]:
    """Return the statistics and parameters of a batch norm as the functions of `torch.nn.utils.fusion` take them."""
    return norm.running_mean, norm.running_var, norm.eps, norm.weight, norm.bias


def check(cls: Any, mod: Any) -> None:
    """Raise if `mod` is not the float module of a class, or has no configuration."""
    if type(mod) is not cls._FLOAT_MODULE:
        raise AssertionError(f"qat.{cls.__name__}.from_float only works for {cls._FLOAT_MODULE.__name__}")
    check_configured(mod)
