"""The rows of an optimizer's groups: parameters with their gradients and state, sorted into buckets."""

from __future__ import annotations

from collections.abc import Callable
from operator import is_
from typing import Any

import numpy as np

import torchlike
from torchlike import Tensor
from torchlike._internal import WRITE, of_array
from torchlike.optim._state.packs import Pack

Group = dict[str, Any]


class Bucket:
    """The rows of one group with the same counters, dtype and device, and their columns of state.

    `fresh` is true if the state was created for the next step. The last rows are those of the packs. The state of a
    pack is one tensor for each name. The gradients of the rows are all sparse or all dense. `versions` is the sum of
    the versions of the tensors in `shown` after the last step. It is None if `shown` is empty or the state has not been
    read.
    """

    __slots__ = ("columns", "counters", "dtype", "fresh", "packs", "rows", "shown", "sparse", "ticks", "versions")

    def __init__(
        self, counters: tuple[float, ...], fresh: bool, dtype: torchlike.dtype, columns: int, sparse: bool = False
    ) -> None:
        self.counters = counters
        self.sparse = sparse
        self.fresh = fresh
        self.dtype = dtype
        self.rows: list[int] = []
        self.packs: list[Pack] = []
        self.shown: list[list[Tensor]] = []  # for each counter, the tensors that each step writes
        self.versions: int | None = None
        # `fresh` and the counters as numbers on the device, while the host does not know them (see `skipping.py`).
        self.ticks: Tensor | None = None
        self.columns: list[list[Tensor]] = [[] for _ in range(1 + columns)]

    def versions_now(self) -> int:
        """Return the current sum of the versions of the tensors in `shown`."""
        return sum([t._storage.version for tensors in self.shown for t in tensors])

    def shows_elsewhere(self) -> bool:
        """Return whether the tensors in `shown` are on another device than the parameters.

        On an accelerator they are on the CPU, as in PyTorch.
        """
        place = self.columns[0][0].device
        return any([t.device is not place for tensors in self.shown for t in tensors])

    def show(self) -> None:
        """Write the counters to the tensors in `shown`, on the host."""
        for tensors, count in zip(self.shown, self.counters):
            for t in tensors:
                t._storage.value = of_array(np.full(t.shape, count, t.dtype.numpy), t.device)._value
                t._storage.version += WRITE

    def is_as_left(self) -> bool:
        """Return whether only steps have written to the counters in `shown`."""
        return self.versions is None or self.versions == self.versions_now()

    def settle(self) -> bool:
        """Read the counters if they are on the device. Return whether the device skipped all steps so far."""
        if self.ticks is None:
            return False
        fresh, *counters = self.ticks.tolist()
        self.ticks, self.fresh, self.counters = None, bool(fresh), tuple(counters)
        return self.fresh

    def kept(self) -> Callable[[], Any]:
        """Save the counters and return a function that restores them."""
        before = self.counters, self.fresh, self.versions

        def put_back() -> None:
            self.counters, self.fresh, self.versions = before

        return put_back


class Division:
    """The division of one group into buckets. It is valid while the group and the rows with gradients do not change.

    `in_turn` is true if parameters or gradients share memory. Then each row has its own bucket, so that the next row
    reads the updated memory. Rows whose state shares memory have their own buckets too. `open` lists the state that
    other references can modify without reading the property `state`: the parameter, its dictionary, and the values that
    steps leave there. `followed` lists the buckets with counters that other references can modify.
    """

    __slots__ = ("buckets", "followed", "group", "in_turn", "names", "open", "params", "rows", "sparse")

    def __init__(self, group: Group, names: tuple[str, ...], rows: list[int], sparse: list[int], in_turn: bool) -> None:
        self.group, self.names, self.rows, self.sparse, self.in_turn = group, names, rows, sparse, in_turn
        self.params = list(group["params"])
        self.buckets: dict[tuple, Bucket] = {}
        self.open: list[tuple[Tensor, dict, tuple]] = []
        self.followed: list[Bucket] = []

    def changed(self, state: dict) -> set[Tensor]:
        """Return the parameters whose state was changed since the last step."""
        return {
            param
            for param, kept, values in self.open
            if state.get(param) is not kept or len(kept) != len(values) or not all(map(is_, kept.values(), values))
        }

    def is_as_left(self, state: dict) -> bool:
        """Return whether only steps have modified the state."""
        return not (self.open and self.changed(state)) and all([b.is_as_left() for b in self.followed])

    def is_on_device(self) -> bool:
        """Return whether the counters of a bucket are on the device."""
        return any([bucket.ticks is not None for bucket in self.buckets.values()])

    def holds(self, group: Group, names: tuple[str, ...], rows: list[int], sparse: list[int], in_turn: bool) -> bool:
        """Return whether the plan still fits the group and its rows."""
        params = group["params"]
        return (
            self.group is group
            and self.in_turn == in_turn
            and self.names == names
            and self.rows == rows
            and self.sparse == sparse
            and len(params) == len(self.params)
            and all(map(is_, params, self.params))
        )
