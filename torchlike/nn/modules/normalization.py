"""Layer, RMS, group and local response normalization."""

from __future__ import annotations

import numbers
from typing import Any, TypeAlias

import torchlike
from torchlike import Tensor
from torchlike.nn import _errors_layers as _errors
from torchlike.nn import functional as F
from torchlike.nn import init
from torchlike.nn.modules.module import Module
from torchlike.nn.parameter import Parameter

__all__ = ["LocalResponseNorm", "CrossMapLRN2d", "LayerNorm", "GroupNorm", "RMSNorm"]


_shape_t: TypeAlias = int | list[int] | torchlike.Size  # other projects import it


def _as_shape(normalized_shape: Any) -> tuple[Any, ...]:
    return (normalized_shape,) if isinstance(normalized_shape, numbers.Integral) else tuple(normalized_shape)


class LayerNorm(Module):
    """Layer norm over the last dimensions: (x - mean) / sqrt(var + eps) · weight + bias.

    The variance is the biased estimate. `weight` is initialized to 1 and `bias` to 0.

    Args:
      normalized_shape: the sizes of the last dimensions, over which the layer normalizes.
      eps: is added to the variance.
      elementwise_affine: give the layer a weight and a bias of this shape.
      bias: if False, leave out the bias.
      device, dtype: of the parameters. The defaults are the current default device and dtype.

    Raises:
      RuntimeError: the last dimensions of the input have other sizes. The call raises this.

    >>> import torchlike as torch
    >>> torch.nn.LayerNorm(10)
    LayerNorm((10,), eps=1e-05, elementwise_affine=True, bias=True)
    """

    __constants__ = ["normalized_shape", "eps", "elementwise_affine"]

    def __init__(
        self,
        normalized_shape: int | list[int] | tuple[int, ...],
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.normalized_shape = _as_shape(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        for name, wanted in (("weight", elementwise_affine), ("bias", elementwise_affine and bias)):
            empty = torchlike.empty(self.normalized_shape, device=device, dtype=dtype) if wanted else None
            self.register_parameter(name, None if empty is None else Parameter(empty))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Set the weight to 1 and the bias to 0."""
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)

    def forward(self, input: Tensor) -> Tensor:
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return (
            f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}, "
            f"bias={self.bias is not None}"
        )


class RMSNorm(Module):
    """Root mean square norm over the last dimensions: x / sqrt(mean(x²) + eps) · weight.

    Args:
      normalized_shape: the sizes of the last dimensions, over which the layer normalizes.
      eps: is added to the mean square. The default is the machine epsilon of the dtype.
      elementwise_affine: give the layer a weight of this shape, initialized to 1.
      device, dtype: of the parameters. The defaults are the current default device and dtype.

    Raises:
      RuntimeError: the last dimensions of the input have other sizes. The call raises this.

    >>> import torchlike as torch
    >>> torch.nn.RMSNorm(2, eps=0.0)(torch.tensor([3.0, 3.0])).tolist()
    [1.0, 1.0]
    """

    __constants__ = ["normalized_shape", "eps", "elementwise_affine"]

    def __init__(
        self,
        normalized_shape: int | list[int] | tuple[int, ...],
        eps: float | None = None,
        elementwise_affine: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.normalized_shape = _as_shape(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        if elementwise_affine:
            self.weight = Parameter(torchlike.empty(self.normalized_shape, device=device, dtype=dtype))
        else:
            self.register_parameter("weight", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Set the weight to 1."""
        if self.weight is not None:
            init.ones_(self.weight)

    def forward(self, x: Tensor) -> Tensor:
        return F.rms_norm(x, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"


class GroupNorm(Module):
    """Group norm of (N, C, *): (x - mean) / sqrt(var + eps) · weight + bias.

    The statistics are computed over each group of channels of each sample.

    Args:
      num_groups: the number of groups, which divides C.
      num_channels: C.
      eps: is added to the variance, which is the biased estimate.
      affine: give the layer a weight (C), initialized to 1, and a bias (C), initialized to 0.
      device, dtype: of the parameters. The defaults are the current default device and dtype.
      bias: if False, leave out the bias.

    Raises:
      ValueError: `num_channels` is not divisible by `num_groups`.

    >>> import torchlike as torch
    >>> torch.nn.GroupNorm(2, 6)(torch.ones(4, 6, 5)).shape
    torch.Size([4, 6, 5])
    """

    __constants__ = ["num_groups", "num_channels", "eps", "affine"]

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        if num_channels % num_groups != 0:
            raise _errors.group_norm_channels(num_channels, num_groups)
        self.num_groups = num_groups
        self.num_channels = num_channels
        self.eps = eps
        self.affine = affine
        for name, wanted in (("weight", affine), ("bias", affine and bias)):
            empty = torchlike.empty(num_channels, device=device, dtype=dtype) if wanted else None
            self.register_parameter(name, None if empty is None else Parameter(empty))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Set the weight to 1 and the bias to 0."""
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)

    def forward(self, input: Tensor) -> Tensor:
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return (
            f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}, "
            f"bias={self.bias is not None}"
        )


class LocalResponseNorm(Module):
    """Local response norm of (N, C, *): x / (k + alpha · mean of x² over `size` neighbouring channels) ** beta.

    Args:
      size: the number of channels. Those beyond the first and the last channel count as zeros.
      alpha, beta, k: the factor, the exponent and the constant of the formula.

    Raises:
      ValueError: the input has fewer than three dimensions. The call raises this.

    >>> import torchlike as torch
    >>> torch.nn.LocalResponseNorm(1, alpha=1.0, beta=1.0)(torch.ones(1, 1, 1))
    tensor([[[0.5000]]])
    """

    __constants__ = ["size", "alpha", "beta", "k"]

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> None:
        super().__init__()
        self.size = size
        self.alpha = alpha
        self.beta = beta
        self.k = k

    def forward(self, input: Tensor) -> Tensor:
        return F.local_response_norm(input, self.size, self.alpha, self.beta, self.k)

    def extra_repr(self) -> str:
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"


class CrossMapLRN2d(LocalResponseNorm):
    """Local response norm of (N, C, H, W) by the older formula: x / (k + alpha / size · sum of x²) ** beta.

    With h = (size - 1) // 2, the sum covers the channels from c - h to c + h, and channel 0 too, which PyTorch's
    moving sum does not drop.

    Args:
      size: the number of channels. An even number covers one channel less.
      alpha, beta, k: the factor, the exponent and the constant of the formula.

    Raises:
      ValueError: the input has not four dimensions. The call raises this.

    >>> import torchlike as torch
    >>> torch.nn.CrossMapLRN2d(3)(torch.ones(1, 4, 2, 2)).shape
    torch.Size([1, 4, 2, 2])
    """

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1) -> None:
        super().__init__(size, alpha, beta, k)

    def forward(self, input: Tensor) -> Tensor:
        if input.dim() != 4:
            raise ValueError(f"CrossMapLRN2d: Expected input to be 4D, got {input.dim()}D instead.")
        reach = int((self.size - 1) / 2 + 1)
        place = torchlike.arange(input.size(1), device=input.device)
        apart = place - place[:, None]
        covered = (apart < reach) & ((apart > -reach) | (place == 0))
        sums = (covered.to(input.dtype) @ (input * input).flatten(2)).view(input.shape)
        return input * (self.k + self.alpha / self.size * sums) ** -self.beta
