"""Conversion between tensors and the byte messages that processes exchange."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import torchlike
from torchlike import Tensor
from torchlike._internal import Value, aval, devices, modes, no_grad, to_numpy, under_vmap, wrap
from torchlike.distributed import _errors as errors


def one(name: str, tensor: Any) -> None:
    """Raise TypeError if `tensor` is not a tensor."""
    if not isinstance(tensor, Tensor):
        raise errors.not_a_tensor(name, tensor)


def several(name: str, tensors: Any) -> None:
    """Raise TypeError if `tensors` is not a list or tuple of tensors."""
    if not isinstance(tensors, list | tuple) or not all(isinstance(x, Tensor) for x in tensors):
        raise errors.not_tensors(name, tensors)


def alike(*tensors: Tensor) -> None:
    """Raise ValueError if the dtypes of the tensors differ."""
    for tensor in tensors[1:]:
        if tensor.dtype != tensors[0].dtype:
            raise ValueError(
                f"Invalid usage of tensors with different dtypesFound {tensors[0].dtype} and  {tensor.dtype}"
            )


def host(tensor: Tensor) -> np.ndarray:
    """Return the elements of a tensor as a C-contiguous NumPy array."""
    return np.asarray(to_numpy(tensor.detach()._value), order="C")


def message(array: np.ndarray) -> memoryview:
    """Return a view of the bytes of an array."""
    return array.reshape(-1).view(np.uint8).data


def unpacked(content: bytearray, like: Tensor | np.ndarray, rank: int) -> np.ndarray:
    """Return a received message as an array with the shape and dtype of `like`. Raise an error if the sizes differ."""
    dtype = like.dtype.numpy if isinstance(like, Tensor) else like.dtype
    array = np.frombuffer(content, np.uint8)
    expected = int(np.prod(like.shape)) * np.dtype(dtype).itemsize
    if array.size != expected:
        raise errors.other_size(rank, array.size, expected)
    return array.view(dtype).reshape(tuple(like.shape))


def made(array: np.ndarray, like: Tensor) -> Tensor:
    """Return a tensor with the elements of `array` and the dtype and device of `like`."""
    value = Value(aval(array.shape, like.dtype, devices.cpu), np.asarray(array, order="C"))
    return wrap(value, None, None).to(like.device)


def value(tensor: Tensor) -> Value:
    """Return the value of a tensor, as the operand of a collective."""
    if modes.local.transforms:
        raise under_vmap("A collective")
    return tensor.detach()._value


def write(tensor: Tensor, result: Value) -> Tensor:
    """Write the result of a collective into a tensor through `.data`: its version and autograd graph do not change."""
    with no_grad():
        tensor.data.copy_(wrap(result, None, None).view(tensor.shape))
    return tensor


def write_all(tensors: Sequence[Tensor], results: Sequence[Value]) -> list[Tensor]:
    """Write the results of a collective into tensors in place under `no_grad`, and return the tensors."""
    with no_grad():
        for tensor, result in zip(tensors, results):
            tensor.detach().copy_(wrap(result, None, None).view(tensor.shape))
    return list(tensors)


def tensor(result: Value) -> Tensor:
    """Return a result of a collective as a tensor."""
    return wrap(result, None, None)


def rows(stacked: Value) -> list[Value]:
    """Return the rows of a value."""
    with no_grad():
        return [row._value for row in wrap(stacked, None, None).unbind(0)]


def stacked(tensors: Sequence[Tensor]) -> Value:
    """Return tensors of equal shapes as the rows of one value."""
    for tensor in tensors:
        value(tensor)
    with no_grad():
        return torchlike.stack([x.detach() for x in tensors])._value


def put(tensor: Tensor, array: np.ndarray) -> None:
    """Write `array` into a tensor through `.data`, so that its version counter and autograd graph do not change."""
    with no_grad():
        tensor.data.copy_(made(array, tensor))


def put_all(tensors: Sequence[Tensor], arrays: Sequence[np.ndarray]) -> list[Tensor]:
    """Write arrays into tensors in place under `no_grad`, and return the tensors."""
    with no_grad():
        for tensor, array in zip(tensors, arrays):
            tensor.detach().copy_(made(array, tensor))
    return list(tensors)
