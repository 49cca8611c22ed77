"""`torch.nn.quantized`: the former name of `torch.ao.nn.quantized`."""

import importlib
import sys
from typing import Any

sys.modules[f"{__name__}.dynamic"] = importlib.import_module("torchlike.ao.nn.quantized.dynamic")
sys.modules[f"{__name__}.modules"] = importlib.import_module("torchlike.ao.nn.quantized.modules")
sys.modules[__name__] = _new = importlib.import_module("torchlike.ao.nn.quantized")


def __getattr__(name: str) -> Any:
    """Return a name of the new module, for those that hold this one."""
    return getattr(_new, name)
