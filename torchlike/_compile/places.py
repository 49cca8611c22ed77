"""Places: where Python values are kept that a call may depend on, and what was there."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import itemgetter
from types import (
    BuiltinFunctionType,
    EllipsisType,
    GenericAlias,
    GetSetDescriptorType,
    MemberDescriptorType,
    MethodDescriptorType,
    NoneType,
    NotImplementedType,
    UnionType,
    WrapperDescriptorType,
)
from typing import Any

import numpy as np

from torchlike import _dtypes
from torchlike._device import device as Device
from torchlike._random import Generator

# Types whose instances never change, and of which equal ones are the same to a program.
PLAIN = frozenset((int, float, bool, complex, str, bytes, NoneType, EllipsisType, NotImplementedType, range))
FIXED = (_dtypes.dtype, Device, np.generic, np.dtype, BuiltinFunctionType, Generator, MethodDescriptorType,
         WrapperDescriptorType, GetSetDescriptorType, MemberDescriptorType, GenericAlias, UnionType)  # fmt: skip
# How a place is looked at: its iterable shows every change; the same, and it is a dictionary's keys, all strings; it
# is asked for what is there; the same, and its elements are compared by value.
LIVE, KEYS, LOOK, VALUE = "live", "keys", "look", "value"
MISSING = object()


class Place:
    """`look()` gives what is there, and `seen` is what was there. `path` is how a program calls it.

    Args:
      look: gives an iterable.
      path: an expression, or "global" for the names of a module.
      kind: how it is looked at.
      container: the dictionary or plain list whose keys, values or elements these are.
      names: what the elements are called, where they are attributes or globals.
    """

    __slots__ = ("container", "kind", "look", "names", "path", "seen")

    def __init__(self, look: Callable[[], Iterable], path: str, kind: str = LOOK, container: Any = None,
                 names: tuple[str, ...] = ()) -> None:  # fmt: skip
        self.look, self.path, self.kind, self.container, self.names = look, path, kind, container, names
        self.seen = list(look())

    def difference(self, before: Sequence, now: Sequence) -> str | None:
        """What is not the same in two looks, in words; None where all is."""
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
            key = key_text([*self.container][i]) if isinstance(self.container, Mapping) else str(i)
            return f"`{self.path}[{key}]`"
        return f"`{self.path}`"


def label(path: str, name: str) -> str:
    """How a name of a module, or an attribute, is called."""
    return f"{path} `{name}`" if path in ("global", "builtin", "module") else f"`{path}.{name}`"


def key_text(key: Any) -> str:
    """How a key of a dictionary is written, without calling code of its class."""
    return repr(key) if type(key) in PLAIN else f"a {type(key).__name__}"


def named(names: Mapping, wanted: Iterable[str], path: str) -> Place:
    """Some entries of a dictionary of names."""
    chosen = tuple(sorted(wanted))
    return Place(looker(names, chosen), path, names=chosen)


def looker(names: Any, wanted: tuple[str, ...]) -> Callable[[], Iterable]:
    """Looks up some names of a dictionary."""
    missing = functools.partial(_items, names, wanted)
    if not all([n in names for n in wanted]):
        return missing
    get = itemgetter(*wanted, wanted[0])  # one more, so that it is a tuple in any case

    def look() -> Iterable:
        try:
            return get(names)
        except KeyError:
            return missing()

    return look


def _items(names: Any, wanted: tuple[str, ...]) -> list:
    return [*[names.get(n, MISSING) for n in wanted], names.get(wanted[0], MISSING)]


def is_constant(x: Any) -> bool:
    """Whether an object never changes."""
    return type(x) in PLAIN or isinstance(x, FIXED)


def same(before: Sequence, now: Sequence) -> bool:
    """Whether two looks found the same objects, or plain values that are equal."""
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
