"""Memory for new arrays: checks before an allocation, and PyTorch's errors for an allocation that fails."""

from __future__ import annotations

import gc
import math
import mmap
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import jax

from torchlike import _errors
from torchlike._dtypes.devices import cpu, to_jax
from torchlike._dtypes.devices import device as Device
from torchlike._errors.callers import Place, users_place
from torchlike._errors.making import OutOfMemoryError

Ints = tuple[int, ...]

LARGE = 1 << 26  # bytes; smaller allocations are not checked before they are made
_UNITS = {"": 0, "K": 10, "M": 20, "G": 30, "T": 40}
# XLA's words for the memory that it could not provide, on the CPU and on GPUs, and for programs too large for a TPU.
_AMOUNTS = (
    re.compile(r"allocat\w* (?P<number>[\d.]+) ?(?P<unit>[KMGT]?)i?(?:B|bytes)", re.IGNORECASE),
    re.compile(r"Used (?P<number>[\d.]+)(?P<unit>[KMGT]?) of"),
)


# -- checks ------------------------------------------------------------------------------------------------------------


def check(device: Device, needed: int) -> None:
    """Raise PyTorch's out-of-memory error if a device cannot allocate this many bytes.

    An accelerator first frees the tensors that only cycles of objects reference, because Python's garbage collector
    runs rarely (see `heap.collect_less_often`).
    """
    if fits(device, needed) or (device.type != "cpu" and gc.collect() and fits(device, needed)):
        return
    raise failure(device, needed)


def fits(device: Device, needed: int) -> bool:
    """Return whether a device can allocate this many bytes. It can if it does not report how much memory is free."""
    if needed < LARGE or device.type == "meta":
        return True
    return _fits_host(needed) if device.type == "cpu" else _fits(to_jax(device), needed)


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


def check_new(shape: Ints, itemsize: int, device: Device, strides: Ints | None = None) -> None:
    """Raise PyTorch's error if a new tensor is larger than a size can be, or if the device cannot allocate it.

    Args:
      shape: The shape of the tensor.
      itemsize: The size of an element in bytes.
      device: The device. The sizes of a tensor on `meta` are checked too.
      strides: The strides, if the user gave them.
    """
    if strides is None:
        needed = math.prod(shape) * itemsize
        if 0 < needed < LARGE:
            return
        _errors.memory.check_overflow(shape, itemsize)
    else:
        needed = _errors.memory.checked_extent(shape, strides, itemsize)
    check(device, needed)


# -- errors ------------------------------------------------------------------------------------------------------------


def created(make: Callable[[], Any], shape: Ints, itemsize: int, device: Device) -> Any:
    """Return `make()`, which creates the elements of a new tensor on the host or on its device.

    Raise PyTorch's error if the tensor is too large (see `check_new`), or if `make` runs out of memory.
    """
    check_new(shape, itemsize, device)
    try:
        return make()
    except (MemoryError, jax.errors.JaxRuntimeError) as error:
        raise translated(error, device) from None


def allocated(make: Callable[[], Any], device: Device) -> Any:
    """Return `make()`, which allocates an array on a device. Raise PyTorch's error if it runs out of memory."""
    try:
        return make()
    except (MemoryError, jax.errors.JaxRuntimeError) as error:
        raise translated(error, device) from None


def translated(error: Exception, device: Device) -> Exception:
    """Return PyTorch's error for an allocation that failed, or the same error if it has another cause.

    A MemoryError means that the host ran out of memory, whatever the device is.
    """
    needed = amount(error)
    if needed is None:
        return error
    return failure(cpu if isinstance(error, MemoryError) else device, needed)


def failure(device: Device, needed: int, place: Place | None = None, largest: Sequence[str] = ()) -> RuntimeError:
    """Return PyTorch's error for memory that a device cannot allocate.

    On an accelerator the error names the free memory and a line.

    Args:
      device: The device.
      needed: The number of bytes.
      place: The line. It is by default the line of the user's program that is running.
      largest: Descriptions of the largest tensors of the program.
    """
    if device.type == "cpu":
        return _errors.memory.out_of_memory(device, needed)
    found = to_jax(device).memory_stats() or {}
    return _errors.memory.out_of_memory(
        device, needed, found.get("bytes_limit"), found.get("bytes_in_use", 0), place or users_place(), largest
    )


def amount(error: Exception) -> int | None:
    """Return the number of bytes of a failed allocation, or None if the error has another cause.

    The number is 0 if the error does not name it.
    """
    if isinstance(error, OutOfMemoryError):
        return error.tried or None  # None: the user's program raised it
    if isinstance(error, MemoryError):
        return _errors.memory.amount_of_host(error)
    text = str(error)
    if not isinstance(error, jax.errors.JaxRuntimeError) or "RESOURCE_EXHAUSTED" not in text:
        return None
    found = next((match for pattern in _AMOUNTS if (match := pattern.search(text))), None)
    return int(float(found["number"]) * (1 << _UNITS[found["unit"].upper()])) if found else 0


def of_operator(error: Exception, sizes: Iterable[int]) -> Exception:
    """Return PyTorch's error for an error of an operator on the host, or the same error if it had enough memory.

    The error names the first result that cannot be allocated, as in PyTorch. An operator that has the memory for each
    of its results was short of memory for an intermediate result; the error then names that one.

    Args:
      error: The error.
      sizes: The sizes of the results in bytes.
    """
    needed = None if isinstance(error, OutOfMemoryError) else amount(error)
    if needed is None:
        return error
    return failure(cpu, next((size for size in sizes if not fits(cpu, size)), needed))
