"""The functions of `torch.accelerator` for memory."""

from torchlike.accelerator import empty_cache as empty_cache
from torchlike.accelerator import empty_host_cache as empty_host_cache
from torchlike.accelerator import get_memory_info as get_memory_info
from torchlike.accelerator import max_memory_allocated as max_memory_allocated
from torchlike.accelerator import max_memory_reserved as max_memory_reserved
from torchlike.accelerator import memory_allocated as memory_allocated
from torchlike.accelerator import memory_reserved as memory_reserved
from torchlike.accelerator import memory_stats as memory_stats
from torchlike.accelerator import reset_accumulated_memory_stats as reset_accumulated_memory_stats
from torchlike.accelerator import reset_peak_memory_stats as reset_peak_memory_stats

__all__ = [
    "empty_cache",
    "empty_host_cache",
    "get_memory_info",
    "max_memory_allocated",
    "max_memory_reserved",
    "memory_allocated",
    "memory_reserved",
    "memory_stats",
    "reset_accumulated_memory_stats",
    "reset_peak_memory_stats",
]
