"""PyTorch's devices and their mapping to JAX devices."""

from __future__ import annotations

import contextlib
import functools
import importlib.metadata
import importlib.util
import os
import re
import threading
from collections.abc import Iterator, Sequence
from typing import Any

from torchlike import _errors

_TYPES = {"cpu": "cpu", "cuda": "cuda", "gpu": "cuda", "tpu": "tpu", "xla": "tpu", "meta": "meta"}
_KNOWN = (
    "cpu, cuda, ipu, xpu, mkldnn, opengl, opencl, ideep, hip, ve, fpga, maia, xla, lazy, vulkan, mps, meta, hpu, "
    "mtia, privateuseone"
)


def _check_index(kind: object, index: Any) -> None:
    if not isinstance(kind, str):
        raise _errors.arguments.wrong_type("device", "type", 1, "str", kind)
    if isinstance(index, bool | float) or not hasattr(index, "__index__"):
        raise _errors.arguments.wrong_type("device", "index", 2, "int", index)
    if index < 0:
        raise RuntimeError("Device index must not be negative")


class device:
    """The device of a tensor: a type (`cpu`, `cuda`, `tpu`, `meta`) and an index. There is one object for each pair.

    A device of any other PyTorch type can be named, but tensors cannot be created on it.

    `trace` is the list of operators that are recorded for the device and not yet run. The engine owns it.

    Args:
      type: the type with an optional index ("cuda:1"), the index of an accelerator, or a device.
      index: the index, if `type` has none.

    >>> device("cuda", 1)
    device(type='cuda', index=1)
    """

    __slots__ = ("index", "trace", "type")
    type: str
    index: int | None

    def __new__(cls, type: str | device | int, index: int | None = None) -> device:
        if index is not None:
            _check_index(type, index)
        if isinstance(type, device):
            return type
        if isinstance(type, int) and not isinstance(type, bool):
            return cls._of_number(type)
        if not isinstance(type, str):
            raise _errors.arguments.invalid_combination("device", (type,), {})
        return _parsed(type, index)

    @classmethod
    def _of_number(cls, index: int) -> device:
        if index < 0:
            raise RuntimeError("Device index must not be negative")
        kind = accelerator()
        if kind is None:
            raise _errors.making.no_accelerator()
        return cls(kind, index)

    def __setattr__(self, name: str, value: object) -> None:
        if name != "trace":  # device objects are shared, so they are immutable
            raise _errors.arguments.not_writable(name, "torch.device")
        object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        return f"device(type={self.type!r}" + (f", index={self.index})" if self.index is not None else ")")

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __reduce__(self) -> tuple:
        return (device, (self.type, self.index))

    def __enter__(self) -> device:
        from torchlike._dtypes import modes

        modes.push_device(self)
        return self

    def __exit__(self, *_: object) -> None:
        from torchlike._dtypes import modes

        modes.pop_device()


_lock = threading.Lock()


@functools.cache
def _parsed(name: str, index: int | None) -> device:
    """Return the device of a string, such as "cuda:1", and of an index that is given separately."""
    match = re.fullmatch(r"([a-z]+)(?::(0|[1-9]\d*))?", name)
    if match is None:
        raise RuntimeError(f"Invalid device string: '{name}'" if name else "Device string must not be empty")
    type, number = match.groups()
    if number is not None and index is not None:
        raise RuntimeError(f"type (string) must not include an index because index was passed explicitly: {name}")
    if type not in _TYPES and type not in _KNOWN.split(", "):
        raise RuntimeError(f"Expected one of {_KNOWN} device type at start of device string: {type}")
    return _intern(_TYPES.get(type, type), int(number) if number is not None else index)


@functools.cache
def _intern(type: str, index: int | None) -> device:
    with _lock:
        made = object.__new__(device)
        for name, value in (("type", type), ("index", index), ("trace", None)):
            object.__setattr__(made, name, value)
        return made


cpu = device("cpu")
meta = device("meta")


_stand_ins: dict[str, list] = {}


