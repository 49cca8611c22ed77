"""`DataLoader`, which combines a dataset, a sampler and a collate function into an iterable over batches."""

from __future__ import annotations

import functools
import itertools
import math
import os
import socket
import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import cycle, islice
from typing import Any, Generic, TypeVar

from torchlike._internal import active, batch, boundary, uninterrupted, warn
from torchlike.utils.data import _errors as errors
from torchlike.utils.data import _utils as _utils
from torchlike.utils.data import graph as graph
from torchlike.utils.data import graph_settings as graph_settings
from torchlike.utils.data._utils import pipes
from torchlike.utils.data._utils.collate import default_collate as default_collate
from torchlike.utils.data._utils.collate import default_convert as default_convert
from torchlike.utils.data._utils.fetch import IterableFetcher, MapFetcher
from torchlike.utils.data._utils.pin_memory import sent_ahead, target
from torchlike.utils.data._utils.turns import Turns
from torchlike.utils.data._utils.worker import DATA, ENDED, FAILED, RESUMED, Job
from torchlike.utils.data._utils.worker import get_worker_info as get_worker_info
from torchlike.utils.data.dataset import IterableDataset
from torchlike.utils.data.sampler import BatchSampler, RandomSampler, Sampler, SequentialSampler, _draw_seed

_collate_fn_t = Callable[[list], Any]  # libraries import these names for annotations
_worker_init_fn_t = Callable[[int], None]

T_co = TypeVar("T_co", covariant=True)


class _DatasetKind:
    Map = 0
    Iterable = 1


class _InfiniteConstantSampler(Sampler):
    """The default sampler of an `IterableDataset`, which yields None forever."""

    def __iter__(self) -> Iterator[None]:
        while True:
            yield None


