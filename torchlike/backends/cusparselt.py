"""`torch.backends.cusparselt`: the library for semi-structured sparse products, which is not used."""

from __future__ import annotations

__all__ = ["version", "is_available", "get_max_alg_id"]


def version() -> int | None:
    """Return None: the library is not used."""
    return None


def is_available() -> bool:
    """Return False: the library is not used."""
    return False


def get_max_alg_id() -> int | None:
    """Return None: the library is not used."""
    return None
