"""A device-independent interface to the accelerator that JAX can use: a GPU ("cuda") or a TPU ("tpu").

`device` is an index, a device of the accelerator's type, its name, or None for the current device of this thread.
"""

from __future__ import annotations

import gc
from collections import OrderedDict
from typing import Any

from torchlike import _dtypes, _errors
from torchlike._dtypes import devices
from torchlike._dtypes.devices import device as Device
from torchlike._engine import accelerators
from torchlike._errors.warned import warn
from torchlike.cuda import memory as _memory
from torchlike.cuda._any_streams import Stream

_NO_RESET = "XLA's allocator keeps the peak since the process started"


def _present() -> str:
    found = devices.accelerator()
    if found is None:
        raise _errors.making.no_accelerator()
    return found


def _place(device: Any) -> tuple[str, int]:
    """Return the type of the accelerator and the index of `device`."""
    if isinstance(device, str):
        device = Device(device)
    found = devices.accelerator()
    if isinstance(device, Device) and device.type != found:
        raise _errors.making.accelerator_expected()
    kind = _present()
    return kind, accelerators.number(kind, device if isinstance(device, int | Device) else None)


def is_available() -> bool:
    """Return whether JAX can use an accelerator.

    >>> import torchlike as torch
    >>> torch.accelerator.is_available() == (torch.accelerator.device_count() > 0)
    True
    """
    return devices.accelerator() is not None


def device_count() -> int:
    """Return the number of accelerators that JAX can use.

    >>> import torchlike as torch
    >>> torch.accelerator.device_count() >= 0
    True
    """
    found = devices.accelerator()
    return 0 if found is None else len(accelerators.devices(found))


def current_accelerator(check_available: bool = False) -> Device | None:
    """Return the type of the accelerator, as a device without an index, or None if there is no accelerator.

    Args:
      check_available (bool, default False): has no effect: every accelerator that JAX lists is usable.

    >>> import torchlike as torch
    >>> (torch.accelerator.current_accelerator() is None) == (torch.accelerator.device_count() == 0)
    True
    """
    found = devices.accelerator()
    return None if found is None else Device(found)


def current_device_index() -> int:
    """Return the index of the current accelerator of this thread.

    Raises:
      RuntimeError: there is no accelerator.
    """
    return accelerators.current(_present())


def set_device_index(device: Any, /) -> None:
    """Set the current accelerator of this thread: that of a device without an index. A negative index does nothing.

    Args:
      device (int, device or str): an index, or a device with an index.

    Raises:
      RuntimeError: there is no accelerator, or the device has another type.
    """
    if isinstance(device, str):
        device = Device(device)
    if isinstance(device, Device) and device.type != devices.accelerator():
        raise _errors.making.accelerator_expected()
    index = device if isinstance(device, int) else getattr(device, "index", None)
    if index is None:
        raise _errors.making.needs_index(device)
    if index >= 0:
        devices.set_current_index(_present(), index)


def current_device_idx() -> int:
    """Return `current_device_index()`, with PyTorch's warning that the function was renamed."""
    warn("Use `current_device_index` instead.", FutureWarning)
    return current_device_index()


def set_device_idx(device: Any, /) -> None:
    """Call `set_device_index(device)`, with PyTorch's warning that the function was renamed.

    Args:
      device (int, device or str): an index, or a device with an index.
    """
    warn("Use `set_device_index` instead.", FutureWarning)
    set_device_index(device)


class device_index:
    """A context manager that sets the current accelerator of this thread. None or a negative index does nothing.

    Args:
      device (int or None): the index of the accelerator.

    >>> import torchlike as torch
    >>> with torch.accelerator.device_index(None):
    ...     torch.ones(2)
    tensor([1., 1.])
    """

    def __init__(self, device: int | None, /) -> None:
        self.idx = device
        self.prev_idx = -1

    def __enter__(self) -> None:
        if self.idx is not None and self.idx >= 0:
            self.prev_idx = current_device_index()
            set_device_index(self.idx)

    def __exit__(self, *_: object) -> None:
        if self.prev_idx >= 0:
            set_device_index(self.prev_idx)


def get_device_capability(device: Any = None, /) -> dict[str, Any]:
    """Return a dictionary: `supported_dtypes` is the set of the dtypes of tensors on the accelerator.

    Args:
      device (int, device or str, optional): an accelerator: its index, its name or a device. Default: the current one.

    Raises:
      RuntimeError: there is no accelerator.
    """
    accelerators.jax_device(*_place(device))
    return {"supported_dtypes": set(_dtypes.ALL)}


def current_stream(device: Any = None, /) -> Stream:
    """Return the single stream of an accelerator.

    Args:
      device (int, device or str, optional): an accelerator: its index, its name or a device. Default: the current one.

    Raises:
      RuntimeError: there is no accelerator.
    """
    kind, index = _place(device)
    return Stream(Device(kind, index))


