"""Tensors as messages: their elements as bytes, and bytes as their elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from torchlike import Tensor
from torchlike._internal import Value, aval, devices, no_grad, to_numpy, wrap
from torchlike.distributed import _errors as errors


def one(name: str, tensor: Any) -> None:
    """Refuse what is no tensor."""
    if not isinstance(tensor, Tensor):
        raise errors.not_a_tensor(name, tensor)


def several(name: str, tensors: Any) -> None:
    """Refuse what is no list of tensors."""
    if not isinstance(tensors, list | tuple) or not all(isinstance(x, Tensor) for x in tensors):
        raise errors.not_tensors(name, tensors)


def alike(*tensors: Tensor) -> None:
    """Refuse tensors of several dtypes."""
    for tensor in tensors[1:]:
        if tensor.dtype != tensors[0].dtype:
            raise ValueError(
                f"Invalid usage of tensors with different dtypesFound {tensors[0].dtype} and  {tensor.dtype}"
            )


def host(tensor: Tensor) -> np.ndarray:
    """The elements in order."""
    return np.asarray(to_numpy(tensor.detach()._value), order="C")


def message(array: np.ndarray) -> memoryview:
    """An array's bytes."""
    return array.reshape(-1).view(np.uint8).data


def unpacked(content: bytearray, like: Tensor | np.ndarray, rank: int) -> np.ndarray:
    """A message as an array like this one."""
    dtype = like.dtype.numpy if isinstance(like, Tensor) else like.dtype
    array = np.frombuffer(content, np.uint8)
    expected = int(np.prod(like.shape)) * np.dtype(dtype).itemsize
    if array.size != expected:
        raise errors.other_size(rank, array.size, expected)
    return array.view(dtype).reshape(tuple(like.shape))


def made(array: np.ndarray, like: Tensor) -> Tensor:
    """A tensor of these elements, with the dtype and device of another."""
    value = Value(aval(array.shape, like.dtype, devices.cpu), np.asarray(array, order="C"))
    return wrap(value, None, None).to(like.device)


def put(tensor: Tensor, array: np.ndarray) -> None:
    """Write the elements of a tensor, as an exchange does: its version and its history stay."""
    with no_grad():
        tensor.data.copy_(made(array, tensor))


def put_all(tensors: Sequence[Tensor], arrays: Sequence[np.ndarray]) -> list[Tensor]:
    """Write several tensors, in the common way."""
    with no_grad():
        for tensor, array in zip(tensors, arrays):
            tensor.detach().copy_(made(array, tensor))
    return list(tensors)
