"""Memory that processes share: anonymous files that the kernel frees with the last descriptor and mapping of them."""

from __future__ import annotations

import ctypes
import functools
import mmap
import os
import sys
import tempfile
from collections.abc import Callable
from typing import Any

import numpy as np

from torchlike._native import memory

_FAILED = ctypes.c_void_p(-1).value
_POPULATE = getattr(mmap, "MAP_POPULATE", 0)  # map all pages at once, instead of one by one at their first use


class Segment:
    """A range of memory that another process may map as well.

    It owns the NumPy arrays over the memory (`array`). The memory is unmapped when the last of them is freed. Unlike
    `mmap.mmap`, a segment can close its descriptor and stay mapped.

    Attributes:
      nbytes: the size.
      handle: the descriptor of the file, which belongs to the segment; -1 after `close`.
    """

    def __init__(self, nbytes: int, handle: int) -> None:
        self.nbytes, self.handle = nbytes, handle
        self._memory, address = _map(handle, nbytes, mmap.MAP_SHARED | _POPULATE)
        self.__array_interface__ = {"data": (address, False), "shape": (nbytes,), "typestr": "|u1", "version": 3}

    def array(self, shape: tuple[int, ...], dtype: Any) -> np.ndarray:
        """Return an array over the beginning of the memory."""
        dtype = np.dtype(dtype)
        count = int(np.prod(shape, dtype=np.int64))
        return np.asarray(self)[: count * dtype.itemsize].view(dtype).reshape(shape)

    def close(self) -> None:
        """Close the descriptor of the file. The memory stays mapped."""
        self.handle = -1
        _close(self._memory)


def new(nbytes: int) -> Segment:
    """Return a new segment of at least one byte, filled with zeros."""
    handle = _file()
    try:
        os.ftruncate(handle, nbytes)
    except BaseException:
        os.close(handle)
        raise
    return Segment(nbytes, handle)


def owner_of(array: np.ndarray) -> Segment | None:
    """Return the segment of which an array is all the memory, or None."""
    base: Any = array
    while isinstance(base, np.ndarray | memoryview):
        base = base.base if isinstance(base, np.ndarray) else base.obj
    if isinstance(base, Segment) and base.handle >= 0 and base.nbytes == array.nbytes:
        return base
    return None


def _file() -> int:
    """Return the descriptor of a new empty file without a name."""
    if hasattr(os, "memfd_create"):
        return os.memfd_create("torchlike", os.MFD_CLOEXEC)
    handle, path = tempfile.mkstemp(prefix="torchlike-")
    os.unlink(path)
    return handle


class _Memory:
    """A mapping that Python unmaps. It replaces the one in C if there is no compiler.

    An interrupt during its finalizer is lost.
    """

    def __init__(self, handle: int, nbytes: int) -> None:
        self.address: Any = None
        self.nbytes, self.handle = nbytes, handle

    @classmethod
    def map(cls, handle: int, nbytes: int, flags: int) -> tuple[_Memory, int]:
        """Return a new mapping, which owns the descriptor, and its address."""
        made = cls(handle, nbytes)
        address = _libc().mmap(None, nbytes, mmap.PROT_READ | mmap.PROT_WRITE, flags, handle, 0)
        if address == _FAILED:
            error = ctypes.get_errno()
            raise OSError(error, os.strerror(error))
        made.address = address
        return made, address

    def close(self) -> None:
        """Close the descriptor. The memory stays mapped."""
        if self.handle >= 0:
            handle, self.handle = self.handle, -1
            os.close(handle)

    def __del__(self, is_finalizing: Callable[[], bool] = sys.is_finalizing) -> None:
        if is_finalizing():  # globals of modules may be None
            return
        if self.address is not None:
            address, self.address = self.address, None
            _libc().munmap(address, self.nbytes)
        self.close()


@functools.cache
def _libc() -> Any:
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
    libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    return libc


_map: Callable[[int, int, int], tuple[Any, int]] = _Memory.map if memory is None else memory.map
_close: Callable[[Any], None] = _Memory.close if memory is None else memory.close
