"""`torch.backends.openmp`: OpenMP, which XLA does not use."""

from __future__ import annotations


def is_available() -> bool:
    """Return False: operators do not use OpenMP."""
    return False
