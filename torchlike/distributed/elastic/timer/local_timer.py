"""Timers of processes on the same machine, which send their requests through a queue."""

from __future__ import annotations

import os
import signal
import time
from queue import Empty
from typing import Any

from .api import RequestQueue, TimerClient, TimerRequest, TimerServer, logger


class LocalTimerClient(TimerClient):
    """The client of a `LocalTimerServer`.

    Args:
      mp_queue: the queue of `multiprocessing` that the server reads.
    """

    def __init__(self, mp_queue: Any) -> None:
        super().__init__()
        self._mp_queue = mp_queue

    def acquire(self, scope_id: str, expiration_time: float) -> None:
        """Start a timer of this process.

        Args:
          scope_id (str): the name of the timer.
          expiration_time (float): when it expires.
        """
        self._mp_queue.put(TimerRequest(os.getpid(), scope_id, expiration_time))

    def release(self, scope_id: str) -> None:
        """Stop a timer of this process.

        Args:
          scope_id (str): the name of the timer.
        """
        self._mp_queue.put(TimerRequest(os.getpid(), scope_id, -1))


class MultiprocessingRequestQueue(RequestQueue):
    """A queue of requests on a queue of `multiprocessing`.

    Args:
      mp_queue: the queue.
    """

    def __init__(self, mp_queue: Any) -> None:
        super().__init__()
        self._mp_queue = mp_queue

    def size(self) -> int:
        """Return the number of requests in the queue."""
        return self._mp_queue.qsize()

    def get(self, size: int, timeout: float) -> list[TimerRequest]:
        """Return requests from the queue.

        Args:
          size (int): the largest number of requests.
          timeout (float): the time to wait in seconds.
        """
        found: list[TimerRequest] = []
        end = time.time() + timeout
        while len(found) < size and (not found or time.time() < end):
            try:
                found.append(self._mp_queue.get(block=True, timeout=max(end - time.time(), 0)))
            except Empty:
                break
        return found


class LocalTimerServer(TimerServer):
    """A server that kills processes of this machine whose timers expire.

    Args:
      mp_queue: the queue of `multiprocessing` to which the clients write.
      max_interval (float): the longest time to wait for a request in seconds.
      daemon: whether the thread of the server is a daemon.
    """

    def __init__(self, mp_queue: Any, max_interval: float = 60, daemon: bool = True) -> None:
        super().__init__(MultiprocessingRequestQueue(mp_queue), max_interval, daemon)
        self._timers: dict[tuple[Any, str], TimerRequest] = {}

    def register_timers(self, timer_requests: list[TimerRequest]) -> None:
        """Start and stop timers.

        Args:
          timer_requests (list): the requests.
        """
        for request in timer_requests:
            if request.expiration_time < 0:
                self._timers.pop((request.worker_id, request.scope_id), None)
            else:
                self._timers[request.worker_id, request.scope_id] = request

    def clear_timers(self, worker_ids: set[Any]) -> None:
        """Stop all timers of processes.

        Args:
          worker_ids (set): the numbers of the processes.
        """
        self._timers = {key: request for key, request in self._timers.items() if key[0] not in worker_ids}

    def get_expired_timers(self, deadline: float) -> dict[Any, list[TimerRequest]]:
        """Return the expired timers of each process.

        Args:
          deadline (float): the moment at which they must have expired.
        """
        found: dict[Any, list[TimerRequest]] = {}
        for request in self._timers.values():
            if request.expiration_time <= deadline:
                found.setdefault(request.worker_id, []).append(request)
        return found

    def _reap_worker(self, worker_id: int) -> bool:
        try:
            os.kill(worker_id, signal.SIGKILL)
        except ProcessLookupError:
            logger.info("Process with pid=%s does not exist. Skipping", worker_id)
        except Exception:
            logger.exception("Error terminating pid=%s", worker_id)
            return False
        return True
