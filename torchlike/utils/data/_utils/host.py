"""Putting batches together in host memory.

Which samples make a batch differs each time. Recorded, that would be another program per batch for the engine; done
by NumPy at once it is a copy, and moving data is exact, so nothing else can be seen of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import torchlike
from torchlike._internal import Value, aval, peek, wrap


def rows(tensor: Any, where: np.ndarray) -> Any:
    """The rows of a tensor at `where`."""
    if tensor.device.type != "cpu":
        return tensor.index_select(0, torchlike.from_numpy(where).to(tensor.device))
    return _tensor(peek(tensor._value).take(where, 0), tensor)


def stack(tensors: Sequence) -> Any | None:
    """The tensors stacked along a new first dim; None unless they are computed, plain, alike and on the CPU."""
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
