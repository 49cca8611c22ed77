"""`torch.utils`: data loading and smaller helpers, each loaded when it is first used."""

import importlib
import pkgutil
from typing import Any


def __getattr__(name: str) -> Any:
    from torchlike import _errors

    known = [module.name for module in pkgutil.iter_modules(__path__)]
    if name not in known:
        raise _errors.arguments.unknown_name("torch.utils", name, known)
    return importlib.import_module(f"torchlike.utils.{name}")
