"""Device meshes: processes in a grid, with a process group along each dim."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from torchlike import Tensor
from torchlike._internal import Layout, from_numpy, unsupported
from torchlike.distributed import _errors as errors
from torchlike.distributed._group import ProcessGroup
from torchlike.distributed._mesh_layout import (
    _FlatLayout,
    _MeshLayout,
    contiguous,
    joined,
    rank_of,
    ranks_in_file,
)
from torchlike.distributed._world import default, init_process_group, is_initialized, new_group, world
from torchlike.serialization._errors import Refused

_entered: list[DeviceMesh] = []  # the meshes of the enclosing `with` statements
_made: WeakValueDictionary[tuple, DeviceMesh] = WeakValueDictionary()  # the meshes of this process, for loaded ones


def current_mesh() -> DeviceMesh:
    """Return the mesh of the innermost enclosing `with` statement."""
    if not _entered:
        raise RuntimeError("No device mesh is currently active!")
    return _entered[-1]


class DeviceMesh:
    """A grid of processes, with a process group along each dim.

    All processes must create their meshes in the same order. If there is no default process group, it is initialized.
    Indexing a mesh with one or more names of dims returns the submesh along these dims that contains this process.

    Args:
      device_type (str): "cpu" or "cuda".
      mesh (Tensor, array or nested list): the global ranks of the processes.
      mesh_dim_names (sequence of str, optional): a name for each dim.
      backend_override: must be None. Backends for single dims are not supported.

    Raises:
      RuntimeError: the mesh has more elements than there are processes.

    >>> import torchlike as torch
    >>> store = torch.distributed.HashStore()
    >>> torch.distributed.init_process_group("gloo", rank=0, world_size=1, store=store)
    >>> torch.distributed.DeviceMesh("cpu", [[0]], mesh_dim_names=("dp", "tp"))["tp"]
    DeviceMesh((tp=1), 'cpu', stride=((),))
    >>> torch.distributed.destroy_process_group()
    """

    def __init__(
        self, device_type: str, mesh: Any, *, mesh_dim_names: Sequence[str] | None = None, backend_override: Any = None
    ) -> None:
        if backend_override is not None:
            raise unsupported("DeviceMesh", "backend_override")
        ranks = np.array(mesh.tolist() if isinstance(mesh, Tensor) else mesh, np.int32)
        if not is_initialized():
            init_process_group()
        if ranks.size > default().size():
            raise RuntimeError(
                f"Mesh should not be bigger than default world size {default().size()}, but found {ranks.size} ranks!"
            )
        groups = _groups(ranks)
        self._layout = _laid_out(ranks, groups)
        self._is(device_type, ranks, tuple(mesh_dim_names) if mesh_dim_names else None, contiguous(ranks.shape), groups)

    def _is(
        self, device_type: str, ranks: np.ndarray, names: tuple[str, ...] | None, dims: _MeshLayout, groups: list
    ) -> None:
        self.device_type, self.mesh_dim_names, self._dims = device_type, names, dims
        self._ranks, self._groups_here, self._flattened = ranks, groups, {}
        self._listed, self._rank = ranks.reshape(-1), default().rank() if is_initialized() else -1
        _made.setdefault(self._key(), self)

    _layout: Layout | None = None  # of the mesh with all dims
    _root: DeviceMesh | None = None  # the mesh of which this is a part
    _listed: np.ndarray  # the ranks of that mesh, or of this one
    _dims: _MeshLayout  # where the ranks of this mesh are among them
    _flattened: dict[str, DeviceMesh]  # the flattened meshes of this mesh and of its parts
    _groups_here: list | None  # None for a loaded mesh that has not been used
    _group_names: tuple[str, ...] = ()  # of a loaded mesh
    _is_foreign: bool = False  # whether tensors of a loaded mesh are parts of the process that saved them

    def _part(self, ranks: np.ndarray, names: tuple[str, ...], axes: Sequence[_FlatLayout], groups: list) -> DeviceMesh:
        """Return a mesh of some dims of this one."""
        made = object.__new__(DeviceMesh)
        made._is(self.device_type, ranks, names, _MeshLayout(tuple(axes)), groups)
        made._layout, made._root, made._listed = self._layout, self._root or self, self._listed
        return made

    def _dims_of(self, part: DeviceMesh) -> tuple[int, ...]:
        """Return the dims of this mesh that a part has, without those of size 1."""
        held = [(dim, axis.stride[0]) for dim, axis in enumerate(self._dims.axes) if axis.stride]
        return tuple(dim for dim, stride in held if any(axis.covers(stride) for axis in part._dims.axes))

    @property
    def _groups(self) -> list:
        """The group along each dim. Those of a loaded mesh are found when they are needed first."""
        if self._is_foreign:
            raise errors.foreign_parts(self, self._rank)
        if self._groups_here is None:
            self._groups_here, self._layout = _groups_of_loaded(self)
        return self._groups_here

    def _groups_if_known(self) -> tuple:
        """Return the groups, or the rank if a loaded mesh has no groups in this process."""
        try:
            return tuple(self._groups)
        except (ValueError, RuntimeError):
            return (self._own_rank(),)

    @cached_property
    def _rank_map(self) -> Tensor:
        """The listed ranks as a tensor. Parts of a mesh share it in files."""
        return self._root._rank_map if self._root else from_numpy(self._listed.astype(np.int32))

    # -- pickles and files ---------------------------------------------------------------------------------------------

    def __getstate__(self) -> dict[str, Any]:
        """Return the state in PyTorch's form."""
        groups = self._groups_here
        names = self._group_names if groups is None else [group.group_name for group in groups if group is not None]
        return {
            "_device_type": self.device_type,
            "_layout": self._dims,
            "_rank_map": self._rank_map,
            "_mesh_dim_names": self.mesh_dim_names,
            "_root_mesh": self._root,
            "_flatten_rank_map": tuple(self._listed.tolist()),
            "_thread_id": None,
            "_flatten_mapping": dict(self._flattened),
            "_dim_group_names": list(names),
            "_rank": self._own_rank(),
            "_coordinate_on_dim": self.get_coordinate(),
            "_hash": None,
        }

    def __setstate__(self, state: Any) -> None:
        """Restore a mesh from PyTorch's form. Nothing is sent, and no group is made: groups are found on use."""
        dims, listed, root, flattened = ranks_in_file(state)
        names, kind, rank, groups = (
            state.get(f"_{name}", state.get(name))
            for name in ("mesh_dim_names", "device_type", "rank", "dim_group_names")
        )
        rank = rank_of(state, dims, listed) if rank is None else rank
        for valid, what in (
            (type(kind) is str and kind.isalpha(), "device type"),
            (names is None or (_are_texts(names, tuple) and len(set(names)) == len(names) == len(dims.axes)), "names"),
            (rank is None or (type(rank) is int and 0 <= rank < 1 << 31), "rank"),
            (groups is None or _are_texts(groups, list), "names of groups"),
            (root is None or (type(root) is DeviceMesh and not flattened), "root mesh"),
            (_are_texts(list(flattened), list) and all(type(m) is DeviceMesh for m in flattened.values()), "parts"),
        ):
            if not valid:
                raise Refused(f"a mesh in it has an invalid {what}")
        self.device_type, self.mesh_dim_names, self._dims, self._listed = kind, names or None, dims, listed
        self._rank, self._root, self._flattened = -1 if rank is None else rank, root, dict(flattened)
        self._groups_here, self._group_names = None, tuple(groups or ())
        self._ranks = dims.mesh(listed, self._own_rank(), self._rank)
        for part, whole in (*((part, self) for part in flattened.values()), *([(self, root)] if root else [])):
            _link(part, whole)
        for part, whole in self.__dict__.pop("_links", ()):
            _link(part, whole)

    def _keep_parts(self) -> None:
        """Keep the coordinates of the process that saved this mesh, because its tensors are parts of that process."""
        self._is_foreign, self._ranks = True, self._dims.mesh(self._listed, self._rank)

    def _own_rank(self) -> int:
        return default().rank() if is_initialized() and not self._is_foreign else self._rank

    @staticmethod
    def from_group(
        group: ProcessGroup | list[ProcessGroup],
        device_type: str,
        mesh: Any = None,
        *,
        mesh_dim_names: Sequence[str] | None = None,
    ) -> DeviceMesh:
        """Create a mesh from existing groups.

        Args:
          group (ProcessGroup or list): a group, or a list with a group for each dim.
          device_type (str): "cpu" or "cuda".
          mesh (Tensor, array or nested list, optional): the global ranks of the processes. Default: those of the group.
          mesh_dim_names (sequence of str, optional): a name for each dim.

        Raises:
          ValueError: `mesh` has another number of dims than there are groups.
        """
        groups = [group] if isinstance(group, ProcessGroup) else list(group)
        ranks = np.array(groups[0]._ranks if mesh is None else mesh, np.int32)
        if ranks.ndim != len(groups):
            raise ValueError(
                f"Expected mesh with ndim equal to number of ProcessGroups but got mesh {ranks.tolist()} "
                f"and {len(groups)} ProcessGroups"
            )
        made = object.__new__(DeviceMesh)
        names = tuple(mesh_dim_names) if mesh_dim_names else None
        made._is(device_type, ranks, names, contiguous(ranks.shape), groups)
        return made

    @property
    def mesh(self) -> Tensor:
        """The global ranks, as a tensor."""
        return from_numpy(self._ranks.copy())

    @property
    def ndim(self) -> int:
        """The number of dims."""
        return self._ranks.ndim

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of processes along each dim."""
        return self._ranks.shape

    def size(self, mesh_dim: int | None = None) -> int:
        """Return the number of processes, in total or along one dim.

        Args:
          mesh_dim (int, optional): the dim.
        """
        return self._ranks.size if mesh_dim is None else self._ranks.shape[mesh_dim]

    def get_rank(self) -> int:
        """Return the global rank of this process."""
        return default().rank()

    def __enter__(self) -> DeviceMesh:
        _entered.append(self)
        return self

    def __exit__(self, *_: object) -> None:
        _entered.pop()

    def _is_current_rank_part_of_mesh(self) -> bool:
        return self.get_coordinate() is not None

    def get_coordinate(self) -> tuple[int, ...] | None:
        """Return the coordinates of this process, or None if it is not in the mesh."""
        found = np.argwhere(self._ranks == self._own_rank())
        return tuple(int(i) for i in found[0]) if len(found) else None

    def _saved_coordinate(self) -> tuple[int, ...] | None:
        """Return the coordinates of the process that made this mesh, or that saved it to a file."""
        ranks = self._dims.mesh(self._listed, self._rank)
        return next((tuple(map(int, at)) for at in np.argwhere(ranks == self._rank)), None)

    def get_local_rank(self, mesh_dim: int | str | None = None) -> int:
        """Return the coordinate of this process along a dim.

        Args:
          mesh_dim (int or str, optional): the dim or its name. It may be omitted if the mesh has only one.

        Raises:
          RuntimeError: the mesh has several dims and none is given, or the process is not in the mesh.
          KeyError: no dim has this name.
        """
        if mesh_dim is None and self.ndim > 1:
            raise errors.mesh_dim_needed(self.ndim, "")
        place = self.get_coordinate()
        if place is None:
            raise RuntimeError("this process is not in the mesh")
        return place[0 if mesh_dim is None else self._dim(mesh_dim)]

    def get_group(self, mesh_dim: int | str | None = None) -> ProcessGroup:
        """Return the group along a dim.

        Args:
          mesh_dim (int or str, optional): the dim or its name. It may be omitted if the mesh has only one.

        Raises:
          RuntimeError: the mesh has several dims and none is given.
          KeyError: no dim has this name.
        """
        if mesh_dim is None and self.ndim > 1:
            raise errors.mesh_dim_needed(self.ndim, _INSTEAD)
        return self._groups[0 if mesh_dim is None else self._dim(mesh_dim)]

    def get_all_groups(self) -> list[ProcessGroup]:
        """Return the groups along all dims."""
        return list(self._groups)

    def _dim(self, asked: int | str) -> int:
        if not isinstance(asked, str):
            return asked
        if asked not in (self.mesh_dim_names or ()):
            raise KeyError(
                f"Mesh dimension '{asked}' does not exist.",
                f"Available mesh dimensions are: mesh_dim_names={self.mesh_dim_names}",
            )
        return (self.mesh_dim_names or ()).index(asked)

    def __getitem__(self, names: str | tuple[str, ...]) -> DeviceMesh:
        if not self.mesh_dim_names:
            raise RuntimeError("Cannot slice a DeviceMesh without mesh_dim_names!")
        names = (names,) if isinstance(names, str) else tuple(names)
        if names == self.mesh_dim_names:
            return self
        valid = [*self.mesh_dim_names, *self._flattened]
        if any(name not in valid for name in names):
            raise errors.mesh_dims(names, f"Valid mesh_dim_names are {valid}.")
        parts = [self._along(name) for name in names]
        dims = tuple(dim for part in parts for dim in part[0])
        long = [dim for dim in dims if self.shape[dim] > 1]  # a dim of size 1 may stand anywhere
        if len(set(long)) < len(long):
            raise RuntimeError(f"Slicing overlapping dim_names {names} is not allowed.")
        if long != sorted(long):
            raise errors.mesh_dims(names, "Mesh dim indices should be in ascending order.")
        place = self.get_coordinate() or (0,) * self.ndim
        ranks = self._ranks[tuple(slice(None) if dim in dims else place[dim] for dim in range(self.ndim))]
        ranks = ranks.reshape([int(np.prod([self.shape[dim] for dim in part])) for part, _, _ in parts])
        return self._part(ranks, names, [part[1] for part in parts], [part[2] for part in parts])

    def _along(self, name: str) -> tuple[tuple[int, ...], _FlatLayout, Any]:
        """Return the dims, the layout and the group of a name, which may be that of a flattened mesh."""
        if name in (self.mesh_dim_names or ()):
            dim = self._dim(name)
            return (dim,), self._dims.axes[dim], self._groups[dim]
        flat = self._flattened[name]
        return self._dims_of(flat), flat._dims.axes[0], flat._groups[0]

    def _flatten(self, mesh_dim_name: str | None = None) -> DeviceMesh:
        """Return a one-dimensional mesh of the same processes. All processes must call this method.

        The mesh of all dims finds it by its name afterwards.
        """
        if not self.mesh_dim_names:
            raise RuntimeError("Cannot flatten a DeviceMesh without mesh_dim_names!")
        root, name = self._root or self, mesh_dim_name or "_".join(self.mesh_dim_names)
        if self.ndim == 1 and name in self.mesh_dim_names:
            return self
        if name in (root.mesh_dim_names or ()):
            raise errors.mesh_name_taken(name, root)
        made, ranks = root._flattened.get(name), self._ranks.reshape(-1)
        if made is not None:
            if made._ranks.tolist() != ranks.tolist():
                raise errors.mesh_flattened(name)
            return made
        groups = _groups(ranks)
        if self._layout is not None and groups[0] is not None and self._layout not in groups[0]._layouts:
            groups[0]._layouts.append(self._layout)
        made = self._part(ranks, (name,), [joined(self._dims.axes)], groups)
        root._flattened[name] = made
        return made

    def __repr__(self) -> str:
        if self.mesh_dim_names:
            said = ", ".join(f"{name}={size}" for name, size in zip(self.mesh_dim_names, self.shape))
            said = f"({said})"
        else:
            said = repr(self.shape)
        strides = tuple(axis.stride[0] if len(axis.stride) == 1 else axis.stride for axis in self._dims.axes)
        return f"DeviceMesh({said}, {self.device_type!r}, stride={strides})"

    def _key(self) -> tuple:
        return self.device_type, self.shape, self._ranks.tobytes(), self.mesh_dim_names

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DeviceMesh) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())


def _are_texts(found: Any, kind: type) -> bool:
    return type(found) is kind and all(type(text) is str for text in found)


def _link(part: DeviceMesh, root: DeviceMesh) -> None:
    """Check that a loaded mesh is a part of its root. A check waits until both have their state."""
    missing = next((mesh for mesh in (part, root) if "_dims" not in mesh.__dict__), None)
    if missing is not None:
        missing.__dict__.setdefault("_links", []).append((part, root))
    elif part._root is not root or root._root is not None or not np.array_equal(part._listed, root._listed):
        raise Refused("a mesh in it is not a part of its root mesh")


def _groups_of_loaded(mesh: DeviceMesh) -> tuple[list, Layout | None]:
    """Return the groups of a loaded mesh and their layout: those of the equal mesh of this process, or equal groups."""
    same = _equal(mesh)
    if same is not None:
        return same._groups, same._layout
    place, found = mesh.get_coordinate(), []
    for dim in range(mesh.ndim if place is not None and default() else 0):
        ranks = np.moveaxis(mesh._ranks, dim, -1)[tuple(np.delete(place or (), dim))].tolist()
        groups = [group for group in world.groups.values() if group._ranks == ranks]
        if not groups:
            raise errors.no_group_of_loaded(mesh, dim, ranks)
        found.append(next((group for group in groups if group.group_name in mesh._group_names), groups[0]))
    return found or [None] * mesh.ndim, None


def _equal(mesh: DeviceMesh) -> DeviceMesh | None:
    """Return the equal mesh that this process made, or None. A part is found in an equal root mesh."""
    same, names = _made.get(mesh._key()), mesh.mesh_dim_names
    if same is None and mesh._root is not None and names is not None:
        root = _equal(mesh._root)
        known = (*(root.mesh_dim_names or ()), *root._flattened) if root else ()
        same = root[names] if root and all(name in known for name in names) else None
    live = same is not None and all(
        group is None or world.groups.get(group.group_name) is group for group in same._groups
    )
    return same if live and same == mesh else None


_INSTEAD = (
    "If you want to get the list of all the ProcessGroups in the DeviceMesh,please use `get_all_groups()` instead."
)


def _groups(ranks: np.ndarray) -> list:
    """Return, for each dim, the group along it that contains this process, or None.

    All processes must call this function, since creating a group involves all processes.
    """
    found = []
    for dim, size in enumerate(ranks.shape):
        if size == default().size():
            found.append(default())
            continue
        made = [new_group(row.tolist()) for row in np.moveaxis(ranks, dim, -1).reshape(-1, size)]
        found.append(next((group for group in made if isinstance(group, ProcessGroup)), None))
    return found


def _laid_out(ranks: np.ndarray, groups: list) -> Layout | None:
    """Return the layout of a mesh of several dims, and note it in the groups of this process."""
    world_ranks, own = default()._ranks, default().rank()
    if ranks.ndim == 1 or own not in ranks:
        return None
    made = Layout(f"mesh{world.made}", ranks, own, default()._seconds)
    whole = [default()] if ranks.ravel().tolist() == world_ranks else []
    for group in dict.fromkeys((*groups, *whole)):
        group._layouts.append(made)
    return made


def init_device_mesh(
    device_type: str,
    mesh_shape: Sequence[int],
    *,
    mesh_dim_names: Sequence[str] | None = None,
    backend_override: Any = None,
) -> DeviceMesh:
    """Create a mesh from all processes, in the order of their ranks. All processes call this function.

    Args:
      device_type (str): "cpu" or "cuda", without an index.
      mesh_shape (sequence of ints): the number of processes along each dim. The product must not exceed the number of
        processes.
      mesh_dim_names (sequence of str, optional): a different name for each dim.
      backend_override: must be None. Backends for single dims are not supported.

    Raises:
      RuntimeError: the names repeat or are too few or too many, the device type has an index, or the mesh is too large.

    >>> import torchlike as torch
    >>> store = torch.distributed.HashStore()
    >>> torch.distributed.init_process_group("gloo", rank=0, world_size=1, store=store)
    >>> torch.distributed.init_device_mesh("cpu", (1,), mesh_dim_names=("dp",))
    DeviceMesh((dp=1), 'cpu', stride=((),))
    >>> torch.distributed.destroy_process_group()
    """
    if mesh_dim_names is not None:
        if len(set(mesh_dim_names)) < len(mesh_dim_names):
            raise errors.mesh_names_repeat(tuple(mesh_dim_names))
        if len(mesh_dim_names) != len(mesh_shape):
            raise RuntimeError(
                "mesh_shape and mesh_dim_names should have same length! "
                f"Found len(mesh_dim_names): {len(mesh_dim_names)} and len(mesh_shape):{len(mesh_shape)}."
            )
    if not device_type.isalpha():
        raise RuntimeError(
            f"Device type with index is not supported but got {device_type}. ",
            "If you maintained a 'torch.device' object, it's recommended to pass in 'device.type'.",
        )
    ranks = np.arange(int(np.prod(mesh_shape))).reshape(tuple(mesh_shape))
    return DeviceMesh(device_type, ranks, mesh_dim_names=mesh_dim_names, backend_override=backend_override)
