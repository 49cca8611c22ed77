"""`torch.cuda`: the GPUs that JAX's client reports.

Without a GPU, this module behaves like that of PyTorch's CPU build: `is_available` returns False, `device_count` and
the numbers of allocated bytes are 0, and functions that need a GPU raise PyTorch's errors.
"""

from __future__ import annotations

from typing import Any

from torchlike import _errors
from torchlike._api.homes import settle as _settle
from torchlike._errors.making import AcceleratorError as AcceleratorError
from torchlike._errors.making import OutOfMemoryError as OutOfMemoryError
from torchlike.cuda import _refused
from torchlike.cuda import amp as amp
from torchlike.cuda import graphs as graphs
from torchlike.cuda import jiterator as jiterator
from torchlike.cuda import nccl as nccl
from torchlike.cuda import nvtx as nvtx
from torchlike.cuda import profiler as profiler
from torchlike.cuda import sparse as sparse
from torchlike.cuda import tunable as tunable
from torchlike.cuda._allocators import CUDAPluggableAllocator as CUDAPluggableAllocator
from torchlike.cuda._allocators import MemPool as MemPool
from torchlike.cuda._allocators import caching_allocator_alloc as caching_allocator_alloc
from torchlike.cuda._allocators import caching_allocator_delete as caching_allocator_delete
from torchlike.cuda._allocators import caching_allocator_disabled as caching_allocator_disabled
from torchlike.cuda._allocators import caching_allocator_enable as caching_allocator_enable
from torchlike.cuda._allocators import change_current_allocator as change_current_allocator
from torchlike.cuda._allocators import get_allocator_backend as get_allocator_backend
from torchlike.cuda._allocators import use_mem_pool as use_mem_pool
from torchlike.cuda._devices import _get_device_index as _get_device_index
from torchlike.cuda._devices import _is_compiled as _is_compiled
from torchlike.cuda._devices import _is_in_bad_fork as _is_in_bad_fork
from torchlike.cuda._devices import _lazy_call as _lazy_call
from torchlike.cuda._devices import _lazy_init as _lazy_init
from torchlike.cuda._devices import current_device as current_device
from torchlike.cuda._devices import device as device
from torchlike.cuda._devices import device_count as device_count
from torchlike.cuda._devices import device_of as device_of
from torchlike.cuda._devices import get_arch_list as get_arch_list
from torchlike.cuda._devices import get_device_capability as get_device_capability
from torchlike.cuda._devices import get_device_name as get_device_name
from torchlike.cuda._devices import get_device_properties as get_device_properties
from torchlike.cuda._devices import get_gencode_flags as get_gencode_flags
from torchlike.cuda._devices import init as init
from torchlike.cuda._devices import is_available as is_available
from torchlike.cuda._devices import is_bf16_supported as is_bf16_supported
from torchlike.cuda._devices import is_initialized as is_initialized
from torchlike.cuda._devices import is_tf32_supported as is_tf32_supported
from torchlike.cuda._devices import set_device as set_device
from torchlike.cuda._devices import synchronize as synchronize
from torchlike.cuda._storages import BFloat16Storage as BFloat16Storage
from torchlike.cuda._storages import BoolStorage as BoolStorage
from torchlike.cuda._storages import ByteStorage as ByteStorage
from torchlike.cuda._storages import CharStorage as CharStorage
from torchlike.cuda._storages import ComplexDoubleStorage as ComplexDoubleStorage
from torchlike.cuda._storages import ComplexFloatStorage as ComplexFloatStorage
from torchlike.cuda._storages import DoubleStorage as DoubleStorage
from torchlike.cuda._storages import FloatStorage as FloatStorage
from torchlike.cuda._storages import HalfStorage as HalfStorage
from torchlike.cuda._storages import IntStorage as IntStorage
from torchlike.cuda._storages import LongStorage as LongStorage
from torchlike.cuda._storages import ShortStorage as ShortStorage
from torchlike.cuda.graphs import CUDAGraph as CUDAGraph
from torchlike.cuda.graphs import graph as graph
from torchlike.cuda.graphs import graph_pool_handle as graph_pool_handle
from torchlike.cuda.graphs import is_current_stream_capturing as is_current_stream_capturing
from torchlike.cuda.graphs import make_graphed_callables as make_graphed_callables
from torchlike.cuda.green_contexts import GreenContext as GreenContext
from torchlike.cuda.memory import empty_cache as empty_cache
from torchlike.cuda.memory import get_per_process_memory_fraction as get_per_process_memory_fraction
from torchlike.cuda.memory import host_memory_stats as host_memory_stats
from torchlike.cuda.memory import host_memory_stats_as_nested_dict as host_memory_stats_as_nested_dict
from torchlike.cuda.memory import ipc_collect as ipc_collect
from torchlike.cuda.memory import list_gpu_processes as list_gpu_processes
from torchlike.cuda.memory import max_memory_allocated as max_memory_allocated
from torchlike.cuda.memory import max_memory_cached as max_memory_cached
from torchlike.cuda.memory import max_memory_reserved as max_memory_reserved
from torchlike.cuda.memory import mem_get_info as mem_get_info
from torchlike.cuda.memory import memory_allocated as memory_allocated
from torchlike.cuda.memory import memory_cached as memory_cached
from torchlike.cuda.memory import memory_reserved as memory_reserved
from torchlike.cuda.memory import memory_snapshot as memory_snapshot
from torchlike.cuda.memory import memory_stats as memory_stats
from torchlike.cuda.memory import memory_stats_as_nested_dict as memory_stats_as_nested_dict
from torchlike.cuda.memory import memory_summary as memory_summary
from torchlike.cuda.memory import reset_accumulated_host_memory_stats as reset_accumulated_host_memory_stats
from torchlike.cuda.memory import reset_accumulated_memory_stats as reset_accumulated_memory_stats
from torchlike.cuda.memory import reset_max_memory_allocated as reset_max_memory_allocated
from torchlike.cuda.memory import reset_max_memory_cached as reset_max_memory_cached
from torchlike.cuda.memory import reset_peak_host_memory_stats as reset_peak_host_memory_stats
from torchlike.cuda.memory import reset_peak_memory_stats as reset_peak_memory_stats
from torchlike.cuda.memory import set_per_process_memory_fraction as set_per_process_memory_fraction
from torchlike.cuda.random import get_rng_state as get_rng_state
from torchlike.cuda.random import get_rng_state_all as get_rng_state_all
from torchlike.cuda.random import initial_seed as initial_seed
from torchlike.cuda.random import manual_seed as manual_seed
from torchlike.cuda.random import manual_seed_all as manual_seed_all
from torchlike.cuda.random import seed as seed
from torchlike.cuda.random import seed_all as seed_all
from torchlike.cuda.random import set_rng_state as set_rng_state
from torchlike.cuda.random import set_rng_state_all as set_rng_state_all
from torchlike.cuda.streams import Event as Event
from torchlike.cuda.streams import ExternalStream as ExternalStream
from torchlike.cuda.streams import Stream as Stream
from torchlike.cuda.streams import StreamContext as StreamContext
from torchlike.cuda.streams import current_stream as current_stream
from torchlike.cuda.streams import default_stream as default_stream
from torchlike.cuda.streams import set_stream as set_stream
from torchlike.cuda.streams import stream as stream

