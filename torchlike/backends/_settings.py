"""Modules with settings as attributes: reading or writing an attribute calls a function."""

from __future__ import annotations

import sys
import types
from typing import Any

from torchlike import _errors
from torchlike._dtypes.precision import switches


def attach(module: str, **settings: property) -> None:
    """Attach properties to a module."""
    kind = type("Settings", (types.ModuleType,), dict(settings))
    sys.modules[module].__class__ = kind


def kept(default: Any, on_change: Any = None, setter: str = "") -> property:
    """Return a property that stores a value. `on_change(new)` is called before the value is stored, and may raise.

    If `setter` is given, only bool is accepted. `setter` is PyTorch's name in the error for other types.
    """
    held = [default]

    def write(_: Any, value: Any) -> None:
        if setter:
            check_bool(setter, value)
        if on_change is not None:
            on_change(value)
        held[0] = value

    return property(lambda _: held[0], write)


def check_bool(setter: str, value: Any) -> None:
    """Raise PyTorch's error if a setting is not a bool."""
    if not isinstance(value, bool):
        raise _errors.precision.wrong_type(setter, "bool", value)


def fp32_precision(backend: str, op: str, written: str | None = None) -> property:
    """Return the property `fp32_precision` of an operator of a backend: "ieee", "tf32", "bf16" or "none".

    "none" means the setting of the backend, and then that of `torch.backends`. `written` is the backend whose setting
    an assignment changes, if it is another one.
    """
    target = backend if written is None else written

    def write(_: Any, value: str) -> None:
        if not isinstance(value, str):
            raise _errors.precision.wrong_setting(value, target, op)
        switches.set(target, op, value)

    return property(lambda _: switches.setting(backend, op), write)


class FP32Precision:
    """The precision of float32 operands of one operator of one backend. Its only attribute is `fp32_precision`."""

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"Unknown attribute {name}")

    def __setattr__(self, name: str, value: Any) -> None:
        if getattr(getattr(type(self), name, None), "fset", None) is None:
            raise AttributeError(f"Unknown attribute {name}")
        object.__setattr__(self, name, value)


def precision_of(backend: str, op: str) -> Any:
    """Return the object whose `fp32_precision` is that of an operator of a backend."""
    return type("FP32Precision", (FP32Precision,), {"fp32_precision": fp32_precision(backend, op)})()
