"""The names of a function and their types, block by block."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from torchlike.jit._kinds import Kind


class Poison(NamedTuple):
    """The entry of a name that must not be used.

    Attributes:
      text: why, with the lines of the branches.
    """

    text: str


class Names:
    """The types of names in a block.

    Args:
      before: the names of the block around it.
    """

    def __init__(self, before: Names | None = None) -> None:
        self._before = before
        self._kinds: dict[str, Any] = {} if before is None else dict(before._kinds)
        self._declared: dict[str, Kind] = {} if before is None else dict(before._declared)
        self._own: set[str] = set()

    def nested(self) -> Names:
        """Return the names at the start of an inner block."""
        return Names(self)

    def current(self) -> dict[str, Any]:
        """Return the types of all names, of those in the blocks around too."""
        return self._kinds

    def declared(self, name: str) -> Kind | None:
        """Return the type that a name had when it was first assigned."""
        return self._declared.get(name)

    def outer(self, name: str) -> Kind | None:
        """Return the type that an assignment must have: that of a name of the blocks around, or a declared one."""
        if self._before is None or name in self._own or isinstance(self._kinds.get(name), Poison):
            return None
        return self._declared.get(name)

    def define(self, name: str, kind: Kind, declared: Kind | None = None) -> None:
        """Give a name a type."""
        self._kinds[name] = kind
        if declared is None:
            self._own.add(name)
        self._declared[name] = declared or kind

    def refine(self, kinds: Mapping[str, Kind]) -> None:
        """Give names narrower types, until the end of the block."""
        self._kinds.update(kinds)

    def replace(self, name: str, kind: Any) -> None:
        """Give a name the type that it has after a block."""
        if name not in self._declared and isinstance(kind, Kind):
            self._declared[name] = kind
            self._own.add(name)
        self._kinds[name] = kind

    def forget(self, name: str) -> None:
        """Remove a name."""
        self._kinds.pop(name, None)
        self._declared.pop(name, None)
