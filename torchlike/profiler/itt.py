"""Ranges for Intel's VTune. They are not available: functions raise the error of a PyTorch without them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any, NoReturn

__all__ = ["is_available", "mark", "range", "range_pop", "range_push"]


def is_available() -> bool:
    """Return False: ranges for VTune are not available.

    >>> is_available()
    False
    """
    return False


def _fail() -> NoReturn:
    raise RuntimeError("ITT functions not installed. Are you sure you have a ITT build?")


def range_push(msg: str) -> NoReturn:
    """Raise RuntimeError.

    Args:
      msg: the name of the range.
    """
    _fail()


def range_pop() -> NoReturn:
    """Raise RuntimeError."""
    _fail()


def mark(msg: str) -> NoReturn:
    """Raise RuntimeError.

    Args:
      msg: the name of the event.
    """
    _fail()


@contextlib.contextmanager
def range(msg: str, *args: Any, **kwargs: Any) -> Iterator[None]:
    """Raise RuntimeError when the `with` statement begins.

    Args:
      msg: the name of the range, with the fields of `str.format`.
      *args: the values of the fields.
      **kwargs: the values of the fields that have names.
    """
    range_push(msg.format(*args, **kwargs))
    yield
