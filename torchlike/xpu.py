"""Intel's GPUs: not among the devices. Every question is answered truthfully, every order refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torchlike import _errors


def is_available() -> bool:
    """Whether operators run on it: no."""
    return False


def is_initialized() -> bool:
    """Whether it is ready for use: no."""
    return False


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """Whether it computes in bfloat16: there is none."""
    return False


def device_count() -> int:
    """The number of such devices: none."""
    return 0


def empty_cache() -> None:
    """Free memory that is kept for later: there is none."""


def manual_seed(seed: int) -> None:
    """Seed the generator of the current device, of which there is none."""


def manual_seed_all(seed: int) -> None:
    """Seed the generators of all devices, of which there are none."""


def memory_allocated(device: Any = None) -> int:
    """Bytes of memory in use: none."""
    return 0


def memory_reserved(device: Any = None) -> int:
    """Bytes of memory kept for later: none."""
    return 0


def max_memory_allocated(device: Any = None) -> int:
    """The most bytes that were in use: none."""
    return 0


def _refused(name: str, doc: str) -> Callable:
    def order(*args: Any, **kwargs: Any) -> Any:
        raise _errors.making.not_built_for("XPU")

    order.__name__ = order.__qualname__ = name
    order.__doc__ = doc
    return order


current_device = _refused("current_device", "The index of the current device.")
set_device = _refused("set_device", "Choose the current device.")
get_device_properties = _refused("get_device_properties", "What a device is.")
get_device_capability = _refused("get_device_capability", "What a device can do.")
get_device_name = _refused("get_device_name", "The name of a device.")
synchronize = _refused("synchronize", "Wait until a device has done what is pending.")
