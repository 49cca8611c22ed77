"""oneDNN, which XLA may call."""

from __future__ import annotations


def is_available() -> bool:
    """Whether operators run on it: no."""
    return False
