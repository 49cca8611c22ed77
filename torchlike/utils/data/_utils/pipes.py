"""What a `DataLoader` does for data pipes: it copies them as a whole, and sets their seeds and shares."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import torchlike
from torchlike.utils.data._utils.worker import get_worker_info
from torchlike.utils.data.datapipes.datapipe import (
    IterDataPipe,
    MapDataPipe,
    _IterDataPipeSerializationWrapper,
    _MapDataPipeSerializationWrapper,
)
from torchlike.utils.data.distributed import _equal_seed, _place_of_process
from torchlike.utils.data.graph_settings import apply_random_seed, apply_sharding, apply_shuffle_settings


def wrapped(dataset: Any) -> Any:
    """Return the dataset, or the object that stands for a pipe."""
    if isinstance(dataset, IterDataPipe):
        return _IterDataPipeSerializationWrapper(dataset)
    return _MapDataPipeSerializationWrapper(dataset) if isinstance(dataset, MapDataPipe) else dataset


def takes_shuffle(dataset: Any, shuffle: bool | None) -> bool:
    """Return whether a dataset is a pipe that takes the option `shuffle`, and set the option.

    As in PyTorch, True has no effect on a pipeline that cannot shuffle: the warning is all that happens.
    """
    is_pipe = isinstance(dataset, IterDataPipe)
    if is_pipe:
        apply_shuffle_settings(dataset, shuffle)
    return is_pipe


def set_seeds(dataset: Any, generator: Any) -> int | None:
    """Sample the seed of an epoch and set the seeds of random pipes. Return None if the dataset is not a pipe."""
    if not isinstance(dataset, IterDataPipe):
        return None
    seed = _equal_seed(generator)
    apply_random_seed(dataset, torchlike.Generator().manual_seed(seed))
    return seed


def set_share(dataset: Any) -> None:
    """Divide the elements of pipes among the processes of the default group."""
    if isinstance(dataset, IterDataPipe | MapDataPipe):
        apply_sharding(dataset, *_place_of_process())


def with_shares(dataset: Any, init_fn: Callable[[int], Any] | None) -> Callable[[int], Any] | None:
    """Return the first function of the workers, which also divides the elements of pipes among them."""
    if not isinstance(dataset, IterDataPipe | MapDataPipe):
        return init_fn
    return _SetShare(init_fn, *_place_of_process())


@dataclasses.dataclass(frozen=True)
class _SetShare:
    init_fn: Callable[[int], Any] | None
    processes: int
    rank: int

    def __call__(self, worker: int) -> None:
        info: Any = get_worker_info()
        apply_sharding(info.dataset, info.num_workers * self.processes, worker * self.processes + self.rank)
        if self.init_fn is not None:
            self.init_fn(worker)