def set_stream(stream: Stream) -> None:
    """Do nothing, except that the device of the stream becomes the current accelerator: there is one stream each.

    Args:
      stream (Stream): a stream of an accelerator.

    Raises:
      RuntimeError: the stream belongs to the CPU.
    """
    if not isinstance(stream, Stream):
        raise _errors.making.not_a_stream(stream)
    set_device_index(stream.device)


def synchronize(device: Any = None, /) -> None:
    """Flush the pending trace and wait until the accelerator has finished its work.

    Args:
      device (int, device or str, optional): an accelerator: its index, its name or a device. Default: the current one.

    Raises:
      RuntimeError: there is no accelerator.
    """
    accelerators.synchronize(*_place(device))


def empty_cache() -> None:
    """Run Python's garbage collector, which frees unreferenced tensors. XLA's memory pool keeps its size."""
    _present()
    gc.collect()


def empty_host_cache() -> None:
    """Do nothing: JAX keeps no cache of host memory. Raise an error without an accelerator."""
    _present()


def get_memory_info(device_index: Any = None, /) -> tuple[int, int]:
    """Return the free and the total number of bytes that XLA may use.

    Args:
      device_index (int, device or str, optional): an accelerator: its index, its name or a device. Default: the current
        one.

    Raises:
      RuntimeError: there is no accelerator.
    """
    return accelerators.free_and_total(*_place(device_index))


def memory_stats(device_index: Any = None, /) -> OrderedDict[str, Any]:
    """Return the allocator's statistics; see `torch.cuda.memory_stats`.

    Args:
      device_index (int, device or str, optional): an accelerator: its index, its name or a device. Default: the current
        one.

    Raises:
      RuntimeError: there is no accelerator.
    """
    _present()
    return accelerators.statistics(*_place(device_index), _memory.NAMES)


def memory_allocated(device_index: Any = None, /) -> int:
    """Return the number of bytes in use.

    Args:
      device_index (int, device or str, optional): an accelerator: its index, its name or a device. Default: the current
        one.

    Raises:
      RuntimeError: there is no accelerator.
    """
    return _statistic(device_index, "allocated_bytes.all.current")


def max_memory_allocated(device_index: Any = None, /) -> int:
    """Return the peak number of bytes in use since the process started. XLA's allocator cannot reset it.

    Args:
      device_index (int, device or str, optional): an accelerator: its index, its name or a device. Default: the current
        one.

    Raises:
      RuntimeError: there is no accelerator.
    """
    return _statistic(device_index, "allocated_bytes.all.peak")


def memory_reserved(device_index: Any = None, /) -> int:
    """Return the number of bytes that the allocator has reserved, whether they are in use or not.

    Args:
      device_index (int, device or str, optional): an accelerator: its index, its name or a device. Default: the current
        one.

    Raises:
      RuntimeError: there is no accelerator.
    """
    return _statistic(device_index, "reserved_bytes.all.current")


def max_memory_reserved(device_index: Any = None, /) -> int:
    """Return the peak number of bytes that the allocator has reserved.

    Args:
      device_index (int, device or str, optional): an accelerator: its index, its name or a device. Default: the current
        one.

    Raises:
      RuntimeError: there is no accelerator.
    """
    return _statistic(device_index, "reserved_bytes.all.peak")


def _statistic(device: Any, name: str) -> int:
    _present()
    return accelerators.statistic(*_place(device), *_memory.NAMES[name])


def reset_peak_memory_stats(device_index: Any = None, /) -> None:
    """Raise an error: XLA's allocator cannot reset its peak statistics.

    Args:
      device_index: not used.

    Raises:
      NotImplementedError: always, if there is an accelerator.
      RuntimeError: there is no accelerator.
    """
    _present()
    raise _errors.arguments.cannot("accelerator.reset_peak_memory_stats", _NO_RESET)


def reset_accumulated_memory_stats(device_index: Any = None, /) -> None:
    """Raise an error: XLA's allocator cannot reset its statistics.

    Args:
      device_index: not used.

    Raises:
      NotImplementedError: always, if there is an accelerator.
      RuntimeError: there is no accelerator.
    """
    _present()
    raise _errors.arguments.cannot("accelerator.reset_accumulated_memory_stats", _NO_RESET)


class Graph:
    """A graph of recorded work. Not supported: the constructor raises an error that suggests `torch.compile`.

    Args:
      keep_graph, pool, capture_error_mode: not used.

    Raises:
      NotImplementedError: always, if there is an accelerator.
      RuntimeError: there is no accelerator.
    """

    def __init__(self, keep_graph: bool = False, *, pool: Any = None, capture_error_mode: str = "default") -> None:
        _present()
        raise _errors.arguments.cannot("accelerator.Graph", "use torch.compile, which compiles a step into one program")


from torchlike.accelerator import graphs as graphs  # noqa: E402 (these modules use the functions above)
from torchlike.accelerator import memory as memory  # noqa: E402
