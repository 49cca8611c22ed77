"""The types that TorchScript writes its signatures in, by name: programs mention them in annotations."""

from __future__ import annotations

from typing import Any

from torchlike import _errors


class JitType:
    """A type of a compiled program: nothing is of one here, and none can be made."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise _errors.arguments.no_torchscript(type(self).__name__)

    @classmethod
    def get(cls) -> Any:
        """Refused, as is every other way to make one."""
        raise _errors.arguments.no_torchscript(f"{cls.__name__}.get")


def __getattr__(name: str) -> type[JitType]:
    if not name.endswith("Type"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = type(name, (JitType,), {"__module__": "torch"})
    return found
