"""`torch.quantization`: the former name of `torch.ao.quantization`."""

import importlib
import sys
from typing import Any

for _name in (
    "fake_quantize",
    "fuse_modules",
    "fuser_method_mappings",
    "observer",
    "qconfig",
    "quantization_mappings",
    "quantize",
    "qconfig_mapping",
    "quant_type",
    "quantize_fx",
    "quantize_jit",
    "stubs",
    "utils",
):
    sys.modules[f"{__name__}.{_name}"] = importlib.import_module(f"torchlike.ao.quantization.{_name}")
sys.modules[__name__] = _new = importlib.import_module("torchlike.ao.quantization")


def __getattr__(name: str) -> Any:
    """Return a name of the new module, for those that hold this one."""
    return getattr(_new, name)
