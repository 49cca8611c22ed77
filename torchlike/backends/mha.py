"""Which kernel multi-head attention takes in evaluation. Here XLA fuses what is written: the results are the same."""

from __future__ import annotations

_enabled = True


def get_fastpath_enabled() -> bool:
    """What `set_fastpath_enabled` was given last; True at first."""
    return _enabled


def set_fastpath_enabled(value: bool) -> None:
    """Keep the answer for `get_fastpath_enabled`."""
    global _enabled
    _enabled = value
