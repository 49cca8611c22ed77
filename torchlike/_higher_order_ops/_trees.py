"""Flattening and unflattening of containers of tensors. Dictionaries keep their insertion order, as in PyTorch."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple


class Tree(NamedTuple):
    """The structure of nested containers. Equal structures accept the same leaves."""

    kind: Any  # the class of a container; None for a leaf
    keys: tuple
    parts: tuple[Tree, ...]

    def filled(self, leaves: Iterable) -> Any:
        """Return the containers with the given leaves."""
        return self._take(iter(leaves))

    def _take(self, leaves: Iterator) -> Any:
        if self.kind is None:
            return next(leaves)
        parts = [part._take(leaves) for part in self.parts]
        if self.kind in (dict, OrderedDict):
            return self.kind(zip(self.keys, parts))
        return self.kind(*parts) if hasattr(self.kind, "_fields") else self.kind(parts)

    def __str__(self) -> str:
        return "*" if self.kind is None else f"{self.kind.__name__}({', '.join(map(str, self.parts))})"


_LEAF = Tree(None, (), ())


def flatten(x: Any) -> tuple[list, Tree]:
    """Return the leaves and the structure of nested lists, tuples, named tuples and dictionaries."""
    leaves: list = []
    return leaves, _flatten(x, leaves)


def _flatten(x: Any, leaves: list) -> Tree:
    kind = x.__class__
    if kind in (dict, OrderedDict):
        return Tree(kind, tuple(x), _each(x.values(), leaves))
    if kind in (list, tuple) or (isinstance(x, tuple) and hasattr(kind, "_fields")):
        return Tree(kind, (), _each(x, leaves))
    leaves.append(x)
    return _LEAF


def _each(parts: Iterable, leaves: list) -> tuple[Tree, ...]:
    return tuple([_flatten(part, leaves) for part in parts])
