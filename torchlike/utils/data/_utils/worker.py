"""Simulated workers of a `DataLoader`.

PyTorch's workers are processes. A process cannot be forked safely after JAX has started its threads, so these workers
run in turn in the main process. Each has its own copy of the dataset object and its own random generator states (of
Python, NumPy and torchlike) with PyTorch's seeds. It therefore loads the same batches in the same order as in PyTorch,
but without parallelism.
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


_current: WorkerInfo | None = None


def get_worker_info() -> WorkerInfo | None:
    """Return the information about the current `DataLoader` worker, or None outside of a worker.

    >>> get_worker_info() is None
    True
    """
    return _current


class Worker:
    """A simulated worker. `fetch(index)` returns a batch, or raises `StopIteration` at the end of its stream."""

    def __init__(self, number: int, loader: Any, base_seed: int, make_fetcher: Callable[[Any], Any]) -> None:
        dataset = copy.copy(loader.dataset) if isinstance(loader.dataset, Dataset) else loader.dataset
        self.info = WorkerInfo(number, loader.num_workers, base_seed + number, dataset)
        self.is_active = True
        self._make_fetcher, self._fetcher = make_fetcher, None
        self._failed: Exception | None = None  # the error of `worker_init_fn`, which the first `fetch` raises
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
        """Start another epoch."""
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
        """Call `act` with the random generator states of this worker and return its result.

        The states of the process are restored in all cases, even if an interrupt arrives during the restoration.
        """
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
