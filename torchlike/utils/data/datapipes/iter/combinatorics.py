"""Pipes that change the order of elements."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sized
from typing import Any

from torchlike.utils.data.datapipes._decorator import functional_datapipe
from torchlike.utils.data.datapipes.datapipe import IterDataPipe
from torchlike.utils.data.datapipes.utils.common import length_of
from torchlike.utils.data.sampler import Sampler, SequentialSampler, _draw_seed

__all__ = ["SamplerIterDataPipe", "ShufflerIterDataPipe"]


class SamplerIterDataPipe(IterDataPipe):
    """A pipe of what a sampler yields.

    Args:
      datapipe: the source, which must have a length.
      sampler: the class of the sampler.
      sampler_args: arguments of its constructor.
      sampler_kwargs: arguments that are given by name. The source is added as `data_source`.

    >>> from torchlike.utils.data.datapipes.iter import IterableWrapper
    >>> list(SamplerIterDataPipe(IterableWrapper("abc")))
    [0, 1, 2]
    """

    def __init__(
        self,
        datapipe: Any,
        sampler: type[Sampler] = SequentialSampler,
        sampler_args: tuple | None = None,
        sampler_kwargs: dict | None = None,
    ) -> None:
        if not isinstance(datapipe, Sized):
            raise AssertionError("Sampler class requires input datapipe implemented `__len__`")
        super().__init__()
        self.datapipe = datapipe
        self.sampler_args = () if sampler_args is None else sampler_args
        self.sampler_kwargs = {} if sampler_kwargs is None else sampler_kwargs
        self.sampler_kwargs["data_source"] = self.datapipe
        self.sampler = sampler(*self.sampler_args, **self.sampler_kwargs)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.sampler)

    def __len__(self) -> int:
        return length_of(self, self.sampler)


@functional_datapipe("shuffle")
class ShufflerIterDataPipe(IterDataPipe):
    """A pipe that shuffles elements with a buffer. Its method is `shuffle`. The same seed gives PyTorch's order.

    Args:
      datapipe: the source.
      buffer_size: the number of elements in the buffer. Each element takes the place of a random one of these.
      unbatch_level: the number of levels of batches to take apart first.

    >>> from torchlike.utils.data.datapipes.iter import IterableWrapper
    >>> sorted(IterableWrapper(range(4)).shuffle().set_seed(0))
    [0, 1, 2, 3]
    """

    datapipe: IterDataPipe
    buffer_size: int
    _kept = (
        *("datapipe", "buffer_size", "_enabled", "_seed", "_buffer", "_rng"),
        *("_valid_iterator_id", "_number_of_samples_yielded"),
    )

    def __init__(self, datapipe: Any, *, buffer_size: int = 10000, unbatch_level: int = 0) -> None:
        super().__init__()
        self._buffer: list = []
        if buffer_size <= 0:
            raise AssertionError("buffer_size should be larger than 0")
        self.datapipe = datapipe if unbatch_level == 0 else datapipe.unbatch(unbatch_level=unbatch_level)
        self.buffer_size = buffer_size
        self._enabled = True
        self._seed: int | None = None
        self._rng = random.Random()

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
            yield from self.datapipe
            return
        for element in self.datapipe:
            if len(self._buffer) < self.buffer_size:
                self._buffer.append(element)
            else:
                place = self._rng.randint(0, len(self._buffer) - 1)
                taken, self._buffer[place] = self._buffer[place], element
                yield taken
        while self._buffer:
            yield self._buffer.pop(self._rng.randint(0, len(self._buffer) - 1))

    def __len__(self) -> int:
        return length_of(self, self.datapipe)

    def reset(self) -> None:
        """Empty the buffer, and set the seed."""
        self._buffer = []
        if self._enabled:
            self._rng.seed(_draw_seed() if self._seed is None else self._seed)
            self._seed = None
