"""Padding layers. Negative amounts crop the input.

The padding is one number for all sides, or a tuple with two numbers for each padded dimension: (left, right),
(left, right, top, bottom) or (left, right, top, bottom, front, back).
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
    """The base class of padding layers. It pads the last `_spatial` dimensions in the mode `_mode`."""

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
    """Padding of the last dimension with a constant value."""

    _spatial = 1


class ConstantPad2d(_ConstantPadNd):
    """Padding of the last two dimensions with a constant value."""

    _spatial = 2


class ConstantPad3d(_ConstantPadNd):
    """Padding of the last three dimensions with a constant value."""

    _spatial = 3


class _ZeroPad(Module):
    """Constant padding with the value 0, which is neither an argument nor printed."""

    padding: Any

    def __init__(self, padding: int | tuple[int, ...]) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        return str(self.padding)


class ZeroPad1d(_ZeroPad, ConstantPad1d):
    """Padding of the last dimension with zeros."""


class ZeroPad2d(_ZeroPad, ConstantPad2d):
    """Padding of the last two dimensions with zeros.

    >>> import torchlike as torch
    >>> torch.nn.ZeroPad2d(1)(torch.ones(1, 1, 1, 1)).sum()
    tensor(1.)
    """


class ZeroPad3d(_ZeroPad, ConstantPad3d):
    """Padding of the last three dimensions with zeros."""


class _ReflectionPadNd(_PadNd):
    _mode = "reflect"


class ReflectionPad1d(_ReflectionPadNd):
    """Padding of the last dimension with its reflection. The border element is not repeated."""

    _spatial = 1


class ReflectionPad2d(_ReflectionPadNd):
    """Padding of the last two dimensions with their reflection. The border is not repeated."""

    _spatial = 2


class ReflectionPad3d(_ReflectionPadNd):
    """Padding of the last three dimensions with their reflection. The border is not repeated."""

    _spatial = 3


class _ReplicationPadNd(_PadNd):
    _mode = "replicate"


class ReplicationPad1d(_ReplicationPadNd):
    """Padding of the last dimension with copies of its border element."""

    _spatial = 1


class ReplicationPad2d(_ReplicationPadNd):
    """Padding of the last two dimensions with copies of their border."""

    _spatial = 2


class ReplicationPad3d(_ReplicationPadNd):
    """Padding of the last three dimensions with copies of their border."""

    _spatial = 3


class _CircularPadNd(_PadNd):
    _mode = "circular"


class CircularPad1d(_CircularPadNd):
    """Circular padding of the last dimension: each side continues with the elements of the opposite side."""

    _spatial = 1


class CircularPad2d(_CircularPadNd):
    """Circular padding of the last two dimensions: each side continues with the elements of the opposite side."""

    _spatial = 2


class CircularPad3d(_CircularPadNd):
    """Circular padding of the last three dimensions: each side continues with the elements of the opposite side."""

    _spatial = 3
