"""Dropout layers. They zero a random part of their input in training mode and return the input in evaluation mode."""

from __future__ import annotations

from torchlike import Tensor
from torchlike.nn import _errors_layers as _errors
from torchlike.nn import functional as F
from torchlike.nn.modules.module import Module

__all__ = ["Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "AlphaDropout", "FeatureAlphaDropout"]


class _DropoutNd(Module):
    __constants__ = ["p", "inplace"]

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        if p < 0.0 or p > 1.0:
            raise _errors.dropout_probability(p)
        self.p = p
        self.inplace = inplace

    def extra_repr(self) -> str:
        return f"p={self.p}, inplace={self.inplace}"


class Dropout(_DropoutNd):
    """Dropout of elements: zeroes each element with probability p and scales the others by 1 / (1 - p).

    In evaluation mode the layer returns its input.

    Args:
      p: the probability.
      inplace: overwrite the input of each call with the result.

    Raises:
      ValueError: `p` is not in [0, 1].

    >>> import torchlike as torch
    >>> torch.nn.Dropout(0.5).eval()(torch.ones(3))
    tensor([1., 1., 1.])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.dropout(input, self.p, self.training, self.inplace)


class Dropout1d(_DropoutNd):
    """Dropout of whole channels of (N, C, L) or (C, L).

    Zeroes each channel with probability p and scales the others by 1 / (1 - p). In evaluation mode the layer returns
    its input.

    Args:
      p: the probability.
      inplace: overwrite the input of each call with the result.

    Raises:
      ValueError: `p` is not in [0, 1].

    >>> import torchlike as torch
    >>> torch.nn.Dropout1d()(torch.ones(2, 3, 4)).shape
    torch.Size([2, 3, 4])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.dropout1d(input, self.p, self.training, self.inplace)


class Dropout2d(_DropoutNd):
    """Dropout of whole channels of (N, C, H, W) or (N, C, L).

    Zeroes each channel with probability p and scales the others by 1 / (1 - p). In evaluation mode the layer returns
    its input. An input of three dimensions gives a warning.

    Args:
      p: the probability.
      inplace: overwrite the input of each call with the result.

    Raises:
      ValueError: `p` is not in [0, 1].

    >>> import torchlike as torch
    >>> torch.nn.Dropout2d()(torch.ones(2, 3, 4, 4)).shape
    torch.Size([2, 3, 4, 4])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.dropout2d(input, self.p, self.training, self.inplace)


class Dropout3d(_DropoutNd):
    """Dropout of whole channels of (N, C, D, H, W) or (C, D, H, W).

    Zeroes each channel with probability p and scales the others by 1 / (1 - p). In evaluation mode the layer returns
    its input.

    Args:
      p: the probability.
      inplace: overwrite the input of each call with the result.

    Raises:
      ValueError: `p` is not in [0, 1].

    >>> import torchlike as torch
    >>> torch.nn.Dropout3d()(torch.ones(3, 4, 4, 4)).shape
    torch.Size([3, 4, 4, 4])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.dropout3d(input, self.p, self.training, self.inplace)


class AlphaDropout(_DropoutNd):
    """Dropout for SELU networks, which preserves mean and variance.

    It sets dropped elements to the negative limit of SELU. An affine map then restores mean and variance. In evaluation
    mode the layer returns its input.

    Args:
      p: the probability that an element is dropped.
      inplace: has no effect, as in PyTorch.

    Raises:
      ValueError: `p` is not in [0, 1].

    >>> import torchlike as torch
    >>> torch.nn.AlphaDropout()(torch.ones(2, 3)).shape
    torch.Size([2, 3])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.alpha_dropout(input, self.p, self.training)


class FeatureAlphaDropout(_DropoutNd):
    """`AlphaDropout` of whole channels of (N, C, *).

    Args:
      p: the probability that a channel is dropped.
      inplace: has no effect, as in PyTorch.

    Raises:
      ValueError: `p` is not in [0, 1].

    >>> import torchlike as torch
    >>> torch.nn.FeatureAlphaDropout()(torch.ones(2, 3, 4)).shape
    torch.Size([2, 3, 4])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.feature_alpha_dropout(input, self.p, self.training)
