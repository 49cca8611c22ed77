"""Queries about the accelerators of one type: their number, the current device, and the memory in use."""

from __future__ import annotations

from typing import Any

from torchlike._dtypes import devices as _device

_current: dict[str, int] = {}  # the index of the device that a bare "cuda" means


def devices(type: str) -> list:
    """Return the JAX devices of one type. The list is empty if JAX has no client for this type."""
    return _device.jax_devices(type)


def current(type: str) -> int:
    """Return the index of the current device of a type."""
    return _current.get(type, 0)


def number(type: str, device: Any) -> int:
    """Return the index for a `device` argument: an int, a device, its name, or None for the current device."""
    if device is None:
        return current(type)
    if isinstance(device, int):
        return current(type) if device < 0 else device
    found = _device.device(device)
    if found.type != type:
        raise ValueError(f"Expected a {type} device, but got: {found}")
    return current(type) if found.index is None else found.index


def jax_device(type: str, device: Any) -> Any:
    """Return the JAX device for a `device` argument. Raise PyTorch's error if there is no such device."""
    return _device.to_jax(_device.device(type, number(type, device)))


def statistic(type: str, device: Any, *names: str) -> int:
    """Return the first of the named statistics that the backend's allocator provides, in bytes.

    Return 0 if there is no such device.
    """
    if not devices(type):
        return 0
    kept = jax_device(type, device).memory_stats() or {}
    return next((kept[name] for name in names if name in kept), 0)


def synchronize(type: str, device: Any) -> None:
    """Flush pending work and wait until the device has finished it."""
    import jax

    from torchlike._engine import boundary

    place = jax_device(type, device)
    boundary()
    jax.device_put(0, place).block_until_ready()
    for array in jax.live_arrays():
        if place in array.devices():
            array.block_until_ready()
