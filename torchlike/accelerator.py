"""A device-independent interface to the accelerator that JAX can use."""

from __future__ import annotations

from typing import Any

from torchlike import _errors
from torchlike._dtypes.devices import device as Device
from torchlike._engine import accelerators

_TYPES = ("cuda", "tpu")


def _type() -> str | None:
    return next((kind for kind in _TYPES if accelerators.devices(kind)), None)


def _present() -> str:
    found = _type()
    if found is None:
        raise _errors.making.no_accelerator()
    return found


def is_available() -> bool:
    """Return whether JAX can use an accelerator."""
    return _type() is not None


def device_count() -> int:
    """Return the number of accelerators that JAX can use."""
    found = _type()
    return 0 if found is None else len(accelerators.devices(found))


def current_accelerator(check_available: bool = False) -> Device | None:
    """Return the type of the accelerator, as a device without an index, or None if there is no accelerator.

    Difference from PyTorch: every accelerator that JAX lists is usable, so `check_available` has no effect.
    """
    found = _type()
    return None if found is None else Device(found)


def current_device_index() -> int:
    """Return the index of the current accelerator."""
    return accelerators.current(_present())


def set_device_index(device: Any) -> None:
    """Set the accelerator that a device without an index refers to. Only GPU 0 is supported."""
    kind = _present()
    if kind != "cuda":
        raise _errors.arguments.unsupported("accelerator.set_device_index", "device")
    from torchlike import cuda

    cuda.set_device(device)


def synchronize(device: Any = None) -> None:
    """Flush the pending trace and wait until the accelerator has finished its work."""
    accelerators.synchronize(_present(), device)
