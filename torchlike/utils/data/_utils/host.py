"""Assembly of batches in host memory.

Each batch has different indices, so recording the gather would compile a new program for each batch. NumPy gathers the
samples eagerly instead. The result is identical, because copying is exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import torchlike
from torchlike._internal import Value, _native, aval, host_arrays, peek, wrap
from torchlike.utils.data._utils.worker import place

_SMALL = 1 << 16  # bytes; NumPy copies larger arrays without the interpreter lock, and other threads run


def rows(tensor: Any, where: np.ndarray) -> Any:
    """Return the rows of a tensor at the indices `where`."""
    if tensor.device.type != "cpu":
        return tensor.index_select(0, torchlike.from_numpy(where).to(tensor.device))
    array = peek(tensor._value)
    return _tensor(array.take(where, 0, out=_new((len(where), *array.shape[1:]), array.dtype)), tensor)


def stack(tensors: Sequence) -> Any | None:
    """Stack tensors along a new first dim on the host.

    Return None unless all tensors are plain contiguous CPU tensors with concrete values and the same shape and dtype,
    and none of them requires grad.
    """
    found = host_arrays(tensors)
    if found is None or any(array.shape != found[0].shape for array in found):
        return None
    return _tensor(arrays(found), tensors[0])


def arrays(given: list[np.ndarray]) -> np.ndarray:
    """Stack C-contiguous arrays of the same shape and dtype along a new first dim."""
    first = given[0]
    made = _new((len(given), *first.shape), first.dtype)
    if _native.numbers is not None and first.nbytes <= _SMALL and first.dtype.kind in "biufc":
        _native.numbers.stack(made, given)
        return made
    for i, array in enumerate(given):  # faster than `np.stack` for small arrays
        made[i] = array
    return made


def _new(shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """Return the array for a batch, in shared memory if this process is a worker."""
    if not place.is_process:
        return np.empty(shape, dtype)
    from torchlike.multiprocessing._channel import empty  # imported by all worker processes

    return empty(shape, dtype)


def _tensor(array: np.ndarray, like: Any) -> Any:
    return wrap(Value(aval(array.shape, like.dtype, like.device), array))
