"""Classes and functions that the user declares safe to load with `weights_only=True`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

_marked: set[Any] = set()


def add_safe_globals(safe_globals: Iterable[Any]) -> None:
    """Allow classes and functions, or pairs of one and the full name it has in files, when `weights_only=True`."""
    _marked.update(safe_globals)


def get_safe_globals() -> list[Any]:
    """What was added by `add_safe_globals` (PyTorch's list holds some classes of its own too)."""
    return list(_marked)


def clear_safe_globals() -> None:
    """Forget everything added by `add_safe_globals`."""
    _marked.clear()


class safe_globals:
    """`add_safe_globals` for the length of a `with` block."""

    def __init__(self, safe_globals: Iterable[Any]) -> None:
        self.safe_globals = list(safe_globals)

    def __enter__(self) -> None:
        add_safe_globals(self.safe_globals)

    def __exit__(self, *_: object) -> None:
        _marked.difference_update(self.safe_globals)


def by_name() -> dict[str, Any]:
    """The marked globals by the full name they have in a file."""
    return dict(map(_named, _marked))


def _named(marked: Any) -> tuple[str, Any]:
    if not isinstance(marked, tuple):
        return _path(marked), marked
    if len(marked) != 2:
        raise ValueError(
            f"Expected tuple of length 2 (global, str of callable full path), but got tuple of length: {len(marked)}"
        )
    found, path = marked
    if type(path) is not str:
        raise TypeError(f"Expected second item in tuple to be str of callable full path, but got: {type(path)}")
    return path, found


def _path(marked: Any) -> str:
    """The full name that files use, which is PyTorch's for a class or function of torchlike."""
    from torchlike.serialization._names import torch_name

    known = torch_name(marked)
    return ".".join(known) if known else f"{marked.__module__}.{marked.__qualname__}"