class DataLoader(Generic[T_co]):
    """An iterable over the batches of a dataset, loaded in the main process or by worker processes.

    Args:
      dataset: a dataset with `__getitem__` and `__len__`, or an `IterableDataset`.
      batch_size: the number of samples per batch. If None, single samples are converted but not collated.
      shuffle: whether to shuffle the data in every epoch. The same seed gives the same order as in PyTorch.
      sampler: an iterable over indices, in place of the default sampler.
      batch_sampler: an iterable over lists of indices, one list per batch.
      num_workers: the number of worker processes, each with its own random generators. They compute with NumPy. On
        Windows, the workers take turns in the main process.
      collate_fn: the function that merges a list of samples into a batch. Default: `default_collate`.
      pin_memory: start the transfer of each batch to the current accelerator when it is loaded. The tensors stay on
        the CPU, and `tensor.to(device)` uses the transferred arrays. With workers, a batch that has arrived is
        transferred while the device computes with the previous one. `is_pinned()` is True. Without an accelerator,
        PyTorch's warning is emitted.
      drop_last: whether to drop the last batch if it is incomplete.
      timeout: the seconds to wait for a batch of a worker. 0 means without limit.
      worker_init_fn: a function that each worker calls with its id before it loads samples.
      multiprocessing_context: a start method of `multiprocessing`, or a context. The default is that of Python, which
        is "fork" on Linux before Python 3.14. With "spawn" and "forkserver", the dataset and the functions are
        pickled, and the workers import the main module.
      generator: the random generator for the base seed and the shuffled order, in place of the global generator.
      prefetch_factor: the number of batches per worker for which indices are sampled in advance.
      persistent_workers: whether to keep the workers between epochs.
      pin_memory_device: deprecated and ignored, with a warning if `pin_memory` is True.
      in_order: whether the batches of workers are returned in the order of their indices. If not, they are returned
        as they arrive.

    Raises:
      ValueError: Mutually exclusive options are given, or an option is invalid.
      RuntimeError: In the iteration, a worker ended unexpectedly, or took longer than `timeout`. An error of the
        dataset is raised with its type and the traceback of the worker.

    >>> from torchlike.utils.data import DataLoader
    >>> list(DataLoader(["a", "b", "c"], batch_size=2))
    [['a', 'b'], ['c']]
    """

    dataset: Any
    batch_size: int | None
    sampler: Any
    batch_sampler: Any
    drop_last: bool
    _iterator: Any = None
    __initialized = False

    def __init__(
        self,
        dataset: Any,
        batch_size: int | None = 1,
        shuffle: bool | None = None,
        sampler: Sampler | Iterable | None = None,
        batch_sampler: Sampler[list] | Iterable[list] | None = None,
        num_workers: int = 0,
        collate_fn: Callable[[list], Any] | None = None,
        pin_memory: bool = False,
        drop_last: bool = False,
        timeout: float = 0,
        worker_init_fn: Callable[[int], None] | None = None,
        multiprocessing_context: Any = None,
        generator: Any = None,
        *,
        prefetch_factor: int | None = None,
        persistent_workers: bool = False,
        pin_memory_device: str = "",
        in_order: bool = True,
    ) -> None:
        _check_worker_options(num_workers, timeout, prefetch_factor, persistent_workers)
        self.dataset = pipes.wrapped(dataset)
        self.num_workers = num_workers
        self.prefetch_factor = 2 if prefetch_factor is None and num_workers > 0 else prefetch_factor
        self.pin_memory = pin_memory
        self.pin_memory_device = pin_memory_device
        self.timeout = timeout
        self.worker_init_fn = worker_init_fn
        self.multiprocessing_context = multiprocessing_context
        self.in_order = in_order
        if isinstance(dataset, IterableDataset):
            self._dataset_kind = _DatasetKind.Iterable
            _check_stream_options(None if pipes.takes_shuffle(dataset, shuffle) else shuffle, sampler, batch_sampler)
        else:
            self._dataset_kind = _DatasetKind.Map
        self.generator = generator
        self._set_samplers(batch_size, shuffle, sampler, batch_sampler, drop_last)
        self.collate_fn = collate_fn or (default_collate if self._auto_collation else default_convert)
        self.persistent_workers = persistent_workers
        self._IterableDataset_len_called: int | None = None
        self.__initialized = True
        self.check_worker_number_rationality()

    def _set_samplers(self, batch_size: int | None, shuffle: Any, sampler: Any, batches: Any, drop_last: bool) -> None:
        """Set the sampler, the batch sampler (from `batches`) and the attributes that describe them."""
        if batches is not None:
            if batch_size != 1 or shuffle or sampler is not None or drop_last:
                raise ValueError(
                    "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last"
                )
            batch_size, drop_last = None, False
        elif batch_size is None and drop_last:
            raise ValueError("batch_size=None option disables auto-batching and is mutually exclusive with drop_last")
        if sampler is None:
            sampler = self._default_sampler(shuffle, self.generator)
        elif shuffle:
            raise ValueError("sampler option is mutually exclusive with shuffle")
        if batch_size is not None and batches is None:
            batches = BatchSampler(sampler, batch_size, drop_last)
        self.batch_size, self.drop_last = batch_size, drop_last
        self.sampler, self.batch_sampler = sampler, batches

    def _default_sampler(self, shuffle: bool | None, generator: Any) -> Sampler:
        if self._dataset_kind == _DatasetKind.Iterable:
            return _InfiniteConstantSampler()
        return RandomSampler(self.dataset, generator=generator) if shuffle else SequentialSampler(self.dataset)

    def check_worker_number_rationality(self) -> None:
        """Warn if there are more workers than processors that this process may use."""
        processors = _processors()
        if self.num_workers and processors is not None and self.num_workers > processors:
            warn(errors.too_many_workers(self.num_workers, processors))

    def __setattr__(self, name: str, value: Any) -> None:
        if self.__initialized and name in _FIXED:
            raise ValueError(f"{name} attribute should not be set after {type(self).__name__} is initialized")
        super().__setattr__(name, value)

    @property
    def multiprocessing_context(self) -> Any:
        return self.__context

    @multiprocessing_context.setter
    def multiprocessing_context(self, context: Any) -> None:
        if context is not None and self.num_workers == 0:
            raise ValueError(
                "multiprocessing_context can only be used with multi-process loading (num_workers > 0), "
                f"but got num_workers={self.num_workers}"
            )
        self.__context = None if context is None else _context(context)

    @property
    def _auto_collation(self) -> bool:
        return self.batch_sampler is not None

    @property
    def _index_sampler(self) -> Any:
        return self.batch_sampler if self._auto_collation else self.sampler

    def _get_iterator(self) -> _BaseDataLoaderIter:
        if not self.num_workers:
            return _SingleProcessDataLoaderIter(self)
        self.check_worker_number_rationality()
        return _MultiProcessingDataLoaderIter(self)

    def __iter__(self) -> _BaseDataLoaderIter:
        if not (self.persistent_workers and self.num_workers):
            return self._get_iterator()
        if self._iterator is None:
            self._iterator = self._get_iterator()
        else:
            self._iterator._reset(self)
        return self._iterator

    def __len__(self) -> int:
        if self._dataset_kind != _DatasetKind.Iterable:
            return len(self._index_sampler)
        length = self._IterableDataset_len_called = len(self.dataset)
        if self.batch_size is None:
            return length
        return length // self.batch_size if self.drop_last else math.ceil(length / self.batch_size)


