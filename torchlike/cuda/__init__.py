"""`torch.cuda`: the GPUs that JAX's client reports.

Without a GPU, `is_available` returns False and `device_count` returns 0. Functions that need a GPU raise an error.
"""

from __future__ import annotations

from typing import Any

from torchlike import _errors
from torchlike._engine import accelerators
from torchlike._errors.making import OutOfMemoryError as OutOfMemoryError
from torchlike.cuda import amp as amp
from torchlike.cuda import jiterator as jiterator
from torchlike.cuda import nccl as nccl
from torchlike.cuda import nvtx as nvtx
from torchlike.cuda.memory import empty_cache as empty_cache
from torchlike.cuda.memory import ipc_collect as ipc_collect
from torchlike.cuda.memory import max_memory_allocated as max_memory_allocated
from torchlike.cuda.memory import max_memory_reserved as max_memory_reserved
from torchlike.cuda.memory import mem_get_info as mem_get_info
from torchlike.cuda.memory import memory_allocated as memory_allocated
from torchlike.cuda.memory import memory_reserved as memory_reserved
from torchlike.cuda.memory import memory_stats as memory_stats
from torchlike.cuda.memory import memory_summary as memory_summary
from torchlike.cuda.memory import reset_max_memory_allocated as reset_max_memory_allocated
from torchlike.cuda.memory import reset_peak_memory_stats as reset_peak_memory_stats
from torchlike.cuda.random import get_rng_state as get_rng_state
from torchlike.cuda.random import get_rng_state_all as get_rng_state_all
from torchlike.cuda.random import initial_seed as initial_seed
from torchlike.cuda.random import manual_seed as manual_seed
from torchlike.cuda.random import manual_seed_all as manual_seed_all
from torchlike.cuda.random import seed as seed
from torchlike.cuda.random import seed_all as seed_all
from torchlike.cuda.random import set_rng_state as set_rng_state
from torchlike.cuda.random import set_rng_state_all as set_rng_state_all
from torchlike.cuda.streams import CUDAGraph as CUDAGraph
from torchlike.cuda.streams import Event as Event
from torchlike.cuda.streams import Stream as Stream
from torchlike.cuda.streams import StreamContext as StreamContext
from torchlike.cuda.streams import current_stream as current_stream
from torchlike.cuda.streams import default_stream as default_stream
from torchlike.cuda.streams import graph as graph
from torchlike.cuda.streams import is_current_stream_capturing as is_current_stream_capturing
from torchlike.cuda.streams import stream as stream


def is_available() -> bool:
    """Return whether JAX can use a GPU."""
    return bool(accelerators.devices("cuda"))


def device_count() -> int:
    """Return the number of GPUs that JAX can use."""
    return len(accelerators.devices("cuda"))


def is_initialized() -> bool:
    """Return whether a GPU is available. JAX initializes its client on first use."""
    return is_available()


def init() -> None:
    """Raise an error if there is no GPU."""
    accelerators.jax_device("cuda", None)


def current_device() -> int:
    """Return the index of the default GPU, that is, of `"cuda"` without an index."""
    init()
    return accelerators.current("cuda")


def set_device(device: Any) -> None:
    """Set the default GPU. Only index 0 is supported. A negative index does nothing."""
    if isinstance(device, int) and device < 0:
        return
    accelerators.jax_device("cuda", device)
    if accelerators.number("cuda", device) != 0:
        raise _errors.arguments.unsupported("cuda.set_device", "device")


def get_device_name(device: Any = None) -> str:
    """Return the name of a GPU."""
    return accelerators.jax_device("cuda", device).device_kind


def get_device_capability(device: Any = None) -> tuple[int, int]:
    """Return the compute capability of a GPU as (major, minor)."""
    major, _, minor = str(accelerators.jax_device("cuda", device).compute_capability).partition(".")
    return int(major), int(minor or 0)


class _Properties:
    """The properties of a GPU."""

    def __init__(self, device: Any) -> None:
        self.name = get_device_name(device)
        self.major, self.minor = get_device_capability(device)
        self.total_memory = mem_get_info(device)[1]
        self.multi_processor_count = getattr(accelerators.jax_device("cuda", device), "core_count", None)

    def __repr__(self) -> str:
        return (
            f"_CudaDeviceProperties(name={self.name!r}, major={self.major}, minor={self.minor}, "
            f"total_memory={self.total_memory // 2**20}MB, multi_processor_count={self.multi_processor_count})"
        )


def get_device_properties(device: Any = None) -> _Properties:
    """Return the name, compute capability, memory in bytes and number of multiprocessors of a GPU."""
    return _Properties(device)


def get_arch_list() -> list[str]:
    """Return an empty list: XLA compiles for the GPU that is present."""
    return []


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """Return whether a GPU is available, since XLA supports bfloat16 on every GPU."""
    return is_available()


def synchronize(device: Any = None) -> None:
    """Flush the pending trace and block until the GPU has finished."""
    accelerators.synchronize("cuda", device)


class device:
    """A context manager that sets the default GPU. Only index 0 is supported. A negative index or None does nothing."""

    def __init__(self, device: Any) -> None:
        none = device is None or (isinstance(device, int) and device < 0)
        self.idx = -1 if none else accelerators.number("cuda", device)

    def __enter__(self) -> device:
        if self.idx >= 0:
            accelerators.jax_device("cuda", self.idx)
            if self.idx:
                raise _errors.arguments.unsupported("cuda.device", "device")
        return self

    def __exit__(self, *_: object) -> None:
        return None


def __getattr__(name: str) -> Any:
    if name.endswith("Tensor"):
        from torchlike._composite import legacy_types

        return legacy_types.on_cuda(name)
    if name == "amp":
        import importlib

        return importlib.import_module("torchlike.cuda.amp")
    raise _errors.arguments.unknown_name("torch.cuda", name, [n for n in globals() if not n.startswith("_")])