has_half = True
has_magma = False

can_device_access_peer = _refused.function("can_device_access_peer", "JAX moves arrays between devices")
cudart = _refused.function("cudart", "XLA calls the CUDA runtime")
current_blas_handle = _refused.function("current_blas_handle", "XLA calls cuBLAS")
current_solver_handle = _refused.function("current_solver_handle", "XLA calls cuSOLVER")
get_stream_from_external = _refused.function("get_stream_from_external", "XLA schedules all work")
get_sync_debug_mode = _refused.function("get_sync_debug_mode", "torch.explain() lists the reads of elements")
set_sync_debug_mode = _refused.function("set_sync_debug_mode", "torch.explain() lists the reads of elements")
clock_rate = _refused.sensor("clock_rate")
device_memory_used = _refused.sensor("device_memory_used")
memory_usage = _refused.sensor("memory_usage")
power_draw = _refused.sensor("power_draw")
temperature = _refused.sensor("temperature")
utilization = _refused.sensor("utilization")


class cudaStatus:
    """Results of functions of the CUDA runtime."""

    SUCCESS: int = 0
    ERROR_NOT_READY: int = 34


class CudaError(RuntimeError):
    """An error of the CUDA runtime, which XLA calls. It is never raised here, and cannot be constructed.

    Args:
      code: the number of the error.
    """

    def __init__(self, code: int) -> None:
        _refused.refuse("CudaError", "XLA calls the CUDA runtime", _no_runtime("cudaGetErrorString"))


def check_error(res: int) -> None:
    """Raise an error: the results of the CUDA runtime are not available.

    Args:
      res: a result of the runtime.
    """
    _refused.refuse("check_error", "XLA calls the CUDA runtime", _no_runtime("cudaError"))


def _no_runtime(name: str) -> AttributeError:
    return AttributeError(f"'NoneType' object has no attribute '{name}'")


class DeferredCudaCallError(Exception):
    """The error of a call that PyTorch postponed until CUDA was initialized. It is never raised here."""


def __getattr__(name: str) -> Any:
    if name.endswith("Tensor"):
        from torchlike._sparse import _legacy_types as legacy_types

        return legacy_types.on_cuda(name)
    if name == "_initialized":
        return is_initialized()
    if name == "default_generators":  # the list of GPUs is known after JAX has begun
        from torchlike.cuda.random import default_generators_of

        return default_generators_of("cuda")
    if name == "amp":
        import importlib

        return importlib.import_module("torchlike.cuda.amp")
    raise _errors.arguments.unknown_name("torch.cuda", name, [n for n in globals() if not n.startswith("_")])


_settle(__name__, {name: found for name, found in globals().items() if isinstance(found, type)})
