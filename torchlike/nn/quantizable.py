"""`torch.nn.quantizable`: the former name of `torch.ao.nn.quantizable`."""

import importlib
import sys
from typing import Any

sys.modules[f"{__name__}.modules"] = importlib.import_module("torchlike.ao.nn.quantizable.modules")
sys.modules[__name__] = _new = importlib.import_module("torchlike.ao.nn.quantizable")


def __getattr__(name: str) -> Any:
    """Return a name of the new module, for those that hold this one."""
    return getattr(_new, name)
