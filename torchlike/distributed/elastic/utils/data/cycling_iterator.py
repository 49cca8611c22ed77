"""`CyclingIterator`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

_T = TypeVar("_T")


class CyclingIterator(Iterator[_T]):
    """An iterator over several epochs.

    Args:
      n (int): the number of epochs.
      generator_fn (function): returns the iterator of an epoch.
      start_epoch (int, default 0): the first epoch.

    >>> list(CyclingIterator(2, lambda epoch: iter([epoch, "end"])))
    [0, 'end', 1, 'end']
    """

    def __init__(self, n: int, generator_fn: Callable[[int], Iterator[_T]], start_epoch: int = 0) -> None:
        self._n, self._epoch, self._generator_fn = n, start_epoch, generator_fn
        self._iter = generator_fn(self._epoch)

    def __next__(self) -> _T:
        while True:
            try:
                return next(self._iter)
            except StopIteration:
                if self._epoch >= self._n - 1:
                    raise
            self._epoch += 1
            self._iter = self._generator_fn(self._epoch)
