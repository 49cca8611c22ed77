"""Warnings, each reported at the line of the user's program that led to it."""

from __future__ import annotations

import warnings

from torchlike._errors.callers import users_frame

_given: set[str] = set()
_always = False


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the nearest line of the user's program, however many calls away; filters apply as to `warnings.warn`."""
    frame = users_frame()
    space = frame.f_globals
    registry = space.setdefault("__warningregistry__", {})
    module = space.get("__name__") or "<string>"
    warnings.warn_explicit(message, category, frame.f_code.co_filename, frame.f_lineno, module, registry)


def once(message: str, category: type[Warning] = UserWarning) -> None:
    """`warn`, once in each process, as PyTorch does."""
    if _always or message not in _given:
        _given.add(message)
        warn(message, category)


def set_warn_always(b: bool) -> None:
    """Whether warnings that are given once in each process are given each time."""
    global _always
    _always = bool(b)


def is_warn_always_enabled() -> bool:
    """What `set_warn_always` was given last; False at first."""
    return _always
