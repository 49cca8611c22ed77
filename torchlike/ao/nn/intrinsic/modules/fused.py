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
