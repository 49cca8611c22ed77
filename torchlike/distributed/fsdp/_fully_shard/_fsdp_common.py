"""The meshes of `fully_shard`, and conversions of nested inputs and outputs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from torchlike import Tensor, dtype
from torchlike.distributed._group import ProcessGroup
from torchlike.distributed.device_mesh import DeviceMesh
from torchlike.utils import _pytree


@dataclass(frozen=True, eq=False)
class MeshInfo:
    """A data-parallel mesh: one dim that shards parameters, and at most one dim that replicates them.

    If `is_replicated` is True, each process has whole parameters. The dim that shards then has one process.
    """

    mesh: DeviceMesh
    is_replicated: bool = False

    @property
    def shard_dim(self) -> int:
        return self.mesh.ndim - 1

    @property
    def shard_group(self) -> ProcessGroup:
        return self.mesh.get_group(self.shard_dim)

    @property
    def shard_size(self) -> int:
        return self.mesh.size(self.shard_dim)

    @property
    def shard_rank(self) -> int:
        return self.mesh.get_local_rank(self.shard_dim)

    @property
    def replicate_group(self) -> ProcessGroup | None:
        return self.mesh.get_group(0) if self.mesh.ndim == 2 else None

    @property
    def size(self) -> int:
        """The number of processes over which gradients are averaged."""
        return self.mesh.size()


def check_mesh(mesh: DeviceMesh) -> None:
    """Raise an error if parameters cannot be sharded on the mesh."""
    if mesh.ndim not in (1, 2):
        raise ValueError(f"fully_shard expects a 1D or 2D DeviceMesh but got {mesh}")
    if mesh.ndim == 2 and mesh.mesh_dim_names is None:
        raise AssertionError("Please init the 2D mesh for HSDP with mesh_dim_names specified")


def cast_floating(tree: Any, to: dtype) -> Any:
    """Convert the floating-point tensors in nested containers to a dtype."""
    return map_tensors(tree, lambda x: x.to(to) if x.is_floating_point() else x)


def map_tensors(tree: Any, change: Callable[[Tensor], Tensor]) -> Any:
    """Apply a function to the tensors in nested containers, including the fields of dataclasses."""

    def at(leaf: Any) -> Any:
        if isinstance(leaf, Tensor):
            return change(leaf)
        if hasattr(leaf, "__dataclass_fields__") and not isinstance(leaf, type):
            for name in leaf.__dataclass_fields__:
                before = getattr(leaf, name)
                after = map_tensors(before, change)
                if after is not before:
                    setattr(leaf, name, after)
        return leaf

    return _pytree.tree_map(at, tree)


def tensors_in(tree: Any) -> list[Tensor]:
    """Return the tensors in nested containers, including the fields of dataclasses."""
    found: list[Tensor] = []

    def collect(tensor: Tensor) -> Tensor:
        found.append(tensor)
        return tensor

    map_tensors(tree, collect)
    return found
