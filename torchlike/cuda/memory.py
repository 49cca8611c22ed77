"""`torch.cuda.memory`: GPU memory in bytes, as XLA's allocator reports it.

As in PyTorch, the numbers of allocated and reserved bytes are 0 without a GPU.
"""

from __future__ import annotations

import gc
from typing import Any

from torchlike import _errors
from torchlike._engine import accelerators


def memory_allocated(device: Any = None) -> int:
    """Return the number of bytes in use."""
    return accelerators.statistic("cuda", device, "bytes_in_use")


def max_memory_allocated(device: Any = None) -> int:
    """Return the peak number of bytes in use since the process started. XLA's allocator cannot reset it."""
    return accelerators.statistic("cuda", device, "peak_bytes_in_use")


def memory_reserved(device: Any = None) -> int:
    """Return the number of bytes that the allocator has reserved, whether they are in use or not."""
    return accelerators.statistic("cuda", device, "pool_bytes", "bytes_reserved", "bytes_in_use")


def max_memory_reserved(device: Any = None) -> int:
    """Return the peak number of bytes that the allocator has reserved."""
    return accelerators.statistic("cuda", device, "peak_pool_bytes", "peak_bytes_in_use")


def memory_stats(device: Any = None) -> dict[str, int]:
    """Return the allocator's statistics, with XLA's names."""
    if not accelerators.devices("cuda"):
        return {}
    return dict(accelerators.jax_device("cuda", device).memory_stats() or {})


def memory_summary(device: Any = None, abbreviated: bool = False) -> str:
    """Return the allocator's statistics as a table, with XLA's names. `abbreviated` omits zeros."""
    accelerators.jax_device("cuda", device)
    kept = {name: n for name, n in sorted(memory_stats(device).items()) if n or not abbreviated}
    return "\n".join([f"{name:<32} {n:>20,}" for name, n in kept.items()]) + "\n"


def mem_get_info(device: Any = None) -> tuple[int, int]:
    """Return the free and the total number of bytes that XLA may use."""
    kept = accelerators.jax_device("cuda", device).memory_stats() or {}
    total = kept.get("bytes_limit", 0)
    return total - kept.get("bytes_in_use", 0), total


def empty_cache() -> None:
    """Run Python's garbage collector, which frees unreferenced tensors. XLA's memory pool keeps its size."""
    gc.collect()


def ipc_collect() -> None:
    """Do nothing: GPU memory is never shared between processes. Raise an error if there is no GPU."""
    accelerators.jax_device("cuda", None)


def reset_peak_memory_stats(device: Any = None) -> None:
    """Raise an error: XLA's allocator cannot reset its peak statistics."""
    accelerators.jax_device("cuda", device)
    raise _errors.arguments.unsupported("cuda.reset_peak_memory_stats", "device")


def reset_max_memory_allocated(device: Any = None) -> None:
    """Raise an error, like `reset_peak_memory_stats`."""
    reset_peak_memory_stats(device)
