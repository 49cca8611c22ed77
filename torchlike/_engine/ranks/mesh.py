"""The devices of a process group, and the arrays of a program that all members run.

Each rank sees its own arrays. In the program they are the shards of global arrays, along the first dim.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakSet

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from torchlike._dtypes.devices import device as Device
from torchlike._dtypes.devices import to_jax
from torchlike._engine.ranks.meeting import DifferentProgram, Meetings
from torchlike._engine.trace.trace import ahead
from torchlike._engine.xla import jax_private
from torchlike._engine.xla.lowering import Lowering
from torchlike._engine.xla.transfers import to_device

if TYPE_CHECKING:
    from torchlike._engine.ranks.grid import Grid
    from torchlike._engine.xla.executor import Executable

AXIS = "ranks"
meshes: WeakSet[RankMesh] = WeakSet()  # all meshes, for `explain()`
_lowering: ContextVar[RankMesh | None] = ContextVar("lowering", default=None)  # the mesh of the program being lowered


class Connected:
    """The base class of objects that connect processes. Guards of compiled functions do not look inside."""


class Call(NamedTuple):
    """A collective of a program: the mesh of its group, and its kind, shapes and dtypes."""

    mesh: RankMesh
    text: str


class RankMesh(Connected):
    """One device of each member of a process group.

    Attributes:
      ranks: the global ranks of the members, in the order of the group.
      shape: the number of members along each axis.
      axes: the names of the axes.
      rank: the rank of this process in the group.
      size: the number of members.
      device: the device of this process.
      meetings: the agreement of the members on their next program.
      is_imagined: whether the script is compiled ahead of time, so that the other members do not exist.
    """

    shape: tuple[int, ...]
    axes: tuple[str, ...] = (AXIS,)

    def __init__(
        self,
        name: str,
        ranks: Sequence[int],
        own: int,
        device: Device,
        seconds: float,
        grids: Callable[[Device], list[Grid]] = lambda device: [],
    ) -> None:
        """`grids` returns the grids of which the group is a part."""
        self.ranks, self.rank, self.size, self.device = tuple(ranks), list(ranks).index(own), len(ranks), device
        self.shape, self._grids = (self.size,), grids
        self.meetings = Meetings(f"{name}/{device}", self.ranks, own, seconds, self.grids)
        self._is_connected = False
        self.is_imagined = ahead.session is not None
        meshes.add(self)

    @functools.cached_property
    def _mesh(self) -> Mesh:
        place = to_jax(self.device)
        each: dict[int, Any] = {}
        for found in place.client.devices():
            each.setdefault(found.process_index, found)
        each[self.ranks[self.rank]] = place
        return self._mesh_of(each)

    def _mesh_of(self, devices: Any) -> Mesh:
        """Return JAX's mesh of the members' devices. `devices` has the device of each global rank."""
        return Mesh(np.array([devices[rank] for rank in self.ranks]).reshape(self.shape), self.axes)

    @functools.cached_property
    def _sharding(self) -> NamedSharding:
        return NamedSharding(self._mesh, PartitionSpec(self.axes))

    @property
    def axis(self) -> str | tuple[str, ...]:
        """The axis of the group in the program that is being lowered."""
        within = _lowering.get()
        if within is None or within is self:
            return AXIS
        axes = within.axes_of(self)
        return axes[0] if len(axes) == 1 else axes

    def axes_of(self, part: RankMesh) -> tuple[str, ...]:
        """Return the axes along which a part of this mesh lies."""
        raise ValueError(f"the ranks {part.ranks} are not an axis of the ranks {self.ranks}")

    def grids(self) -> list[Grid]:
        """Return the grids of which this mesh is a part."""
        return self._grids(self.device)

    def joined(self, other: RankMesh) -> RankMesh | None:
        """Return a mesh for programs with collectives of both meshes, or None if there is none."""
        others = other, *other.grids()
        return next((mesh for mesh in (self, *self.grids()) if mesh in others), None)

    def agree(self, digest: str, calls: list[Call], place: str) -> bool:
        """Meet the other members before a program. Return whether all members run the same program."""
        return self.meetings.agree(digest, [call.text for call in calls], place)

    def imagined(self, function: Callable, given: Sequence[Any]) -> list:
        """Return the results of a collective if all members had the arrays of this rank."""
        mapped = jax.vmap(function, in_axes=None, axis_size=self.size, axis_name=AXIS)
        return [x[self.rank] for x in mapped(*map(jnp.asarray, given))]

    def executable(self, device: Device, code: tuple, function: Callable, given: tuple, **options: Any) -> Executable:
        """Return the executable of a trace with collectives of this mesh."""
        from torchlike._engine.ranks.program import RankExecutable

        if self.is_imagined:
            raise DifferentProgram  # so the operators run one by one
        return RankExecutable(self, device, code, function, given, **options)

    def launch(self, call: Callable, *given: Any) -> Any:
        """Run a program. At the first run, Gloo connects the members and prints a line, which goes to `stderr`."""
        if self._is_connected or self.size == 1:
            results = call(*given)
            # On the CPU, wait here: an error of the connection then belongs to this program.
            return jax.block_until_ready(results) if self.device.type == "cpu" and self.size > 1 else results
        standard = os.dup(1)
        try:
            os.dup2(2, 1)
            results = jax.block_until_ready(call(*given))
        finally:
            os.dup2(standard, 1)
            os.close(standard)
        self._is_connected = True
        return results

    @staticmethod
    def is_disagreement(error: Exception) -> bool:
        """Return whether the members were about to run different programs, and none of them ran."""
        return isinstance(error, DifferentProgram)

    def lowered(
        self, function: Callable, given: Sequence[list], chips: Sequence[Any] | None = None, **options: Any
    ) -> tuple[Lowering, list[bool]]:
        """Lower a function of (donated arrays, kept arrays, packed numbers) to a program of all members.

        Zero-dim arrays have one dim in the arguments and results of the program, along which the members' arrays are
        concatenated. `chips` are the devices of all ranks of a target that is not present.

        Return the lowered program, and for each result whether it is a zero-dim array.
        """
        mesh = self._mesh if chips is None else self._mesh_of(chips)
        split = PartitionSpec(self.axes)
        sharding = NamedSharding(mesh, split)
        shapes = [[x.shape for x in part] for part in given]
        are_scalars: list[bool] = []

        def body(*given: list) -> list:
            inputs = [[x.reshape(s) for x, s in zip(part, each)] for part, each in zip(given, shapes)]
            results = function(*inputs)
            are_scalars.extend(x.ndim == 0 for x in results)
            return [x[None] if x.ndim == 0 else x for x in results]

        inside = jax.shard_map(body, mesh=mesh, in_specs=split, out_specs=split, check_vma=False)
        specs = [[jax.ShapeDtypeStruct(self._whole(x.shape), x.dtype, sharding=sharding) for x in p] for p in given]
        before = _lowering.set(self)
        try:
            jitted = jax.jit(inside, donate_argnums=0, **options)
            return Lowering(jitted, mesh.devices.flat[0].platform, *specs), are_scalars
        finally:
            _lowering.reset(before)

    def _whole(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """Return the shape of a global array whose shards have this shape."""
        return (self.size * shape[0], *shape[1:]) if shape else (self.size,)

    def enter(self, given: Sequence[list]) -> list[list]:
        """Return the global arrays of which these arrays of this rank are shards.

        The arrays in the first list are donated. Those of NumPy are copied, because their memory is reused.
        """
        return [[self._global(x, i == 0) for x in part] for i, part in enumerate(given)]

    def _global(self, array: Any, is_donated: bool) -> Any:
        if array.ndim == 0:
            array = array.reshape(1)
        if isinstance(array, np.ndarray):
            array = to_device(array.copy() if is_donated else array, self.device)
        return jax_private.global_array(self._whole(array.shape), self._sharding, array)

    def leave(self, made: Sequence[Any], are_scalars: Sequence[bool]) -> list:
        """Return the shards of this rank."""
        found = [self._shard(x) for x in made]
        return [x.reshape(()) if is_scalar else x for x, is_scalar in zip(found, are_scalars)]

    def _shard(self, array: Any) -> Any:
        """Return the shard of this rank of a global array. XLA does not divide an array without elements."""
        if array.size:
            return array.addressable_data(0)
        shape = array.shape[0] // self.size, *array.shape[1:]
        return to_device(np.empty(shape, array.dtype), self.device)
