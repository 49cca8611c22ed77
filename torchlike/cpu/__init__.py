"""The CPU, by the names that accelerators have."""

from __future__ import annotations

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
    from torchlike._core import boundary

    boundary()
