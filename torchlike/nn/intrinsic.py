"""`torch.nn.intrinsic`: the former name of `torch.ao.nn.intrinsic`."""

from typing import Any

from torchlike.nn._former import stand_for

_new = stand_for(__name__, "torchlike.ao.nn.intrinsic", "qat", "quantized")


def __getattr__(name: str) -> Any:
    """Return a name of the new module, for those that hold this one."""
    return getattr(_new, name)
