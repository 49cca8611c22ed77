"""The number of threads of NumPy's matrix products."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from threadpoolctl import ThreadpoolController


@functools.cache
def _libraries() -> list[Any]:
    return ThreadpoolController().select(user_api="blas").lib_controllers


@contextmanager
def threads(count: int) -> Iterator[int]:
    """Run NumPy's matrix products with this number of threads. Yield the number before.

    The last bits of a product depend on it.
    """
    before = [library.get_num_threads() for library in _libraries()]
    try:
        for library in _libraries():
            library.set_num_threads(count)
        yield max(before, default=1)
    finally:
        for library, number in zip(_libraries(), before):
            library.set_num_threads(number)
