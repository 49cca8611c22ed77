"""Methods for pinned memory, memory shared between processes, and memory that streams use."""

from __future__ import annotations

from typing import Any
from weakref import WeakSet

from torchlike import _errors
from torchlike._autograd.engine import another
from torchlike._dtypes import devices
from torchlike._tensor import factories, shared_storage
from torchlike._tensor.storage import Storage
from torchlike._tensor.tensor import Tensor, wrap
from torchlike._transforms.device_transfer import send_ahead

_pinned: WeakSet[Storage] = WeakSet()


def pin_memory(self: Tensor, device: Any = None) -> Tensor:
    """Return a copy of this CPU tensor for which `is_pinned()` is True, or the tensor itself if it is pinned.

    JAX manages the memory from which it copies to a device, and its copies are asynchronous whether or not a tensor is
    pinned. The memory is therefore not page-locked. `device` is deprecated and has no effect.

    Raises RuntimeError if there is no accelerator, or if the tensor is on one.

    Args:
      device: has no effect.
    """
    if self.device.type != "cpu":
        raise _errors.making.cannot_pin(self)
    if not _has_accelerator():
        raise _errors.making.no_accelerator()
    if is_pinned(self):
        return self
    made = wrap(another(self._value))
    if self._strides is not None:
        factories.with_strides(made, factories.like_strides(self, None))
    _pinned.add(made._storage)
    return made


def is_pinned(self: Tensor, device: Any = None) -> bool:
    """Return whether `pin_memory()` or a `DataLoader` with `pin_memory=True` made the memory of this tensor.

    Args:
      device: has no effect.
    """
    if device is not None:
        devices.device(device)
    return self._storage in _pinned


def prefetch(tensor: Tensor, device: devices.device) -> None:
    """Start the transfer of a CPU tensor to a device. `tensor.to(device)` then takes the result.

    Nothing is transferred if the tensor is a view, is pending or is shared with NumPy.
    """
    if tensor._chain is None and not tensor._storage.shared:
        send_ahead(tensor._storage.value, device)


def _has_accelerator() -> bool:
    return bool(devices.jax_devices("cuda") or devices.jax_devices("tpu"))


def share_memory_(self: Tensor) -> Tensor:
    """Move the memory of a CPU tensor to shared memory, and return the tensor itself.

    Child processes that are forked later see the same memory, and so do processes to which the tensor is sent by
    `torchlike.multiprocessing`. A write in one process is visible in all. Each read and each write of such a tensor
    copies it. On an accelerator, the call has no effect.
    """
    if self.device.type == "cpu":
        shared_storage.share_between_processes(self._storage.whole)
    return self


def is_shared(self: Tensor) -> bool:
    """Return whether the memory is shared by processes. It is True on an accelerator, as in PyTorch."""
    return self.device.type != "cpu" or shared_storage.segment_of(self._storage.whole) is not None


def record_stream(self: Tensor, stream: Any) -> None:
    """Do nothing: XLA keeps memory alive while a program uses it. Raise for a tensor on the CPU.

    Args:
      stream: a stream. It is not used.
    """
    if self.device.type == "cpu":
        raise NotImplementedError("Could not run 'aten::record_stream' with arguments from the 'CPU' backend.")


METHODS = {f.__name__: f for f in (pin_memory, is_pinned, share_memory_, is_shared, record_stream)}
