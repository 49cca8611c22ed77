"""`torch.backends.mha`: the fast path of multi-head attention. It has no effect, since XLA fuses the operators."""

from __future__ import annotations

_enabled = True


def get_fastpath_enabled() -> bool:
    """Return the last value given to `set_fastpath_enabled`, initially True."""
    return _enabled


def set_fastpath_enabled(value: bool) -> None:
    """Store the value for `get_fastpath_enabled`."""
    global _enabled
    _enabled = value
