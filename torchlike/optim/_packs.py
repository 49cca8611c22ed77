"""Buckets and packs of an optimizer's state.

A bucket consists of the rows of a group (a parameter with its gradient and state) that one operation updates. A pack is
the state of several small parameters, concatenated to one flat tensor for each state name.

The cost of a step over small tensors depends on their number, not on their size, so a pack makes the step faster. State
is packed only if the optimizer has the only reference to it. A pack is split as soon as `state` is read (see
`_rule.py`). State tensors with other references are never packed: every step writes them in place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from operator import is_
from sys import getrefcount
from typing import Any
from weakref import getweakrefcount

import numpy as np

import torchlike
from torchlike import Tensor
from torchlike._internal import ATTRIBUTE, DICT_ITEM, WRITE, Value, commit, current, of_array, transfers, wrap

Group = dict[str, Any]

# The maximal number of elements in a pack. XLA runs larger loops on several threads, and waking them costs more time
# than it saves.
MOST = 8192


class Pack:
    """The state of several parameters.

    `rows` are the indices of the parameters in their group. `members` has a list of state tensors for each parameter.
    `tensors` has one flat tensor for each state name.
    """

    __slots__ = ("members", "rows", "tensors")

    def __init__(self, rows: list[int], members: list[list[Tensor]]) -> None:
        self.rows, self.members = rows, members
        self.tensors = [_end_to_end(column) for column in zip(*members)]

    def take_apart(self) -> None:
        """Split the flat tensors and write the parts to the members."""
        with torchlike.no_grad():
            for flat, column in zip(self.tensors, zip(*self.members)):
                give(zip(column, _parts(flat, column)))


def give(pairs: Iterable[tuple[Tensor, Value]]) -> None:
    """Set the values of tensors.

    During a capture, a value that was computed before the call is stored directly, so that it is not part of the
    captured call.
    """
    for tensor, value in pairs:
        if current().capture is None or value.array is None:
            commit([(tensor, value)])
        else:
            tensor._storage.value = value
            tensor._storage.version += WRITE


def packs(state: dict, params: Sequence[Tensor], rows: Sequence[int], names: tuple[str, ...]) -> list[Pack]:
    """Return packs of the parameters (`rows`) whose state is small and has no other references, two or more in each."""
    found, gathered, size = [], [], 0
    for i in sorted((i for i in rows if _can_join(state, params[i], names)), key=lambda i: params[i].numel()):
        if size + params[i].numel() > MOST:
            found.append(gathered)
            gathered, size = [], 0
        gathered.append(i)
        size += params[i].numel()
    found.append(gathered)
    return [Pack(g, [[state[params[i]][name] for name in names] for i in g]) for g in found if len(g) > 1]


def _can_join(state: dict, param: Tensor, names: tuple[str, ...]) -> bool:
    if not names or param.numel() > MOST // 2 or is_seen(state, param, names):
        return False
    like = param._value.aval
    return all(_is_plain(state[param][name]) and state[param][name]._value.aval is like for name in names)


def _is_plain(tensor: Tensor) -> bool:
    storage = tensor._storage
    return not (tensor._chain or storage.shared or tensor.requires_grad or storage.value.array is None)


def is_seen(state: dict, param: Tensor, names: Sequence[str]) -> bool:
    """Return whether other references exist to these state tensors of a parameter, or to its state dictionary."""
    return getrefcount(state[param]) > DICT_ITEM or any(
        getrefcount(state[param][name]) > DICT_ITEM
        or getweakrefcount(state[param][name]) > 0
        or getrefcount(state[param][name]._storage) > ATTRIBUTE
        for name in names
        if isinstance(state[param][name], Tensor)
    )


def _end_to_end(tensors: Sequence[Tensor]) -> Tensor:
    # Concatenate immediately. As part of the trace it would make this step a different program.
    flat = transfers.end_to_end([t._value.array for t in tensors], tensors[0].device)
    return wrap(Value(tensors[0]._value.aval.like(flat.shape), flat))


def _parts(flat: Tensor, like: Sequence[Tensor]) -> list[Value]:
    if flat._value.array is None:
        parts = flat.split([t.numel() for t in like])
        return [part.reshape(t.shape).clone()._value for part, t in zip(parts, like)]
    parts = transfers.apart(flat._value.array, [tuple(t.shape) for t in like], flat.device)
    return [Value(t._value.aval, part) for part, t in zip(parts, like)]


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
        # `fresh` and the counters as numbers on the device, while the host does not know them (see `_skipping.py`).
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
        return any(bucket.ticks is not None for bucket in self.buckets.values())

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
