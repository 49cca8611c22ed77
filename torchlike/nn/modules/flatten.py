"""Layers that flatten and unflatten dimensions."""

from __future__ import annotations

from typing import Any

from torchlike import Tensor
from torchlike.nn import _errors_layers as _errors
from torchlike.nn.modules.module import Module

__all__ = ["Flatten", "Unflatten"]


class Flatten(Module):
    """A layer that flattens the dimensions from `start_dim` to `end_dim` into one.

    By default it flattens all dimensions except the first.

    Args:
      start_dim, end_dim: the first and the last dimension to flatten.

    >>> import torchlike as torch
    >>> torch.nn.Flatten()(torch.ones(2, 3, 4)).shape
    torch.Size([2, 12])
    """

    __constants__ = ["start_dim", "end_dim"]

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim = start_dim
        self.end_dim = end_dim

    def forward(self, input: Tensor) -> Tensor:
        return input.flatten(self.start_dim, self.end_dim)

    def extra_repr(self) -> str:
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Unflatten(Module):
    """A layer that splits dimension `dim` into dimensions of the given sizes.

    Args:
      dim: the dimension to split.
      unflattened_size: a tuple or list of the sizes, whose product is the size of `dim`. One size may be -1.

    Raises:
      TypeError: `unflattened_size` is not a tuple or list of ints.

    >>> import torchlike as torch
    >>> torch.nn.Unflatten(1, (3, -1))(torch.ones(2, 12)).shape
    torch.Size([2, 3, 4])
    """

    __constants__ = ["dim", "unflattened_size"]

    def __init__(self, dim: Any, unflattened_size: Any) -> None:
        super().__init__()
        if not isinstance(unflattened_size, (tuple, list)):
            raise TypeError(
                f"unflattened_size must be a tuple of ints, but found type {type(unflattened_size).__name__}"
            )
        for place, size in enumerate(unflattened_size):
            if not isinstance(size, int):
                raise _errors.unflatten_size_element(type(size).__name__, place)
        self.dim = dim
        self.unflattened_size = unflattened_size

    def forward(self, input: Tensor) -> Tensor:
        return input.unflatten(self.dim, self.unflattened_size)

    def extra_repr(self) -> str:
        return f"dim={self.dim}, unflattened_size={self.unflattened_size}"
