"""Layers that widen their input at its sides; negative amounts cut it.

The amounts are one number for all sides, or (left, right), (left, right, top, bottom), (left, right, top, bottom,
front, back).
"""

from __future__ import annotations

from typing import Any

from torchlike import Tensor
from torchlike.nn import functional as F
from torchlike.nn.modules._tuples import _ntuple
from torchlike.nn.modules._tuples import _pair as _pair
from torchlike.nn.modules._tuples import _quadruple as _quadruple
from torchlike.nn.modules.module import Module

__all__ = [
    "CircularPad1d",
    "CircularPad2d",
    "CircularPad3d",
    "ConstantPad1d",
    "ConstantPad2d",
    "ConstantPad3d",
    "ReflectionPad1d",
    "ReflectionPad2d",
    "ReflectionPad3d",
    "ReplicationPad1d",
    "ReplicationPad2d",
    "ReplicationPad3d",
    "ZeroPad1d",
    "ZeroPad2d",
    "ZeroPad3d",
]


class _PadNd(Module):
    """Padding of `_spatial` last dimensions in the way that `_mode` names."""

    __constants__ = ["padding"]
    _spatial: int
    _mode: str

    def __init__(self, padding: int | tuple[int, ...]) -> None:
        super().__init__()
        self.padding = _ntuple(2 * self._spatial)(padding)

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, self._mode)

    def extra_repr(self) -> str:
        return str(self.padding)


class _ConstantPadNd(_PadNd):
    __constants__ = ["padding", "value"]
    _mode = "constant"

    def __init__(self, padding: int | tuple[int, ...], value: float) -> None:
        super().__init__(padding)
        self.value = value

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, "constant", self.value)

    def extra_repr(self) -> str:
        return f"padding={self.padding}, value={self.value}"


class ConstantPad1d(_ConstantPadNd):
    """Widen the last dimension with one value."""

    _spatial = 1


class ConstantPad2d(_ConstantPadNd):
    """Widen the last two dimensions with one value."""

    _spatial = 2


class ConstantPad3d(_ConstantPadNd):
    """Widen the last three dimensions with one value."""

    _spatial = 3


class _ZeroPad(Module):
    """Zero padding is constant padding that asks for no value and prints none."""

    padding: Any

    def __init__(self, padding: int | tuple[int, ...]) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        return str(self.padding)


class ZeroPad1d(_ZeroPad, ConstantPad1d):
    """Widen the last dimension with zeros."""


class ZeroPad2d(_ZeroPad, ConstantPad2d):
    """Widen the last two dimensions with zeros.

    >>> import torchlike as torch
    >>> torch.nn.ZeroPad2d(1)(torch.ones(1, 1, 1, 1)).sum()
    tensor(1.)
    """


class ZeroPad3d(_ZeroPad, ConstantPad3d):
    """Widen the last three dimensions with zeros."""


class _ReflectionPadNd(_PadNd):
    _mode = "reflect"


class ReflectionPad1d(_ReflectionPadNd):
    """Widen the last dimension with its mirror image, the border element not repeated."""

    _spatial = 1


class ReflectionPad2d(_ReflectionPadNd):
    """Widen the last two dimensions with their mirror image, the border not repeated."""

    _spatial = 2


class ReflectionPad3d(_ReflectionPadNd):
    """Widen the last three dimensions with their mirror image, the border not repeated."""

    _spatial = 3


class _ReplicationPadNd(_PadNd):
    _mode = "replicate"


class ReplicationPad1d(_ReplicationPadNd):
    """Widen the last dimension by repeating its border element."""

    _spatial = 1


class ReplicationPad2d(_ReplicationPadNd):
    """Widen the last two dimensions by repeating their border."""

    _spatial = 2


class ReplicationPad3d(_ReplicationPadNd):
    """Widen the last three dimensions by repeating their border."""

    _spatial = 3


class _CircularPadNd(_PadNd):
    _mode = "circular"


class CircularPad1d(_CircularPadNd):
    """Widen the last dimension with what stands at its other end."""

    _spatial = 1


class CircularPad2d(_CircularPadNd):
    """Widen the last two dimensions with what stands at their other ends."""

    _spatial = 2


class CircularPad3d(_CircularPadNd):
    """Widen the last three dimensions with what stands at their other ends."""

    _spatial = 3
