"""Methods for pinned memory, memory shared between processes, and memory that streams use."""

from __future__ import annotations

from typing import Any

from torchlike import _errors
from torchlike._dtypes import devices
from torchlike._tensor.tensor import Tensor


def pin_memory(self: Tensor, device: Any = None) -> Tensor:
    """Return the tensor itself. Host arrays are not page-locked here, and copies to a GPU are safe without it.

    Raises RuntimeError if there is no accelerator, as PyTorch does.
    """
    if self.device.type == "cpu" and not (devices.jax_devices("cuda") or devices.jax_devices("tpu")):
        raise _errors.making.no_accelerator()
    return self


def is_pinned(self: Tensor, device: Any = None) -> bool:
    """Return False, because memory is never page-locked."""
    return False


def share_memory_(self: Tensor) -> Tensor:
    """Return the tensor itself on an accelerator, and raise on the CPU.

    Processes cannot share arrays. Send NumPy arrays or files of `torchlike.save` instead.
    """
    if self.device.type != "cpu":
        return self
    raise NotImplementedError("share_memory_: memory shared by processes is not supported by torchlike yet")


def is_shared(self: Tensor) -> bool:
    """Return False on the CPU, where processes cannot share memory, and True on an accelerator, as in PyTorch."""
    return self.device.type != "cpu"


def record_stream(self: Tensor, stream: Any) -> None:
    """Do nothing: XLA keeps memory alive while a program uses it. Raise for a tensor on the CPU."""
    if self.device.type == "cpu":
        raise NotImplementedError("Could not run 'aten::record_stream' with arguments from the 'CPU' backend.")


METHODS = {f.__name__: f for f in (pin_memory, is_pinned, share_memory_, is_shared, record_stream)}
