"""Modules whose attributes are settings: reading and writing one calls a function."""

from __future__ import annotations

import sys
import types
from typing import Any


def attach(module: str, **settings: property) -> None:
    """Give a module properties."""
    kind = type("Settings", (types.ModuleType,), dict(settings))
    sys.modules[module].__class__ = kind


def kept(default: Any, on_change: Any = None) -> property:
    """A setting that is a value; `on_change(new)` is called before it is kept, and may refuse it."""
    held = [default]

    def write(_: Any, value: Any) -> None:
        if on_change is not None:
            on_change(value)
        held[0] = value

    return property(lambda _: held[0], write)
