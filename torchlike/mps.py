"""Apple GPUs, which torchlike does not support.

Functions that need a device raise the errors of PyTorch's CPU build.
"""

from __future__ import annotations

from typing import Any

from torchlike import _errors


def is_available() -> bool:
    """Return whether Apple GPUs can be used: always False."""
    return False


def device_count() -> int:
    """Return the number of Apple GPUs: always 0."""
    return 0


def manual_seed(seed: int) -> None:
    """Do nothing: there is no device whose generator could be seeded."""


def seed() -> None:
    """Raise RuntimeError: there is no device whose generator could be seeded."""
    raise _errors.making.no_mps("getDefaultGenerator")


def get_rng_state(device: Any = "mps") -> Any:
    """Raise RuntimeError: there is no device with a generator."""
    raise _errors.making.no_mps("getDefaultGenerator")


def set_rng_state(new_state: Any, device: Any = "mps") -> None:
    """Raise RuntimeError: there is no device with a generator."""
    new_state.clone()
    raise _errors.making.no_mps("getDefaultGenerator")


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


def recommended_max_memory() -> int:
    """Raise RuntimeError: there is no device with memory."""
    raise _errors.making.no_mps("getRecommendedMaxMemory")


def set_per_process_memory_fraction(fraction: float) -> None:
    """Raise an error: there is no device with memory.

    Raises:
      TypeError: If `fraction` is not a float.
      ValueError: If it is not between 0 and 2.
      RuntimeError: Otherwise.
    """
    if not isinstance(fraction, float):
        raise TypeError("Invalid type for fraction argument, must be `float`")
    if not 0 <= fraction <= 2:
        raise ValueError(f"Invalid fraction value: {fraction}. Allowed range: 0~2")
    raise _errors.making.no_mps("setMemoryFraction")


class Event:
    """A point in the stream of an Apple GPU. The constructor raises RuntimeError."""

    def __init__(self, enable_timing: bool = False) -> None:
        raise _errors.making.no_mps("acquireEvent")


def compile_shader(source: str) -> Any:
    """Raise RuntimeError: there is no device for which Metal code could be compiled."""
    raise RuntimeError("MPS is not available")
