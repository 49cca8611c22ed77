"""Replacement of functions during a trace by wrappers that create nodes.

Python code looks up the functions that it calls by name, in the globals of its module. To record a call as one node, a
tracer therefore stores a wrapper under the function's name. As in PyTorch, wrappers replace two kinds of functions:
those registered with `fx.wrap`, and those that a tracer wraps automatically (`autowrap_modules`, `autowrap_functions`).
The second kind is replaced in the globals of the traced code and in the `autowrap_modules`. A wrapper that is called
without a proxy, for example in another thread, calls the original function.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable
from typing import Any

from .node import map_aggregate
from .proxy import Proxy

Space = dict[str, Any]
_wrapped: list[tuple[Space, str]] = []


def wrap(space: Space, name: str) -> None:
    """Register a function by its name and the globals that contain it."""
    _wrapped.append((space, name))


class Replaced:
    """The names that a tracer has replaced, with their original values.

    Args:
      functions: the functions that `look_into` replaces.
    """

    def __init__(self, functions: Iterable[Callable]) -> None:
        self._functions = {id(f) for f in functions}
        self._seen: set[int] = set()
        self._before: list[tuple[Space, str, Any]] = []

    def replace_wrapped(self) -> None:
        """Replace the functions that were registered with `fx.wrap`."""
        for space, name in _wrapped:
            self._replace(space, name)

    def look_into(self, space: Space) -> None:
        """Replace the public names in a namespace that refer to one of the functions, once for each namespace."""
        if not self._functions or id(space) in self._seen:
            return
        self._seen.add(id(space))
        for name, found in list(space.items()):
            if id(found) in self._functions and not name.startswith("_"):
                self._replace(space, name)

    def _replace(self, space: Space, name: str) -> None:
        is_builtin = name not in space and hasattr(builtins, name)
        self._before.append((space, name, _ABSENT if is_builtin else space[name]))
        space[name] = _as_a_node(getattr(builtins, name) if is_builtin else space[name])

    def put_back(self) -> None:
        """Restore the original values in reverse order, because a name may have been replaced twice."""
        while self._before:
            space, name, before = self._before.pop()
            if before is _ABSENT:
                del space[name]
            else:
                space[name] = before


_ABSENT = object()


def _as_a_node(function: Callable) -> Callable:
    """Wrap a function so that it creates a node if an argument is a proxy."""

    def call(*args: Any, **kwargs: Any) -> Any:
        proxies: list[Proxy] = []
        map_aggregate((args, kwargs), lambda a: proxies.append(a) if isinstance(a, Proxy) else None)
        if not proxies:
            return function(*args, **kwargs)
        return proxies[0].tracer.create_proxy("call_function", function, args, kwargs)

    return call


__all__ = ["Replaced", "wrap"]
