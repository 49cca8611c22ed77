"""Warnings that are reported at the line of the user's program that caused them."""

from __future__ import annotations

import warnings

from torchlike._errors.callers import users_frame

_given: set[str] = set()
_always = False


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the nearest line of the user's program, however deep the call is. Warning filters apply as usual.

    Args:
      message: the text.
      category: the class of the warning.
    """
    frame = users_frame()
    space = frame.f_globals
    registry = space.setdefault("__warningregistry__", {})
    module = space.get("__name__") or "<string>"
    warnings.warn_explicit(message, category, frame.f_code.co_filename, frame.f_lineno, module, registry)


def once(message: str, category: type[Warning] = UserWarning, key: str = "") -> None:
    """Warn once per process, as PyTorch does, or every time if `set_warn_always` is on.

    Messages with the same key count as one.
    """
    if _always or (key or message) not in _given:
        _given.add(key or message)
        warn(message, category)


def set_warn_always(b: bool) -> None:
    """Set whether warnings that are normally given once per process are given every time.

    Args:
      b: warn every time.
    """
    global _always
    _always = bool(b)


def is_warn_always_enabled() -> bool:
    """Return the last setting of `set_warn_always`. The default is False."""
    return _always
