"""Who owns an array: what may be donated.

A program may overwrite the array of one Value that died or that gets the result. An array that was given out, or that a
second Value has, is lent: it is never donated. `sys.getrefcount` must confirm that nobody else holds it.

`getrefcount` also counts references that the interpreter makes for the call itself, and their number depends on how the
argument is written and on the version of CPython: 3.14 borrows local variables instead of counting them. Each form is
therefore measured once, at import. Compare a count with the constant of the same form: a larger count means another
owner.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from sys import getrefcount
from typing import Any
from weakref import ref

import jax

lent: dict[int, ref] = {}  # arrays by their ids; JAX's arrays have no hash


def lend(array: Any) -> Any:
    """Note that somebody outside, or a second Value, may hold an array from now on; return it. An array on the host is
    copied before it is donated, and needs no note."""
    if isinstance(array, jax.Array):
        key = id(array)
        lent[key] = ref(array, lambda _: lent.pop(key, None))
    return array


def has_lent(arrays: Iterable) -> bool:
    """Return whether one of these arrays was lent."""
    return bool(lent) and not lent.keys().isdisjoint(map(id, arrays))


# The interpreter rewrites a call after some runs. The smallest count is the safe one: objects seem shared, not free.
RUNS = 64


class _Owner:
    __slots__ = ("name",)

    def __init__(self) -> None:
        self.name = object()


def _attribute(owner: Any) -> int:
    return getrefcount(owner.name)


def _local(owner: Any) -> int:
    held = owner.name
    return getrefcount(held)


def _item(owner: Any) -> int:
    return getrefcount(owner[0])


def _measured(count: Callable[[Any], int], owner: Any) -> int:
    return min([count(owner) for _ in range(RUNS)])


ATTRIBUTE = _measured(_attribute, _Owner())  # getrefcount(owner.name)
LOCAL = _measured(_local, _Owner())  # held = owner.name; getrefcount(held)
LIST_ITEM = _measured(_item, [object()])  # getrefcount(owner[key]), by the type of the owner
TUPLE_ITEM = _measured(_item, (object(),))
DICT_ITEM = _measured(_item, {0: object()})

__all__ = ["ATTRIBUTE", "DICT_ITEM", "LIST_ITEM", "LOCAL", "TUPLE_ITEM", "has_lent", "lend", "lent"]
