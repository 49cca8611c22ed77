"""Words for how a tensor would lie on the devices of a mesh. Libraries make them while they are imported; the tensors
that they are for (`DTensor`) are not supported."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


class Placement:
    """How a tensor lies along one dim of a mesh."""

    def is_shard(self, dim: int | None = None) -> bool:
        """Whether each device has a part (along this dim)."""
        return isinstance(self, Shard) and dim in (None, self.dim)

    def is_replicate(self) -> bool:
        """Whether each device has all of it."""
        return isinstance(self, Replicate)

    def is_partial(self, reduce_op: str | None = None) -> bool:
        """Whether each device has one addend (for this way of reducing)."""
        return isinstance(self, Partial) and reduce_op in (None, self.reduce_op)


class _InParts:
    """What all kinds of parts have."""

    @staticmethod
    def local_shard_size_and_offset(curr_local_size: int, num_chunks: int, rank: Any) -> tuple[int, int]:
        """How long the part of this rank is, and where it begins, if a dim is cut as `torch.chunk` does."""
        length = -(-curr_local_size // num_chunks)
        begin = min(length * rank, curr_local_size)
        return min(length, curr_local_size - begin), begin


@dataclass(frozen=True, repr=False)
class Shard(_InParts, Placement):
    """Each device has a part along `dim`."""

    dim: int

    def __repr__(self) -> str:
        return f"Shard(dim={self.dim})"

    def __str__(self) -> str:
        return f"S({self.dim})"


@dataclass(frozen=True, repr=False)
class _StridedShard(_InParts, Placement):
    """Each device has a part of each of `split_factor` groups along `dim`."""

    dim: int
    split_factor: int

    def __repr__(self) -> str:
        return f"_StridedShard(dim={self.dim}, sf={self.split_factor})"

    def __str__(self) -> str:
        return f"_S({self.dim}, {self.split_factor})"


@dataclass(frozen=True, repr=False)
class Replicate(Placement):
    """Each device has all of it."""

    def __repr__(self) -> str:
        return "Replicate()"

    def __str__(self) -> str:
        return "R"


@dataclass(frozen=True, repr=False)
class Partial(Placement):
    """Each device has one addend of it."""

    reduce_op: str = "sum"

    def __repr__(self) -> str:
        return f"Partial({self.reduce_op})"

    def __str__(self) -> str:
        return f"P({self.reduce_op})"
