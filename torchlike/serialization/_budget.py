"""The cost of reading one pickle, checked against the limits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import torchlike
from torchlike.serialization import _errors as errors
from torchlike.serialization._limits import get_load_limits
from torchlike.serialization._probing import Probes

_LEAVES = frozenset({str, int, float, bool, type(None), bytes, complex})
_SEEDED = frozenset(
    {str, bytes, bool, type(None)}
)  # a file cannot choose the hashes of these types, because they are seeded or there are only a few values
_SMALL = (1 << 61) - 1  # an int of smaller magnitude is its own hash, except -1
NO_KEYS: set[type] = set()  # types of which a file can make objects, and whose hashes take long
_CHEAP = 256  # up to this many keys, insertions are not replayed (see `_probing`), because their worst case is cheap


class Budget:
    """Counters of the objects that a pickle creates. Each method raises if a count exceeds its limit."""

    def __init__(self) -> None:
        self._limits = get_load_limits()
        self._objects = self._bytes = self._opcodes = self._tensors = 0
        self._hashes: dict[int, Counter] = {}
        self._probes: dict[int, Probes] = {}
        self._kept: list = []  # containers whose ids are keys of `_hashes` and `_probes`

    def objects(self, count: int) -> None:
        """Count `count` more objects."""
        self._objects += count
        if self._objects > self._limits.objects:
            raise errors.over_limit("objects", self._limits.objects)

    def opcodes(self, count: int) -> None:
        """Count `count` more opcodes of the pickle."""
        self._opcodes += count
        if self._opcodes > self._limits.opcodes:
            raise errors.over_limit("opcodes", self._limits.opcodes)

    def bytes(self, count: int) -> None:
        """Count `count` more bytes of the pickle or of strings that calls create."""
        self._bytes += count
        if self._bytes > self._limits.pickle_bytes:
            raise errors.over_limit("pickle_bytes", self._limits.pickle_bytes)

    def tensor(self) -> None:
        """Count one more tensor."""
        self._tensors += 1
        if self._tensors > self._limits.tensors:
            raise errors.over_limit("tensors", self._limits.tensors)

    def key(self, key: Any, container: Any) -> None:
        """Check that `key` can be hashed and inserted into a dictionary in bounded time."""
        kind = type(key)
        if kind not in _SEEDED:
            self._equal(key, container)
            if len(container) >= _CHEAP and id(container) not in self._probes:
                self._kept.append(container)
                self._probes[id(container)] = Probes(False, map(hash, container))
        elif id(container) not in self._probes:
            return
        if id(container) in self._probes:
            self._probe(self._probes[id(container)], key)

    def keys(self, keys: Iterable[Any], is_set: bool) -> None:
        """Check the keys of a dictionary or set that one call creates."""
        held = list(keys)
        for key in held:
            if type(key) not in _SEEDED:
                self._equal(key, held)
        if len(held) > _CHEAP and not all(type(key) in _SEEDED for key in held):
            probes = Probes(is_set)
            for key in held:
                self._probe(probes, key)

    def _probe(self, probes: Probes, key: Any) -> None:
        probes.add(hash(key))
        if probes.visits > self._limits.probes * len(probes) + 50 * _CHEAP:
            raise errors.over_limit("probes", self._limits.probes)

    def _equal(self, key: Any, container: Any) -> None:
        """Limit the number of keys with the same hash in one container.

        Python compares keys with equal hashes with each other.
        """
        if type(key) is int and -_SMALL < key < _SMALL:
            return
        self._parts(key)
        try:
            found = hash(key)
        except (TypeError, AttributeError):  # AttributeError: an object whose state the file has not set yet
            raise errors.unhashable(type(key)) from None
        if id(container) not in self._hashes:
            self._hashes[id(container)] = Counter()
            self._kept.append(container)
        counts = self._hashes[id(container)]
        counts[found] += 1
        if counts[found] > self._limits.equal_hashes:
            raise errors.over_limit("equal_hashes", self._limits.equal_hashes)

    def _parts(self, key: Any) -> None:
        """Limit the number of parts of a key. A part counts once for each time that hashing the key visits it."""
        todo, count = [key], 0
        while todo:
            item = todo.pop()
            count += 1
            if type(item) in NO_KEYS:
                raise errors.unhashable(type(item))
            if isinstance(item, tuple):
                if count + len(todo) + len(item) > self._limits.key_items:
                    raise errors.over_limit("key_items", self._limits.key_items)
                todo.extend(item)

    def nested(self, made: Any) -> None:
        """Limit the nesting depth of containers. A container that contains itself counts once."""
        depths: dict[int, int] = {}  # the depth of each finished container, and 0 for those on the path
        path: list[tuple[int, Iterator[Any]]] = []
        deepest = [0]
        entered: Any = made
        while True:
            inner = _contents(entered)
            if inner:
                path.append((id(entered), iter(inner)))
                depths[id(entered)] = 0
                deepest.append(0)
                if len(path) > self._limits.nesting:
                    raise errors.over_limit("nesting", self._limits.nesting)
            entered = self._next_unseen(path, deepest, depths)
            if entered is None:
                return

    def _next_unseen(self, path: list, deepest: list[int], depths: dict[int, int]) -> Any:
        """Return the next container of the traversal, or None at the end. Finish containers without further items."""
        while path:
            key, items = path[-1]
            for x in items:
                if id(x) not in depths:
                    return x
                deepest[-1] = max(deepest[-1], depths[id(x)])
            path.pop()
            depths[key] = depth = 1 + deepest.pop()
            if depth > self._limits.nesting:
                raise errors.over_limit("nesting", self._limits.nesting)
            deepest[-1] = max(deepest[-1], depth)
        return None


def _contents(item: Any) -> list:
    """Return the items of a container, or the attributes of a tensor, that may themselves be containers."""
    if isinstance(item, dict):
        attributes = getattr(item, "__dict__", None)
        return [x for x in (*item.keys(), *item.values(), *((attributes or {}).values())) if type(x) not in _LEAVES]
    if isinstance(item, list | tuple | set):
        return [x for x in item if type(x) not in _LEAVES]
    if isinstance(item, torchlike.Tensor) and item.__dict__:
        return [x for x in item.__dict__.values() if type(x) not in _LEAVES]
    return []
