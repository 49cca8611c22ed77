"""Former names of packages."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType


def stand_for(former: str, package: str, *more: str) -> ModuleType:
    """Give a package and its modules a former name too. Return the package.

    Args:
      former: the former name.
      package: the name of the package.
      more: the names of subpackages that the package does not import.
    """
    found = importlib.import_module(package)
    for name in more:
        importlib.import_module(f"{package}.{name}")
    for name, module in list(sys.modules.items()):
        if name == package or name.startswith(f"{package}."):
            sys.modules[former + name.removeprefix(package)] = module
    return found
