"""Modules with settings as attributes: reading or writing an attribute calls a function."""

from __future__ import annotations

import sys
import types
from typing import Any


def attach(module: str, **settings: property) -> None:
    """Attach properties to a module."""
    kind = type("Settings", (types.ModuleType,), dict(settings))
    sys.modules[module].__class__ = kind


def kept(default: Any, on_change: Any = None) -> property:
    """Return a property that stores a value. `on_change(new)` is called before the value is stored, and may raise."""
    held = [default]

    def write(_: Any, value: Any) -> None:
        if on_change is not None:
            on_change(value)
        held[0] = value

    return property(lambda _: held[0], write)
