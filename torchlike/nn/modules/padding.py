"""Padding layers. Negative amounts crop the input.

The padding is one number for all sides, or a tuple with two numbers for each padded dimension: (left, right),
(left, right, top, bottom) or (left, right, top, bottom, front, back).
"""

from __future__ import annotations

from typing import Any

from torchlike import Tensor
from torchlike._internal import own_methods
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


@own_methods("__init__")
class ConstantPad1d(_ConstantPadNd):
    """Padding of the last dimension with a constant value.

    Args:
      padding: (left, right), or one number for both. Negative numbers crop.
      value: the constant.

    >>> import torchlike as torch
    >>> torch.nn.ConstantPad1d((1, 2), 9.0)(torch.zeros(1, 1))
    tensor([[9., 0., 9., 9.]])
    """

    _spatial = 1


@own_methods("__init__")
class ConstantPad2d(_ConstantPadNd):
    """Padding of the last two dimensions with a constant value.

    Args:
      padding: (left, right, top, bottom), or one number for all. Negative numbers crop.
      value: the constant.

    >>> import torchlike as torch
    >>> torch.nn.ConstantPad2d((1, 0, 0, 1), 9.0)(torch.zeros(1, 1, 1))
    tensor([[[9., 0.],
             [9., 9.]]])
    """

    _spatial = 2


@own_methods("__init__")
class ConstantPad3d(_ConstantPadNd):
    """Padding of the last three dimensions with a constant value.

    Args:
      padding: (left, right, top, bottom, front, back), or one number for all. Negative numbers crop.
      value: the constant.

    >>> import torchlike as torch
    >>> torch.nn.ConstantPad3d(1, 9.0)(torch.zeros(1, 2, 3, 4)).shape
    torch.Size([1, 4, 5, 6])
    """

    _spatial = 3


class _ZeroPad(Module):
    """Constant padding with the value 0, which is neither an argument nor printed."""

    padding: Any

    def __init__(self, padding: int | tuple[int, ...]) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        return str(self.padding)


@own_methods("__init__")
class ZeroPad1d(_ZeroPad, ConstantPad1d):
    """Padding of the last dimension with zeros.

    Args:
      padding: (left, right), or one number for both. Negative numbers crop.

    >>> import torchlike as torch
    >>> torch.nn.ZeroPad1d(1)(torch.ones(1, 1))
    tensor([[0., 1., 0.]])
    """


@own_methods("__init__")
class ZeroPad2d(_ZeroPad, ConstantPad2d):
    """Padding of the last two dimensions with zeros.

    Args:
      padding: (left, right, top, bottom), or one number for all. Negative numbers crop.

    >>> import torchlike as torch
    >>> torch.nn.ZeroPad2d(1)(torch.ones(1, 1, 1, 1)).sum()
    tensor(1.)
    """


@own_methods("__init__")
class ZeroPad3d(_ZeroPad, ConstantPad3d):
    """Padding of the last three dimensions with zeros.

    Args:
      padding: (left, right, top, bottom, front, back), or one number for all. Negative numbers crop.

    >>> import torchlike as torch
    >>> torch.nn.ZeroPad3d((1, 1, 0, 0, 0, 0))(torch.ones(1, 2, 3, 4)).shape
    torch.Size([1, 2, 3, 6])
    """


@own_methods("forward")
class _ReflectionPadNd(_PadNd):
    _mode = "reflect"


@own_methods("__init__")
class ReflectionPad1d(_ReflectionPadNd):
    """Padding of the last dimension with its reflection. The border element is not repeated.

    Args:
      padding: (left, right), or one number for both, less than the size of the dimension. Negative numbers crop.

    Raises:
      RuntimeError: the padding is too large. The call raises this.

    >>> import torchlike as torch
    >>> torch.nn.ReflectionPad1d(1)(torch.tensor([[1.0, 2.0, 3.0]]))
    tensor([[2., 1., 2., 3., 2.]])
    """

    _spatial = 1


@own_methods("__init__")
class ReflectionPad2d(_ReflectionPadNd):
    """Padding of the last two dimensions with their reflection. The border is not repeated.

    Args:
      padding: (left, right, top, bottom), or one number for all, less than the sizes. Negative numbers crop.

    Raises:
      RuntimeError: the padding is too large. The call raises this.

    >>> import torchlike as torch
    >>> torch.nn.ReflectionPad2d(1)(torch.ones(1, 2, 3)).shape
    torch.Size([1, 4, 5])
    """

    _spatial = 2


