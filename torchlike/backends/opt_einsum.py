"""`torch.backends.opt_einsum`: the order of the contractions in `einsum`. The settings are kept and have no effect."""

from __future__ import annotations

import contextlib
import importlib.util
from collections.abc import Iterator
from types import ModuleType

enabled: bool | None = True
strategy: str | None = "auto"


def is_available() -> bool:
    """Return whether the library opt_einsum is installed. JAX requires it."""
    return importlib.util.find_spec("opt_einsum") is not None


def get_opt_einsum() -> ModuleType | None:
    """Return the library opt_einsum, or None if it is not installed."""
    return importlib.import_module("opt_einsum") if is_available() else None


def set_flags(_enabled: bool | None = None, _strategy: str | None = None) -> tuple[bool | None, str | None]:
    """Set `enabled` and `strategy`, and return the previous values.

    Args:
      _enabled: the new value of `enabled`, or None for no change.
      _strategy: the new value of `strategy`, or None for no change.
    """
    global enabled, strategy
    before = enabled, strategy
    enabled = enabled if _enabled is None else _enabled
    strategy = strategy if _strategy is None else _strategy
    return before


@contextlib.contextmanager
def flags(enabled: bool | None = None, strategy: str | None = None) -> Iterator[None]:
    """Return a context manager that sets `enabled` and `strategy` in a `with` block (see `set_flags`)."""
    before = set_flags(enabled, strategy)
    try:
        yield
    finally:
        set_flags(*before)
