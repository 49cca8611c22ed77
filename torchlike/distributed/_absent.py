"""What stands for the names of `torch.distributed`: they can be imported and asked about, and refuse to be used."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from torchlike._internal import _errors


class Absent(type):
    """A name that PyTorch has: nothing is an instance of it, and it cannot be called."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        raise _errors.arguments.no_distributed(cls.__name__)

    def __getattr__(cls, name: str) -> Absent:
        if name.startswith("__"):
            raise AttributeError(name)
        return absent(f"{cls.__name__}.{name}")

    def __repr__(cls) -> str:
        return f"<{cls.__name__}, which torchlike does not have>"


def absent(name: str) -> Absent:
    """The stand-in of a name."""
    return Absent(name, (), {"__doc__": f"{name}: not there; whoever calls it is told so."})


def fill(module: ModuleType, names: str) -> None:
    """Put stand-ins into a module of ours."""
    for name in names.split():
        setattr(module, name, absent(f"torch.{module.__name__.partition('.')[2]}.{name}"))


def submodule(name: str, names: str) -> None:
    """Make a module of stand-ins, and the packages in which it stands."""
    parent, _, last = name.rpartition(".")
    if parent not in sys.modules:
        if find_spec(parent) is not None:
            import_module(parent)
        else:
            submodule(parent, "")
    made = sys.modules.get(name)
    if made is None:
        made = sys.modules[name] = ModuleType(name, f"The names of `torch.{name.partition('.')[2]}`, each refused.")
        made.__spec__ = ModuleSpec(name, None, is_package=True)
        made.__path__ = []
        setattr(sys.modules[parent], last, made)
    fill(made, names)
