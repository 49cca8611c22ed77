"""`DTensorSpec`: the mesh, the placements and the global geometry of a `DTensor`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import torchlike
from torchlike.distributed.device_mesh import DeviceMesh
from torchlike.distributed.tensor.placement_types import Placement


class TensorMeta(NamedTuple):
    """The global shape, strides and dtype of a `DTensor`."""

    shape: torchlike.Size
    stride: tuple[int, ...]
    dtype: torchlike.dtype


@dataclass(frozen=True, repr=False)
class DTensorSpec:
    """The layout of a `DTensor`: a mesh, one placement for each dim of the mesh, and the global geometry."""

    mesh: DeviceMesh
    placements: tuple[Placement, ...]
    tensor_meta: TensorMeta

    @property
    def device_mesh(self) -> DeviceMesh:
        """The mesh."""
        return self.mesh

    @property
    def shape(self) -> torchlike.Size:
        """The global shape."""
        return self.tensor_meta.shape

    @property
    def stride(self) -> tuple[int, ...]:
        """The global strides."""
        return self.tensor_meta.stride

    @property
    def ndim(self) -> int:
        """The number of dims of the tensor."""
        return len(self.tensor_meta.shape)

    def is_replicated(self) -> bool:
        """Return whether every process has the whole tensor."""
        return all(placement.is_replicate() for placement in self.placements)

    def __str__(self) -> str:
        placed = "".join(map(str, self.placements))
        return f"Spec({placed} on {tuple(self.tensor_meta.shape)})"

    __repr__ = __str__

    def __deepcopy__(self, memo: dict[int, Any]) -> DTensorSpec:
        return self  # a mesh refers to process groups, which cannot be copied
