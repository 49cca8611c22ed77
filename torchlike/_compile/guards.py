"""Whether what a recording depends on is as it was: looked at before each run, in as few steps as there are places."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from operator import attrgetter, call, is_
from typing import Any

import numpy as np

from torchlike import _native
from torchlike._compile.reach import CONSTANTS, Place, Reach
from torchlike._tensor import Tensor


class Attributes:
    """What an attribute of some objects was, or (`"value.aval"`) an attribute of it."""

    def __init__(self, objects: Iterable, path: str, seen: list | None = None) -> None:
        self._objects, self._path = [*objects], tuple(path.split("."))
        self._get = attrgetter(path)
        self._seen = self._now() if seen is None else seen

    def _now(self) -> list:
        return [*map(self._get, self._objects)]

    def hold(self) -> bool:
        """Whether it is that still, or what is equal to it."""
        if _native.same is not None and _native.same.attributes(self._objects, self._path, self._seen):
            return True
        return same(self._seen, self._now())


class Guards:
    """The places of a walk, with what they held; `changed()` names the first that holds something else.

    What is compared is identity; a number or string of equal value and type that took the place of another is the same.
    """

    def __init__(self, reach: Reach, tensors: Sequence[Tensor]) -> None:
        self._places = list(reach.places.values())
        self._held = list(reach.held())  # so that no id among the places is given to another object
        leaves = [t._edge[0] for t in tensors if t._edge is not None]
        histories = (tensors, "_storage"), (tensors, "_edge"), (leaves, "extra")
        self._histories = [Attributes(objects, path) for objects, path in histories if objects]
        self._note()

    def _note(self) -> None:
        """Sort the places by how they are looked at soonest: what is empty, strings, what can be gone through as it is,
        and what must be asked for."""
        whole = self._for_c()
        self._blank = [x for x in whole.values() if not x]  # most of all: modules' dictionaries of hooks
        self._containers = [x for x in whole.values() if x]
        self._inside = [tuple(chain(*x.items())) if isinstance(x, dict) else tuple(x) for x in self._containers]
        found = [(place, place.look()) for place in self._places if id(place.container) not in whole]
        found = [(place, look) for place, look in found if not (place.is_live and type(look) is tuple)]  # never changes
        self._empty = [look for place, look in found if place.is_live and not look]
        self._strings = [(look, list(look)) for place, look in found if place.is_live and look and place.is_keys]
        self._live = [look for place, look in found if place.is_live and look and not place.is_keys]
        self._looks = [place.look for place, _ in found if not place.is_live]
        self._seen = [*chain(*self._live, *[look() for look in self._looks]), self]

    def _for_c(self) -> dict[int, Any]:
        """The containers that C looks through, by id: what has an order of its own only as long as it is empty."""
        if _native.same is None:
            return {}
        held = [place.container for place in self._places if place.container is not None]
        return {id(x): x for x in held if x.__class__ in (dict, list) or not x}

    def hold(self) -> bool:
        """Whether nothing has changed."""
        if self._histories and not all([history.hold() for history in self._histories]):
            return False
        in_c = _native.same
        try:
            now = chain(*self._live, *map(call, self._looks), (self,))
            if ((in_c is None or (in_c.empty(self._blank) and in_c.hold(self._containers, self._inside)))
                    and all(map(is_, now, self._seen)) and not any(self._empty)
                    and (not self._strings or all([[*keys] == seen for keys, seen in self._strings]))):  # fmt: skip
                return True
        except RuntimeError:  # a dictionary that another thread is changing
            return False
        if self.changed() is None:
            self._note()
            return True
        return False

    def changed(self) -> Place | None:
        """The first place that holds something else than it did."""
        for place in self._places:
            if not same(place.seen, list(place.look())):
                return place
        return None


def same(before: list, now: list) -> bool:
    """Whether two looks found the same."""
    return len(before) == len(now) and all(a is b or _equal(a, b) for a, b in zip(before, now))


def _equal(a: Any, b: Any) -> bool:
    if a.__class__ is not b.__class__:
        return False
    if isinstance(a, tuple):
        return same(list(a), list(b))
    if isinstance(a, float | np.floating):
        return repr(a) == repr(b)
    return isinstance(a, CONSTANTS) and bool(a == b)
