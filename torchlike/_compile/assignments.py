"""The changes that a captured call makes: assignments, which a replay repeats, and others, which it cannot repeat.

A slot is an attribute, a dictionary entry or a list element that a call assigns to. The new contents of the slot may be
a new tensor, a new list, tuple or dictionary of tensors and constants, or an object from before the call.
The next call finds other objects in the slot. Its guard compares their structure instead of their identity, and its
program reads their tensors from the slot.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from typing import Any

from torchlike._compile import object_kinds
from torchlike._compile.places import FIXED, LIVE, MISSING, PLAIN, Place, is_constant, key_text, label, same
from torchlike._compile.purity import Refusal
from torchlike._compile.reach import Reach
from torchlike._sparse import members
from torchlike._tensor.tensor import Tensor

_ASSIGNED = ("values", "items", "names")  # the kinds of guarded locations in which slots are
_CONTAINERS = (list, tuple, dict)
_VARYING_CONSTANTS = (bool, type(None))  # the types of constants that may differ: numbers could differ at every call


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


class Slot:
    """A location that a call assigns to.

    Args:
      holder: the dictionary or list.
      key: the key or the index.
      old: the contents before the call.
      new: the contents after the call.
      words: an expression that describes the slot.
    """

    __slots__ = ("holder", "key", "new", "old", "words")

    def __init__(self, holder: Any, key: Any, old: Any, new: Any, words: str) -> None:
        self.holder, self.key, self.old, self.new, self.words = holder, key, old, new, words

    def refuse(self) -> Refusal:
        """Return the exception that ends the capture because of this slot."""
        return Refusal(f"it changes {self.words}")


class Assignments:
    """The assignments of a captured call.

    Attributes:
      slots: the locations.
      entries: for each tensor that is in a slot before the call, by its id: the tensor, and a function that reads the
        current tensor at the same location.
    """

    def __init__(self, slots: Sequence[Slot] = ()) -> None:
        self.slots = list(slots)
        self.entries: dict[int, tuple[Tensor, Callable[[], Tensor]]] = {}
        self._structures: list[Any] = []
        self._tensors: list[tuple[Callable[[], Tensor], tuple]] = []
        self._kept: Callable[[Any], bool] = lambda x: False
        self._states: set[int] = set()
        self._leaves: list[Tensor] = []  # tensors that may have gradients

    @property
    def holes(self) -> frozenset[tuple[int, Any]]:
        """The slots, as pairs of the id of the dictionary or list and the key."""
        return frozenset([(id(slot.holder), slot.key) for slot in self.slots])

    def check(self, before: Reach, rest: Rest, arguments: Sequence[Tensor], containers: Sequence[int]) -> Assignments:
        """Check that each replay can recognize and repeat the assignments.

        `rest` is the state that the code reaches without the slots.

        Raises:
          Refusal: a replay could not repeat the assignments.
        """
        self._kept = lambda x: is_constant(x) or (rest.has(x) and not isinstance(x, Tensor))
        seen = {*containers}
        for slot in self.slots:
            if id(slot.holder) not in rest.holders or not _alike(slot.old, slot.new):
                raise slot.refuse()
            self._structures.append(self._structure(slot, slot.old, (), rest, seen))
        self._check_unchanged(before)
        others = [*arguments, *rest.tensors.values(), *rest.grads.values()]
        storages = [id(part._storage) for t in others for part in members(t)]
        entries = [id(t._storage) for t, _ in self.entries.values()]
        self._states = {id(t._storage) for t in rest.tensors.values()}
        self._leaves = [t for t in rest.tensors.values() if t.requires_grad and t.is_leaf]
        if len({*entries}) < len(entries) or not {*entries}.isdisjoint(storages):
            raise self.slots[0].refuse()
        return self

    def _check_unchanged(self, before: Reach) -> None:
        """Refuse a call that changes a list or dictionary and then replaces it, because other code may reference it."""
        for slot in self.slots:
            for x in _contained(slot.old):
                for kind in ("items", "values", "keys"):
                    place = before.places.get((kind, id(x)))
                    if place is not None and place.difference(place.seen, list(place.look())):
                        raise slot.refuse()

    def _structure(self, slot: Slot, x: Any, path: tuple, rest: Rest, seen: set[int]) -> Any:
        """Return a description of the contents of a slot for `_matches`, and register the tensors in it."""
        if isinstance(x, Tensor):
            found = guarded_properties(x)
            if found is None or id(x) in self.entries:
                raise slot.refuse()
            read = lambda: _at(slot, path)
            self.entries[id(x)] = x, read
            self._tensors.append((read, found))
            return Tensor, found
        if type(x) in _CONTAINERS and not rest.has(x):
            if id(x) in seen or (type(x) is dict and not all([type(key) in PLAIN for key in x])):
                raise slot.refuse()
            if type(x) is not tuple:
                seen.add(id(x))
            keys = [*x] if type(x) is dict else range(len(x))
            return type(x), [(key, self._structure(slot, x[key], (*path, key), rest, seen)) for key in keys]
        if not is_constant(x) and not rest.has(x):
            raise slot.refuse()
        return None, x

    def check_new(self, before: Reach, containers: Sequence[int]) -> None:
        """Refuse new lists and dictionaries that are also referenced elsewhere. A replay could not share them."""
        seen = {*containers}
        for slot in self.slots:
            for x in [] if self._kept(slot.new) else _contained(slot.new):
                if type(x) is not tuple and (id(x) in seen or before.has(x)):
                    raise slot.refuse()
                seen.add(id(x))

    def is_same(self, slots: Sequence[Slot]) -> bool:
        """Return whether these are the same slots, with the same new contents."""
        pairs = zip(self.slots, slots)
        return len(slots) == len(self.slots) and all(
            [a.holder is b.holder and a.key == b.key and same([a.new], [b.new]) for a, b in pairs]
        )

    def is_kept(self, x: Any) -> bool:
        """Return whether an object is a constant, or from before the call and guarded."""
        return self._kept(x)

    def reader(self, t: Tensor) -> Callable[..., Tensor]:
        """Return a function that reads the current tensor at the location where `t` was before the call."""
        read = self.entries[id(t)][1]
        return lambda made, arguments: read()

    def match(self, arguments: Sequence[Tensor], containers: Sequence[int]) -> bool:
        """Return whether the slots have the contents from before the captured call, except that tensors may differ."""
        seen = {*containers}
        for slot, structure in zip(self.slots, self._structures):
            found = _slot_contents(slot)
            if not found or not _matches(found[0], structure, seen):
                return False
        if not self._tensors:
            return True
        grads = [t._grad for t in [*self._leaves, *arguments] if t._grad is not None]
        storages = {id(part._storage) for t in [*arguments, *grads] for part in members(t)}
        for read, _ in self._tensors:
            storage = id(read()._storage)
            if storage in storages or storage in self._states:
                return False
            storages.add(storage)
        return True

    def changed(self) -> str | None:
        """Return the description of the first slot whose contents have another structure than at the capture."""
        for slot, structure in zip(self.slots, self._structures):
            found = _slot_contents(slot)
            if not found or not _matches(found[0], structure, set()):
                return slot.words
        return None

    def put(self, contents: Sequence[Any]) -> None:
        """Assign the new contents."""
        for slot, x in zip(self.slots, contents):
            slot.holder[slot.key] = x

    def settle(self) -> None:
        """Drop the tensors of the captured call."""
        self.entries = {}
        self._kept = lambda x: False
        for slot in self.slots:
            slot.old = slot.new = None


def found_assignments(now: Reach, before: Reach) -> tuple[list[Slot], set[Any]]:
    """Return the slots whose contents differ between two traversals, and the keys of the locations that contain them.

    If an optimizer or a scheduler is guarded as a whole, there are no slots, because a replay repeats its host work.
    """
    slots: dict[tuple[int, Any], Slot] = {}
    explained: set[Any] = set()
    if now.has_whole_steps:
        return [], explained
    for key, place in now.places.items():
        was = before.places.get(key) if isinstance(key, tuple) and key[0] in _ASSIGNED else None
        found = [] if was is None else _differing(was, place)
        if found:
            explained.add(key)
            slots |= {(id(slot.holder), slot.key): slot for slot in found}
    return list(slots.values()), explained


def _differing(was: Place, place: Place) -> list[Slot]:
    """Return the slots in which two readings of a location differ. Return none if anything else differs too."""
    holder: Any = place.holder
    old, new = was.contents(), place.contents()
    if old is None or new is None or place.path in ("builtin", "module"):
        return []
    keys = [key for key in new if key in old and not same([old[key]], [new[key]])]
    is_whole = [*old] == [*new] if place.kind == LIVE else new.keys() <= old.keys()
    if not is_whole or any(old[key] is MISSING or new[key] is MISSING for key in keys):
        return []
    words = lambda key: label(place.path, key) if place.names else f"`{place.path}[{key_text(key)}]`"
    return [Slot(holder, key, old[key], new[key], words(key)) for key in keys]


def guarded_properties(t: Tensor) -> tuple | None:
    """Return the guarded properties of a tensor in a slot, or None if a program cannot read the tensor from a slot."""
    is_plain = t.__class__ is Tensor and t._chain is None and t._origin is None and t._grad is None
    if not is_plain or t.__dict__ or t._counter is not None or t._storage.shared or t._storage.inference:
        return None
    if t._edge is not None and not _has_ended(t._edge[0]):  # the next call could differentiate the last one
        return None
    return t._aval, t._strides, t._offset, t._edge is None


def _has_ended(node: Any) -> bool:
    """Return whether a backward pass has freed values in the history of a tensor, so that no other pass can run."""
    todo, seen = [node], {id(node)}
    while todo:
        node = todo.pop()
        if node.is_spent:
            return True
        for edge in node.edges:
            if edge is not None and id(edge[0]) not in seen:
                seen.add(id(edge[0]))
                todo.append(edge[0])
    return False


def _matches(x: Any, structure: Any, seen: set[int]) -> bool:
    kind, inside = structure
    if kind is None:
        return same([x], [inside])
    if kind is Tensor:
        return isinstance(x, Tensor) and guarded_properties(x) == inside
    if type(x) is not kind or len(x) != len(inside):
        return False
    if kind is not tuple:
        if id(x) in seen:
            return False
        seen.add(id(x))
    keys = [*x] if kind is dict else range(len(x))
    return all([key == k and _matches(x[k], part, seen) for k, (key, part) in zip(keys, inside)])


def _alike(old: Any, new: Any) -> bool:
    """Return whether the next call is likely to find what this call found. Otherwise each call would be captured."""
    if isinstance(old, Tensor) and isinstance(new, Tensor):
        return old._aval == new._aval
    if type(old) in _CONTAINERS and type(old) is type(new):
        keys = [*old] == [*new] if isinstance(old, dict) else len(old) == len(new)
        parts = zip(old.values(), new.values()) if isinstance(old, dict) else zip(old, new)
        return keys and all([_alike(a, b) for a, b in parts])
    is_value = lambda x: (type(x) in PLAIN and type(x) not in _VARYING_CONSTANTS) or isinstance(x, FIXED)
    return same([old], [new]) or not (is_value(old) or is_value(new))


def _contained(x: Any) -> Iterator[Any]:
    if type(x) in _CONTAINERS:
        yield x
        for part in x.values() if isinstance(x, dict) else x:
            yield from _contained(part)


def _slot_contents(slot: Slot) -> tuple:
    """Return a tuple with the contents of a slot, or an empty tuple if the key is missing."""
    holder: Any = slot.holder
    if isinstance(holder, Mapping):
        return (holder[slot.key],) if slot.key in holder else ()
    return (holder[slot.key],) if slot.key < len(holder) else ()


def _at(slot: Slot, path: tuple) -> Any:
    found = slot.holder[slot.key]
    for key in path:
        found = found[key]
    return found


def _other_items(x: Mapping, holes: set) -> list:
    return [*x, *[value for key, value in x.items() if key not in holes]]


def _other_elements(x: list, holes: set) -> list:
    return [len(x), *[value for i, value in enumerate(x) if i not in holes]]


def first_difference(now: Reach, before: Reach, explained: Container[Any] = ()) -> str | None:
    """Describe the first difference between two traversals, or return None if there is none.

    `explained` are the keys of the locations whose differences are assignments that a replay repeats.
    """
    for key, place in now.places.items():
        was = None if key in explained else before.places.get(key)
        if was is not None and (found := place.difference(*_in_common(was, place))):
            return found
    for key, (keys, path) in now.keys.items():
        other = keys if key not in before.keys else before.keys[key][0]
        if keys != other:
            return label(path, sorted(keys ^ other)[0])
    for key, (_, cls, path) in now.instances.items():
        if key in before.instances and before.instances[key][1] is not cls:
            return f"the class of `{path}`"
    for key, (_, mro, path) in now.classes.items():
        if key in before.classes and before.classes[key][1] != mro:
            return f"the bases of `{path}`"
    return None


def _in_common(was: Place, place: Place) -> tuple[list, list]:
    """Return the earlier and the later contents of a guarded location, in the order of the later reading's names.

    A name that the earlier reading lacks counts as unchanged.
    """
    if not place.names or was.names == place.names:
        return was.seen, place.seen
    seen = dict(zip(was.names, was.seen))
    return [seen.get(n, x) for n, x in zip(place.names, place.seen)], place.seen[: len(place.names)]
