"""Programs about gradients, written once against `torch`, which is whichever of the two libraries runs them."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import torch as _theirs

from tests.oracle import both


class _Library:
    """Stands for PyTorch or torchlike, by turns."""

    current: Any = _theirs

    def __getattr__(self, name: str) -> Any:
        return getattr(_Library.current, name)


torch = _Library()
_logged: list = []


def log(*seen: Any) -> None:
    """Add to what is compared."""
    _logged.append(seen)


def leaf(*numbers: float) -> Any:
    """A leaf that requires grad."""
    return torch.tensor(numbers or (1.0, 2.0), requires_grad=True)


def compare(program: Callable[[], Any], **tolerances: Any) -> None:
    """Run a program under both libraries; its result, what it logged or its error must be the same."""

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
    """The programs of a module: its functions but the tests and what begins with an underscore."""
    mine = [f for f in module.values() if callable(f) and getattr(f, "__module__", None) == module["__name__"]]
    return [f for f in mine if not f.__name__.startswith(("test_", "_"))]
