"""Layers that rearrange channels into spatial resolution and back."""

from __future__ import annotations

from torchlike import Tensor
from torchlike.nn import functional as F
from torchlike.nn.modules.module import Module

__all__ = ["PixelShuffle", "PixelUnshuffle"]


class PixelShuffle(Module):
    """A layer that rearranges (*, C·r², H, W) to (*, C, H·r, W·r), where r is the upscale factor.

    Args:
      upscale_factor: r.

    Raises:
      RuntimeError: the number of channels is not divisible by r². The call raises this.

    >>> import torchlike as torch
    >>> torch.nn.PixelShuffle(2)(torch.ones(1, 8, 3, 3)).shape
    torch.Size([1, 2, 6, 6])
    """

    __constants__ = ["upscale_factor"]

    def __init__(self, upscale_factor: int) -> None:
        super().__init__()
        self.upscale_factor = upscale_factor

    def forward(self, input: Tensor) -> Tensor:
        return F.pixel_shuffle(input, self.upscale_factor)

    def extra_repr(self) -> str:
        return f"upscale_factor={self.upscale_factor}"


class PixelUnshuffle(Module):
    """A layer that rearranges (*, C, H·r, W·r) to (*, C·r², H, W), where r is the downscale factor.

    Args:
      downscale_factor: r.

    Raises:
      RuntimeError: the height or the width is not divisible by r. The call raises this.

    >>> import torchlike as torch
    >>> torch.nn.PixelUnshuffle(2)(torch.ones(1, 2, 6, 6)).shape
    torch.Size([1, 8, 3, 3])
    """

    __constants__ = ["downscale_factor"]

    def __init__(self, downscale_factor: int) -> None:
        super().__init__()
        self.downscale_factor = downscale_factor

    def forward(self, input: Tensor) -> Tensor:
        return F.pixel_unshuffle(input, self.downscale_factor)

    def extra_repr(self) -> str:
        return f"downscale_factor={self.downscale_factor}"
