"""The registry of classes and functions that the user marks as safe to load with `weights_only=True`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

_marked: set[Any] = set()


def add_safe_globals(safe_globals: Iterable[Any]) -> None:
    """Mark the given globals as safe for `load` with `weights_only=True`.

    Args:
        safe_globals: classes and functions, or pairs of a class or function and its full name in checkpoint files.
    """
    _marked.update(safe_globals)


def get_safe_globals() -> list[Any]:
    """Return the list of user-added safe globals. PyTorch's list also contains some of its own classes."""
    return list(_marked)


def clear_safe_globals() -> None:
    """Clear the list of safe globals."""
    _marked.clear()


class safe_globals:
    """A context manager that marks globals as safe for `load` with `weights_only=True`.

    Args:
        safe_globals: classes and functions, or pairs, as for `add_safe_globals`.

    >>> import tempfile, torchlike as torch
    >>> with tempfile.TemporaryFile() as file, torch.serialization.safe_globals([complex]):
    ...     torch.save(complex(1, 2), file)
    ...     _ = file.seek(0)
    ...     torch.load(file)
    (1+2j)
    """

    def __init__(self, safe_globals: Iterable[Any]) -> None:
        self.safe_globals = list(safe_globals)

    def __enter__(self) -> None:
        add_safe_globals(self.safe_globals)

    def __exit__(self, *_: object) -> None:
        _marked.difference_update(self.safe_globals)


def by_name() -> dict[str, Any]:
    """Return the safe globals by their full names in files."""
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
    """Return the full name in files. For a class or function of torchlike, it is PyTorch's name."""
    from torchlike.serialization._names import torch_name

    known = torch_name(marked)
    return ".".join(known) if known else f"{marked.__module__}.{marked.__qualname__}"
