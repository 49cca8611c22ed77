"""`torch.nn.intrinsic`: the former name of `torch.ao.nn.intrinsic`."""

import importlib
import sys
from typing import Any

sys.modules[f"{__name__}.qat"] = importlib.import_module("torchlike.ao.nn.intrinsic.qat")
sys.modules[f"{__name__}.quantized"] = importlib.import_module("torchlike.ao.nn.intrinsic.quantized")
sys.modules[f"{__name__}.modules"] = importlib.import_module("torchlike.ao.nn.intrinsic.modules")
sys.modules[__name__] = _new = importlib.import_module("torchlike.ao.nn.intrinsic")


def __getattr__(name: str) -> Any:
    """Return a name of the new module, for those that hold this one."""
    return getattr(_new, name)
