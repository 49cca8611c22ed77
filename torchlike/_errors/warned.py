"""Warnings that are given once in each process, as PyTorch gives them."""

from __future__ import annotations

import warnings

_given: set[str] = set()
_always = False


def once(sentence: str, stacklevel: int, category: type[Warning] = UserWarning) -> None:
    """Warn, unless this sentence was given before; `stacklevel` counts from the caller."""
    if _always or sentence not in _given:
        _given.add(sentence)
        warnings.warn(sentence, category, stacklevel=stacklevel + 1)


def set_warn_always(b: bool) -> None:
    """Whether warnings that are given once in each process are given each time."""
    global _always
    _always = bool(b)


def is_warn_always_enabled() -> bool:
    """What `set_warn_always` was given last; False at first."""
    return _always
