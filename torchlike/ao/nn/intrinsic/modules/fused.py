"""Modules that are fused for quantization: a layer and the modules after it. In floating point, they are sequences."""

from __future__ import annotations

from typing import Any

from torchlike import nn
from torchlike.nn.utils.parametrize import type_before_parametrizations


class _FusedModule(nn.Sequential):
    """The base class of fused modules. A subclass names the classes of its parts.

    Args:
      parts: the modules, in order.

    Raises:
      AssertionError: a part is of another class.
    """

    _PARTS: tuple[type, ...] = ()

    def __init__(self, *parts: Any) -> None:
        found = tuple(type_before_parametrizations(part) for part in parts)
        if self._PARTS and found != self._PARTS:
            names = [kind.__name__ for kind in found]
            joined = " and ".join(names) if len(names) == 2 else ", ".join(names[:-1]) + f", and {names[-1]}"
            raise AssertionError(f"Incorrect types for input modules: {joined}")
        super().__init__(*parts)


class ConvReLU1d(_FusedModule):
    """A convolution and ReLU."""

    _PARTS = (nn.Conv1d, nn.ReLU)


class ConvReLU2d(_FusedModule):
    """A convolution and ReLU."""

    _PARTS = (nn.Conv2d, nn.ReLU)


class ConvReLU3d(_FusedModule):
    """A convolution and ReLU."""

    _PARTS = (nn.Conv3d, nn.ReLU)


class LinearReLU(_FusedModule):
    """A linear layer and ReLU."""

    _PARTS = (nn.Linear, nn.ReLU)


class ConvBn1d(_FusedModule):
    """A convolution and batch norm."""

    _PARTS = (nn.Conv1d, nn.BatchNorm1d)


class ConvBn2d(_FusedModule):
    """A convolution and batch norm."""

    _PARTS = (nn.Conv2d, nn.BatchNorm2d)


class ConvBn3d(_FusedModule):
    """A convolution and batch norm."""

    _PARTS = (nn.Conv3d, nn.BatchNorm3d)


class ConvBnReLU1d(_FusedModule):
    """A convolution, batch norm and ReLU."""

    _PARTS = (nn.Conv1d, nn.BatchNorm1d, nn.ReLU)


class ConvBnReLU2d(_FusedModule):
    """A convolution, batch norm and ReLU."""

    _PARTS = (nn.Conv2d, nn.BatchNorm2d, nn.ReLU)


class ConvBnReLU3d(_FusedModule):
    """A convolution, batch norm and ReLU."""

    _PARTS = (nn.Conv3d, nn.BatchNorm3d, nn.ReLU)


class BNReLU2d(_FusedModule):
    """Batch norm and ReLU."""

    _PARTS = (nn.BatchNorm2d, nn.ReLU)


class BNReLU3d(_FusedModule):
    """Batch norm and ReLU."""

    _PARTS = (nn.BatchNorm3d, nn.ReLU)


class LinearBn1d(_FusedModule):
    """A linear layer and batch norm."""

    _PARTS = (nn.Linear, nn.BatchNorm1d)


class LinearLeakyReLU(_FusedModule):
    """A linear layer and leaky ReLU."""

    _PARTS = (nn.Linear, nn.LeakyReLU)


class LinearTanh(_FusedModule):
    """A linear layer and the hyperbolic tangent."""

    _PARTS = (nn.Linear, nn.Tanh)


class ConvAdd2d(_FusedModule):
    """A convolution, and the sum with a second input.

    Args:
      conv: the convolution.
      add: a function of two tensors.

    >>> import torchlike as torch
    >>> fused = torch.ao.nn.intrinsic.ConvAdd2d(torch.nn.Conv2d(1, 1, 1), torch.add)
    >>> fused(torch.ones(1, 1, 2, 2), torch.ones(1, 1, 2, 2)).shape
    torch.Size([1, 1, 2, 2])
    """

    def __init__(self, conv: Any, add: Any) -> None:
        super().__init__(conv)
        self.add = add

    def forward(self, x1: Any, x2: Any) -> Any:  # type: ignore[override]
        """Return the convolution of `x1` plus `x2`.

        Args:
          x1: the input of the convolution.
          x2: the other summand.
        """
        return self.add(self[0](x1), x2)


class ConvAddReLU2d(_FusedModule):
    """A convolution, the sum with a second input, and ReLU.

    Args:
      conv: the convolution.
      add: a function of two tensors.
      relu: the ReLU.

    >>> import torchlike as torch
    >>> fused = torch.ao.nn.intrinsic.ConvAddReLU2d(torch.nn.Conv2d(1, 1, 1), torch.add, torch.nn.ReLU())
    >>> bool((fused(torch.ones(1, 1, 2, 2), torch.ones(1, 1, 2, 2)) >= 0).all())
    True
    """

    def __init__(self, conv: Any, add: Any, relu: Any) -> None:
        super().__init__(conv)
        self.add = add
        self.relu = relu

    def forward(self, x1: Any, x2: Any) -> Any:  # type: ignore[override]
        """Return ReLU of the convolution of `x1` plus `x2`.

        Args:
          x1: the input of the convolution.
          x2: the other summand.
        """
        return self.relu(self.add(self[0](x1), x2))
