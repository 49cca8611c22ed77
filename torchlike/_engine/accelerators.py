"""What JAX's client says of the accelerators of one type: how many, which, and how much memory is in use."""

from __future__ import annotations

from typing import Any

from torchlike._dtypes import devices as _device

_current: dict[str, int] = {}  # the index of the device that a bare "cuda" means


def devices(type: str) -> list:
    """JAX's devices of one type; none where JAX has no such client."""
    return _device.jax_devices(type)


def current(type: str) -> int:
    """The index of the current device of a type."""
    return _current.get(type, 0)


def number(type: str, device: Any) -> int:
    """The index that a `device` argument means: an int, a device, its name, or None for the current one."""
    if device is None:
        return current(type)
    if isinstance(device, int):
        return current(type) if device < 0 else device
    found = _device.device(device)
    if found.type != type:
        raise ValueError(f"Expected a {type} device, but got: {found}")
    return current(type) if found.index is None else found.index


def jax_device(type: str, device: Any) -> Any:
    """The JAX device behind a `device` argument; raises PyTorch's sentence where there is none."""
    return _device.to_jax(_device.device(type, number(type, device)))


def statistic(type: str, device: Any, *names: str) -> int:
    """The first of these figures that the backend's allocator keeps, in bytes; 0 where there is no such device."""
    if not devices(type):
        return 0
    kept = jax_device(type, device).memory_stats() or {}
    return next((kept[name] for name in names if name in kept), 0)


def synchronize(type: str, device: Any) -> None:
    """Run what is pending and wait until the device has done it."""
    import jax

    from torchlike._engine import boundary

    place = jax_device(type, device)
    boundary()
    jax.device_put(0, place).block_until_ready()
    for array in jax.live_arrays():
        if place in array.devices():
            array.block_until_ready()
