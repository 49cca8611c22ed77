"""A table of the functions on nested tensors of one layout."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from torchlike._internal import is_in_place, layouts, name_of
from torchlike.nested._base import Nested


class Table:
    """The rules of functions, found by name.

    A rule is called with the function and its arguments. Most rules call the function on the rows, after they have
    changed the dims. A function without a rule raises an error with its name.

    Args:
      kind: the class of the nested tensors. Its own methods need no rule.
      layout: the layout.
    """

    def __init__(self, kind: type, layout: Any) -> None:
        self._kind, self._layout = kind, layout
        self._rules: dict[str, Callable] = {}
        self._in_place: dict[str, Callable] = {}
        members = {**vars(Nested), **vars(kind)}
        self._own = {name: f for name, f in members.items() if callable(f) and name != "__torch_function__"}

    def rule(self, *names: str) -> Callable:
        """Return a decorator that registers a function as the rule of the named functions."""
        return self._registering(self._rules, names)

    def in_place(self, *names: str) -> Callable:
        """Return a decorator that registers a function as the rule of the named functions, written to an operand."""
        return self._registering(self._in_place, names)

    def _registering(self, rules: dict[str, Callable], names: Iterable[str]) -> Callable:
        def decorate(function: Callable) -> Callable:
            rules.update(dict.fromkeys(names, function))
            return function

        return decorate

    def call(self, func: Callable, args: tuple, kwargs: dict) -> Any:
        """Call a function that has a nested tensor among its arguments."""
        own = self._own.get(getattr(func, "__name__", ""))
        if own is not None and args and isinstance(args[0], self._kind):
            return own(*args, **kwargs)
        name, writes = name_of(func)
        writes = (writes or is_in_place(func, args, kwargs)) and name != "setitem"
        found = (self._in_place if writes else self._rules).get(name)
        if found is None or kwargs.get("out") is not None:
            raise self.refused(name + "_" * writes)
        return found(func, *args, **kwargs)

    def refused(self, name: str) -> Exception:
        """Return the error of a function that has no rule."""
        if self._layout.name == "jagged":
            return layouts.refused(name, self._layout)
        return layouts.refused(f"{name} of nested tensors", self._layout)
