"""`torch.backends.mkl`: MKL, which is not used directly."""

from __future__ import annotations


def is_available() -> bool:
    """Return False: operators do not run on MKL."""
    return False
