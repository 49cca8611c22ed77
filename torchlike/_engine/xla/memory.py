"""Memory checks before a program runs.

A check is needed because a program that runs out of memory has already consumed its donated inputs.
"""

from __future__ import annotations

import mmap
from typing import Any

from torchlike import _errors
from torchlike._dtypes.devices import device as Device
from torchlike._dtypes.devices import to_jax

LARGE = 1 << 26  # bytes; smaller programs are not checked


def needs_of(compiled: Any) -> int:
    """Return the number of bytes that a compiled program allocates, or 0 if it is less than `LARGE`."""
    analysis = compiled.memory_analysis()
    if analysis is None:
        return 0
    needed = analysis.temp_size_in_bytes + analysis.output_size_in_bytes - analysis.alias_size_in_bytes
    return needed if needed >= LARGE else 0


def check(device: Device, needed: int) -> None:
    """Raise PyTorch's out-of-memory error if a device cannot allocate this many bytes."""
    if not (_fits_host(needed) if device.type == "cpu" else _fits(to_jax(device), needed)):
        raise _errors.memory.out_of_memory(device, needed)


def _fits_host(needed: int) -> bool:
    """Return whether the operating system can map this many bytes. The check is cheap, since it accesses no page."""
    try:
        mmap.mmap(-1, needed).close()
    except (OSError, ValueError, OverflowError):
        return False
    return True


def _fits(device: Any, needed: int) -> bool:
    """Return whether the device's allocator can provide this many bytes.

    Memory that it keeps for reuse counts as free.
    """
    found = device.memory_stats() or {}
    limit = found.get("bytes_limit")
    return limit is None or needed <= limit - found.get("bytes_in_use", 0)
