"""Workers of a `DataLoader`: who loads a batch, with random numbers of its own.

PyTorch's are processes. A process cannot be forked once JAX runs its threads, so here they are taken in turns in the
process itself: each has its own copy of the dataset object and its own generators (Python's, NumPy's and ours), seeded
as PyTorch seeds them, and gets the same batches in the same order. Nothing is loaded at the same time.
"""

from __future__ import annotations

import copy
import dataclasses
import functools
import random
from collections.abc import Callable
from typing import Any

import numpy as np

import torchlike
from torchlike._internal import uninterrupted
from torchlike.utils.data import _errors as errors
from torchlike.utils.data.dataset import Dataset


@dataclasses.dataclass(frozen=True)
class WorkerInfo:
    """What a worker knows about itself.

    Attributes: id: 0 to `num_workers` - 1. num_workers: how many there are. seed: of this worker's generators.
    dataset: this worker's copy of the dataset object. rng, worker_method: as PyTorch's processes say.
    """

    id: int
    num_workers: int
    seed: int
    dataset: Any
    rng: Any = None
    worker_method: str = "multiprocessing"


_current: WorkerInfo | None = None


def get_worker_info() -> WorkerInfo | None:
    """Information about the data-loading worker that this code runs for; None outside of any.

    >>> get_worker_info() is None
    True
    """
    return _current


class Worker:
    """One worker: `fetch(index)` gives a batch, and raises StopIteration where its stream has ended."""

    def __init__(self, number: int, loader: Any, base_seed: int, make_fetcher: Callable[[Any], Any]) -> None:
        dataset = copy.copy(loader.dataset) if isinstance(loader.dataset, Dataset) else loader.dataset
        self.info = WorkerInfo(number, loader.num_workers, base_seed + number, dataset)
        self.is_active = True
        self._make_fetcher, self._fetcher = make_fetcher, None
        self._failed: Exception | None = None  # in `worker_init_fn`: told with the first batch
        outside = _states()
        random.seed(self.info.seed)
        np.random.seed(_numpy_seed(base_seed, number))
        torchlike.manual_seed(self.info.seed)
        self._own = _states()
        _restore(outside)
        if loader.worker_init_fn is not None:
            try:
                self._at_work(functools.partial(loader.worker_init_fn, number))
            except Exception as error:
                self._failed = errors.in_worker(error, number)

    def resume(self) -> None:
        """Begin another epoch."""
        self.is_active, self._fetcher = True, None

    def fetch(self, index: Any) -> Any:
        if self._failed is not None:
            raise self._failed
        return self._at_work(functools.partial(self._fetched, index))

    def _fetched(self, index: Any) -> Any:
        try:
            if self._fetcher is None:
                self._fetcher = self._make_fetcher(self.info.dataset)
            return self._fetcher.fetch(index)
        except StopIteration:
            raise
        except Exception as error:
            raise errors.in_worker(error, self.info.id) from error

    def _at_work(self, act: Callable[[], Any]) -> Any:
        """What `act` returns in this worker's turn. No interrupt leaves the worker's generators in place of the
        process's, wherever it comes: the turn ends in any case."""
        outside: list = []
        try:
            with uninterrupted():
                self._begin(outside)
            return act()
        finally:
            try:
                with uninterrupted():
                    self._end(outside)
            except BaseException:
                with uninterrupted():
                    self._end(outside)
                raise

    def _begin(self, outside: list) -> None:
        global _current
        outside += [_states(), _current]
        _restore(self._own)
        _current = self.info

    def _end(self, outside: list) -> None:
        global _current
        if outside:
            self._own = _states()
            _current = outside.pop()
            _restore(outside.pop())


def _states() -> tuple[Any, Any, Any]:
    return random.getstate(), np.random.get_state(), torchlike.get_rng_state()


def _restore(states: tuple[Any, Any, Any]) -> None:
    random.setstate(states[0])
    np.random.set_state(states[1])
    torchlike.set_rng_state(states[2])


def _numpy_seed(base_seed: int, number: int) -> np.ndarray:
    return np.random.SeedSequence([number, base_seed & 0xFFFFFFFF, base_seed >> 32, 0]).generate_state(4)
