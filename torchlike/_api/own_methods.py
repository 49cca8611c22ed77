"""Methods that a public class takes over from its private base class."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import TypeVar

C = TypeVar("C", bound=type)


def own_methods(*names: str) -> Callable[[C], C]:
    """Return a class decorator that copies inherited methods, so that they have the name of the class.

    Python's errors about arguments show this name. `Conv2d(3, 4)` then fails in `Conv2d.__init__()`, as in PyTorch, not
    in a method of a private base class.
    """

    def add(kind: C) -> C:
        for name in names:
            setattr(kind, name, _copy(getattr(kind, name), f"{kind.__qualname__}.{name}"))
        return kind

    return add


def _copy(method: FunctionType, qualname: str) -> FunctionType:
    """Return a function with the code and the attributes of `method`, and another qualified name."""
    made = FunctionType(method.__code__, method.__globals__, method.__name__, method.__defaults__, method.__closure__)
    made.__dict__.update(method.__dict__)
    for attribute in ("__kwdefaults__", "__annotations__", "__doc__", "__module__"):
        setattr(made, attribute, getattr(method, attribute))
    made.__qualname__ = qualname
    return made
