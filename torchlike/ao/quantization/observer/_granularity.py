"""The vocabulary of torchao: which elements share a scale, and the base class of its observers."""

from __future__ import annotations

import abc
import enum
from dataclasses import dataclass
from typing import Any

import torchlike as torch
from torchlike.ao.quantization.observer._base import _with_args


class MappingType(enum.Enum):
    """How floating-point numbers map to integers."""

    SYMMETRIC = enum.auto()
    SYMMETRIC_NO_CLIPPING_ERR = enum.auto()
    ASYMMETRIC = enum.auto()


class ZeroPointDomain(enum.Enum):
    """The kind of number of a zero point."""

    INT = enum.auto()
    FLOAT = enum.auto()
    NONE = enum.auto()


class TorchAODType(enum.Enum):
    """Integers of less than 8 bits."""

    INT1 = enum.auto()
    INT2 = enum.auto()
    INT3 = enum.auto()
    INT4 = enum.auto()
    INT5 = enum.auto()
    INT6 = enum.auto()
    INT7 = enum.auto()


@dataclass(frozen=True)
class Granularity:
    """The base class: which elements of a tensor share a scale."""


@dataclass(frozen=True)
class PerBlock(Granularity):
    """A scale for each block of the given sizes.

    Args:
      block_size: the size of a block in each dim.
    """

    block_size: tuple[int, ...]


@dataclass(frozen=True)
class PerTensor(Granularity):
    """One scale."""


@dataclass(frozen=True)
class PerAxis(Granularity):
    """A scale for each index of a dim.

    Args:
      axis: the dim.
    """

    axis: int


@dataclass(frozen=True)
class PerGroup(Granularity):
    """A scale for each group of elements of the last dim of a matrix.

    Args:
      group_size: the number of elements.
    """

    group_size: int


class PerRow(Granularity):
    """A scale for each row: all elements of the last dim share it."""


class PerToken(Granularity):
    """A scale for each token: all elements of the last dim share it."""


def get_block_size(input_shape: tuple[int, ...], granularity: Granularity) -> tuple[int, ...]:
    """Return the sizes of the blocks that share a scale.

    Args:
      input_shape: the shape of the tensor.
      granularity: which elements share a scale.

    Raises:
      AssertionError: `granularity` is of another class, or the tensor is no matrix and has groups.
      ValueError: the granularity is not supported.

    >>> from torchlike.ao.quantization.observer import PerAxis, get_block_size
    >>> get_block_size((4, 3), PerAxis(0))
    (1, 3)
    """
    if not isinstance(granularity, Granularity):
        raise AssertionError("Please provide an instance of Granularity, not subclass of it")
    if isinstance(granularity, PerTensor):
        return tuple(input_shape)
    if isinstance(granularity, PerAxis):
        sizes = list(input_shape)
        sizes[granularity.axis] = 1
        return tuple(sizes)
    if isinstance(granularity, PerRow | PerToken):
        return (1,) * (len(input_shape) - 1) + (input_shape[-1],)
    if isinstance(granularity, PerGroup):
        if len(input_shape) != 2:
            raise AssertionError(
                f"Expecting input shape dim to be 2 for per group quantization, gotinput shape: {input_shape}"
            )
        return (1, granularity.group_size)
    raise ValueError(f"Unsupported Granularity: {granularity}")


class AffineQuantizedObserverBase(abc.ABC, torch.nn.Module):
    """The base class of observers with a granularity. A subclass defines `forward` and `calculate_qparams`.

    Args:
      mapping_type: how numbers map to integers.
      target_dtype: the dtype of the integers.
      granularity: which elements share a scale.
      quant_min: the lowest level.
      quant_max: the highest level.
      eps: the smallest scale.
      scale_dtype: the dtype of the scales.
      zero_point_dtype: the dtype of the zero points.
      preserve_zero: zero is a level.
      zero_point_domain: the kind of number of the zero points.
      **kwargs: may contain `block_size`, and are not used otherwise.

    Raises:
      AssertionError: `granularity` is None.
    """

    with_args = classmethod(_with_args)

    def __init__(
        self,
        mapping_type: MappingType,
        target_dtype: Any,
        granularity: Granularity,
        quant_min: int | None = None,
        quant_max: int | None = None,
        eps: float | None = None,
        scale_dtype: Any = None,
        zero_point_dtype: Any = None,
        preserve_zero: bool = True,
        zero_point_domain: ZeroPointDomain | None = ZeroPointDomain.INT,
        **kwargs: Any,
    ) -> None:
        super().__init__()
        if granularity is None:
            raise AssertionError("granularity is None")
        self.mapping_type = mapping_type
        self.target_dtype = target_dtype
        self.granularity = granularity
        self.quant_min = quant_min
        self.quant_max = quant_max
        self.eps = eps
        self.scale_dtype = scale_dtype
        self.zero_point_dtype = zero_point_dtype
        self.preserve_zero = preserve_zero
        self.zero_point_domain = zero_point_domain
        self.block_size = None

    @abc.abstractmethod
    def forward(self, input: Any) -> Any:
        """Observe a tensor, and return it.

        Args:
          input: the tensor.
        """

    @abc.abstractmethod
    def calculate_qparams(self) -> Any:
        """Return the scales and the zero points."""
