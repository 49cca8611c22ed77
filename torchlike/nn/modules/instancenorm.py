"""Instance normalization layers: each channel of each sample is normalized by its own statistics.

With `track_running_stats`, evaluation mode uses the running statistics instead.
"""

from __future__ import annotations

from typing import Any

from torchlike import Tensor
from torchlike._internal import warn
from torchlike.nn import _errors_layers as _errors
from torchlike.nn import functional as F
from torchlike.nn.modules.batchnorm import _LazyNormBase, _NormBase

__all__ = [
    "InstanceNorm1d",
    "InstanceNorm2d",
    "InstanceNorm3d",
    "LazyInstanceNorm1d",
    "LazyInstanceNorm2d",
    "LazyInstanceNorm3d",
]


class _InstanceNorm(_NormBase):
    """The base class of the instance norms. Subclasses define the number of dimensions."""

    _unbatched: int
    _shapes: str

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)

    def _check_input_dim(self, input: Tensor) -> None:
        if input.dim() not in (self._unbatched, self._unbatched + 1):
            raise _errors.norm_input_dimensions(self._shapes, input.dim())

    def _check_channels(self, input: Tensor) -> None:
        dim = input.dim() - self._unbatched
        if input.size(dim) != self.num_features:
            if self.affine:
                raise _errors.instance_norm_features(dim, self.num_features, input.size(dim))
            warn(_errors.instance_norm_features_unused(dim))

    def forward(self, input: Tensor) -> Tensor:
        self._check_input_dim(input)
        self._check_channels(input)
        if input.dim() == self._unbatched:
            return self._normalised(input.unsqueeze(0)).squeeze(0)
        return self._normalised(input)

    def _normalised(self, input: Tensor) -> Tensor:
        by_input = self.training or not self.track_running_stats
        momentum = self.momentum if self.momentum is not None else 0.0
        mean, var = self.running_mean, self.running_var
        return F.instance_norm(input, mean, var, self.weight, self.bias, by_input, momentum, self.eps)


class InstanceNorm1d(_InstanceNorm):
    """Instance norm over L of (N, C, L) or (C, L): (x - mean) / sqrt(var + eps) for each sample and channel.

    Args:
      num_features: C.
      eps: is added to the variance, which is the biased estimate.
      momentum: the share of each new batch in the running statistics.
      affine: give the layer a weight (C), initialized to 1, and a bias (C), initialized to 0. Off by default.
      track_running_stats: keep running statistics and use them in evaluation mode. Off by default.
      device, dtype: of the parameters and buffers. The defaults are the current default device and dtype.
      bias: if False, leave out the bias.

    Raises:
      ValueError: the input has another number of dimensions, one element per channel or, with `affine`, another number
        of channels. The call raises this.

    >>> import torchlike as torch
    >>> torch.nn.InstanceNorm1d(1, eps=0.0)(torch.tensor([[[1.0, 3.0]]]))
    tensor([[[-1.,  1.]]])
    """

    _unbatched = 2
    _shapes = "2D or 3D"


class InstanceNorm2d(_InstanceNorm):
    """Instance norm over H and W of (N, C, H, W) or (C, H, W). See `InstanceNorm1d`.

    Args:
      num_features: C.
      eps: is added to the variance, which is the biased estimate.
      momentum: the share of each new batch in the running statistics.
      affine: give the layer a weight (C), initialized to 1, and a bias (C), initialized to 0. Off by default.
      track_running_stats: keep running statistics and use them in evaluation mode. Off by default.
      device, dtype: of the parameters and buffers. The defaults are the current default device and dtype.
      bias: if False, leave out the bias.

    Raises:
      ValueError: the input has another number of dimensions, one element per channel or, with `affine`, another number
        of channels. The call raises this.

    >>> import torchlike as torch
    >>> torch.nn.InstanceNorm2d(4)(torch.ones(2, 4, 3, 3)).shape
    torch.Size([2, 4, 3, 3])
    """

    _unbatched = 3
    _shapes = "3D or 4D"


class InstanceNorm3d(_InstanceNorm):
    """Instance norm over D, H and W of (N, C, D, H, W) or (C, D, H, W). See `InstanceNorm1d`.

    Args:
      num_features: C.
      eps: is added to the variance, which is the biased estimate.
      momentum: the share of each new batch in the running statistics.
      affine: give the layer a weight (C), initialized to 1, and a bias (C), initialized to 0. Off by default.
      track_running_stats: keep running statistics and use them in evaluation mode. Off by default.
      device, dtype: of the parameters and buffers. The defaults are the current default device and dtype.
      bias: if False, leave out the bias.

    Raises:
      ValueError: the input has another number of dimensions, one element per channel or, with `affine`, another number
        of channels. The call raises this.

    >>> import torchlike as torch
    >>> torch.nn.InstanceNorm3d(4)(torch.ones(2, 4, 3, 3, 3)).shape
    torch.Size([2, 4, 3, 3, 3])
    """

    _unbatched = 4
    _shapes = "4D or 5D"


# -- lazy layers -------------------------------------------------------------------------------------------------------


class LazyInstanceNorm1d(_LazyNormBase, InstanceNorm1d):
    """An `InstanceNorm1d` layer that infers `num_features` from its first input.

    Args:
      eps, momentum, affine, track_running_stats, device, dtype, bias: as for `InstanceNorm1d`, but by default
        the layer has parameters and running statistics.

    >>> import torchlike as torch
    >>> torch.nn.LazyInstanceNorm1d()(torch.ones(2, 4, 3)).shape
    torch.Size([2, 4, 3])
    """

    cls_to_become = InstanceNorm1d


class LazyInstanceNorm2d(_LazyNormBase, InstanceNorm2d):
    """An `InstanceNorm2d` layer that infers `num_features` from its first input.

    Args:
      eps, momentum, affine, track_running_stats, device, dtype, bias: as for `InstanceNorm2d`, but by default
        the layer has parameters and running statistics.

    >>> import torchlike as torch
    >>> torch.nn.LazyInstanceNorm2d()(torch.ones(2, 4, 3, 3)).shape
    torch.Size([2, 4, 3, 3])
    """

    cls_to_become = InstanceNorm2d


class LazyInstanceNorm3d(_LazyNormBase, InstanceNorm3d):
    """An `InstanceNorm3d` layer that infers `num_features` from its first input.

    Args:
      eps, momentum, affine, track_running_stats, device, dtype, bias: as for `InstanceNorm3d`, but by default
        the layer has parameters and running statistics.

    >>> import torchlike as torch
    >>> torch.nn.LazyInstanceNorm3d()(torch.ones(2, 4, 3, 3, 3)).shape
    torch.Size([2, 4, 3, 3, 3])
    """

    cls_to_become = InstanceNorm3d
