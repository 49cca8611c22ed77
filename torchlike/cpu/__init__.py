"""`torch.cpu`: the accelerator interface for the CPU."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
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


@functools.cache
def _is_vnni_supported() -> bool:
    """Return whether `/proc/cpuinfo` lists AVX-512 VNNI instructions. Return False if there is no such file."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return False
    return any("avx512_vnni" in line.split() for line in lines if line.startswith("flags"))


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


@contextmanager
def stream(stream: Stream | None) -> Iterator[None]:
    """Do nothing: the CPU has only one stream."""
    yield
