"""`torch.utils`: data loading and other helpers. Each submodule is imported on first use."""

import importlib
import pkgutil
from typing import Any


def swap_tensors(t1: Any, t2: Any) -> None:
    """Swap two tensors in place, so that existing references to one tensor see the contents of the other."""
    from torchlike._internal import copying

    copying.swap(t1, t2)


def __getattr__(name: str) -> Any:
    from torchlike._internal import _errors

    known = [module.name for module in pkgutil.iter_modules(__path__)]
    if name not in known:
        raise _errors.arguments.unknown_name("torch.utils", name, known)
    try:
        return importlib.import_module(f"torchlike.utils.{name}")
    except (
        ImportError
    ) as error:  # A required library is not installed. `import` reports which one, and `hasattr` returns False.
        raise _errors.arguments.unknown_name("torch.utils", name, []) from error
