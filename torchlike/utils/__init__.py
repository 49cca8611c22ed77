"""`torch.utils`: data loading and smaller helpers, each loaded when it is first used."""

import importlib
import pkgutil
from typing import Any


def swap_tensors(t1: Any, t2: Any) -> None:
    """Let two tensors change places: each becomes the other, for all who hold it."""
    t1.__class__, t2.__class__ = t2.__class__, t1.__class__
    names = [name for kind in type(t1).__mro__ for name in getattr(kind, "__slots__", ()) if name != "__weakref__"]
    first, second = ({name: getattr(t, name) for name in names if hasattr(t, name)} for t in (t1, t2))
    for t, state in ((t1, second), (t2, first)):
        for name in names:
            if name in state:
                setattr(t, name, state[name])
            elif hasattr(t, name):
                delattr(t, name)


def __getattr__(name: str) -> Any:
    from torchlike import _errors

    known = [module.name for module in pkgutil.iter_modules(__path__)]
    if name not in known:
        raise _errors.arguments.unknown_name("torch.utils", name, known)
    return importlib.import_module(f"torchlike.utils.{name}")
