"""Layer, group and instance norm of quantized tensors."""

from __future__ import annotations

from typing import Any

import torchlike as torch
from torchlike import nn
from torchlike.ao.nn.quantized.modules.utils import output_parameters

__all__ = ["LayerNorm", "GroupNorm", "InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d"]


def _fill(self: Any, weight: Any, bias: Any, scale: float, zero_point: int, made: dict[str, Any]) -> None:
    """Set the parameters of a norm, and those of its result."""
    self.weight = weight
    self.bias = bias
    self.register_buffer("scale", torch.tensor(scale, **made))
    self.register_buffer("zero_point", torch.tensor(zero_point, **made))


class LayerNorm(nn.LayerNorm):
    """Layer norm of a quantized tensor.

    Args:
      normalized_shape: the sizes of the last dims.
      weight: the factors, or None.
      bias: the summands, or None.
      scale: the scale of the result.
      zero_point: the zero point of the result.
      eps: added to the variance.
      elementwise_affine: is only shown.
      device: of the buffers.
      dtype: of the buffers.

    >>> import torchlike as torch
    >>> x = torch.quantize_per_tensor(torch.tensor([[1.0, 3.0]]), 0.5, 0, torch.quint8)
    >>> torch.ao.nn.quantized.LayerNorm([2], None, None, 0.5, 100)(x).dequantize()
    tensor([[-1.,  1.]])
    """

    def __init__(
        self,
        normalized_shape: Any,
        weight: Any,
        bias: Any,
        scale: float,
        zero_point: int,
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        made = {"device": device, "dtype": dtype}
        super().__init__(normalized_shape, eps=eps, elementwise_affine=elementwise_affine, **made)
        _fill(self, weight, bias, scale, zero_point, made)

    def forward(self, input: Any) -> Any:
        """Return the quantized result."""
        given = self.normalized_shape, self.weight, self.bias, self.eps
        return torch.ops.quantized.layer_norm(input, *given, float(self.scale), int(self.zero_point))

    def _get_name(self) -> str:
        return "QuantizedLayerNorm"

    @classmethod
    def from_float(cls, mod: Any, use_precomputed_fake_quant: bool = False) -> Any:
        """Return the module for a `LayerNorm` with an observer.

        Args:
          mod: the float module.
          use_precomputed_fake_quant: not used.
        """
        given = mod.weight, mod.bias, *output_parameters(mod)
        return cls(mod.normalized_shape, *given, mod.eps, mod.elementwise_affine)


class GroupNorm(nn.GroupNorm):
    """Group norm of a quantized tensor.

    Args:
      num_groups: the number of groups.
      num_channels: the number of channels.
      weight: the factors, or None.
      bias: the summands, or None.
      scale: the scale of the result.
      zero_point: the zero point of the result.
      eps: added to the variance.
      affine: is only shown.
      device: of the buffers.
      dtype: of the buffers.

    >>> import torchlike as torch
    >>> x = torch.quantize_per_tensor(torch.tensor([[1.0, 3.0]]), 0.5, 0, torch.quint8)
    >>> torch.ao.nn.quantized.GroupNorm(1, 2, None, None, 0.5, 100)(x).dequantize()
    tensor([[-1.,  1.]])
    """

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        weight: Any,
        bias: Any,
        scale: float,
        zero_point: int,
        eps: float = 1e-5,
        affine: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        made = {"device": device, "dtype": dtype}
        super().__init__(num_groups, num_channels, eps, affine, **made)
        _fill(self, weight, bias, scale, zero_point, made)

    def forward(self, input: Any) -> Any:
        """Return the quantized result."""
        given = self.num_groups, self.weight, self.bias, self.eps
        return torch.ops.quantized.group_norm(input, *given, float(self.scale), int(self.zero_point))

    def _get_name(self) -> str:
        return "QuantizedGroupNorm"

    @classmethod
    def from_float(cls, mod: Any, use_precomputed_fake_quant: bool = False) -> Any:
        """Return the module for a `GroupNorm` with an observer.

        Args:
          mod: the float module.
          use_precomputed_fake_quant: not used.
        """
        given = mod.weight, mod.bias, *output_parameters(mod)
        return cls(mod.num_groups, mod.num_channels, *given, mod.eps, mod.affine)


class _InstanceNorm(nn.Module):
    """What the instance norms share. A subclass also derives from the float layer.

    Args:
      num_features: the number of channels.
      weight: the factors, or None.
      bias: the summands, or None.
      scale: the scale of the result.
      zero_point: the zero point of the result.
      eps: added to the variance.
      momentum: not used, as there are no running statistics.
      affine: is only shown.
      track_running_stats: not used.
      device: of the buffers.
      dtype: of the buffers.
    """

    def __init__(
        self,
        num_features: int,
        weight: Any,
        bias: Any,
        scale: float,
        zero_point: int,
        eps: float = 1e-5,
        momentum: float = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        made = {"device": device, "dtype": dtype}
        rest: dict[str, Any] = {"affine": affine, "track_running_stats": track_running_stats, **made}
        super().__init__(num_features, eps, momentum, **rest)
        _fill(self, weight, bias, scale, zero_point, made)

    def forward(self, input: Any) -> Any:
        """Return the quantized result."""
        layer: Any = self
        given = layer.weight, layer.bias, layer.eps, float(layer.scale), int(layer.zero_point)
        return torch.ops.quantized.instance_norm(input, *given)

    def _get_name(self) -> str:
        return f"Quantized{type(self).__name__}"

    @classmethod
    def from_float(cls, mod: Any, use_precomputed_fake_quant: bool = False) -> Any:
        """Return the module for an instance norm with an observer. As in PyTorch, `momentum` becomes `mod.affine`.

        Args:
          mod: the float module.
          use_precomputed_fake_quant: not used.
        """
        return cls(mod.num_features, mod.weight, mod.bias, *output_parameters(mod), mod.eps, mod.affine)


class InstanceNorm1d(_InstanceNorm, nn.InstanceNorm1d):
    """Instance norm of a quantized tensor (N, C, L).

    Args:
      num_features: the number of channels.
      weight: the factors, or None.
      bias: the summands, or None.
      scale: the scale of the result.
      zero_point: the zero point of the result.
      eps: added to the variance.
      momentum: not used, as there are no running statistics.
      affine: is only shown.
      track_running_stats: not used.
      device: of the buffers.
      dtype: of the buffers.
    """


class InstanceNorm2d(_InstanceNorm, nn.InstanceNorm2d):
    """Instance norm of a quantized tensor (N, C, H, W).

    Args:
      num_features: the number of channels.
      weight: the factors, or None.
      bias: the summands, or None.
      scale: the scale of the result.
      zero_point: the zero point of the result.
      eps: added to the variance.
      momentum: not used, as there are no running statistics.
      affine: is only shown.
      track_running_stats: not used.
      device: of the buffers.
      dtype: of the buffers.
    """


class InstanceNorm3d(_InstanceNorm, nn.InstanceNorm3d):
    """Instance norm of a quantized tensor (N, C, D, H, W).

    Args:
      num_features: the number of channels.
      weight: the factors, or None.
      bias: the summands, or None.
      scale: the scale of the result.
      zero_point: the zero point of the result.
      eps: added to the variance.
      momentum: not used, as there are no running statistics.
      affine: is only shown.
      track_running_stats: not used.
      device: of the buffers.
      dtype: of the buffers.
    """
