"""Apple GPUs, which torchlike does not support. Functions that need a device raise an error."""

from __future__ import annotations

from torchlike import _errors


def is_available() -> bool:
    """Return whether Apple GPUs can be used: always False."""
    return False


def device_count() -> int:
    """Return the number of Apple GPUs: always 0."""
    return 0


def manual_seed(seed: int) -> None:
    """Do nothing: there is no device whose generator could be seeded."""


def empty_cache() -> None:
    """Raise RuntimeError: there is no device with cached memory."""
    raise _errors.making.no_mps("emptyCache")


def synchronize() -> None:
    """Raise RuntimeError: there is no device to wait for."""
    raise _errors.making.no_mps("deviceSynchronize")


def current_allocated_memory() -> int:
    """Raise RuntimeError: there is no device with allocated memory."""
    raise _errors.making.no_mps("getCurrentAllocatedMemory")


def driver_allocated_memory() -> int:
    """Raise RuntimeError: there is no device with allocated memory."""
    raise _errors.making.no_mps("getDriverAllocatedMemory")
