"""Placements: how a `DTensor` is distributed over the devices of a mesh."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields
from typing import Any

from torchlike.serialization._errors import Refused


class Placement:
    """The placement of a tensor along one dim of a mesh."""

    def is_shard(self, dim: int | None = None) -> bool:
        """Return whether each device has a part of the tensor.

        Args:
          dim (int, optional): only return True for parts along this dim.
        """
        return isinstance(self, Shard) and dim in (None, self.dim)

    def is_replicate(self) -> bool:
        """Return whether each device has the whole tensor."""
        return isinstance(self, Replicate)

    def is_partial(self, reduce_op: str | None = None) -> bool:
        """Return whether each device has a partial result.

        Args:
          reduce_op (str, optional): only return True for this reduction.
        """
        return isinstance(self, Partial) and reduce_op in (None, self.reduce_op)

    def __getstate__(self) -> dict[str, Any]:
        return dict(self.__dict__)  # PyTorch's files have a state even if it is empty

    def __setstate__(self, state: Any) -> None:
        for field in fields(self):  # type: ignore[arg-type]
            value = state.get(field.name, field.default)
            if value is MISSING or not _VALID.get(field.name, _any)(value):
                raise Refused(f"a {type(self).__name__} in it has an invalid {field.name}")
            self.__dict__[field.name] = value


def _any(value: Any) -> bool:
    return True


# For the attributes of placements: a function that returns whether a value in a file is valid.
_VALID: dict[str, Callable[[Any], bool]] = {
    "dim": lambda x: type(x) is int and abs(x) < 1 << 31,
    "split_factor": lambda x: type(x) is int and 0 < x <= 1 << 16,
    "reduce_op": lambda x: type(x) is str,
    "norm_type": lambda x: type(x) in (int, float),
}


class _InParts:
    """The common methods of sharded placements."""

    @staticmethod
    def local_shard_size_and_offset(curr_local_size: int, num_chunks: int, rank: Any) -> tuple[int, int]:
        """Return the length and offset of the rank's part of a dim that is split as `torch.chunk` does."""
        length = -(-curr_local_size // num_chunks)
        begin = min(length * rank, curr_local_size)
        return min(length, curr_local_size - begin), begin


@dataclass(frozen=True, repr=False)
class Shard(_InParts, Placement):
    """A placement that gives each device a part of the tensor along `dim`.

    The dim is split as `torch.chunk` does, so the last parts may be shorter or empty.

    Args:
      dim (int): the dim of the tensor.

    >>> from torchlike.distributed.tensor import Shard
    >>> Shard(0)
    Shard(dim=0)
    """

    dim: int

    def __repr__(self) -> str:
        return f"Shard(dim={self.dim})"

    def __str__(self) -> str:
        return f"S({self.dim})"


@dataclass(frozen=True, repr=False)
class _StridedShard(_InParts, Placement):
    """A placement that gives each device a part of each of `split_factor` groups along `dim`."""

    dim: int
    split_factor: int

    def __repr__(self) -> str:
        return f"_StridedShard(dim={self.dim}, sf={self.split_factor})"

    def __str__(self) -> str:
        return f"_S({self.dim}, {self.split_factor})"


@dataclass(frozen=True, repr=False)
class Replicate(Placement):
    """A placement that gives each device the whole tensor."""

    def __repr__(self) -> str:
        return "Replicate()"

    def __str__(self) -> str:
        return "R"


@dataclass(frozen=True, repr=False)
class Partial(Placement):
    """A placement that gives each device a partial result, to be combined by a reduction.

    Args:
      reduce_op (str): the reduction: "sum", "avg", "min", "max" or "product". Default: "sum".

    >>> from torchlike.distributed.tensor import Partial
    >>> Partial("max")
    Partial(max)
    """

    reduce_op: str = "sum"

    def __repr__(self) -> str:
        return f"Partial({self.reduce_op})"

    def __str__(self) -> str:
        return f"P({self.reduce_op})"


@dataclass(frozen=True, repr=False)
class _NormPartial(Partial):
    """A placement that gives each device the norm of its part."""

    reduce_op: str = "sum"
    norm_type: float = 2

    def __init__(self, norm_type: float = 2) -> None:
        object.__setattr__(self, "reduce_op", "sum")
        object.__setattr__(self, "norm_type", norm_type)

    def __repr__(self) -> str:
        return f"_NormPartial({self.norm_type})"

    def __str__(self) -> str:
        return f"_NormP({self.norm_type})"


@dataclass(frozen=True, repr=False)
class _MaskPartial(Partial):
    """A placement of the rows of an embedding whose table is divided by rows: a device has zeros for missing rows."""

    reduce_op: str = "sum"
    offset_shape: tuple[int, ...] | None = None
    offset_dim: int = 0

    def __repr__(self) -> str:
        return (
            f"_MaskPartial(reduce_op={self.reduce_op}, offset_shape={self.offset_shape}, offset_dim={self.offset_dim})"
        )

    def __str__(self) -> str:
        return "MaskP"


def is_made_of_whole(placement: Placement) -> bool:
    """Return whether a replicated tensor can get a partial placement without communication."""
    return type(placement) is Partial and placement.reduce_op in ("sum", "avg", "min", "max")
