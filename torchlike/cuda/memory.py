"""`torch.cuda.memory`: GPU memory in bytes, as XLA's allocator reports it.

As in PyTorch, the numbers of allocated and reserved bytes are 0 without a GPU. XLA reserves most of the memory when
JAX first uses the GPU. The environment variables XLA_PYTHON_CLIENT_MEM_FRACTION and XLA_PYTHON_CLIENT_PREALLOCATE
change that before the program starts.
"""

from __future__ import annotations

import gc
import os
from collections import OrderedDict
from typing import Any

from torchlike import _errors
from torchlike._engine import accelerators
from torchlike._errors.warned import warn
from torchlike.cuda import _refused
from torchlike.cuda._allocators import CUDAPluggableAllocator as CUDAPluggableAllocator
from torchlike.cuda._allocators import MemPool as MemPool
from torchlike.cuda._allocators import caching_allocator_alloc as caching_allocator_alloc
from torchlike.cuda._allocators import caching_allocator_delete as caching_allocator_delete
from torchlike.cuda._allocators import caching_allocator_disabled as caching_allocator_disabled
from torchlike.cuda._allocators import caching_allocator_enable as caching_allocator_enable
from torchlike.cuda._allocators import change_current_allocator as change_current_allocator
from torchlike.cuda._allocators import get_allocator_backend as get_allocator_backend
from torchlike.cuda._allocators import use_mem_pool as use_mem_pool

# PyTorch's statistics that XLA has as well, each with XLA's names for it; the first name that is present counts.
NAMES = {
    "allocated_bytes.all.current": ("bytes_in_use",),
    "allocated_bytes.all.peak": ("peak_bytes_in_use",),
    "reserved_bytes.all.current": ("pool_bytes", "bytes_reserved", "bytes_in_use"),
    "reserved_bytes.all.peak": ("peak_pool_bytes", "peak_bytes_reserved", "peak_bytes_in_use"),
    "allocation.all.allocated": ("num_allocs",),
}
_NO_RESET = "XLA's allocator keeps the peak since the process started"
_NO_HISTORY = "jax.profiler.save_device_memory_profile writes what is allocated, and by which line"


def memory_allocated(device: Any = None) -> int:
    """Return the number of bytes in use.

    Args:
      device: a GPU: its index, its name or a device. Default: the current GPU.
    """
    return accelerators.statistic("cuda", device, *NAMES["allocated_bytes.all.current"])


def max_memory_allocated(device: Any = None) -> int:
    """Return the peak number of bytes in use since the process started. XLA's allocator cannot reset it.

    Args:
      device: a GPU: its index, its name or a device. Default: the current GPU.
    """
    return accelerators.statistic("cuda", device, *NAMES["allocated_bytes.all.peak"])


def memory_reserved(device: Any = None) -> int:
    """Return the number of bytes that the allocator has reserved, whether they are in use or not.

    Args:
      device: a GPU: its index, its name or a device. Default: the current GPU.
    """
    return accelerators.statistic("cuda", device, *NAMES["reserved_bytes.all.current"])


def max_memory_reserved(device: Any = None) -> int:
    """Return the peak number of bytes that the allocator has reserved.

    Args:
      device: a GPU: its index, its name or a device. Default: the current GPU.
    """
    return accelerators.statistic("cuda", device, *NAMES["reserved_bytes.all.peak"])


def memory_cached(device: Any = None) -> int:
    """Return `memory_reserved(device)`, with PyTorch's warning that the function was renamed.

    Args:
      device: a GPU: its index, its name or a device. Default: the current GPU.
    """
    warn(_errors.making.renamed_memory("memory"), FutureWarning)
    return memory_reserved(device)


def max_memory_cached(device: Any = None) -> int:
    """Return `max_memory_reserved(device)`, with PyTorch's warning that the function was renamed.

    Args:
      device: a GPU: its index, its name or a device. Default: the current GPU.
    """
    warn(_errors.making.renamed_memory("max_memory"), FutureWarning)
    return max_memory_reserved(device)


def memory_stats(device: Any = None) -> OrderedDict[str, int]:
    """Return the allocator's statistics: those of PyTorch that XLA has, and all others by XLA's names.

    Without a GPU, the dictionary is empty.

    Args:
      device: a GPU: its index, its name or a device. Default: the current GPU.
    """
    return accelerators.statistics("cuda", device, NAMES)


