"""The traversal of what a function reaches without the locations that it assigns to."""

from __future__ import annotations

import functools
import types
from collections.abc import Iterable, Mapping
from typing import Any

from torchlike._compile import object_kinds
from torchlike._compile.places import Place
from torchlike._compile.reach import Reach


class Rest(Reach):
    """A traversal that leaves out some locations.

    Args:
      holes: the locations, as pairs of the id of a dictionary or list and a key or an index.
      codes, is_looked_at, is_asked: see `Reach`.

    Attributes:
      holders: the ids of the dictionaries and lists with holes that were visited.
    """

    def __init__(
        self, holes: Iterable[tuple[int, Any]], codes: set[types.CodeType] | None, is_looked_at: bool, is_asked: bool
    ) -> None:
        super().__init__(codes, is_looked_at, is_asked)
        self.holders: set[int] = set()
        self._holes: dict[int, set[Any]] = {}
        for holder, key in holes:
            self._holes.setdefault(holder, set()).add(key)

    def _visit(self, x: Any, path: str) -> None:
        if id(x) not in self._holes or id(x) in self._seen:
            return super()._visit(x, path)
        self._seen[id(x)] = x
        (self._dictionary if isinstance(x, dict) else self._sequence)(x, path)

    def _dictionary(self, x: Mapping, path: str, is_namespace: bool = False) -> None:
        holes = self._holes.get(id(x))
        if holes is None:
            return super()._dictionary(x, path, is_namespace)
        self.holders.add(id(x))
        self.places["values", id(x)] = Place(functools.partial(_other_items, x, holes), path)
        others = [(key, value, f"{path}.{key}") for key, value in x.items() if key not in holes]
        if is_namespace:
            self._later += others
        else:
            self._todo.extend([(value, where) for _, value, where in others])
            self._todo.extend([(key, f"a key of {path}") for key in x])

    def _sequence(self, x: Any, path: str) -> None:
        holes = self._holes.get(id(x))
        if holes is None:
            return super()._sequence(x, path)
        self.holders.add(id(x))
        place = self.places["items", id(x)] = Place(functools.partial(_other_elements, x, holes), path)
        self._several(place.seen, path)

    def _name(
        self, names: Mapping, path: str, wanted: Iterable[str], owner: Any = None, is_visited: bool = True
    ) -> None:
        holes = self._holes.get(id(names))
        if holes is not None:
            self.holders.add(id(names))
            wanted = [name for name in wanted if name not in holes]
        super()._name(names, path, wanted, owner, is_visited)

    def _note_missing(self, x: Any, path: str) -> None:
        super()._note_missing(x, path)
        place = self.places.get(("attributes", id(x)))
        if place is not None and id(object_kinds.namespace(x)) in self._holes:
            place.container = None  # only the keys are compared


def _other_items(x: dict, holes: set) -> list:
    return [*x, *[value for key, value in x.items() if key not in holes]]


def _other_elements(x: list, holes: set) -> list:
    return [len(x), *[value for i, value in enumerate(x) if i not in holes]]
