"""Workers that take turns in the main process, for systems on which processes cannot share memory.

Each has its own copy of the dataset object and its own random generator states (of Python, NumPy and torchlike) with
PyTorch's seeds. It therefore loads the same batches in the same order as a process, but without parallelism.
"""

from __future__ import annotations

import copy
import dataclasses
import random
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np

import torchlike
from torchlike._internal import uninterrupted
from torchlike.utils.data._utils.worker import Fetching, Job, WorkerInfo, place, seed
from torchlike.utils.data.dataset import Dataset


class Turns:
    """A group of workers in this process, with the interface of `Workers`. A request is answered in `wait`.

    Attributes:
        processes: an empty list.
        arrived: the answers that the caller has not taken yet.
    """

    def __init__(self, job: Job) -> None:
        self.processes: list[Any] = []
        self._workers = [_Worker(number, job) for number in range(job.count)]
        self._requests: deque[tuple[int, Any]] = deque()
        self.arrived: deque[tuple] = deque()

    def send(self, number: int, request: Any) -> None:
        """Keep a request for a worker."""
        self._requests.append((number, request))

    def wait(self, timeout: float = 0) -> None:
        """Answer the oldest request. `timeout` has no effect. An interrupted request is answered at the next call."""
        number, request = self._requests[0]
        answer = self._workers[number].answer(request)
        with uninterrupted():
            self._requests.popleft()
            self.arrived.append(answer)

    def look(self, seconds: float = 0) -> bool:
        """Return False: no answer arrives by itself."""
        return False

    def close(self) -> None:
        """Drop the requests and the answers."""
        self._requests.clear()
        self.arrived.clear()


class _Worker:
    def __init__(self, number: int, job: Job) -> None:
        dataset = copy.copy(job.dataset) if isinstance(job.dataset, Dataset) else job.dataset
        job = dataclasses.replace(job, dataset=dataset)
        self._info = WorkerInfo(number, job.count, job.base_seed + number, dataset)
        outside = _states()
        seed(job.base_seed, number)
        self._own = _states()
        _restore(outside)
        self._fetching: Fetching = self._at_work(lambda: Fetching(job, number))

    def answer(self, request: Any) -> tuple:
        return self._at_work(lambda: self._fetching.respond(request))

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
        outside += [_states(), place.info]
        _restore(self._own)
        place.info = self._info

    def _end(self, outside: list) -> None:
        if outside:
            self._own = _states()
            place.info = outside.pop()
            _restore(outside.pop())


def _states() -> tuple[Any, Any, Any]:
    return random.getstate(), np.random.get_state(), torchlike.get_rng_state()


def _restore(states: tuple[Any, Any, Any]) -> None:
    random.setstate(states[0])
    np.random.set_state(states[1])
    torchlike.set_rng_state(states[2])
