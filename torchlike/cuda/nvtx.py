"""Marks for NVIDIA's profiler, which no build without CUDA sets: each is refused as there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from torchlike import _errors

__all__ = ["mark", "range", "range_end", "range_pop", "range_push", "range_start"]


def range_push(msg: str) -> int:
    """Refused: begin a range inside of the last one."""
    raise _errors.making.no_nvtx()


def range_pop() -> int:
    """Refused: end the last range."""
    raise _errors.making.no_nvtx()


def range_start(msg: str) -> int:
    """Refused: begin a range."""
    raise _errors.making.no_nvtx()


def range_end(range_id: int) -> None:
    """Refused: end a range."""
    raise _errors.making.no_nvtx()


def mark(msg: str) -> int:
    """Refused: mark a moment."""
    raise _errors.making.no_nvtx()


@contextmanager
def range(msg: str, *args: Any, **kwargs: Any) -> Iterator[None]:
    """A range around a block, or around a function as its decorator; refused where it begins."""
    range_push(msg.format(*args, **kwargs))
    try:
        yield
    finally:
        range_pop()
