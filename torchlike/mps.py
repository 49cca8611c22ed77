"""Apple's GPUs: not among the devices. Every question is answered truthfully, every order refused."""

from __future__ import annotations

from torchlike import _errors


def is_available() -> bool:
    """Whether operators run on it: no."""
    return False


def device_count() -> int:
    """The number of such devices: none."""
    return 0


def manual_seed(seed: int) -> None:
    """Seed the generator of the device, of which there is none."""


def empty_cache() -> None:
    """Free memory that is kept for later."""
    raise _errors.making.no_mps("emptyCache")


def synchronize() -> None:
    """Wait until the device has done what is pending."""
    raise _errors.making.no_mps("deviceSynchronize")


def current_allocated_memory() -> int:
    """Bytes of memory in use."""
    raise _errors.making.no_mps("getCurrentAllocatedMemory")


def driver_allocated_memory() -> int:
    """Bytes of memory that the driver holds."""
    raise _errors.making.no_mps("getDriverAllocatedMemory")
