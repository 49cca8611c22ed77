"""The linear layer with batch norm of quantization-aware training."""

from __future__ import annotations

from typing import Any

import torchlike as torch
from torchlike import nn
from torchlike.ao.nn import intrinsic as nni
from torchlike.ao.nn.intrinsic.qat.modules.norm_fused import _Normed, check, share, statistics_of
from torchlike.nn import functional as F
from torchlike.nn.utils import fuse_linear_bn_weights


class LinearBn1d(_Normed, nn.Linear):
    """A linear layer and batch norm, whose weight is rounded to quantized values.

    Args:
      in_features: the size of an input.
      out_features: the size of an output.
      bias: add a bias before the batch norm.
      eps: of the batch norm.
      momentum: of the batch norm.
      freeze_bn: use the running statistics in training too.
      qconfig: the configuration, whose `weight` makes the rounding module.

    Raises:
      AssertionError: there is no configuration.
    """

    _FLOAT_MODULE = nni.LinearBn1d

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        eps: float = 1e-05,
        momentum: float = 0.1,
        freeze_bn: bool = False,
        qconfig: Any = None,
    ) -> None:
        nn.Linear.__init__(self, in_features, out_features, bias)
        self._set_norm(nn.BatchNorm1d(out_features, eps, momentum, True, True), freeze_bn, qconfig)
        if bias:
            self.bias = nn.Parameter(torch.empty(out_features))
        self._set_mode(freeze_bn)

    def _product(self, input: Any, weight: Any, bias: Any) -> Any:
        return F.linear(input, weight, bias)

    def forward(self, input: Any) -> Any:
        """Return the batch norm of the product with the rounded weight."""
        return self._normed(input)

    @classmethod
    def from_float(cls, mod: Any, use_precomputed_fake_quant: bool = False) -> Any:
        """Return a module that shares the parameters of a fused float module.

        Args:
          mod: the float module, with a configuration.
          use_precomputed_fake_quant: not used.

        Raises:
          AssertionError: `mod` is of another class, or has no configuration.
        """
        check(cls, mod)
        layer, norm = mod[0], mod[1]
        sizes = layer.in_features, layer.out_features, layer.bias is not None
        return share(cls(*sizes, norm.eps, norm.momentum, False, mod.qconfig), layer, norm)

    def to_float(self) -> Any:
        """Return a float layer that includes the batch norm."""
        made = nn.Linear(self.in_features, self.out_features)
        made.weight, made.bias = fuse_linear_bn_weights(self.weight, self.bias, *statistics_of(self.bn))
        return made
