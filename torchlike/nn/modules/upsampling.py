"""Layers that resize images and signals."""

from __future__ import annotations

from torchlike import Tensor
from torchlike.nn import functional as F
from torchlike.nn.modules.module import Module

__all__ = ["Upsample", "UpsamplingNearest2d", "UpsamplingBilinear2d"]


class Upsample(Module):
    """A layer that resizes the spatial dimensions of (N, C, *) to `size`, or by `scale_factor`.

    Args:
      size: the new sizes, one number or one for each dimension.
      scale_factor: the factors of the sizes, one number or one for each dimension. Give this or `size`.
      mode: 'nearest', 'nearest-exact', 'linear' (3-D input), 'bilinear', 'bicubic' (4-D), 'trilinear' (5-D) or 'area'.
      align_corners: whether the centres (True) or the outer edges (False) of the corner elements coincide.
      recompute_scale_factor: compute with factors that follow from the rounded sizes.

    Raises:
      ValueError: both or neither of `size` and `scale_factor` is given. The call raises this.
      NotImplementedError: the mode does not fit the dimensions of the input. The call raises this.

    >>> import torchlike as torch
    >>> torch.nn.Upsample(scale_factor=2)(torch.ones(1, 3, 4)).shape
    torch.Size([1, 3, 8])
    """

    __constants__ = ["size", "scale_factor", "mode", "align_corners", "name", "recompute_scale_factor"]

    def __init__(
        self,
        size: int | tuple[int, ...] | None = None,
        scale_factor: float | tuple[float, ...] | None = None,
        mode: str = "nearest",
        align_corners: bool | None = None,
        recompute_scale_factor: bool | None = None,
    ) -> None:
        super().__init__()
        self.name = type(self).__name__
        self.size = size
        if isinstance(scale_factor, tuple):
            self.scale_factor = tuple(float(factor) for factor in scale_factor)
        else:
            self.scale_factor = float(scale_factor) if scale_factor else None
        self.mode = mode
        self.align_corners = align_corners
        self.recompute_scale_factor = recompute_scale_factor

    def forward(self, input: Tensor) -> Tensor:
        return F.interpolate(
            input,
            self.size,
            self.scale_factor,
            self.mode,
            self.align_corners,
            recompute_scale_factor=self.recompute_scale_factor,
        )

    def extra_repr(self) -> str:
        if self.scale_factor is not None:
            return f"scale_factor={self.scale_factor!r}, mode={self.mode!r}"
        return f"size={self.size!r}, mode={self.mode!r}"


class UpsamplingNearest2d(Upsample):
    """A layer that resizes (N, C, H, W) by repeating elements. An older equivalent of `Upsample(mode='nearest')`.

    Args:
      size: (H, W), the new size; one number stands for both.
      scale_factor: the factor of the size, one number or a pair. Give this or `size`.

    >>> import torchlike as torch
    >>> torch.nn.UpsamplingNearest2d(scale_factor=2)(torch.ones(1, 3, 2, 4)).shape
    torch.Size([1, 3, 4, 8])
    """

    def __init__(
        self, size: int | tuple[int, int] | None = None, scale_factor: float | tuple[float, float] | None = None
    ) -> None:
        super().__init__(size, scale_factor, mode="nearest")


class UpsamplingBilinear2d(Upsample):
    """A layer that resizes (N, C, H, W) bilinearly.

    An older equivalent of `Upsample(mode='bilinear', align_corners=True)`.

    Args:
      size: (H, W), the new size; one number stands for both.
      scale_factor: the factor of the size, one number or a pair. Give this or `size`.

    >>> import torchlike as torch
    >>> torch.nn.UpsamplingBilinear2d(size=3)(torch.ones(1, 3, 2, 4)).shape
    torch.Size([1, 3, 3, 3])
    """

    def __init__(
        self, size: int | tuple[int, int] | None = None, scale_factor: float | tuple[float, float] | None = None
    ) -> None:
        super().__init__(size, scale_factor, mode="bilinear", align_corners=True)
