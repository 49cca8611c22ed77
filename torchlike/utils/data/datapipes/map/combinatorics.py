"""The pipe that shuffles elements."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from torchlike.utils.data.datapipes.datapipe import IterDataPipe, MapDataPipe
from torchlike.utils.data.sampler import _draw_seed

__all__ = ["ShufflerIterDataPipe"]


class ShufflerIterDataPipe(IterDataPipe):
    """A pipe that iterates over the elements of a `MapDataPipe` in random order. Its method is `shuffle`.

    Args:
      datapipe: the source.
      indices: the keys. Default: 0, 1, ...

    >>> from torchlike.utils.data.datapipes.map import SequenceWrapper
    >>> sorted(SequenceWrapper("abc").shuffle().set_seed(0))
    ['a', 'b', 'c']
    """

    datapipe: MapDataPipe
    _kept = (
        *("datapipe", "indices", "_enabled", "_seed", "_rng", "_shuffled_indices"),
        *("_valid_iterator_id", "_number_of_samples_yielded"),
    )

    def __init__(self, datapipe: Any, *, indices: list | None = None) -> None:
        super().__init__()
        self.datapipe = datapipe
        self.indices = list(range(len(datapipe))) if indices is None else indices
        self._enabled = True
        self._seed: int | None = None
        self._rng = random.Random()
        self._shuffled_indices: list = self.indices

    def set_shuffle(self, shuffle: bool = True) -> ShufflerIterDataPipe:
        """Set whether elements are shuffled, and return this pipe.

        Args:
          shuffle: if False, they keep their order.
        """
        self._enabled = shuffle
        return self

    def set_seed(self, seed: int) -> ShufflerIterDataPipe:
        """Set the seed of the next iterator, and return this pipe. The next ones have random seeds.

        Args:
          seed: the seed.
        """
        self._seed = seed
        return self

    def __iter__(self) -> Iterator[Any]:
        if not self._enabled:
            for index in self.indices:
                yield self.datapipe[index]
            return
        while self._shuffled_indices:
            yield self.datapipe[self._shuffled_indices.pop()]

    def reset(self) -> None:
        """Set the seed, and shuffle the keys."""
        self._rng.seed(_draw_seed() if self._enabled and self._seed is None else self._seed)
        self._seed = None
        self._shuffled_indices = self._rng.sample(self.indices, len(self.indices))

    def __len__(self) -> int:
        return len(self.datapipe)  # type: ignore[arg-type]


MapDataPipe.register_datapipe_as_function("shuffle", ShufflerIterDataPipe)
