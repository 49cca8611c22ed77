"""Placeholders for the types of TorchScript signatures, which programs use in annotations."""

from __future__ import annotations

from typing import Any

from torchlike import _errors


class JitType:
    """The base class of TorchScript types. Not supported: the constructor raises."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise _errors.arguments.no_torchscript(type(self).__name__)

    @classmethod
    def get(cls) -> Any:
        """Raise, because TorchScript types are not supported."""
        raise _errors.arguments.no_torchscript(f"{cls.__name__}.get")


def __getattr__(name: str) -> type[JitType]:
    if not name.endswith("Type"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = type(name, (JitType,), {"__module__": "torch"})
    return found
