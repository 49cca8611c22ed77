"""Names of functions that stand for nodes while a function is followed.

A function looks its callees up by name in the globals of its module, so a call can only be noted whole by another value
under that name. Replaced are the names that PyTorch's tracer replaces: those registered with `fx.wrap`, and the
functions that a tracer wraps by itself, in the globals of what is followed and in the modules that it was given.
Called without a proxy, as other threads call it, a replacement is the function itself.
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
    """Register a function by the globals in which it stands and its name."""
    _wrapped.append((space, name))


class Replaced:
    """The names replaced so far, each with what stood there.

    Args:
      functions: what is replaced wherever it is found by `look_into`, besides what `fx.wrap` was given.
    """

    def __init__(self, functions: Iterable[Callable]) -> None:
        self._functions = {id(f) for f in functions}
        self._seen: set[int] = set()
        self._before: list[tuple[Space, str, Any]] = []

    def replace_wrapped(self) -> None:
        """Replace what was registered with `fx.wrap`."""
        for space, name in _wrapped:
            self._replace(space, name)

    def look_into(self, space: Space) -> None:
        """Replace the public names that stand for one of the functions; a second look does nothing."""
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
        """Let each name stand for what it stood for, the last first: one may have been replaced twice."""
        while self._before:
            space, name, before = self._before.pop()
            if before is _ABSENT:
                del space[name]
            else:
                space[name] = before


_ABSENT = object()


def _as_a_node(function: Callable) -> Callable:
    """A function that becomes a node if it is given a proxy."""

    def call(*args: Any, **kwargs: Any) -> Any:
        proxies: list[Proxy] = []
        map_aggregate((args, kwargs), lambda a: proxies.append(a) if isinstance(a, Proxy) else None)
        if not proxies:
            return function(*args, **kwargs)
        return proxies[0].tracer.create_proxy("call_function", function, args, kwargs)

    return call


__all__ = ["Replaced", "wrap"]
