"""Methods for pinned memory, memory shared between processes, and CUDA streams."""

from __future__ import annotations

from typing import Any

from torchlike import _errors
from torchlike._dtypes import devices
from torchlike._tensor.tensor import Tensor


def pin_memory(self: Tensor, device: Any = None) -> Tensor:
    """Return this tensor unchanged. JAX's host arrays are not page-locked, and copies to a GPU do not require it.

    Raise RuntimeError if there is no accelerator, as in PyTorch.
    """
    if self.device.type == "cpu" and not (devices.jax_devices("cuda") or devices.jax_devices("tpu")):
        raise _errors.making.no_accelerator()
    return self


def is_pinned(self: Tensor, device: Any = None) -> bool:
    """Return whether the memory is page-locked: always False."""
    return False


def share_memory_(self: Tensor) -> Tensor:
    """Raise an error on the CPU, because processes cannot share arrays. Return the tensor on other devices.

    To pass data to another process, send NumPy arrays or a file written by `torchlike.save`.
    """
    if self.device.type != "cpu":
        return self
    raise NotImplementedError("share_memory_: memory shared by processes is not supported by torchlike yet")


def is_shared(self: Tensor) -> bool:
    """Return whether processes can share this tensor: False on the CPU, True on other devices."""
    return self.device.type != "cpu"


def record_stream(self: Tensor, stream: Any) -> None:
    """Do nothing, because XLA keeps memory alive while work uses it.

    Raise NotImplementedError for a tensor on the CPU, as in PyTorch.
    """
    if self.device.type == "cpu":
        raise NotImplementedError("Could not run 'aten::record_stream' with arguments from the 'CPU' backend.")


METHODS = {f.__name__: f for f in (pin_memory, is_pinned, share_memory_, is_shared, record_stream)}
