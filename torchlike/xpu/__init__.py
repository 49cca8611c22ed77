"""Intel GPUs, which torchlike does not support: queries return False or 0, and operations on a device raise.

All results and errors are those of PyTorch's CPU build.
"""

from __future__ import annotations

import contextlib
import os
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from torchlike import _errors
from torchlike._dtypes import devices

default_generators: tuple = ()


def is_available() -> bool:
    """Return whether Intel GPUs can be used: always False."""
    return False


def is_initialized() -> bool:
    """Return whether Intel GPUs are initialized: always False."""
    return False


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """Return whether Intel GPUs support bfloat16: always False, because none can be used."""
    return False


def is_tf32_supported() -> bool:
    """Return whether Intel GPUs support TensorFloat-32: always False, because none can be used."""
    return False


def device_count() -> int:
    """Return the number of Intel GPUs: always 0."""
    return 0


def get_arch_list() -> list[str]:
    """Return an empty list: there is no device to compile for."""
    return []


def get_gencode_flags() -> str:
    """Return an empty string: there is no device to compile for."""
    return ""


def empty_cache() -> None:
    """Do nothing: there is no device with cached memory."""


def manual_seed(seed: int) -> None:
    """Do nothing: there is no device whose generator could be seeded."""
    int(seed)


def manual_seed_all(seed: int) -> None:
    """Do nothing: there are no devices whose generators could be seeded."""
    int(seed)


def seed() -> None:
    """Do nothing: there is no device whose generator could be seeded."""


def seed_all() -> None:
    """Do nothing: there are no devices whose generators could be seeded."""


def get_rng_state_all() -> list:
    """Return the states of the generators of all devices: always an empty list."""
    return []


def set_rng_state_all(new_states: Iterable[Any]) -> None:
    """Set the states of the generators of all devices. Without devices, do nothing."""
    for state in new_states:
        state.clone()


def set_rng_state(new_state: Any, device: Any = "xpu") -> None:
    """Do nothing: there is no device whose generator could be set."""
    new_state.clone()
    if device is not None:
        devices.device("xpu", device) if isinstance(device, int) else devices.device(device)


def memory_allocated(device: Any = None) -> int:
    """Return the number of bytes in use: always 0."""
    return 0


def memory_reserved(device: Any = None) -> int:
    """Return the number of cached bytes: always 0."""
    return 0


def max_memory_allocated(device: Any = None) -> int:
    """Return the peak number of bytes in use: always 0."""
    return 0


def max_memory_reserved(device: Any = None) -> int:
    """Return the peak number of cached bytes: always 0."""
    return 0


def memory_stats(device: Any = None) -> OrderedDict[str, Any]:
    """Return the allocator's statistics: always empty."""
    return OrderedDict()


def memory_stats_as_nested_dict(device: Any = None) -> dict[str, Any]:
    """Return the allocator's statistics as nested dictionaries: always empty."""
    return {}


def memory_snapshot(mempool_id: tuple[int, int] | None = None) -> list:
    """Return the allocator's state: always empty."""
    return []


class device:
    """A context manager that sets the current device. Without devices, only a negative index or None can be entered."""

    def __init__(self, device: Any) -> None:
        if isinstance(device, str):
            device = devices.device(device)
        if isinstance(device, devices.device) and device.type != "xpu":
            raise _errors.making.wrong_device("xpu", device)
        self.idx = device if isinstance(device, int) else getattr(device, "index", None)

    def __enter__(self) -> None:
        if self.idx is not None and self.idx >= 0:
            raise NotImplementedError(str(_errors.making.no_support("XPU")))

    def __exit__(self, *_: object) -> None:
        return None


class device_of(device):
    """A context manager that sets the current device to that of a tensor. No tensor is on an Intel GPU."""

    def __init__(self, obj: Any) -> None:
        super().__init__(obj.get_device() if obj.is_xpu else -1)


class StreamContext:
    """A context manager that selects a stream. Without devices it has no effect."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream

    def __enter__(self) -> None:
        return None

    def __exit__(self, *_: object) -> None:
        return None


def stream(stream: Any) -> StreamContext:
    """Return a context manager that selects a stream. Without devices it has no effect."""
    return StreamContext(stream)


def set_stream(stream: Any) -> None:
    """Raise an error for anything but None: there is no device with streams."""
    if stream is not None:
        raise _errors.making.absent("xpu")


def _refused(name: str, doc: str, error: Callable[[Any], Exception] | None = None) -> Callable:
    """Return a function that raises `error(first argument)`, by default that of a build without Intel GPUs."""

    def order(device: Any = None, *args: Any, **kwargs: Any) -> Any:
        raise _errors.making.absent("xpu") if error is None else error(device)

    order.__name__ = order.__qualname__ = name
    order.__doc__ = doc
    return order


def _no_sensors(device: Any) -> Exception:
    return ImportError("pyzes is required; install it with 'pip install pyzes'.")


def _no_native(symbol: str) -> Callable[[Any], Exception]:
    def error(device: Any) -> Exception:
        if isinstance(device, str) and devices.device(device).type != "xpu":
            return _errors.making.wrong_device("xpu", device)
        return _errors.making.no_native(symbol)

    return error


def _absent_class(name: str, doc: str) -> type:
    """Return a class whose constructor raises the error of PyTorch's CPU build."""

    def refuse(self: Any, *args: Any, **kwargs: Any) -> None:
        raise _errors.making.no_instance(name)

    return type(name, (), {"__init__": refuse, "__doc__": doc, "__module__": __name__})


