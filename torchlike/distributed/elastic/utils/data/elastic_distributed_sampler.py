"""`ElasticDistributedSampler`."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sized
from typing import Any

import torchlike
from torchlike.utils.data.distributed import DistributedSampler


class ElasticDistributedSampler(DistributedSampler):
    """A sampler of the part of a data set that remains after an interrupted epoch.

    Args:
      dataset: the data set.
      num_replicas (int, optional): the number of processes. Default: that of the default group.
      rank (int, optional): the rank of this process. Default: that in the default group.
      start_index (int, default 0): the first element that is left.

    Raises:
      TypeError: the data set has no length.
      ValueError: `start_index` is not less than the length.

    >>> sampler = ElasticDistributedSampler([0] * 6, num_replicas=2, rank=0, start_index=2)
    >>> len(sampler)
    2
    """

    def __init__(
        self, dataset: Any, num_replicas: int | None = None, rank: int | None = None, start_index: int = 0
    ) -> None:
        super().__init__(dataset=dataset, num_replicas=num_replicas, rank=rank)
        if not isinstance(dataset, Sized):
            raise TypeError("Dataset must be an instance of collections.abc.Sized")
        if start_index >= len(dataset):
            raise ValueError(f"Start index {start_index} should be less than dataset size {len(dataset)}")
        self.start_index = start_index
        self.num_samples = math.ceil(float(len(dataset) - start_index) / self.num_replicas)
        self.total_size = self.num_samples * self.num_replicas

    def __iter__(self) -> Iterator[int]:
        generator = torchlike.Generator()
        generator.manual_seed(self.epoch)
        left = len(self.dataset) - self.start_index
        indices = torchlike.randperm(left, generator=generator).add(self.start_index).tolist()
        indices += indices[: self.total_size - len(indices)]
        if len(indices) != self.total_size:
            raise AssertionError
        return iter(indices[self.rank : self.total_size : self.num_replicas])

    def __len__(self) -> int:
        return self.num_samples