def memory_stats_as_nested_dict(device: Any = None) -> dict[str, Any]:
    """Return `memory_stats(device)` as nested dictionaries: one level for each part of a name between dots.

    Args:
      device: a GPU: its index, its name or a device. Default: the current GPU.
    """
    found: dict[str, Any] = {}
    for name, value in memory_stats(device).items():
        *outer, last = name.split(".")
        inner = found
        for each in outer:
            inner = inner.setdefault(each, {})
        inner[last] = value
    return found


def memory_summary(device: Any = None, abbreviated: bool = False) -> str:
    """Return the allocator's statistics as a table. `abbreviated` omits zeros.

    Args:
      device: a GPU: its index, its name or a device. Default: the current GPU.
      abbreviated: omit the rows without data.
    """
    accelerators.number("cuda", device)
    if not accelerators.devices("cuda"):
        raise KeyError("allocated_bytes.all.current")  # as PyTorch does
    kept = {name: n for name, n in memory_stats(device).items() if n or not abbreviated}
    return "\n".join([f"{name:<32} {n:>20,}" for name, n in kept.items()]) + "\n"


def mem_get_info(device: Any = None) -> tuple[int, int]:
    """Return the free and the total number of bytes that XLA may use.

    Args:
      device: a GPU: its index, its name or a device. Default: the current GPU.
    """
    return accelerators.free_and_total("cuda", device)


def empty_cache() -> None:
    """Run Python's garbage collector, which frees unreferenced tensors. XLA's memory pool keeps its size."""
    gc.collect()


def ipc_collect() -> None:
    """Do nothing: GPU memory is never shared between processes. Raise an error if there is no GPU."""
    accelerators.jax_device("cuda", None)


def get_per_process_memory_fraction(device: Any = None) -> float:
    """Return the fraction of the GPU's memory that XLA may use: XLA_PYTHON_CLIENT_MEM_FRACTION, by default 0.75.

    Args:
      device: a GPU: its index, its name or a device. Default: the current GPU.
    """
    accelerators.jax_device("cuda", device)
    names = "XLA_CLIENT_MEM_FRACTION", "XLA_PYTHON_CLIENT_MEM_FRACTION"
    return float(next((os.environ[name] for name in names if os.environ.get(name)), 0.75))


set_per_process_memory_fraction = _refused.function(
    "set_per_process_memory_fraction",
    "set the environment variable XLA_PYTHON_CLIENT_MEM_FRACTION before the program starts",
)
reset_peak_memory_stats = _refused.native("reset_peak_memory_stats", _NO_RESET, "_cuda_resetPeakMemoryStats")
reset_accumulated_memory_stats = _refused.native(
    "reset_accumulated_memory_stats", _NO_RESET, "_cuda_resetAccumulatedMemoryStats"
)


def _reset_all(name: str, device: Any) -> None:
    warn(_errors.making.resets_all(name), FutureWarning)
    reset_peak_memory_stats(device)


def reset_max_memory_allocated(device: Any = None) -> None:
    """Raise an error, like `reset_peak_memory_stats`.

    Args:
      device: has no effect.
    """
    _reset_all("reset_max_memory_allocated", device)


def reset_max_memory_cached(device: Any = None) -> None:
    """Raise an error, like `reset_peak_memory_stats`.

    Args:
      device: has no effect.
    """
    _reset_all("reset_max_memory_cached", device)


def host_memory_stats() -> OrderedDict[str, Any]:
    """Return an empty dictionary: JAX does not report pinned host memory."""
    return OrderedDict()


def host_memory_stats_as_nested_dict() -> dict[str, Any]:
    """Return an empty dictionary: JAX does not report pinned host memory."""
    return {}


_NO_HOST = "JAX does not report pinned host memory"
reset_peak_host_memory_stats = _refused.native(
    "reset_peak_host_memory_stats", _NO_HOST, "_cuda_resetPeakHostMemoryStats"
)
reset_accumulated_host_memory_stats = _refused.native(
    "reset_accumulated_host_memory_stats", _NO_HOST, "_cuda_resetAccumulatedHostMemoryStats"
)
memory_snapshot = _refused.native("memory_snapshot", _NO_HISTORY, "_cuda_memorySnapshot")
_snapshot = _refused.native("memory._snapshot", _NO_HISTORY, "_cuda_memorySnapshot")
_record_memory_history = _refused.native("memory._record_memory_history", _NO_HISTORY, "_cuda_record_memory_history")


def list_gpu_processes(device: Any = None) -> str:
    """Return PyTorch's answer without NVIDIA's management library: a sentence that says that it is not installed.

    Args:
      device: a GPU: its index, its name or a device. Default: the current GPU.
    """
    return "pynvml module not found, please install nvidia-ml-py"
