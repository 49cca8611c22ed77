"""`DTensorSpec`: the mesh, the placements and the global geometry of a `DTensor`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import torchlike
from torchlike.distributed.device_mesh import DeviceMesh
from torchlike.distributed.tensor.placement_types import Placement, Shard, _StridedShard
from torchlike.serialization._errors import Refused


class TensorMeta(NamedTuple):
    """The global shape, strides and dtype of a `DTensor`."""

    shape: torchlike.Size
    stride: tuple[int, ...]
    dtype: torchlike.dtype


class ShardOrderEntry(NamedTuple):
    """The dims of the mesh that shard one dim of a tensor, in the order in which they shard it."""

    tensor_dim: int
    mesh_dims: tuple[int, ...]


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

    def _shard_order(self) -> tuple[ShardOrderEntry, ...]:
        """Return the default order: the first dim of the mesh shards first."""
        found: dict[int, list[int]] = {}
        for mesh_dim, placement in enumerate(self.placements):
            if isinstance(placement, Shard | _StridedShard):
                found.setdefault(placement.dim, []).append(mesh_dim)
        return tuple(ShardOrderEntry(dim, tuple(mesh_dims)) for dim, mesh_dims in sorted(found.items()))

    def __getstate__(self) -> dict[str, Any]:
        """Return the state in PyTorch's form."""
        is_strided = any(isinstance(placement, _StridedShard) for placement in self.placements)
        return {
            "mesh": self.mesh,
            "placements": self.placements,
            "tensor_meta": self.tensor_meta,
            "shard_order": None if is_strided else self._shard_order(),
            "use_strided_shard_as_shard_order": is_strided,
            "_hash": None,
        }

    def __setstate__(self, state: Any) -> None:
        """Restore a spec from PyTorch's form."""
        mesh, placements, meta = (state.get(name) for name in ("mesh", "placements", "tensor_meta"))
        for valid, what in (
            (type(mesh) is DeviceMesh and "_dims" in mesh.__dict__, "mesh"),
            (type(placements) is tuple and all(map(_is_complete, placements)), "placements"),
            (meta is None or type(meta) is TensorMeta, "geometry"),
        ):
            if not valid:
                raise Refused(f"a DTensorSpec in it has an invalid {what}")
        if len(placements) != mesh.ndim:
            raise Refused(f"a DTensorSpec in it has {len(placements)} placements on a mesh of {mesh.ndim} dims")
        self.__dict__.update(mesh=mesh, placements=placements, tensor_meta=None if meta is None else _checked(meta))
        order = state.get("shard_order")
        if order is not None and order != self._shard_order():
            raise Refused("a DTensorSpec in it divides a dim in another order than that of the mesh's dims")

    def __deepcopy__(self, memo: dict[int, Any]) -> DTensorSpec:
        return self  # a mesh refers to process groups, which cannot be copied


def _is_complete(placement: Any) -> bool:
    names = getattr(type(placement), "__dataclass_fields__", {})
    return isinstance(placement, Placement) and all(name in placement.__dict__ for name in names)


def _checked(meta: TensorMeta) -> TensorMeta:
    """Return the geometry in a file after checking it. PyTorch keeps the sequences that the user gave."""
    shape, stride, dtype = meta
    listed = all(type(numbers) in (tuple, list, torchlike.Size) for numbers in (shape, stride))
    if not listed or len(shape) != len(stride) or not isinstance(dtype, torchlike.dtype):
        raise Refused("a DTensorSpec in it has an invalid geometry")
    if not all(type(n) is int and 0 <= n < 1 << 63 for n in (*shape, *stride)):
        raise Refused("a DTensorSpec in it has invalid sizes or strides")
    return TensorMeta(torchlike.Size(shape), tuple(stride), dtype)
