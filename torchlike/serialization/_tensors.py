"""The two things that checkpoints need to know of a tensor's inside: from memory to tensor, and back."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import torchlike
from torchlike import _device, _layout, _tensor
from torchlike._core import Value, aval, to_numpy

_PRIVATE = ("_retains_grad", "_post_accumulate")  # attributes of tensors that PyTorch keeps elsewhere


def storage_of(tensor: Any) -> tuple[object, np.ndarray]:
    """The identity of a tensor's storage, and its elements in memory order as the tensor's dtype sees them."""
    storage = tensor._storage
    flat = _in_memory_order(to_numpy(storage.value), storage.strides)
    return storage, flat.view(tensor.dtype.numpy)


def _in_memory_order(array: np.ndarray, strides: tuple[int, ...] | None) -> np.ndarray:
    if strides is None or not array.size:
        return array.reshape(-1)
    length = 1 + sum((n - 1) * s for n, s in zip(array.shape, strides))
    flat = np.zeros(length, array.dtype)
    np.lib.stride_tricks.as_strided(flat, array.shape, [s * array.itemsize for s in strides])[...] = array
    return flat


def from_storage(
    flat: np.ndarray, dtype: Any, size: tuple, stride: tuple, offset: int, device: Any, owner: Any
) -> tuple[Any, Any]:
    """A tensor over `flat`, and the owner of its memory, to be passed for the next tensor that shares it.

    The first tensor that covers the storage gives the owner its shape, so that an ordinary parameter is no view of
    anything.
    """
    if owner is None:
        owner = _covering(flat, dtype, tuple(size), tuple(stride), offset).to(device)
    if owner.shape == tuple(size) and owner.stride() == tuple(stride) and owner.dtype is dtype and not offset:
        return owner.detach(), owner
    seen = owner if owner.dtype is dtype else owner.view(dtype)
    return torchlike.as_strided(seen, size, stride, offset).detach(), owner


def _covering(flat: np.ndarray, dtype: Any, size: tuple, stride: tuple, offset: int) -> Any:
    strides = _layout.normal(size, stride)
    if offset or math.prod(size) != flat.size or not _layout.is_dense(size, stride):
        size, strides = flat.shape, None
    array = flat.reshape(size)
    if strides is not None:
        array = np.lib.stride_tricks.as_strided(flat, size, [s * flat.itemsize for s in strides])
    return _tensor.wrap(Value(aval(size, dtype, _device.cpu), array), None, strides)


def meta_tensor(dtype: Any, size: tuple, stride: tuple) -> Any:
    return torchlike.empty_strided(size, stride, dtype=dtype, device="meta")


def attributes(tensor: Any) -> dict[str, Any]:
    """What the user has attached to a tensor."""
    return {k: v for k, v in tensor.__dict__.items() if k not in _PRIVATE}


def as_subclass(tensor: Any, cls: type) -> Any:
    return tensor if cls is torchlike.Tensor else tensor.as_subclass(cls)
