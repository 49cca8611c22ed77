"""`torch.cpu`: the accelerator interface for the CPU."""

from __future__ import annotations

import functools
import platform
from collections.abc import Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from types import MappingProxyType
from typing import Any

from torchlike.cpu import amp as amp


def is_available() -> bool:
    """Return True: the CPU is always available."""
    return True


def device_count() -> int:
    """Return 1, the number of CPU devices."""
    return 1


def current_device() -> str:
    """Return "cpu", the name of the current device."""
    return "cpu"


def synchronize(device: Any = None) -> None:
    """Flush the pending trace."""
    from torchlike._engine import boundary

    boundary()


def is_initialized() -> bool:
    """Return True: the CPU is always initialized."""
    return True


# The names of instruction sets in `/proc/cpuinfo` that differ from PyTorch's names.
_LISTED = {
    "sse3": "pni",
    "sha": "sha_ni",
    "lzcnt": "abm",
    "fma3": "fma",
    "bmi": "bmi1",
    **{f"avx512_{part}": f"avx512{part}" for part in ("f", "cd", "dq", "bw", "vl", "ifma", "vbmi")},
}
_SETS = [
    "sse",
    "sse2",
    "sse3",
    "ssse3",
    "sse4_1",
    "sse4_2",
    "sse4a",
    "avx",
    "avx2",
    "avx_vnni",
    "avx512_f",
    "avx512_cd",
    "avx512_dq",
    "avx512_bw",
    "avx512_vl",
    "avx512_ifma",
    "avx512_vbmi",
    "avx512_vbmi2",
    "avx512_bitalg",
    "avx512_vpopcntdq",
    "avx512_vnni",
    "avx512_bf16",
    "avx512_fp16",
    "avx512_vp2intersect",
    "avx512_4vnniw",
    "avx512_4fmaps",
    "avx10_1",
    "avx10_2",
    "avx_vnni_int8",
    "avx_vnni_int16",
    "avx_ne_convert",
    "amx_bf16",
    "amx_tile",
    "amx_int8",
    "amx_fp16",
    "fma3",
    "fma4",
    "f16c",
    "bmi",
    "bmi2",
    "popcnt",
    "lzcnt",
    "aes",
    "sha",
    "clflush",
    "clflushopt",
    "clwb",
]


@functools.cache
def get_capabilities() -> Mapping[str, Any]:
    """Return the architecture of the processor and, for each x86 instruction set, whether the processor has it.

    PyTorch's sizes of caches and its numbers of cores are not listed. Systems without `/proc/cpuinfo` are not asked.

    >>> import torchlike as torch
    >>> "architecture" in torch.cpu.get_capabilities()
    True
    """
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    flags = {flag for line in lines if line.startswith("flags") for flag in line.split()}
    found: dict[str, Any] = {name: _LISTED.get(name, name) in flags for name in _SETS if flags}
    return MappingProxyType({**found, "architecture": platform.machine()})


def _is_vnni_supported() -> bool:
    """Return whether the processor has AVX-512 VNNI instructions."""
    return get_capabilities().get("avx512_vnni", False)


def _is_avx2_supported() -> bool:
    """Return whether the processor has AVX2 instructions."""
    return get_capabilities().get("avx2", False)


def _is_avx512_supported() -> bool:
    """Return whether the processor has AVX-512 instructions."""
    return get_capabilities().get("avx512_f", False)


def set_device(device: Any) -> None:
    """Do nothing: there is only one CPU device."""


class Stream:
    """The single stream of the CPU. Its synchronization methods are no-ops."""

    def __init__(self, priority: int = -1) -> None:
        pass

    def wait_stream(self, stream: Any) -> None:
        """Do nothing."""

    def record_event(self) -> None:
        """Do nothing."""

    def wait_event(self, event: Any) -> None:
        """Do nothing."""


class Event:
    """An event in the CPU's stream, which is always complete."""

    def query(self) -> bool:
        """Return True: the event is complete."""
        return True

    def record(self, stream: Any = None) -> None:
        """Do nothing."""

    def synchronize(self) -> None:
        """Do nothing."""

    def wait(self, stream: Any = None) -> None:
        """Do nothing."""


_STREAM = Stream()


def current_stream(device: Any = None) -> Stream:
    """Return the single stream."""
    return _STREAM


class StreamContext(AbstractContextManager):
    """A context manager that selects a stream. It has no effect, because the CPU has only one stream.

    Args:
      stream: the stream, or None.
    """

    cur_stream: Stream | None

    def __init__(self, stream: Stream | None) -> None:
        self.stream = stream

    def __enter__(self) -> None:
        return None

    def __exit__(self, *_: object) -> None:
        return None


def stream(stream: Stream | None) -> StreamContext:
    """Return a context manager that does nothing: the CPU has only one stream."""
    return StreamContext(stream)
