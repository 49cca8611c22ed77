"""Ownership of arrays: decides which arrays may be donated.

A program may overwrite an array (a donated argument) if the only Value that refers to it was freed, or is replaced by
the result. An array that other code or a second Value may reference is marked as lent and is never donated. In
addition, `sys.getrefcount` must confirm that there are no other references.

`getrefcount` also counts references that the interpreter makes for the call itself. Their number depends on the form of
the argument and on the version of CPython: 3.14 borrows local variables instead of counting them. Each form is
therefore measured once, at import. Compare a count with the constant of the same form: a larger count means that there
is another reference.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from sys import getrefcount
from typing import Any
from weakref import ref

import jax

lent: dict[int, ref] = {}  # arrays by id, because JAX arrays are not hashable


def lend(array: Any) -> Any:
    """Mark an array as lent, because other code or a second Value may reference it from now on, and return it.

    A host array is copied before it is donated, so it needs no mark.
    """
    if isinstance(array, jax.Array):
        key = id(array)
        lent[key] = ref(array, lambda _: lent.pop(key, None))
    return array


def has_lent(arrays: Iterable) -> bool:
    """Return whether any of these arrays was lent."""
    return bool(lent) and not lent.keys().isdisjoint(map(id, arrays))


# CPython specializes a call after some runs, which can change the count. The smallest count is the safe constant: it
# may make a free array seem shared, but never a shared array seem free.
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
