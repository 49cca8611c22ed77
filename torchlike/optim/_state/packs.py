"""Packs: the state of several small parameters, concatenated to one flat tensor for each state name.

The cost of a step over small tensors depends on their number, not on their size, so a pack makes the step faster. State
is packed only if the optimizer has the only reference to it. A pack is split as soon as `state` is read (see
`_rule.py`). State tensors with other references are never packed: every step writes them in place.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from sys import getrefcount
from weakref import getweakrefcount

import torchlike
from torchlike import Tensor
from torchlike._internal import ATTRIBUTE, DICT_ITEM, WRITE, Value, commit, current, is_sharded, transfers, wrap

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
    for i in sorted((i for i in rows if _can_join(state, params[i], names)), key=lambda i: params[i]._aval.numel):
        if size + params[i]._aval.numel > MOST:
            found.append(gathered)
            gathered, size = [], 0
        gathered.append(i)
        size += params[i]._aval.numel
    found.append(gathered)
    return [Pack(g, [[state[params[i]][name] for name in names] for i in g]) for g in found if len(g) > 1]


def _can_join(state: dict, param: Tensor, names: tuple[str, ...]) -> bool:
    if not names or param._aval.numel > MOST // 2 or is_sharded(param) or is_seen(state, param, names):
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
        parts = flat.split([t._aval.numel for t in like])
        return [part.reshape(t._aval.shape).clone()._value for part, t in zip(parts, like)]
    parts = transfers.apart(flat._value.array, [tuple(t._aval.shape) for t in like], flat.device)
    return [Value(t._value.aval, part) for part, t in zip(parts, like)]
