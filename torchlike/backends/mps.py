"""Apple GPUs through Metal: not among the devices."""

from __future__ import annotations

from torchlike import _errors


def is_available() -> bool:
    """Whether operators run on it: no."""
    return False


def is_built() -> bool:
    """Whether it could be used: no."""
    return False


def is_macos_or_newer(major: int, minor: int) -> bool:
    """Whether the system is a Mac's, of some version."""
    raise _errors.making.no_mps("isOnMacOSorNewer")
