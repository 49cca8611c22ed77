"""The GPUs that JAX's client reports, the current GPU of a thread, and the properties of a GPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torchlike import _errors
from torchlike._dtypes import devices
from torchlike._engine import accelerators


def is_available() -> bool:
    """Return whether JAX can use a GPU.

    >>> import torchlike as torch
    >>> device = "cuda" if torch.cuda.is_available() else "cpu"
    """
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


def _is_compiled() -> bool:
    """Return whether a GPU is available."""
    return is_available()


def _is_in_bad_fork() -> bool:
    """Return False. A forked process cannot use the GPU of its parent; JAX warns about it."""
    return False


_lazy_init = init


def _lazy_call(callable: Callable[[], Any], **kwargs: Any) -> None:
    """Call a function if there is a GPU. PyTorch postpones the call until CUDA is initialized.

    Args:
      callable: the function, without parameters.
      **kwargs: PyTorch's order of the postponed calls, which has no effect: nothing is postponed.
    """
    if is_initialized():
        callable()


def _get_device_index(device: Any, optional: bool = False, allow_cpu: bool = False) -> int | None:
    """Return the index of a GPU.

    Args:
      device: an index, or a device or its name with an index.
      optional: for a device without an index, or any other object, return the index of the current GPU, or None if
        there is no GPU. If False, raise an error.
      allow_cpu: return -1 for the CPU. If False, raise an error.
    """
    if isinstance(device, int):
        return device
    found = devices.device(device) if isinstance(device, str) else device
    if isinstance(found, devices.device):
        if found.type == "cpu" and allow_cpu:
            return -1
        if found.type != "cuda":
            raise _errors.making.wrong_device("cuda", found)
        if found.index is not None:
            return found.index
    if not optional:
        raise _errors.making.needs_index(device)
    return accelerators.current("cuda") if is_available() else None


def current_device() -> int:
    """Return the index of the current GPU of this thread, that is, of `"cuda"` without an index."""
    init()
    return accelerators.current("cuda")


def set_device(device: Any) -> None:
    """Set the current GPU of this thread. A negative index does nothing.

    Args:
      device: An index, or a device with an index.
    """
    index = device if isinstance(device, int) else _index_of(device)
    if index is None:
        raise _errors.making.needs_index(device)
    if index < 0:
        return
    if not is_available():
        raise _errors.making.no_native("_cuda_setDevice")
    devices.set_current_index("cuda", index)


def _index_of(device: Any) -> int | None:
    """Return the index of a GPU given as a device, a name or `torch.cuda.device`, or None if it has no index."""
    if isinstance(device, str):
        device = devices.device(device)
    if isinstance(device, devices.device) and device.type != "cuda":
        raise _errors.making.wrong_device("cuda", device)
    return getattr(device, "idx", getattr(device, "index", None))


class device:
    """A context manager that sets the current GPU of this thread. A negative index or None does nothing.

    Args:
      device: a GPU: its index, its name or a device.
    """

    def __init__(self, device: Any) -> None:
        self.idx = device if isinstance(device, int) else _index_of(device)
        self.prev_idx = -1

    def __enter__(self) -> None:
        if self.idx is None or self.idx < 0:
            return
        if not is_available():
            raise _errors.making.no_support("CUDA")
        self.prev_idx = accelerators.current("cuda")
        devices.set_current_index("cuda", self.idx)

    def __exit__(self, *_: object) -> None:
        if self.prev_idx >= 0:
            devices.set_current_index("cuda", self.prev_idx)


class device_of(device):
    """A context manager that sets the current GPU to that of a tensor. It does nothing if the tensor is not on a GPU.

    Args:
      obj: a tensor.
    """

    def __init__(self, obj: Any) -> None:
        super().__init__(obj.get_device() if obj.is_cuda else -1)


def get_device_name(device: Any = None) -> str:
    """Return the name of a GPU.

    Args:
      device: a GPU: its index, its name or a device. Default: the current GPU.
    """
    return accelerators.jax_device("cuda", device).device_kind


def get_device_capability(device: Any = None) -> tuple[int, int]:
    """Return the compute capability of a GPU as (major, minor).

    Args:
      device: a GPU: its index, its name or a device. Default: the current GPU.
    """
    major, _, minor = str(accelerators.jax_device("cuda", device).compute_capability).partition(".")
    return int(major), int(minor or 0)


class Properties:
    """The properties of a GPU that JAX reports.

    Attributes:
      name: The name of the GPU.
      major, minor: The compute capability.
      total_memory: The number of bytes that XLA may use. The GPU has more.
      multi_processor_count: The number of multiprocessors, or None if JAX does not report it.
    """

    def __init__(self, device: Any) -> None:
        found = accelerators.jax_device("cuda", device)
        self.name = found.device_kind
        self.major, self.minor = get_device_capability(device)
        self.total_memory = (found.memory_stats() or {}).get("bytes_limit", 0)
        self.multi_processor_count = getattr(found, "core_count", None)

    def __repr__(self) -> str:
        return (
            f"_CudaDeviceProperties(name={self.name!r}, major={self.major}, minor={self.minor}, "
            f"total_memory={self.total_memory // 2**20}MB, multi_processor_count={self.multi_processor_count})"
        )


def get_device_properties(device: Any = None) -> Properties:
    """Return the properties of a GPU; see `Properties`.

    Args:
      device: a GPU: its index, its name or a device. Default: the current GPU.
    """
    return Properties(device)


def get_arch_list() -> list[str]:
    """Return an empty list: XLA compiles for the GPU that is present."""
    return []


def get_gencode_flags() -> str:
    """Return an empty string: XLA compiles for the GPU that is present."""
    return ""


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """Return whether a GPU is available, since XLA supports bfloat16 on every GPU.

    Without `including_emulation`, return whether its hardware has bfloat16 products (compute capability 8 or higher).

    Args:
      including_emulation: count GPUs on which bfloat16 is slow.
    """
    return is_available() and (including_emulation or get_device_capability()[0] >= 8)


def is_tf32_supported() -> bool:
    """Return whether the current GPU has TensorFloat-32 products (compute capability 8 or higher)."""
    return is_available() and get_device_capability()[0] >= 8


def synchronize(device: Any = None) -> None:
    """Flush the pending trace and block until the GPU has finished.

    Args:
      device: a GPU: its index, its name or a device. Default: the current GPU.
    """
    accelerators.synchronize("cuda", device)
