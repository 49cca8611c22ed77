"""The C library's math functions on float64 arrays, as NumPy ufuncs.

PyTorch calls the C library for each element. NumPy's vectorized loops differ from the C library in the last bit.
NumPy's C API can make a ufunc from any C function of doubles. This module accesses the API through `ctypes`, in the
same way as every extension module: a capsule contains a table of pointers, whose order is stable.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable
from typing import Any

import numpy as np

_FROM_FUNCTIONS, _LOOPS = 1, {1: 5, 2: 15}  # table indices: PyUFunc_FromFuncAndData, PyUFunc_d_d, PyUFunc_dd_d
_NO_IDENTITY = -1
_keep_alive: list[Any] = []  # the memory that the ufuncs point to


def _api() -> Any:
    from numpy._core import _multiarray_umath  # type: ignore[attr-defined]

    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return ctypes.cast(pointer(_multiarray_umath._UFUNC_API, None), ctypes.POINTER(ctypes.c_void_p))


def _ufunc(name: str, arguments: int) -> Callable[..., np.ndarray]:
    api, function = _api(), getattr(ctypes.CDLL(None), name)
    label = ctypes.create_string_buffer(name.encode())
    loops = (ctypes.c_void_p * 1)(api[_LOOPS[arguments]])
    data = (ctypes.c_void_p * 1)(ctypes.cast(function, ctypes.c_void_p).value)
    types = ctypes.create_string_buffer(bytes([np.dtype(np.float64).num] * (arguments + 1)))
    _keep_alive.append((label, loops, data, types))
    kinds = [ctypes.c_void_p] * 3 + [ctypes.c_int] * 4 + [ctypes.c_void_p] * 2 + [ctypes.c_int]
    make = ctypes.PYFUNCTYPE(ctypes.py_object, *kinds)(api[_FROM_FUNCTIONS])
    starts = [ctypes.addressof(part) for part in (loops, data, types)]
    return make(*starts, 1, arguments, 1, _NO_IDENTITY, ctypes.addressof(label), ctypes.addressof(label), 0)


def _vectorized(name: str, arguments: int = 1) -> Callable[..., np.ndarray]:
    """Return a function of the C library as a ufunc.

    If the C library is not accessible, use Python's `math`, which is ten times slower.
    """
    try:
        return _ufunc(name, arguments)
    except (ImportError, AttributeError, OSError, TypeError):
        return np.vectorize(getattr(math, name), otypes=[np.float64])


log, log1p, exp, cos, sin, tan = (_vectorized(name) for name in ("log", "log1p", "exp", "cos", "sin", "tan"))
pow = _vectorized("pow", 2)
