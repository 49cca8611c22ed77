"""PyTorch's own allocators and memory pools, which are not supported: XLA allocates all memory."""

from __future__ import annotations

from typing import Any

from torchlike import _errors
from torchlike._dtypes import devices
from torchlike.cuda import _refused

_INSTEAD = "XLA allocates all memory"


def caching_allocator_alloc(size: int, device: Any = None, stream: Any = None) -> int:
    """Raise an error: XLA allocates all memory.

    Args:
      size, device, stream: not used.
    """
    if device is not None and not isinstance(device, int) and devices.device(device).index is None:
        found = devices.device(device)
        raise _errors.making.needs_index(found) if found.type == "cuda" else _errors.making.wrong_device("cuda", found)
    _refused.refuse("caching_allocator_alloc", _INSTEAD)


caching_allocator_delete = _refused.native(
    "caching_allocator_delete", _INSTEAD, "_cuda_cudaCachingAllocator_raw_delete"
)
change_current_allocator = _refused.native("change_current_allocator", _INSTEAD, "_cuda_changeCurrentAllocator")
get_allocator_backend = _refused.native("get_allocator_backend", _INSTEAD, "_cuda_getAllocatorBackend")


class _Scope:
    """A context manager that raises when it is entered."""

    def __init__(self, name: str, absent: Exception | None = None) -> None:
        self._name, self._absent = name, absent

    def __enter__(self) -> Any:
        _refused.refuse(self._name, _INSTEAD, self._absent)

    def __exit__(self, *_: object) -> None:
        return None


def caching_allocator_disabled() -> _Scope:
    """Return a context manager that raises when it is entered: XLA's allocator cannot be disabled."""
    return _Scope("caching_allocator_disabled", _errors.making.no_native("_cuda_cudaCachingAllocator_is_enabled"))


def caching_allocator_enable(value: bool = True) -> None:
    """Do nothing for True. For False, raise an error if there is a GPU: XLA's allocator cannot be disabled.

    Args:
      value: use the caching allocator.
    """
    from torchlike.cuda import is_available

    if not value and is_available():
        raise _errors.arguments.cannot("cuda.caching_allocator_enable(False)", _INSTEAD)


class MemPool:
    """A pool of memory. Not supported: the constructor raises an error.

    Args:
      allocator, use_on_oom, no_split: not used.
    """

    def __init__(self, allocator: Any = None, use_on_oom: bool = False, no_split: bool = False) -> None:
        _refused.refuse("MemPool", _INSTEAD, _errors.making.no_instance("MemPool"))


def use_mem_pool(pool: Any, device: Any = None) -> _Scope:
    """Return a context manager that raises when it is entered: pools are not supported.

    Args:
      pool, device: not used.
    """
    return _Scope("use_mem_pool")


class CUDAPluggableAllocator:
    """An allocator from a shared library. Not supported: the constructor raises an error.

    Args:
      path_to_so_file, alloc_fn_name, free_fn_name: not used.
    """

    def __init__(self, path_to_so_file: str, alloc_fn_name: str, free_fn_name: str) -> None:
        raise _errors.arguments.cannot("cuda.CUDAPluggableAllocator", _INSTEAD)
