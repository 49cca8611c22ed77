"""`torch.cuda.nvtx`: ranges for NVIDIA's profiler. As in PyTorch built without CUDA, all functions raise an error."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from torchlike import _errors

__all__ = ["mark", "range", "range_end", "range_pop", "range_push", "range_start"]


def range_push(msg: str) -> int:
    """Raise an error: NVTX is not supported."""
    raise _errors.making.no_nvtx()


def range_pop() -> int:
    """Raise an error: NVTX is not supported."""
    raise _errors.making.no_nvtx()


def range_start(msg: str) -> int:
    """Raise an error: NVTX is not supported."""
    raise _errors.making.no_nvtx()


def range_end(range_id: int) -> None:
    """Raise an error: NVTX is not supported."""
    raise _errors.making.no_nvtx()


def mark(msg: str) -> int:
    """Raise an error: NVTX is not supported."""
    raise _errors.making.no_nvtx()


@contextmanager
def range(msg: str, *args: Any, **kwargs: Any) -> Iterator[None]:
    """Return a range as a context manager or decorator. Entering it raises an error."""
    range_push(msg.format(*args, **kwargs))
    try:
        yield
    finally:
        range_pop()
