"""The work of one worker of a `DataLoader`, and the information about it."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable
from typing import Any

import numpy as np

import torchlike
from torchlike.utils.data import _errors as errors
from torchlike.utils.data.graph_settings import apply_random_seed


@dataclasses.dataclass(frozen=True)
class WorkerInfo:
    """Information about a worker.

    Attributes:
        id: the worker id, from 0 to `num_workers` - 1.
        num_workers: the number of workers.
        seed: the seed of the random generators of this worker.
        dataset: the copy of the dataset object of this worker.
        rng, worker_method: constants, for compatibility with PyTorch.
    """

    id: int
    num_workers: int
    seed: int
    dataset: Any
    rng: Any = None
    worker_method: str = "multiprocessing"


class _Place:
    """The information about the worker that runs, or None in the main process.

    `is_process` says whether the worker is this process. Its large batches are collated in shared memory.
    """

    __slots__ = ("info", "is_process")

    def __init__(self) -> None:
        self.info: WorkerInfo | None = None
        self.is_process = False


place = _Place()


def get_worker_info() -> WorkerInfo | None:
    """Return the information about the current `DataLoader` worker, or None outside of a worker.

    >>> get_worker_info() is None
    True
    """
    return place.info


# The kinds of answers of a worker.
DATA, FAILED, ENDED, RESUMED = "data", "failed", "ended", "resumed"


@dataclasses.dataclass(frozen=True)
class Job:
    """The job of a worker: it makes a fetcher of the dataset and fetches batches with it.

    Attributes:
        dataset: the dataset.
        fetcher: the function that makes a fetcher of the dataset.
        init_fn: the function to call first with the worker id, or None.
        base_seed: the seed of the epoch. The seed of the worker is `base_seed` plus its id.
        count: the number of workers.
        parent: the id of the main process.
        pipes_seed: the seed of the random data pipes of the first epoch, or None if the dataset is not a pipe.
    """

    dataset: Any
    fetcher: Callable[[Any], Any]
    init_fn: Callable[[int], Any] | None
    base_seed: int
    count: int
    parent: int
    pipes_seed: int | None = None


class Fetching:
    """The fetcher of a worker. The constructor calls `init_fn`; an error of it is the answer to every request."""

    def __init__(self, job: Job, number: int) -> None:
        self._job, self._number = job, number
        self._fetcher: Any = None
        self._failed: Exception | None = None
        self._set_seeds(job.pipes_seed)
        if job.init_fn is not None:
            try:
                job.init_fn(number)
            except Exception as error:
                self._failed = self.failed(error)

    def respond(self, request: Any) -> tuple[int | None, str, Any]:
        """Return the answer to a request (see `run`)."""
        number, index = request
        if number is None:
            self._set_seeds(index)
            self._fetcher = None
            return None, RESUMED, None
        return number, *self._fetched(index)

    def _set_seeds(self, pipes_seed: int | None) -> None:
        if pipes_seed is not None:
            apply_random_seed(self._job.dataset, torchlike.Generator().manual_seed(pipes_seed))

    def _fetched(self, index: Any) -> tuple[str, Any]:
        if self._failed is not None:
            return FAILED, self._failed
        try:
            if self._fetcher is None:
                self._fetcher = self._job.fetcher(self._job.dataset)
            return DATA, self._fetcher.fetch(index)
        except Exception as error:
            if isinstance(error, StopIteration) and self._fetcher is not None and self._fetcher.is_stream:
                return ENDED, None
            return FAILED, self.failed(error)

    def failed(self, error: Exception) -> Exception:
        """Return the exception that the main process raises for an error of this worker."""
        return errors.in_worker(error, self._number)


def seed(base_seed: int, number: int) -> None:
    random.seed(base_seed + number)
    np.random.seed(_numpy_seed(base_seed, number))
    torchlike.manual_seed(base_seed + number)


def _numpy_seed(base_seed: int, number: int) -> np.ndarray:
    """Return the seed of NumPy's global generator in a worker."""
    return np.random.SeedSequence([number, base_seed & 0xFFFFFFFF, base_seed >> 32, 0]).generate_state(4)
