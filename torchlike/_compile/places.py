"""Guarded locations: where the Python values that a call depends on are read, with their contents at the capture."""

from __future__ import annotations

import functools
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import repeat
from operator import itemgetter
from types import (
    BuiltinFunctionType,
    EllipsisType,
    GenericAlias,
    GetSetDescriptorType,
    MemberDescriptorType,
    MethodDescriptorType,
    MethodWrapperType,
    ModuleType,
    NoneType,
    NotImplementedType,
    UnionType,
    WrapperDescriptorType,
)
from typing import Any

import numpy as np

from torchlike import _dtypes
from torchlike._dtypes.devices import device as Device
from torchlike._engine.ranks.mesh import Connected
from torchlike._random import Generator

# Immutable types whose values are compared by equality.
PLAIN = frozenset((int, float, bool, complex, str, bytes, NoneType, EllipsisType, NotImplementedType, range))
FIXED = (
    Connected,
    _dtypes.dtype,
    Device,
    np.generic,
    np.dtype,
    BuiltinFunctionType,
    Generator,
    MethodDescriptorType,
    WrapperDescriptorType,
    GetSetDescriptorType,
    MemberDescriptorType,
    GenericAlias,
    UnionType,
)
# The ways to read a location: iterate a live container; iterate the keys of a dictionary whose keys are all strings;
# call a function; call a function and compare the elements by value.
LIVE, KEYS, LOOK, VALUE = "live", "keys", "look", "value"
MISSING = object()
_CONTAINERS = (OrderedDict, dict, list, set, deque)


class Place:
    """A guarded location. `look()` reads its values, and `seen` are the values at the capture.

    Args:
      look: a function that returns an iterable of the values.
      path: an expression that describes the location, or "global", "builtin" or "module" for names.
      kind: the way to read the location.
      container: the dictionary or list whose keys, values or elements the location contains.
      names: the names of the elements, if they are attributes or globals.
      holder: the dictionary of `names`, if `container` is None.
    """

    __slots__ = ("_keys", "container", "holder", "kind", "look", "names", "path", "seen")

    def __init__(
        self,
        look: Callable[[], Iterable],
        path: str,
        kind: str = LOOK,
        container: Any = None,
        names: tuple[str, ...] = (),
        holder: Any = None,
    ) -> None:
        self.look, self.path, self.kind, self.container, self.names = look, path, kind, container, names
        self.holder = container if holder is None else holder
        self.seen = list(look())
        self._keys = tuple(container) if kind == LIVE and type(container) is dict else names

    def contents(self) -> dict | None:
        """Return the values at the capture by key or index, or None if the location is no dictionary and no list."""
        if self.kind == LIVE and type(self.container) is list:
            return dict(enumerate(self.seen))
        return dict(zip(self._keys, self.seen)) if type(self.holder) is dict and self.kind != KEYS else None

    def difference(self, before: Sequence, now: Sequence) -> str | None:
        """Describe the first difference between two readings, or return None if they are equal."""
        if same(before, now):
            return None
        if len(before) != len(now):
            return f"the keys of `{self.path}`" if self.kind == KEYS else f"the length of `{self.path}`"
        return self._element(next(i for i, (a, b) in enumerate(zip(before, now)) if not same([a], [b])))

    def _element(self, i: int) -> str:
        if i < len(self.names):
            return label(self.path, self.names[i])
        if self.kind == KEYS:
            return f"the keys of `{self.path}`"
        if self.kind == LIVE:
            keys = [*base_of(self.container).__iter__(self.container)] if isinstance(self.container, Mapping) else ()
            return f"`{self.path}[{key_text(keys[i]) if keys else i}]`"
        return f"`{self.path}`"


def label(path: str, name: str) -> str:
    """Describe an attribute, or a name of a module."""
    return f"{path} `{name}`" if path in ("global", "builtin", "module") else f"`{path}.{name}`"


def key_text(key: Any) -> str:
    """Return the text of a dictionary key without calling code of its class."""
    return repr(key) if type(key) in PLAIN else f"a {type(key).__name__}"


def named(names: Mapping, wanted: Iterable[str], path: str) -> Place:
    """Return the location of the entries `wanted` of a dictionary."""
    chosen = tuple(sorted(wanted))
    return Place(looker(names, chosen), path, names=chosen, holder=names)


def looker(names: Any, wanted: tuple[str, ...]) -> Callable[[], Iterable]:
    """Return a function that reads the entries `wanted` of a dictionary.

    Missing entries read as `MISSING`. The function returns the first entry twice, first and last.
    """
    missing = functools.partial(_items, names, wanted)
    if not all([n in names for n in wanted]):
        return missing
    get = itemgetter(*wanted, wanted[0])  # repeat one name, so that the result is always a tuple

    def look() -> Iterable:
        try:
            return get(names)
        except KeyError:
            return missing()

    return look


def _items(names: Any, wanted: tuple[str, ...]) -> list:
    return [*map(names.get, wanted, repeat(MISSING)), names.get(wanted[0], MISSING)]


def owner(x: Any) -> Any:
    """Return the object that a method implemented in C is bound to, or None."""
    found = x.__self__ if isinstance(x, BuiltinFunctionType | MethodWrapperType) else None
    return None if isinstance(found, ModuleType) else found


def is_constant(x: Any) -> bool:
    """Return whether an object is immutable."""
    return type(x) in PLAIN or (isinstance(x, FIXED) and owner(x) is None)


def base_of(x: Any) -> Any:
    """Return the builtin class of a container. Its methods return all elements even if a subclass overrides them."""
    return next((cls for cls in _CONTAINERS if isinstance(x, cls)), type(x))


def same(before: Sequence, now: Sequence) -> bool:
    """Return whether two readings contain the same objects, or equal values of immutable types."""
    return len(before) == len(now) and all(a is b or _equal(a, b) for a, b in zip(before, now))


def _equal(a: Any, b: Any) -> bool:
    cls = a.__class__
    if cls is not b.__class__:
        return False
    if cls is tuple:
        return same(a, b)
    if cls is slice:
        return same((a.start, a.stop, a.step), (b.start, b.stop, b.step))
    if cls is float or cls is complex or isinstance(a, np.inexact):
        return repr(a) == repr(b)
    return (cls in PLAIN or isinstance(a, FIXED)) and bool(a == b)