def _processors() -> int | None:
    """Return the number of processors that this process may use, or None if it is unknown."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()


def _context(context: Any) -> Any:
    import multiprocessing  # imported here because the import is slow
    from multiprocessing.context import BaseContext

    methods = multiprocessing.get_all_start_methods()
    found = multiprocessing.get_context(context) if context in methods else context
    if not isinstance(found, BaseContext):
        raise errors.bad_context(context, methods)
    return found


_FIXED = ("batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers")


def _check_worker_options(workers: int, timeout: float, prefetch: int | None, persistent: bool) -> None:
    if workers < 0:
        raise errors.negative("num_workers")
    if timeout < 0:
        raise errors.negative("timeout")
    if workers == 0 and prefetch is not None:
        raise ValueError(
            "prefetch_factor option could only be specified in multiprocessing."
            "let num_workers > 0 to enable multiprocessing, otherwise set prefetch_factor to None."
        )
    if prefetch is not None and prefetch < 0:
        raise errors.negative("prefetch_factor")
    if persistent and workers == 0:
        raise ValueError("persistent_workers option needs num_workers > 0")


def _check_stream_options(shuffle: bool | None, sampler: Any, batch_sampler: Any) -> None:
    if shuffle not in (False, None):
        raise errors.iterable_option("shuffle", shuffle)
    if sampler is not None:
        raise errors.iterable_option("sampler", sampler)
    if batch_sampler is not None:
        raise errors.iterable_option("batch_sampler", batch_sampler)


class _BaseDataLoaderIter:
    """An iterator over one epoch. As in PyTorch, the constructor samples one seed from the loader's generator."""

    _has_workers = False

    def __init__(self, loader: DataLoader) -> None:
        self._dataset = loader.dataset
        self._pipes_seed = pipes.set_seeds(loader.dataset, loader.generator)
        self._dataset_kind = loader._dataset_kind
        self._promised = loader._IterableDataset_len_called
        self._index_sampler = loader._index_sampler
        self._sampler_iter = iter(self._index_sampler)
        self._base_seed = _draw_seed(loader.generator)
        self._num_yielded = 0
        _warn_about_pinning(loader)
        self._pins = loader.pin_memory and target() is not None

    def __iter__(self) -> _BaseDataLoaderIter:
        return self

    def _next_index(self) -> Any:
        return next(self._sampler_iter)

    def _next_data(self) -> Any:
        raise NotImplementedError

    def __next__(self) -> Any:
        boundary()
        data = self._next_data()
        # The indices differ in each batch, so fetching must not be part of the program that uses the batch.
        boundary()
        if active.mesh is not None:
            batch(data)
        if self._pins:
            data = sent_ahead(data)
        self._num_yielded += 1
        self._warn_when_too_long()
        return data

    def _warn_when_too_long(self) -> None:
        if self._promised is not None and self._num_yielded > self._promised:
            warn(errors.iterable_too_long(self._dataset, self._promised, self._num_yielded, self._has_workers))

    def __len__(self) -> int:
        return len(self._index_sampler)


class _SingleProcessDataLoaderIter(_BaseDataLoaderIter):
    """An iterator that loads each batch on demand without workers."""

    def __init__(self, loader: DataLoader) -> None:
        super().__init__(loader)
        if loader.timeout != 0:
            raise AssertionError("_SingleProcessDataLoaderIter requires timeout == 0")
        pipes.set_share(loader.dataset)
        fetcher = IterableFetcher if self._dataset_kind == _DatasetKind.Iterable else MapFetcher
        self._dataset_fetcher = fetcher(loader.dataset, loader._auto_collation, loader.collate_fn, loader.drop_last)

    def _next_data(self) -> Any:
        return self._dataset_fetcher.fetch(self._next_index())


def _warn_about_pinning(loader: DataLoader) -> None:
    if not loader.pin_memory:
        return
    if loader.pin_memory_device:
        warn(errors.pin_device_deprecated(loader.pin_memory_device))
    if target() is None:
        warn(errors.pin_without_accelerator())


def _workers_of(job: Job, context: Any) -> Any:
    """Return the started workers: processes, or workers in this process on a system where these cannot share memory."""
    if not hasattr(socket, "send_fds"):
        return Turns(job)
    from torchlike.utils.data._utils.processes import Workers  # imported here because the import is slow

    return Workers(job, context)


