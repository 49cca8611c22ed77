"""Methods about the kind of memory that holds a tensor: pinned, shared between processes, used by streams."""

from __future__ import annotations

from typing import Any

from torchlike import _errors
from torchlike._dtypes import devices
from torchlike._tensor.tensor import Tensor


def pin_memory(self: Tensor, device: Any = None) -> Tensor:
    """This tensor: JAX's host arrays are not page-locked, and copies to a GPU are safe without.

    Raises RuntimeError where there is no accelerator, as PyTorch does.
    """
    if self.device.type == "cpu" and not (devices.jax_devices("cuda") or devices.jax_devices("tpu")):
        raise _errors.making.no_accelerator()
    return self


def is_pinned(self: Tensor, device: Any = None) -> bool:
    """Whether the memory is page-locked: never."""
    return False


def share_memory_(self: Tensor) -> Tensor:
    """Refused on the CPU: arrays cannot be shared by processes (send NumPy arrays, or a `torchlike.save`d file)."""
    if self.device.type != "cpu":
        return self
    raise NotImplementedError("share_memory_: memory shared by processes is not supported by torchlike yet")


def is_shared(self: Tensor) -> bool:
    """Whether processes share this tensor: on the CPU never."""
    return self.device.type != "cpu"


def record_stream(self: Tensor, stream: Any) -> None:
    """Nothing to do: XLA keeps memory alive for as long as work uses it. Only tensors on a GPU can be asked."""
    if self.device.type == "cpu":
        raise NotImplementedError("Could not run 'aten::record_stream' with arguments from the 'CPU' backend.")


METHODS = {f.__name__: f for f in (pin_memory, is_pinned, share_memory_, is_shared, record_stream)}
