"""Helpers for gradient programs that are written once against `torch`, which stands for either library."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import torch as _theirs

from tests.oracle import both


class _Library:
    """A module that stands alternately for PyTorch and torchlike."""

    current: Any = _theirs

    def __getattr__(self, name: str) -> Any:
        return getattr(_Library.current, name)


torch = _Library()
_logged: list = []


def log(*seen: Any) -> None:
    """Append values to the log that is compared."""
    _logged.append(seen)


def leaf(*numbers: float) -> Any:
    """Return a leaf that requires grad."""
    return torch.tensor(numbers or (1.0, 2.0), requires_grad=True)


def compare(program: Callable[[], Any], **tolerances: Any) -> None:
    """Run a program under both libraries and check that its result, its log and its error are the same."""

    def run(library: Any) -> Any:
        _Library.current = library
        _logged.clear()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                result = program()
            return result, list(_logged)
        finally:
            _Library.current = _theirs

    both(run, **tolerances)


def programs(module: dict) -> list[Callable]:
    """Return the programs of a module: all functions except tests and names that begin with an underscore."""
    mine = [f for f in module.values() if callable(f) and getattr(f, "__module__", None) == module["__name__"]]
    return [f for f in mine if not f.__name__.startswith(("test_", "_"))]
