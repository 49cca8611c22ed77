"""Warnings that are reported at the line of the user's program that caused them."""

from __future__ import annotations

import warnings
from collections.abc import Hashable
from typing import Any

from torchlike._errors.callers import library_place, users_frame

# For each site the warnings that were given, as Python's `__warningregistry__` for each module, with the line 0.
_registries: dict[Hashable, dict[Any, Any]] = {}
_given: set[str] = set()
_always = False


def warn(message: str, category: type[Warning] = UserWarning, *, site: Hashable = None) -> None:
    """Warn at the nearest line of the user's program, however deep the call is. Warning filters apply as usual.

    PyTorch gives many warnings at a line of its own code. Python's default filter shows each text once for that line.
    A warning from a function that a public module calls, such as the loss of `nn.MSELoss`, is shown once for each text
    and line of that module.

    Args:
      message: the text.
      category: the class of the warning.
      site: the name of a function that users call and whose warning PyTorch gives at a line of its own. The warning is
        shown once for each text and name.
    """
    frame = users_frame()
    line = frame.f_lineno
    module = frame.f_globals.get("__name__") or "<string>"
    site = site or library_place()
    if site is None:
        registry = frame.f_globals.setdefault("__warningregistry__", {})
        warnings.warn_explicit(message, category, frame.f_code.co_filename, line, module, registry)
    else:
        registry = _with_line(_registries.get(site, {}), line)
        try:
            warnings.warn_explicit(message, category, frame.f_code.co_filename, line, module, registry)
        finally:
            _registries[site] = _with_line(registry, 0)


def _with_line(registry: dict[Any, Any], line: int) -> dict[Any, Any]:
    """Return a registry with another line in its keys (text, category, line). The key "version" has none."""
    return {(*key[:2], line) if isinstance(key, tuple) else key: value for key, value in registry.items()}


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
