"""Guards: check that the Python state that a recording depends on is unchanged."""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Container, Iterable, Sequence
from itertools import chain, starmap
from operator import attrgetter, call, is_
from typing import Any

from torchlike import _native
from torchlike._compile.places import KEYS, LIVE, LOOK, VALUE, same
from torchlike._compile.reach import Reach
from torchlike._tensor.tensor import Tensor


class Attributes:
    """An attribute of several objects, and its values at the capture.

    The path `"value.aval"` means the attribute `aval` of the attribute `value`.
    """

    def __init__(self, objects: Iterable, path: str, seen: list | None = None) -> None:
        self._objects, self._path = [*objects], tuple(path.split("."))
        self._get = attrgetter(path)
        self._seen = self._now() if seen is None else seen

    def _now(self) -> list:
        return [*map(self._get, self._objects)]

    def is_unchanged(self) -> bool:
        """Return whether all values are identical or equal to those at the capture."""
        if _native.same is not None and _native.same.attributes(self._objects, self._path, self._seen):
            return True
        return same(self._seen, self._now())

    @property
    def column(self) -> tuple[list, tuple[str, ...], list]:
        """The objects, the attribute path and the values, as arguments of the C code."""
        return self._objects, self._path, self._seen

    def first(self) -> int | None:
        """Return the index of the first object whose attribute has changed, or None."""
        pairs = enumerate(zip(self._seen, self._now()))
        return next((i for i, (a, b) in pairs if not same([a], [b])), None)


class Guards:
    """The guarded locations and their contents at the capture.

    Objects are compared by identity; numbers and strings are compared by type and value. `changed()` describes the
    first difference. `read` contains the ids of the storages whose shape and dtype the recording checks itself.
    """

    def __init__(self, reach: Reach, tensors: Sequence[Tensor], read: Container[int] = ()) -> None:
        self._places = list(reach.places.values())
        self._held = list(reach.held())  # keep the objects alive, so that their ids are not reused
        self._attributes = [
            (Attributes(objects, path), words) for objects, path, words in _attributes(reach, tensors, read)
        ]
        self._columns = [each.column for each, _ in self._attributes]
        self._note()

    def _note(self) -> None:
        """Group the locations by the fastest way to compare them and store their contents.

        The groups are the containers that C code compares, empty containers, dictionaries with string keys, other
        containers, functions to call, and functions whose results are compared by value.
        """
        whole = self._for_c()
        self._blank = [x for x in whole.values() if not x]  # mostly the hook dictionaries of modules
        self._containers = [x for x in whole.values() if x]
        self._inside = [tuple(chain(*x.items())) if isinstance(x, dict) else tuple(x) for x in self._containers]
        found = [(place, place.look()) for place in self._places if id(place.container) not in whole]
        live = [(place.kind, look) for place, look in found if place.kind in (LIVE, KEYS)]
        self._empty = [look for _, look in live if not look]
        self._strings = [(look, list(look)) for kind, look in live if look and kind == KEYS]
        self._live = [look for kind, look in live if look and kind == LIVE]
        self._looks = [place.look for place, _ in found if place.kind == LOOK]
        self._values = [place for place, _ in found if place.kind == VALUE]
        self._seen = [*chain(*self._live, *[look() for look in self._looks]), self]

    def _for_c(self) -> dict[int, Any]:
        """Return the containers that the C code compares, by id.

        An instance of a builtin subclass of `dict` is included only if it is empty. Classes written in Python are
        excluded, because they may override `__len__`.
        """
        if _native.same is None:
            return {}
        held = [place.container for place in self._places if isinstance(place.container, dict | list)]
        return {id(x): x for x in held if type(x) in (dict, list) or (type(x) in (OrderedDict, defaultdict) and not x)}

    def all_pass(self) -> bool:
        """Return whether all guards pass.

        If equal values were replaced by other objects, store the new ones for the fast comparison by identity.
        """
        in_c: Any = _native.same
        if (in_c is None or not all(starmap(in_c.attributes, self._columns))) and not all(
            [each.is_unchanged() for each, _ in self._attributes]
        ):
            return False
        try:
            now = chain(*self._live, *map(call, self._looks), (self,))
            if (
                (in_c is None or (in_c.empty(self._blank) and in_c.hold(self._containers, self._inside)))
                and all(map(is_, now, self._seen))
                and not any(self._empty)
                and (not self._strings or all([[*keys] == seen for keys, seen in self._strings]))
                and (not self._values or all([same(x.seen, [*x.look()]) for x in self._values]))
            ):
                return True
        except RuntimeError:  # another thread changed a dictionary during the iteration
            return False
        if self.changed() is None:
            self._note()
            return True
        return False

    def changed(self) -> str | None:
        """Describe the first change, or return None if there is none."""
        for attributes, words in self._attributes:
            i = attributes.first()
            if i is not None:
                return words[i]
        differences = (place.difference(place.seen, list(place.look())) for place in self._places)
        return next((found for found in differences if found), None)


def _attributes(reach: Reach, tensors: Sequence[Tensor], read: Container[int]) -> list[tuple[list, str, list[str]]]:
    """Return the attributes that are compared for many objects at once.

    Each entry holds the objects, the attribute path, and a description for each object.
    """
    leaves = [t._edge[0] for t in tensors if t._edge is not None]
    others = [t for t in tensors if id(t._storage) not in read]
    # As long as the memory is the same, strides change only if the chain of views changes.
    columns = [
        (tensors, "_storage", "the storage"),
        (others, "_storage.value.aval", "the shape or dtype"),
        (tensors, "_chain", "the shape"),
        (tensors, "_edge", "the autograd history"),
        (leaves, "extra", "the hooks"),
    ]
    found = [([*objects], path, [f"{words} of a tensor"] * len(objects)) for objects, path, words in columns]
    instances, classes = reach.instances.values(), reach.classes.values()
    found.append(([x for x, *_ in instances], "__class__", [f"the class of `{path}`" for *_, path in instances]))
    found.append(([x for x, *_ in classes], "__mro__", [f"the bases of `{path}`" for *_, path in classes]))
    return [each for each in found if each[0]]