@own_methods("__init__")
class ReflectionPad3d(_ReflectionPadNd):
    """Padding of the last three dimensions with their reflection. The border is not repeated.

    Args:
      padding: (left, right, top, bottom, front, back), or one number for all, less than the sizes. Negative: crop.

    Raises:
      RuntimeError: the padding is too large. The call raises this.

    >>> import torchlike as torch
    >>> torch.nn.ReflectionPad3d(1)(torch.ones(1, 2, 3, 4)).shape
    torch.Size([1, 4, 5, 6])
    """

    _spatial = 3


@own_methods("forward")
class _ReplicationPadNd(_PadNd):
    _mode = "replicate"


@own_methods("__init__")
class ReplicationPad1d(_ReplicationPadNd):
    """Padding of the last dimension with copies of its border element.

    Args:
      padding: (left, right), or one number for both. Negative numbers crop.

    >>> import torchlike as torch
    >>> torch.nn.ReplicationPad1d((2, 1))(torch.tensor([[1.0, 2.0]]))
    tensor([[1., 1., 1., 2., 2.]])
    """

    _spatial = 1


@own_methods("__init__")
class ReplicationPad2d(_ReplicationPadNd):
    """Padding of the last two dimensions with copies of their border.

    Args:
      padding: (left, right, top, bottom), or one number for all. Negative numbers crop.

    >>> import torchlike as torch
    >>> torch.nn.ReplicationPad2d(1)(torch.ones(1, 2, 3)).shape
    torch.Size([1, 4, 5])
    """

    _spatial = 2


@own_methods("__init__")
class ReplicationPad3d(_ReplicationPadNd):
    """Padding of the last three dimensions with copies of their border.

    Args:
      padding: (left, right, top, bottom, front, back), or one number for all. Negative numbers crop.

    >>> import torchlike as torch
    >>> torch.nn.ReplicationPad3d(1)(torch.ones(1, 2, 3, 4)).shape
    torch.Size([1, 4, 5, 6])
    """

    _spatial = 3


class _CircularPadNd(_PadNd):
    _mode = "circular"

    def forward(self, input: Tensor) -> Tensor:
        least = self._spatial + 1
        if input.ndim not in (least, least + 1):
            raise ValueError(f"expected {least}D or {least + 1}D input (got {input.ndim}D input)")
        return super().forward(input)


@own_methods("__init__")
class CircularPad1d(_CircularPadNd):
    """Circular padding of the last dimension: each side continues with the elements of the opposite side.

    Args:
      padding: (left, right), or one number for both, at most the size of the dimension. Negative numbers crop.

    Raises:
      RuntimeError: the padding is too large. The call raises this.

    >>> import torchlike as torch
    >>> torch.nn.CircularPad1d(1)(torch.tensor([[1.0, 2.0, 3.0]]))
    tensor([[3., 1., 2., 3., 1.]])
    """

    _spatial = 1


@own_methods("__init__")
class CircularPad2d(_CircularPadNd):
    """Circular padding of the last two dimensions: each side continues with the elements of the opposite side.

    Args:
      padding: (left, right, top, bottom), or one number for all, at most the sizes. Negative numbers crop.

    Raises:
      RuntimeError: the padding is too large. The call raises this.

    >>> import torchlike as torch
    >>> torch.nn.CircularPad2d(1)(torch.ones(1, 2, 3)).shape
    torch.Size([1, 4, 5])
    """

    _spatial = 2


@own_methods("__init__")
class CircularPad3d(_CircularPadNd):
    """Circular padding of the last three dimensions: each side continues with the elements of the opposite side.

    Args:
      padding: (left, right, top, bottom, front, back), or one number for all, at most the sizes. Negative numbers crop.

    Raises:
      RuntimeError: the padding is too large. The call raises this.

    >>> import torchlike as torch
    >>> torch.nn.CircularPad3d(1)(torch.ones(1, 2, 3, 4)).shape
    torch.Size([1, 4, 5, 6])
    """

    _spatial = 3