def _no_instance(name: str) -> Callable[[Any], Exception]:
    return lambda device: _errors.making.no_instance(name)


@contextlib.contextmanager
def use_mem_pool(pool: Any, device: Any = None) -> Iterator[None]:
    """Allocate memory from a pool. Raise an error: there is no device."""
    raise _errors.making.absent("xpu")
    yield


class XPUPluggableAllocator:
    """An allocator from a shared library. The constructor raises an error: there is no device."""

    def __init__(self, path_to_lib_file: str, alloc_fn_name: str, free_fn_name: str) -> None:
        for given in (path_to_lib_file, alloc_fn_name, free_fn_name):
            os.fspath(given)
        raise _errors.making.absent("xpu")


Event = _absent_class("Event", "An event of a stream. There is no device with streams.")
Stream = _absent_class("Stream", "A stream of a device. There is no device with streams.")
XPUGraph = _absent_class("XPUGraph", "A graph of work. There is no device that could run it.")
MemPool = _absent_class("MemPool", "A pool of memory. There is no device with memory.")
graph = _refused("graph", "Record a graph.", _no_instance("Stream"))
make_graphed_callables = _refused("make_graphed_callables", "Record functions.", _no_instance("XPUGraph"))
graph_pool_handle = _refused("graph_pool_handle", "Return a handle.", _no_instance("_xpu_graph_pool_handle"))
is_current_stream_capturing = _refused(
    "is_current_stream_capturing", "Return whether a graph is recorded.", _no_instance("_xpu_isCurrentStreamCapturing")
)
change_current_allocator = _refused(
    "change_current_allocator", "Set the allocator.", lambda _: _errors.making.no_native("_xpu_changeCurrentAllocator")
)
current_device = _refused("current_device", "Return the index of the current device.")
set_device = _refused("set_device", "Set the current device.")
init = _refused("init", "Initialize the devices.")
initial_seed = _refused("initial_seed", "Return the last seed of the current device.")
get_device_properties = _refused("get_device_properties", "Return the properties of a device.")
get_device_capability = _refused("get_device_capability", "Return the capability of a device.")
get_device_name = _refused("get_device_name", "Return the name of a device.")
synchronize = _refused("synchronize", "Wait for all work on a device to complete.")
current_stream = _refused("current_stream", "Return the current stream of a device.")
can_device_access_peer = _refused("can_device_access_peer", "Return whether a device can read another one's memory.")
get_stream_from_external = _refused("get_stream_from_external", "Return a stream of another library.")
get_rng_state = _refused("get_rng_state", "Return the state of a device's generator.")
get_per_process_memory_fraction = _refused("get_per_process_memory_fraction", "Return the limit of memory.")
set_per_process_memory_fraction = _refused("set_per_process_memory_fraction", "Set the limit of memory.")
mem_get_info = _refused("mem_get_info", "Return the free and the total number of bytes of a device.")
reset_accumulated_memory_stats = _refused(
    "reset_accumulated_memory_stats",
    "Reset all sums.",
    _no_native("_xpu_resetAccumulatedMemoryStats"),
)
reset_peak_memory_stats = _refused(
    "reset_peak_memory_stats", "Reset all peaks.", _no_native("_xpu_resetPeakMemoryStats")
)
clock_rate = _refused("clock_rate", "Return the clock rate of a device.", _no_sensors)
device_memory_used = _refused("device_memory_used", "Return the used memory of a device.", _no_sensors)
memory_usage = _refused("memory_usage", "Return the memory traffic of a device.", _no_sensors)
power_draw = _refused("power_draw", "Return the power draw of a device.", _no_sensors)
temperature = _refused("temperature", "Return the temperature of a device.", _no_sensors)
utilization = _refused("utilization", "Return the utilization of a device.", _no_sensors)


from torchlike.xpu import graphs as graphs  # noqa: E402 (these modules use the functions above)
from torchlike.xpu import memory as memory  # noqa: E402
from torchlike.xpu import random as random  # noqa: E402
from torchlike.xpu import streams as streams  # noqa: E402
