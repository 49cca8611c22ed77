"""`torch.backends.nnpack`: NNPACK, which is not used."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from torchlike.backends import _settings

_enabled = True


def is_available() -> bool:
    """Return False: operators do not run on NNPACK."""
    return False


def set_flags(_enabled: bool) -> tuple[bool]:
    """Store a setting that has no effect, and return the previous value in a tuple."""
    held = globals()
    _settings.check_bool("set_enabled_NNPACK", _enabled)
    before = held["_enabled"]
    held["_enabled"] = _enabled
    return (before,)


@contextlib.contextmanager
def flags(enabled: bool = False) -> Iterator[None]:
    """Return a context manager that stores a setting in a `with` block. It has no effect."""
    before = set_flags(enabled)
    try:
        yield
    finally:
        set_flags(*before)
