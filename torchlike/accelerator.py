"""Whatever accelerator JAX can use, by one set of names."""

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
    """Whether JAX can use an accelerator."""
    return _type() is not None


def device_count() -> int:
    """The number of accelerators that JAX can use."""
    found = _type()
    return 0 if found is None else len(accelerators.devices(found))


def current_accelerator(check_available: bool = False) -> Device | None:
    """The kind of accelerator that there is, as a device without an index; None where there is none.

    Difference: what JAX lists can always be used, so `check_available` asks nothing more.
    """
    found = _type()
    return None if found is None else Device(found)


def current_device_index() -> int:
    """The index of the current accelerator."""
    return accelerators.current(_present())


def set_device_index(device: Any) -> None:
    """Choose the accelerator that a device without an index means."""
    kind = _present()
    if kind != "cuda":
        raise _errors.arguments.unsupported("accelerator.set_device_index", "device")
    from torchlike import cuda

    cuda.set_device(device)


def synchronize(device: Any = None) -> None:
    """Run what is pending and wait until the accelerator has done it."""
    accelerators.synchronize(_present(), device)