@contextlib.contextmanager
def stand_ins(type: str, jax_devices: Sequence) -> Iterator[None]:
    """Use the given JAX devices, for example several CPU devices, as the devices of a type within the block.

    Tests use this function to run accelerator code on machines without accelerators. Tensors created inside the block
    must not be used outside.
    """
    before = _stand_ins.copy()
    _stand_ins[type] = list(jax_devices)
    to_jax.cache_clear()
    streams_of.cache_clear()
    try:
        yield
    finally:
        _stand_ins.clear()
        _stand_ins.update(before)
        to_jax.cache_clear()
        streams_of.cache_clear()


_joined: dict[object, device] = {}  # JAX devices that are part of a mesh, and the device that stands for the mesh


def join(type: str, jax_devices: Sequence) -> None:
    """Make one device of a type stand for several JAX devices, for the rest of the process. Its index is 0."""
    _stand_ins[type] = list(jax_devices[:1])
    _joined.update(dict.fromkeys(jax_devices, device(type, 0)))
    to_jax.cache_clear()
    streams_of.cache_clear()


@functools.cache
def _may_have_gpu(platforms: str | None) -> bool:
    """Return whether JAX could have a client for GPUs: other platforms than these two need a plugin.

    The answer starts no client, so a process that only asks for GPUs can still be forked.
    """
    if platforms:
        return not {"cpu", "tpu"}.issuperset(platforms.split(","))
    return (
        "PJRT_NAMES_AND_LIBRARY_PATHS" in os.environ
        or importlib.util.find_spec("jax_plugins") is not None
        or bool(importlib.metadata.entry_points(group="jax_plugins"))
    )


def jax_devices(type: str) -> list:
    """Return the JAX devices of a type on which this process can put arrays. The list may be empty."""
    import jax

    if type in _stand_ins:
        return _stand_ins[type]
    if type == "cuda" and not _may_have_gpu(getattr(jax.config, "jax_platforms", None)):
        return []
    try:
        return jax.local_devices(backend="gpu" if type == "cuda" else type)
    except RuntimeError:
        return []


def accelerator() -> str | None:
    """Return the type of the accelerators that this process can use, or None. A GPU is preferred."""
    return next((type for type in ("cuda", "tpu") if jax_devices(type)), None)


class _Current(threading.local):
    """The index of the device that a type without an index means, in this thread."""

    def __init__(self) -> None:
        self.index: dict[str, int] = {}


_current = _Current()


def current_index(type: str) -> int:
    """Return the index of the device that a type without an index means in this thread."""
    return _current.index.get(type, 0)


def set_current_index(type: str, index: int) -> None:
    """Set the device that a type without an index means in this thread. Raise PyTorch's error if it does not exist."""
    to_jax(device(type, index))
    _current.index[type] = index


@functools.cache
def to_jax(d: device):
    """Return the JAX device of `d`; raise PyTorch's error if there is none."""
    found = jax_devices(d.type)
    if not found:
        raise _errors.making.absent(d.type)
    if (d.index or 0) >= len(found):
        raise RuntimeError("CUDA error: invalid device ordinal" if d.type == "cuda" else f"invalid device ordinal {d}")
    return found[d.index or 0]


def forget() -> None:
    """Forget JAX's devices, because JAX's backend starts again."""
    to_jax.cache_clear()
    streams_of.cache_clear()


_THREADS = {"7.5": 1024, "8.6": 1536, "8.7": 1536, "8.9": 1536, "11.0": 1536, "12.0": 1536, "12.1": 1536}


@functools.cache
def streams_of(d: device) -> int:
    """Return the number of parallel streams of a device's generator.

    It is the number of threads that a CUDA GPU runs at a time, because PyTorch's numbers depend on it, and 2^18 for
    every other device.
    """
    place = to_jax(d)
    if place.platform != "gpu" or not hasattr(place, "core_count"):
        return 1 << 18
    return place.core_count * _THREADS.get(place.compute_capability, 2048)


def of_jax(jax_device) -> device:
    """Return the device that corresponds to a JAX device."""
    if jax_device in _joined:
        return _joined[jax_device]
    for type, devices in _stand_ins.items():
        if jax_device in devices:
            return cpu if type == "cpu" else device(type, devices.index(jax_device))
    if jax_device.platform == "cpu":
        return cpu
    type = "cuda" if jax_device.platform in ("gpu", "cuda", "rocm") else jax_device.platform
    return device(type, jax_devices(type).index(jax_device))
