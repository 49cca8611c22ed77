"""The devices of a process group, and the arrays of a program that all members run.

Each rank sees its own arrays. In the program they are the shards of global arrays, along the first dim.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from torchlike._dtypes.devices import device as Device
from torchlike._dtypes.devices import to_jax
from torchlike._engine.ranks.meeting import DifferentProgram, Meetings
from torchlike._engine.xla import jax_private

if TYPE_CHECKING:
    from torchlike._engine.xla.executor import Executable

AXIS = "ranks"
_SHARDED = PartitionSpec(AXIS)


class Connected:
    """The base class of objects that connect processes. Guards of compiled functions do not look inside."""


class RankMesh(Connected):
    """One device of each member of a process group.

    Attributes:
      ranks: the global ranks of the members, in the order of the group.
      rank: the rank of this process in the group.
      size: the number of members.
      device: the device of this process.
      meetings: the agreement of the members on their next program.
    """

    def __init__(self, name: str, ranks: Sequence[int], own: int, device: Device, seconds: float) -> None:
        self.ranks, self.rank, self.size, self.device = tuple(ranks), list(ranks).index(own), len(ranks), device
        self.meetings = Meetings(f"{name}/{device}", self.ranks, own, seconds)
        place = to_jax(device)
        each: dict[int, Any] = {}
        for found in jax.devices(place.platform):
            each.setdefault(found.process_index, found)
        each[own] = place
        self._mesh = Mesh(np.array([each[rank] for rank in self.ranks]), (AXIS,))
        self._sharding = NamedSharding(self._mesh, _SHARDED)
        self._place = place
        self._is_connected = False

    def executable(self, device: Device, code: tuple, function: Callable, given: tuple, **options: Any) -> Executable:
        """Return the executable of a trace with collectives of this mesh."""
        from torchlike._engine.ranks.program import RankExecutable

        return RankExecutable(self, device, code, function, given, **options)

    def launch(self, call: Callable, *given: Any) -> Any:
        """Run a program. At the first run, Gloo connects the members and prints a line, which goes to `stderr`."""
        if self._is_connected or self.size == 1:
            return call(*given)
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

    def lowered(self, function: Callable, given: Sequence[list], **options: Any) -> tuple[Any, list[bool]]:
        """Lower a function of (donated arrays, kept arrays, packed numbers) to a program of all members.

        Zero-dim arrays have one dim in the arguments and results of the program, along which the members' arrays are
        concatenated. Return the lowered program, and for each result whether it is a zero-dim array.
        """
        shapes = [[x.shape for x in part] for part in given]
        are_scalars: list[bool] = []

        def body(*given: list) -> list:
            inputs = [[x.reshape(s) for x, s in zip(part, each)] for part, each in zip(given, shapes)]
            results = function(*inputs)
            are_scalars.extend(x.ndim == 0 for x in results)
            return [x[None] if x.ndim == 0 else x for x in results]

        inside = jax.shard_map(body, mesh=self._mesh, in_specs=_SHARDED, out_specs=_SHARDED, check_vma=False)
        lowered = jax.jit(inside, donate_argnums=0, **options).lower(*self.enter(given))
        return lowered, are_scalars

    def enter(self, given: Sequence[list], donated: int = 1) -> list[list]:
        """Return the global arrays of which these arrays of this rank are shards.

        The memory of arrays in the first `donated` lists is reused, so arrays of NumPy are copied there.
        """
        return [[self._global(x, i < donated) for x in part] for i, part in enumerate(given)]

    def _global(self, array: Any, is_donated: bool) -> Any:
        if array.ndim == 0:
            array = array.reshape(1)
        if isinstance(array, np.ndarray):
            array = jax.device_put(array, self._place, may_alias=False if is_donated else None)
        shape = array.shape
        return jax_private.global_array((shape[0] * self.size, *shape[1:]), self._sharding, array)

    def leave(self, made: Sequence[Any], are_scalars: Sequence[bool]) -> list:
        """Return the shards of this rank."""
        found = [x.addressable_data(0) for x in made]
        return [x.reshape(()) if is_scalar else x for x, is_scalar in zip(found, are_scalars)]
