"""GPU memory, in bytes, as the backend's allocator counts it; 0 where there is no GPU, as in PyTorch."""

from __future__ import annotations

import gc
from typing import Any

from torchlike import _errors
from torchlike._engine import accelerators


def memory_allocated(device: Any = None) -> int:
    """Bytes in use now."""
    return accelerators.statistic("cuda", device, "bytes_in_use")


def max_memory_allocated(device: Any = None) -> int:
    """The most bytes in use since the process began (XLA's allocator cannot begin anew)."""
    return accelerators.statistic("cuda", device, "peak_bytes_in_use")


def memory_reserved(device: Any = None) -> int:
    """Bytes that the allocator holds, in use or not."""
    return accelerators.statistic("cuda", device, "pool_bytes", "bytes_reserved", "bytes_in_use")


def max_memory_reserved(device: Any = None) -> int:
    """The most bytes that the allocator held."""
    return accelerators.statistic("cuda", device, "peak_pool_bytes", "peak_bytes_in_use")


def memory_stats(device: Any = None) -> dict[str, int]:
    """The allocator's figures, by the names XLA gives them."""
    if not accelerators.devices("cuda"):
        return {}
    return dict(accelerators.jax_device("cuda", device).memory_stats() or {})


def memory_summary(device: Any = None, abbreviated: bool = False) -> str:
    """The allocator's figures as a table, by the names XLA gives them; `abbreviated`: those that are not 0."""
    accelerators.jax_device("cuda", device)
    kept = {name: n for name, n in sorted(memory_stats(device).items()) if n or not abbreviated}
    return "\n".join([f"{name:<32} {n:>20,}" for name, n in kept.items()]) + "\n"


def mem_get_info(device: Any = None) -> tuple[int, int]:
    """Free and total bytes that XLA may use."""
    kept = accelerators.jax_device("cuda", device).memory_stats() or {}
    total = kept.get("bytes_limit", 0)
    return total - kept.get("bytes_in_use", 0), total


def empty_cache() -> None:
    """Let go of what nobody holds any more. XLA's pool stays XLA's."""
    gc.collect()


def ipc_collect() -> None:
    """Nothing to collect: GPU memory is never shared by processes here."""
    accelerators.jax_device("cuda", None)


def reset_peak_memory_stats(device: Any = None) -> None:
    """Refused: XLA's allocator counts its peak from the beginning of the process."""
    accelerators.jax_device("cuda", device)
    raise _errors.arguments.unsupported("cuda.reset_peak_memory_stats", "device")


def reset_max_memory_allocated(device: Any = None) -> None:
    """As `reset_peak_memory_stats`."""
    reset_peak_memory_stats(device)
