"""`numpy.where` without branches for large arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from torchlike import _native
from torchlike._engine.interpreter.memory_order import memory_order

_SMALL = 1024  # elements; NumPy's own call is as fast for fewer
_SIZES = (2, 4, 8)  # bytes of an element
_BITS = np.uint16  # half precision as the kernel reads it; bfloat16 has no buffer


def where(which: np.ndarray, yes: Any, no: Any) -> np.ndarray:
    """Return `numpy.where(which, yes, no)`.

    NumPy branches at each element. If the mask is irregular, as that of a ReLU is, it takes 20 times as long as an
    addition. The kernel in C takes as long as an addition.
    """
    if _native.rows is None or which.size < _SMALL or which.dtype != bool:
        return np.where(which, yes, no)
    if not which.flags.c_contiguous:
        return _in_memory_order(which, yes, no)
    array = yes if isinstance(yes, np.ndarray) and yes.shape == which.shape else no
    if not isinstance(array, np.ndarray) or array.shape != which.shape or array.dtype.itemsize not in _SIZES:
        return np.where(which, yes, no)
    one, other = _side(yes, array), _side(no, array)
    if one is None or other is None:
        return np.where(which, yes, no)
    out = np.empty(which.shape, array.dtype)
    _native.rows.select(which, *[x.view(_BITS) if x.dtype.itemsize == 2 else x for x in (one, other, out)])
    return out


def _in_memory_order(which: np.ndarray, yes: Any, no: Any) -> np.ndarray:
    """Return the selection for a mask with permuted dims, such as an image whose channels are last in memory."""
    order = memory_order(which)
    if order is None:
        return np.where(which, yes, no)
    sides = [x.transpose(order) if isinstance(x, np.ndarray) and x.ndim == which.ndim else x for x in (yes, no)]
    return where(which.transpose(order), *sides).transpose(np.argsort(order))


def _side(x: Any, array: np.ndarray) -> np.ndarray | None:
    """Return one side as an array for the kernel: as large as `array`, or of one element; None if it is neither."""
    if x.__class__ is int or (x.__class__ is float and array.dtype.kind == "f"):
        return np.asarray(x, array.dtype)
    if not isinstance(x, np.ndarray | np.generic) or x.dtype != array.dtype:
        return None
    if x.shape == array.shape:
        return np.ascontiguousarray(x)
    return np.asarray(x) if x.ndim == 0 else None
