"""`torch.nn.quantized`: the former name of `torch.ao.nn.quantized`."""

from typing import Any

from torchlike.nn._former import stand_for

_new = stand_for(__name__, "torchlike.ao.nn.quantized", "dynamic")


def __getattr__(name: str) -> Any:
    """Return a name of the new module, for those that hold this one."""
    return getattr(_new, name)
