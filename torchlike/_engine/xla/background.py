"""Compiles in background threads, one at a time, while their programs are interpreted."""

from __future__ import annotations

import functools
import threading
import time
from collections.abc import Callable
from typing import Any, Generic, TypeVar
from weakref import WeakSet

from torchlike._engine.heap import LONG_COMPILE, release_freed_blocks
from torchlike._engine.report import log

T = TypeVar("T")
NAME = "torchlike-compile"  # of the threads
_one = threading.Lock()  # held by the compile under way: two at once take as long, and twice the memory


class Job(Generic[T]):
    """A function that runs in a background thread.

    Python waits for the thread at exit, because XLA cannot abandon a compile. A compile that has not begun by then is
    skipped. A fork waits as well: a child process would inherit the locks of the compile.

    Attributes:
      seconds: the duration of the function.
    """

    seconds = 0.0

    def __init__(self, function: Callable[[], T]) -> None:
        self._function = function
        self._result: list[T] = []
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name=NAME)
        self._thread.start()
        _running.add(self)
        _announce_the_wait()

    def _run(self) -> None:
        with _one:
            if not threading.main_thread().is_alive():
                return
            release_freed_blocks(LONG_COMPILE)  # of the interpreted steps, before the compile needs memory
            started = time.perf_counter()
            try:
                self._result.append(self._function())
            except BaseException as error:
                self._error = error
            self.seconds = time.perf_counter() - started
            del self._function

    def is_done(self) -> bool:
        """Return whether the function has returned or raised."""
        return not self._thread.is_alive()

    def wait(self) -> None:
        """Wait until the function has returned or raised."""
        self._thread.join()

    def result(self) -> T:
        """Wait for the function, and return its result or raise its error."""
        self.wait()
        if self._error is not None:
            raise self._error
        return self._result[0]


_running: WeakSet[Job[Any]] = WeakSet()


def in_background() -> bool:
    """Return whether a job calls this function."""
    return threading.current_thread().name == NAME


@functools.cache
def _announce_the_wait() -> None:
    """Start the thread that announces at the end of the main thread that Python waits for a compile."""

    def announce() -> None:
        threading.main_thread().join()
        if not all(job.is_done() for job in [*_running]):
            log.tell_user("waiting at exit for a compile in the background")

    threading.Thread(target=announce, daemon=True).start()


def wait_for_all() -> None:
    """Wait for all compiles in the background."""
    for job in [*_running]:
        job.wait()
