"""The CPU, by the names that accelerators have."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from torchlike.cpu import amp as amp


def is_available() -> bool:
    """Whether operators run on it: always."""
    return True


def device_count() -> int:
    """The number of CPU devices: one."""
    return 1


def current_device() -> str:
    """The name of the current device."""
    return "cpu"


def synchronize(device: Any = None) -> None:
    """Run what is pending."""
    from torchlike._engine import boundary

    boundary()


def is_initialized() -> bool:
    """Whether it is ready: always."""
    return True


def set_device(device: Any) -> None:
    """Nothing: there is one."""


class Stream:
    """The order in which the CPU works. There is one, and it waits for nothing."""

    def __init__(self, priority: int = -1) -> None:
        pass

    def wait_stream(self, stream: Any) -> None:
        """Nothing."""

    def record_event(self) -> None:
        """Nothing."""

    def wait_event(self, event: Any) -> None:
        """Nothing."""


class Event:
    """A moment in a stream, which has passed."""

    def query(self) -> bool:
        """Whether it has passed."""
        return True

    def record(self, stream: Any = None) -> None:
        """Nothing."""

    def synchronize(self) -> None:
        """Nothing."""

    def wait(self, stream: Any = None) -> None:
        """Nothing."""


_STREAM = Stream()


def current_stream(device: Any = None) -> Stream:
    """The stream."""
    return _STREAM


@contextmanager
def stream(stream: Stream | None) -> Iterator[None]:
    """A region in which the CPU works in a stream, as everywhere."""
    yield
