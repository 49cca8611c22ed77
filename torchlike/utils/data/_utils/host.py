"""Assembly of batches in host memory.

Each batch has different indices, so recording the gather would compile a new program for each batch. NumPy gathers the
samples eagerly instead. The result is identical, because copying is exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import torchlike
from torchlike._internal import Value, aval, peek, wrap


def rows(tensor: Any, where: np.ndarray) -> Any:
    """Return the rows of a tensor at the indices `where`."""
    if tensor.device.type != "cpu":
        return tensor.index_select(0, torchlike.from_numpy(where).to(tensor.device))
    return _tensor(peek(tensor._value).take(where, 0), tensor)


def stack(tensors: Sequence) -> Any | None:
    """Stack tensors along a new first dim on the host.

    Return None unless all tensors are plain contiguous CPU tensors with concrete values and the same shape and dtype,
    and none of them requires grad.
    """
    like = tensors[0]
    if like.device.type != "cpu" or not all(_is_alike(t, like) for t in tensors):
        return None
    return _tensor(np.stack([peek(t._value) for t in tensors]), like)


def _is_alike(tensor: Any, like: Any) -> bool:
    if type(tensor) is not torchlike.Tensor or tensor.requires_grad:
        return False
    value = tensor._value
    return value.peek() is not None and value.aval is like._value.aval and tensor.is_contiguous()


def _tensor(array: np.ndarray, like: Any) -> Any:
    return wrap(Value(aval(array.shape, like.dtype, like.device), array))
