"""What one pickle has cost so far, held against the limits."""

from __future__ import annotations

from collections import Counter
from typing import Any

from torchlike.serialization import _errors as errors
from torchlike.serialization._limits import get_load_limits

_LEAVES = frozenset({str, int, float, bool, type(None), bytes, complex})
_SEEDED = frozenset({str, bytes, bool, type(None)})  # nobody can choose the hashes of these
_SMALL = (1 << 61) - 1  # ints below this are their own hashes


class Budget:
    """Counts what a pickle makes and refuses what is over a limit."""

    def __init__(self) -> None:
        self._limits = get_load_limits()
        self._objects = self._bytes = self._opcodes = 0
        self._hashes: dict[int, Counter] = {}
        self._kept: list = []  # containers whose ids are keys of `_hashes`

    def objects(self, count: int) -> None:
        """Add objects."""
        self._objects += count
        if self._objects > self._limits.objects:
            raise errors.over_limit("objects", self._limits.objects)

    def opcodes(self, count: int) -> None:
        """Add opcodes of the pickle."""
        self._opcodes += count
        if self._opcodes > self._limits.opcodes:
            raise errors.over_limit("opcodes", self._limits.opcodes)

    def bytes(self, count: int) -> None:
        """Add bytes of the pickle, or of a string that a call makes."""
        self._bytes += count
        if self._bytes > self._limits.pickle_bytes:
            raise errors.over_limit("pickle_bytes", self._limits.pickle_bytes)

    def key(self, key: Any, container: Any) -> None:
        """Check that `key` can be hashed, in bounded time, and is not one of many with one hash."""
        kind = type(key)
        if kind in _SEEDED or (kind is int and -_SMALL < key < _SMALL):
            return
        self._parts(key)
        try:
            found = hash(key)
        except TypeError:
            raise errors.unhashable(kind) from None
        if id(container) not in self._hashes:
            self._hashes[id(container)] = Counter()
            self._kept.append(container)
        counts = self._hashes[id(container)]
        counts[found] += 1
        if counts[found] > self._limits.equal_hashes:
            raise errors.over_limit("equal_hashes", self._limits.equal_hashes)

    def _parts(self, key: Any) -> None:
        """Bound a key's parts, counted as often as its hash visits them."""
        todo, count = [key], 0
        while todo:
            item = todo.pop()
            count += 1
            if isinstance(item, tuple):
                todo.extend(item)
            if count + len(todo) > self._limits.key_items:
                raise errors.over_limit("key_items", self._limits.key_items)

    def nested(self, made: Any) -> None:
        """Bound how deep containers lie inside one another; a container inside itself counts once."""
        depths: dict[int, int] = {}
        path: set[int] = set()
        todo: list[tuple[Any, bool]] = [(made, False)]
        while todo:
            item, done = todo.pop()
            inner = _contents(item)
            if done:
                path.discard(id(item))
                depths[id(item)] = 1 + max((depths.get(id(x), 0) for x in inner), default=0)
                if depths[id(item)] > self._limits.nesting:
                    raise errors.over_limit("nesting", self._limits.nesting)
                continue
            if not inner or id(item) in depths or id(item) in path:
                continue
            path.add(id(item))
            if len(path) > self._limits.nesting:
                raise errors.over_limit("nesting", self._limits.nesting)
            todo.append((item, True))
            todo.extend((x, False) for x in inner)


def _contents(item: Any) -> list:
    """The items of a container that may hold further items."""
    if isinstance(item, dict):
        attributes = getattr(item, "__dict__", None)
        return [x for x in (*item.keys(), *item.values(), *((attributes or {}).values())) if type(x) not in _LEAVES]
    if isinstance(item, list | tuple | set):
        return [x for x in item if type(x) not in _LEAVES]
    return []
