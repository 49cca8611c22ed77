"""What `sys.getrefcount` reports for an object that has one owner.

Donation and in-place writes need to know whether anybody else holds an object. `getrefcount` also counts references
that the interpreter makes for the call itself, and their number depends on how the argument is written and on the
version of CPython: 3.14 borrows local variables instead of counting them. Each form is therefore measured once, at
import. Compare a count with the constant of the same form: a larger count means another owner.
"""

from __future__ import annotations

from collections.abc import Callable
from sys import getrefcount
from typing import Any

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

__all__ = ["ATTRIBUTE", "DICT_ITEM", "LIST_ITEM", "LOCAL", "TUPLE_ITEM"]
