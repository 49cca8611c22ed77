"""Intel GPUs, which torchlike does not support: queries return False or 0, and operations on a device raise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torchlike import _errors


def is_available() -> bool:
    """Return whether Intel GPUs can be used: always False."""
    return False


def is_initialized() -> bool:
    """Return whether Intel GPUs are initialized: always False."""
    return False


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """Return whether Intel GPUs support bfloat16: always False, because none can be used."""
    return False


def device_count() -> int:
    """Return the number of Intel GPUs: always 0."""
    return 0


def empty_cache() -> None:
    """Do nothing: there is no device with cached memory."""


def manual_seed(seed: int) -> None:
    """Do nothing: there is no device whose generator could be seeded."""


def manual_seed_all(seed: int) -> None:
    """Do nothing: there are no devices whose generators could be seeded."""


def memory_allocated(device: Any = None) -> int:
    """Return the number of bytes in use: always 0."""
    return 0


def memory_reserved(device: Any = None) -> int:
    """Return the number of cached bytes: always 0."""
    return 0


def max_memory_allocated(device: Any = None) -> int:
    """Return the peak number of bytes in use: always 0."""
    return 0


def _refused(name: str, doc: str) -> Callable:
    def order(*args: Any, **kwargs: Any) -> Any:
        raise _errors.making.not_built_for("XPU")

    order.__name__ = order.__qualname__ = name
    order.__doc__ = doc
    return order


current_device = _refused("current_device", "Return the index of the current device.")
set_device = _refused("set_device", "Set the current device.")
get_device_properties = _refused("get_device_properties", "Return the properties of a device.")
get_device_capability = _refused("get_device_capability", "Return the capability of a device.")
get_device_name = _refused("get_device_name", "Return the name of a device.")
synchronize = _refused("synchronize", "Wait for all work on a device to complete.")
