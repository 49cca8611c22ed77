"""Layers that extract sliding blocks of an image as columns (`Unfold`) and sum columns into an image (`Fold`)."""

from __future__ import annotations

from torchlike import Tensor
from torchlike.nn import functional as F
from torchlike.nn.modules.module import Module

__all__ = ["Fold", "Unfold"]


class Fold(Module):
    """A layer that sums sliding blocks into an image: (N, C·∏kernel_size, L) -> (N, C, *output_size).

    Args:
      output_size: (H, W), the size of the image; one number stands for both.
      kernel_size: the size of a block.
      dilation: the distance of the elements of a block.
      padding: the number of elements on each side of the image that are cut off.
      stride: the distance of the blocks.

    Raises:
      RuntimeError: the input does not fit these sizes. The call raises this.

    >>> import torchlike as torch
    >>> torch.nn.Fold((4, 5), kernel_size=2)(torch.ones(1, 12, 12)).shape
    torch.Size([1, 3, 4, 5])
    """

    __constants__ = ["output_size", "kernel_size", "dilation", "padding", "stride"]

    def __init__(
        self,
        output_size: int | tuple[int, ...],
        kernel_size: int | tuple[int, ...],
        dilation: int | tuple[int, ...] = 1,
        padding: int | tuple[int, ...] = 0,
        stride: int | tuple[int, ...] = 1,
    ) -> None:
        super().__init__()
        self.output_size = output_size
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def forward(self, input: Tensor) -> Tensor:
        return F.fold(input, self.output_size, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self) -> str:
        return ", ".join(f"{name}={getattr(self, name)}" for name in self.__constants__)


class Unfold(Module):
    """A layer that extracts sliding blocks: (N, C, H, W) -> (N, C·∏kernel_size, L), with one column for each block.

    Args:
      kernel_size: the size of a block, (k1, k2) or one number for both.
      dilation: the distance of the elements of a block.
      padding: the number of zeros around each side.
      stride: the distance of the blocks.

    >>> import torchlike as torch
    >>> torch.nn.Unfold(kernel_size=2)(torch.ones(1, 3, 4, 5)).shape
    torch.Size([1, 12, 12])
    """

    __constants__ = ["kernel_size", "dilation", "padding", "stride"]

    def __init__(
        self,
        kernel_size: int | tuple[int, ...],
        dilation: int | tuple[int, ...] = 1,
        padding: int | tuple[int, ...] = 0,
        stride: int | tuple[int, ...] = 1,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def forward(self, input: Tensor) -> Tensor:
        return F.unfold(input, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self) -> str:
        return ", ".join(f"{name}={getattr(self, name)}" for name in self.__constants__)
