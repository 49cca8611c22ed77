"""`torch.backends.mkldnn`: oneDNN, which is not used directly."""

from __future__ import annotations


def is_available() -> bool:
    """Return False: operators do not run on oneDNN."""
    return False
