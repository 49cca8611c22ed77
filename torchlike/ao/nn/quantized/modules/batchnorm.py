"""Quantized batch norm with running statistics."""

from __future__ import annotations

from typing import Any

import torchlike as torch
from torchlike.ao.nn import intrinsic as nni
from torchlike.nn.modules import batchnorm


class _BatchNorm(batchnorm._BatchNorm):
    """The base class: batch norm of a quantized tensor, with running statistics.

    Args:
      num_features: the number of channels.
      eps: added to the variance.
      momentum: not used, as there is no training.
      device: of the parameters.
      dtype: of the parameters.
    """

    _DIMS: int
    _NNI_BN_RELU_MODULE: Any
    _HAS_RELU = False

    def __init__(
        self, num_features: int, eps: float = 1e-5, momentum: float = 0.1, device: Any = None, dtype: Any = None
    ) -> None:
        made = {"device": device, "dtype": dtype}
        super().__init__(num_features, eps, momentum, True, True, **made)
        self.register_buffer("scale", torch.tensor(1.0, **made))
        self.register_buffer("zero_point", torch.tensor(0, **made))

    def _get_name(self) -> str:
        return f"Quantized{'BNReLU' if self._HAS_RELU else 'BatchNorm'}{self._DIMS}d"

    def forward(self, input: Any) -> Any:
        """Return the quantized result."""
        norm = getattr(torch.ops.quantized, f"batch_norm{self._DIMS}d{'_relu' if self._HAS_RELU else ''}")
        statistics = self.weight, self.bias, self.running_mean, self.running_var, self.eps
        return norm(input, *statistics, self.scale, self.zero_point)

    @classmethod
    def from_float(cls, mod: Any, use_precomputed_fake_quant: bool = False) -> Any:
        """Return the module for a batch norm with an observer.

        Args:
          mod: the float module.
          use_precomputed_fake_quant: not used.
        """
        scale, zero_point = mod.activation_post_process.calculate_qparams()
        layer = mod[0] if type(mod) is cls._NNI_BN_RELU_MODULE else mod
        made = cls(layer.num_features, layer.eps)
        for name in ("weight", "bias", "running_mean", "running_var"):
            setattr(made, name, getattr(layer, name))
        made.scale, made.zero_point = scale, zero_point
        return made


class BatchNorm2d(_BatchNorm):
    """Batch norm of quantized images (N, C, H, W), with running statistics.

    Args:
      num_features: the number of channels.
      eps: added to the variance.
      momentum: not used, as there is no training.
      device: of the parameters.
      dtype: of the parameters.
    """

    _DIMS = 2
    _NNI_BN_RELU_MODULE = nni.BNReLU2d


class BatchNorm3d(_BatchNorm):
    """Batch norm of quantized volumes (N, C, D, H, W), with running statistics.

    Args:
      num_features: the number of channels.
      eps: added to the variance.
      momentum: not used, as there is no training.
      device: of the parameters.
      dtype: of the parameters.
    """

    _DIMS = 3
    _NNI_BN_RELU_MODULE = nni.BNReLU3d
