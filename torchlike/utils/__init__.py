"""`torch.utils`: data loading and smaller helpers, each loaded when it is first used."""

import importlib
import pkgutil
from typing import Any


def swap_tensors(t1: Any, t2: Any) -> None:
    """Let two tensors change places: each becomes the other, for all who hold it."""
    from torchlike._internal import copying

    copying.swap(t1, t2)


def __getattr__(name: str) -> Any:
    from torchlike._internal import _errors

    known = [module.name for module in pkgutil.iter_modules(__path__)]
    if name not in known:
        raise _errors.arguments.unknown_name("torch.utils", name, known)
    try:
        return importlib.import_module(f"torchlike.utils.{name}")
    except ImportError as error:  # of a library that is not installed: `import` says which, `hasattr` says no
        raise _errors.arguments.unknown_name("torch.utils", name, []) from error
