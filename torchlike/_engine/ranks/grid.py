"""Processes in a grid of several dims, and programs with collectives along more than one of them.

A program that all processes of a grid run may contain collectives of the groups along each dim, of several dims, and of
all processes. A dim of the grid is an axis of JAX's mesh.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from torchlike._dtypes.devices import device as Device
from torchlike._engine.ranks.meeting import GridMeetings
from torchlike._engine.ranks.mesh import Call, RankMesh


class Layout:
    """The places of processes in a grid.

    Attributes:
      name: a name that is the same in all processes, and that no other layout has.
      ranks: the global ranks, with a dim for each dim of the grid.
    """

    def __init__(self, name: str, ranks: np.ndarray, own: int, seconds: float) -> None:
        self.name, self.ranks, self._own, self._seconds = name, ranks, own, seconds
        self._grids: dict[Device, Grid] = {}

    def grid(self, device: Device) -> Grid:
        """Return the grid of the processes' devices of this type."""
        if device not in self._grids:
            self._grids[device] = Grid(self, self._own, device, self._seconds)
        return self._grids[device]


class Grid(RankMesh):
    """One device of each process in a grid."""

    def __init__(self, layout: Layout, own: int, device: Device, seconds: float) -> None:
        super().__init__(layout.name, layout.ranks.ravel().tolist(), own, device, seconds)
        self.shape = layout.ranks.shape
        self.axes = tuple([f"{layout.name}_{dim}" for dim in range(len(self.shape))])
        self.meetings: GridMeetings = GridMeetings(f"{layout.name}/{device}", self.ranks, own, seconds)
        self._ranks = layout.ranks
        self._own = own

    def axes_of(self, part: RankMesh) -> tuple[str, ...]:
        """Return the axes along which a group of some of the processes lies."""
        place = tuple(np.argwhere(self._ranks == self._own)[0])
        for dims in _choices(self._ranks.ndim):
            along = tuple(slice(None) if dim in dims else place[dim] for dim in range(self._ranks.ndim))
            if tuple(self._ranks[along].ravel().tolist()) == part.ranks:
                return tuple([self.axes[dim] for dim in dims])
        return super().axes_of(part)

    def agree(self, digest: str, calls: list[Call], place: str) -> bool:
        """Meet the members of the group of the first collective, and then all processes of the grid."""
        texts = [call.text for call in calls]
        first = calls[0].mesh.meetings
        if not first.compare(digest, texts, place):
            return False
        if not self.meetings.compare(digest, texts, place):
            first.differed = True
            return False
        for mesh, count in Counter(call.mesh for call in calls).items():
            mesh.meetings.number += count
        self.meetings.number += len(calls)
        return True


def _choices(count: int) -> list[tuple[int, ...]]:
    """Return the sets of dims of a grid, small sets first."""
    every = [tuple(dim for dim in range(count) if bits >> dim & 1) for bits in range(1, 1 << count)]
    return sorted(every, key=len)