class _MultiProcessingDataLoaderIter(_BaseDataLoaderIter):
    """An iterator over the batches of worker processes.

    As in PyTorch, indices are sampled several batches in advance, and the workers take them in turn. With `pin_memory`
    on an accelerator, a batch that has arrived is transferred before the previous one is returned.
    """

    _has_workers = True

    def __init__(self, loader: DataLoader) -> None:
        super().__init__(loader)
        self._timeout, self._in_order = loader.timeout, loader.in_order
        self._persistent_workers = loader.persistent_workers
        self._count, self._most = loader.num_workers, loader.prefetch_factor or 0  # workers, requests of each
        fetcher = IterableFetcher if self._dataset_kind == _DatasetKind.Iterable else MapFetcher
        make = functools.partial(
            fetcher,
            auto_collation=loader._auto_collation,
            collate_fn=loader.collate_fn,
            drop_last=loader.drop_last,
        )
        if self._most <= 0:
            raise AssertionError("prefetch_factor must be greater than 0 for MultiProcessingDataLoaderIter")
        first = pipes.with_shares(loader.dataset, loader.worker_init_fn)
        job = Job(
            loader.dataset, make, first, self._base_seed, loader.num_workers, os.getpid(), pipes_seed=self._pipes_seed
        )
        self._group = _workers_of(job, loader.multiprocessing_context)
        self._workers = self._group.processes
        pipes.set_seeds(loader.dataset, loader.generator)  # PyTorch samples a second seed, which workers do not get
        self._begin()

    def _reset(self, loader: DataLoader) -> None:
        """Start another epoch with the same workers. The answers of the last epoch are dropped."""
        self._sampler_iter = iter(self._index_sampler)
        self._num_yielded = 0
        self._promised = loader._IterableDataset_len_called
        self._pipes_seed = pipes.set_seeds(loader.dataset, loader.generator)
        for worker in range(self._count):
            self._group.send(worker, (None, self._pipes_seed))
        waiting = self._count
        while waiting:
            self._group.wait(self._timeout)
            waiting -= self._group.arrived.popleft()[1] == RESUMED
        self._begin()

    def _begin(self) -> None:
        self._active = [True] * self._count
        self._tasks: dict[int, int] = {}  # the numbers of the batches not yet returned, and their workers
        self._arrived: dict[int, tuple[str, Any]] = {}
        self._numbers, self._turns = itertools.count(), cycle(range(self._count))
        for _ in range(self._most * self._count):
            self._assign()

    def _assign(self) -> None:
        """Sample the index of one more batch, and send it to the next worker."""
        try:
            index = self._next_index()
        except StopIteration:
            return
        worker = next((w for w in islice(self._turns, self._count) if self._accepts_requests(w)), None)
        if worker is not None:
            number = next(self._numbers)
            with uninterrupted():
                self._group.send(worker, (number, index))
                self._tasks[number] = worker

    def _accepts_requests(self, worker: int) -> bool:
        if self._in_order or not self._active[worker]:
            return self._active[worker]
        requests = sum(w == worker for w in self._tasks.values())
        return requests < self._most * self._count // sum(self._active)

    def _next_data(self) -> Any:
        kind, data = self._next_answer()
        if kind == FAILED:
            try:
                raise data
            finally:
                del data  # without the cycle of the error and this frame, the workers end with the last reference
        if self._pins:
            self._send_arrived()
        return data

    def _next_answer(self) -> tuple[str, Any]:
        """Wait for the next batch or error, and return it. Ask for one more batch.

        A worker whose stream has ended gets no more requests. This depends on the order of the batches, not on the
        time at which they arrive, so that the order of the following batches is fixed as well.
        """
        while True:
            self._drop_ended()
            if not self._tasks:
                self._end()
                raise StopIteration
            number = self._next_number()
            if number is None:
                self._group.wait(self._timeout)
                self._take()
                continue
            with uninterrupted():
                kind, data = self._arrived.pop(number)
                worker = self._tasks.pop(number)
                if kind == ENDED:
                    self._active[worker] = False
                self._assign()
            if kind != ENDED:
                return kind, data

    def _next_number(self) -> int | None:
        """Return the number of the next batch if it has arrived."""
        if self._in_order:
            first = next(iter(self._tasks), None)
            return first if first in self._arrived else None
        return next(iter(self._arrived), None)

    def _take(self) -> None:
        """Keep the answers that have arrived, except those of dropped requests."""
        with uninterrupted():
            while self._group.arrived:
                number, kind, data = self._group.arrived.popleft()
                if number in self._tasks:
                    self._arrived[number] = kind, data

    def _drop_ended(self) -> None:
        """Drop the requests of workers whose stream has ended."""
        for number, worker in [*self._tasks.items()]:
            if not self._active[worker]:
                del self._tasks[number]
                self._arrived.pop(number, None)

    def _send_arrived(self) -> None:
        """Start the transfer of the next batch to the accelerator, if it has arrived."""
        while self._tasks and self._next_number() is None and self._group.look():
            self._take()
        number = self._next_number()
        if number is not None and self._arrived[number][0] == DATA:
            self._arrived[number] = DATA, sent_ahead(self._arrived[number][1])

    def _end(self) -> None:
        if not self._persistent_workers:
            self._shutdown_workers()

    def _shutdown_workers(self) -> None:
        """End the worker processes. The iterator has no more batches."""
        self._tasks = {}
        self._group.close()

    def __del__(self, is_finalizing: Callable[[], bool] = sys.is_finalizing) -> None:
        # When the interpreter ends, the workers have ended, and globals of modules may be None.
        group = self.__dict__.get("_group")
        if group is not None and not is_finalizing():
            group.close()
