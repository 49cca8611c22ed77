"""`DistributedSampler`, which restricts data loading to a subset of the dataset for each process."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sized
from typing import Any

import torchlike
from torchlike import distributed
from torchlike.utils.data.sampler import Sampler, _draw_seed


class DistributedSampler(Sampler[int]):
    """A sampler that yields every `num_replicas`-th index of the epoch, starting with the index at position `rank`.

    The shuffled order depends on `seed + epoch`, so call `set_epoch` before each epoch.

    Args:
      dataset: the dataset to sample from.
      num_replicas: the number of processes. Default: the world size of the default process group.
      rank: the rank of the current process. Default: its rank in the default process group.
      shuffle: whether to shuffle the indices.
      seed: the seed of the shuffled order. It must be the same in all processes.
      drop_last: if True, drop indices at the end to make the shares of all processes equal. If False, repeat indices
        from the start instead.

    Raises:
      ValueError: `rank` is not in the interval [0, num_replicas - 1].

    >>> import torchlike as torch
    >>> list(torch.utils.data.DistributedSampler("abcde", num_replicas=2, rank=1, shuffle=False))
    [1, 3, 0]
    """

    def __init__(
        self,
        dataset: Sized,
        num_replicas: int | None = None,
        rank: int | None = None,
        shuffle: bool = True,
        seed: int = 0,
        drop_last: bool = False,
    ) -> None:
        num_replicas = distributed.get_world_size() if num_replicas is None else num_replicas
        rank = distributed.get_rank() if rank is None else rank
        if not 0 <= rank < num_replicas:
            raise ValueError(f"Invalid rank {rank}, rank should be in the interval [0, {num_replicas - 1}]")
        self.dataset = dataset
        self.num_replicas = num_replicas
        self.rank = rank
        self.epoch = 0
        self.drop_last = drop_last
        n = len(dataset)
        self.num_samples = n // num_replicas if drop_last else math.ceil(n / num_replicas)
        self.total_size = self.num_samples * num_replicas
        self.shuffle = shuffle
        self.seed = seed

    def __iter__(self) -> Iterator[int]:
        order = self._order()
        if len(order) < self.total_size:
            order = (order * math.ceil(self.total_size / len(order)))[: self.total_size]
        return iter(order[: self.total_size][self.rank :: self.num_replicas])

    def _order(self) -> list[int]:
        if not self.shuffle:
            return list(range(len(self.dataset)))
        generator: Any = torchlike.Generator()
        generator.manual_seed(self.seed + self.epoch)
        return torchlike.randperm(len(self.dataset), generator=generator).tolist()

    def __len__(self) -> int:
        return self.num_samples

    def set_epoch(self, epoch: int) -> None:
        """Set the epoch, which determines the shuffled order of the next iteration.

        Args:
          epoch: the number of the epoch.
        """
        self.epoch = epoch


def _place_of_process() -> tuple[int, int]:
    """Return the number of processes of the default group and the rank of this one, or 1 and 0 if there is no group."""
    if not distributed.is_initialized():
        return 1, 0
    return distributed.get_world_size(), distributed.get_rank()


def _equal_seed(generator: Any) -> int:
    """Sample a seed from a generator, and return that of the process 0 if there are several."""
    seed = _draw_seed(generator)
    if distributed.is_initialized():
        held = torchlike.tensor(seed)
        distributed.broadcast(held, src=0)
        seed = int(held.item())
    return seed
