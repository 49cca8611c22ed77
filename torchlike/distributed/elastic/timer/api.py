"""Timers that end a process whose block does not finish in time."""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from inspect import getframeinfo, stack
from typing import Any

from torchlike.distributed.elastic.utils.logging import get_logger

logger = get_logger(__name__)


class TimerRequest:
    """A request to start or to stop a timer.

    Args:
      worker_id: the process.
      scope_id (str): the name of the timer.
      expiration_time (float): when it expires, or a negative number to stop it.
    """

    __slots__ = ["expiration_time", "scope_id", "worker_id"]

    def __init__(self, worker_id: Any, scope_id: str, expiration_time: float) -> None:
        self.worker_id, self.scope_id, self.expiration_time = worker_id, scope_id, expiration_time

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TimerRequest) and all(getattr(self, x) == getattr(other, x) for x in self.__slots__)

    __hash__ = None  # type: ignore[assignment]


class TimerClient(ABC):
    """The base class of clients, which processes use."""

    @abstractmethod
    def acquire(self, scope_id: str, expiration_time: float) -> None:
        """Start a timer.

        Args:
          scope_id (str): the name of the timer.
          expiration_time (float): when it expires.
        """

    @abstractmethod
    def release(self, scope_id: str) -> None:
        """Stop a timer.

        Args:
          scope_id (str): the name of the timer.
        """


class RequestQueue(ABC):
    """The base class of queues of requests."""

    @abstractmethod
    def size(self) -> int:
        """Return the number of requests in the queue."""

    @abstractmethod
    def get(self, size: int, timeout: float) -> list[TimerRequest]:
        """Return requests from the queue.

        Args:
          size (int): the largest number of requests.
          timeout (float): the time to wait in seconds.
        """


class TimerServer(ABC):
    """The base class of servers, which end the processes of expired timers.

    Args:
      request_queue (RequestQueue): the queue of requests.
      max_interval (float): the longest time to wait for a request in seconds.
      daemon: whether the thread of the server is a daemon.
    """

    def __init__(self, request_queue: RequestQueue, max_interval: float, daemon: bool = True) -> None:
        super().__init__()
        self._request_queue, self._max_interval, self._daemon = request_queue, max_interval, daemon
        self._watchdog_thread: threading.Thread | None = None
        self._stop_signaled = False

    @abstractmethod
    def register_timers(self, timer_requests: list[TimerRequest]) -> None:
        """Start and stop timers.

        Args:
          timer_requests (list): the requests.
        """

    @abstractmethod
    def clear_timers(self, worker_ids: set[Any]) -> None:
        """Stop all timers of processes.

        Args:
          worker_ids (set): the processes.
        """

    @abstractmethod
    def get_expired_timers(self, deadline: float) -> dict[Any, list[TimerRequest]]:
        """Return the expired timers of each process.

        Args:
          deadline (float): the moment at which they must have expired.
        """

    @abstractmethod
    def _reap_worker(self, worker_id: Any) -> bool:
        """End a process, and return whether it has ended."""

    def _reap_worker_no_throw(self, worker_id: Any) -> bool:
        try:
            return self._reap_worker(worker_id)
        except Exception:
            logger.exception(
                "Uncaught exception thrown from _reap_worker(), "
                "check that the implementation correctly catches exceptions"
            )
            return True

    def _watchdog_loop(self) -> None:
        while not self._stop_signaled:
            try:
                self._run_watchdog()
            except Exception:
                logger.exception("Error running watchdog")

    def _run_watchdog(self) -> None:
        size = max(1, self._request_queue.size())
        self.register_timers(self._request_queue.get(size, self._max_interval))
        ended = set()
        for worker_id in self.get_expired_timers(time.time()):
            if self._reap_worker_no_throw(worker_id):
                ended.add(worker_id)
            else:
                logger.error("Error reaping worker=[%s]. Will retry on next watchdog.", worker_id)
        self.clear_timers(ended)

    def start(self) -> None:
        """Start the thread of the server."""
        self._watchdog_thread = threading.Thread(target=self._watchdog_loop, daemon=self._daemon)
        self._watchdog_thread.start()

    def stop(self) -> None:
        """Stop the thread of the server."""
        self._stop_signaled = True
        if self._watchdog_thread:
            self._watchdog_thread.join(self._max_interval)
            self._watchdog_thread = None


class _Chosen:
    """The client of `expires`."""

    client: TimerClient | None = None


def configure(timer_client: TimerClient) -> None:
    """Set the client of `expires`.

    Args:
      timer_client (TimerClient): the client.
    """
    _Chosen.client = timer_client


@contextmanager
def expires(after: float, scope: str | None = None, client: TimerClient | None = None) -> Iterator[None]:
    """Run a block under a timer.

    Args:
      after (float): the time in seconds after which the server may end this process.
      scope (str, optional): the name of the timer. Default: the source line.
      client (TimerClient, optional): the client. Default: that of `configure`.

    Raises:
      RuntimeError: there is no client.
    """
    client = client or _Chosen.client
    if client is None:
        raise RuntimeError("Configure timer client before using countdown timers.")
    if scope is None:
        caller = getframeinfo(stack()[1][0])
        scope = f"{caller.filename}#{caller.lineno}"
    client.acquire(scope, time.time() + after)
    try:
        yield
    finally:
        client.release(scope)
