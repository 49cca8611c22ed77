"""Apple GPUs through Metal: not among the devices."""

from __future__ import annotations


def is_available() -> bool:
    """Whether operators run on it: no."""
    return False


def is_built() -> bool:
    """Whether it could be used: no."""
    return False
