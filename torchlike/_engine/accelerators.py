"""Queries about the accelerators of one type: their number, the current device, and the memory in use."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any

import jax

from torchlike import _errors
from torchlike._dtypes import devices as _device


def devices(type: str) -> list:
    """Return the JAX devices of one type. The list is empty if JAX has no client for this type."""
    return _device.jax_devices(type)


def current(type: str) -> int:
    """Return the index of the current device of a type."""
    return _device.current_index(type)


def number(type: str, device: Any) -> int:
    """Return the index for a `device` argument: an int, a device, its name, or None for the current device."""
    if device is None:
        return current(type)
    if isinstance(device, int):
        return current(type) if device < 0 else device
    found = _device.device(device)
    if found.type != type:
        raise _errors.making.wrong_device(type, found)
    return current(type) if found.index is None else found.index


def jax_device(type: str, device: Any) -> Any:
    """Return the JAX device for a `device` argument. Raise PyTorch's error if there is no such device."""
    if not devices(type):
        raise _errors.making.absent(type)
    return _device.to_jax(_device.device(type, number(type, device)))


def statistic(type: str, device: Any, *names: str) -> int:
    """Return the first of the named statistics that the backend's allocator provides, in bytes.

    Return 0 if there is no such device.
    """
    if not devices(type):
        return 0
    kept = jax_device(type, device).memory_stats() or {}
    return next((kept[name] for name in names if name in kept), 0)


def statistics(type: str, device: Any, names: Mapping[str, Sequence[str]]) -> OrderedDict[str, int]:
    """Return the allocator's statistics in order of their names, or nothing if there is no such device.

    `names` are further names, each with the names of the statistics that it may stand for; the first present counts.
    """
    if not devices(type):
        return OrderedDict()
    kept = jax_device(type, device).memory_stats() or {}
    found = {name: next((kept[n] for n in ours if n in kept), None) for name, ours in names.items()}
    return OrderedDict(sorted({**kept, **{name: n for name, n in found.items() if n is not None}}.items()))


def free_and_total(type: str, device: Any) -> tuple[int, int]:
    """Return the free and the total number of bytes that XLA may use on a device."""
    number(type, device)  # as in PyTorch, a device of another type is an error even without a device of this type
    kept = jax_device(type, device).memory_stats() or {}
    total = kept.get("bytes_limit", 0)
    return total - kept.get("bytes_in_use", 0), total


def synchronize(type: str, device: Any) -> None:
    """Flush pending work and wait until the device has finished it."""
    from torchlike._engine import boundary

    place = jax_device(type, device)
    boundary()
    jax.device_put(0, place).block_until_ready()
    for array in _arrays(place):
        array.block_until_ready()


def is_done(type: str, device: Any) -> bool:
    """Return whether the device has finished all work that was started, without waiting."""
    return all(array.is_ready() for array in _arrays(jax_device(type, device)))


def _arrays(place: Any) -> list:
    """Return the arrays of this process that are on a JAX device, finished or not."""
    return [array for array in jax.live_arrays() if not array.is_deleted() and place in array.devices()]
