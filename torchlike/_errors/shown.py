"""Error classes of torchlike that appear under the name of the class that PyTorch raises."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

E = TypeVar("E", bound=Exception)


def shown_as(kind: type[Exception]) -> Callable[[type[E]], type[E]]:
    """Return a decorator that gives an error class the name of `kind`, in tracebacks and in `repr`.

    `pickle` writes such an error as a `kind`, because a class with the name of another one cannot be found by name.
    """

    def rename(error: type[E]) -> type[E]:
        error.__name__, error.__qualname__, error.__module__ = kind.__name__, kind.__qualname__, kind.__module__
        error.__reduce__ = lambda self: (kind, (str(self),))
        return error

    return rename
