"""`torch.backends.mps`: Apple GPUs through Metal, which are not supported."""

from __future__ import annotations

from torchlike import _errors


def is_available() -> bool:
    """Return False: Metal is not supported."""
    return False


def is_built() -> bool:
    """Return False: Metal is not supported."""
    return False


def is_macos_or_newer(major: int, minor: int) -> bool:
    """Raise an error, as PyTorch does without MPS support."""
    raise _errors.making.no_mps("isOnMacOSorNewer")


def is_macos13_or_newer(minor: int = 0) -> bool:
    """Raise an error, as PyTorch does without MPS support."""
    return is_macos_or_newer(13, minor)


def get_name() -> str:
    """Raise an error: there is no such device."""
    raise _errors.making.no_native("_mps_get_name")


def get_core_count() -> int:
    """Raise an error: there is no such device."""
    raise _errors.making.no_native("_mps_get_core_count")
