"""Results of asynchronous computations."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Generic, TypeVar

T = TypeVar("T")
S = TypeVar("S")


class Future(Generic[T]):
    """A result that is set once, by `set_result` or `set_exception`, possibly in another thread.

    Args:
      devices: has no effect.

    >>> import torchlike as torch
    >>> future = torch.futures.Future()
    >>> future.set_result(3)
    >>> future.wait()
    3
    """

    def __init__(self, *, devices: Sequence[Any] | None = None) -> None:
        from torchlike._dtypes.devices import device
        from torchlike._engine.accelerators import jax_device

        for each in map(device, devices or ()):
            if each.index is None:
                raise ValueError(f"Expected devices to have indices, got {each}")
            jax_device(each.type, each.index)
        self._lock = threading.Lock()
        self._ready = threading.Event()
        self._callbacks: list[Callable[[Future[T]], Any]] = []
        self._value: Any = None
        self._error: BaseException | None = None

    def done(self) -> bool:
        """Return whether the future has a result or an exception."""
        return self._ready.is_set()

    def wait(self) -> T:
        """Wait for the result and return it. Raise the exception if one was set."""
        self._ready.wait()
        return self.value()

    def value(self) -> T:
        """Return the result of a completed future. Raise the exception if one was set."""
        if not self.done():
            raise RuntimeError("Future.value(): there is no result yet; check done(), or call wait()")
        if self._error is not None:
            raise self._error
        return self._value

    def set_result(self, result: T) -> None:
        """Set the result and run the callbacks."""
        self._complete(result, None)

    def set_exception(self, result: BaseException) -> None:
        """Set an exception instead of a result, and run the callbacks."""
        if not isinstance(result, Exception):
            raise AssertionError(f"{result} is of type {type(result)}, not an Exception.")
        self._complete(None, result)

    def _complete(self, value: Any, error: BaseException | None) -> None:
        with self._lock:
            if self.done():
                raise RuntimeError(
                    "Attempting to mark a completed Future as complete again. Note that a Future can "
                    "only be marked completed once."
                )
            self._value, self._error = value, error
            self._ready.set()
            waiting, self._callbacks = self._callbacks, []
        for callback in waiting:
            callback(self)

    def add_done_callback(self, callback: Callable[[Future[T]], None]) -> None:
        """Call `callback(self)` on completion, or immediately if the future is already completed."""
        with self._lock:
            if not self.done():
                self._callbacks.append(callback)
                return
        callback(self)

    def then(self, callback: Callable[[Future[T]], S]) -> Future[S]:
        """Return a future of the value of `callback(self)`, which is called when this future is completed.

        If the callback raises an exception, it becomes the exception of the returned future.
        """
        made: Future[S] = Future()

        def run(done: Future[T]) -> None:
            try:
                found = callback(done)
            except Exception as error:
                made.set_exception(error)
            else:
                made.set_result(found)

        self.add_done_callback(run)
        return made


def collect_all(futures: Iterable[Future]) -> Future[list[Future]]:
    """Return a future that is completed when all `futures` are completed. Its result is the list of these futures.

    >>> import torchlike as torch
    >>> first, second = torch.futures.Future(), torch.futures.Future()
    >>> both = torch.futures.collect_all([first, second])
    >>> first.set_result(1)
    >>> second.set_result(2)
    >>> [future.value() for future in both.wait()]
    [1, 2]
    """
    awaited = list(futures)
    made: Future[list[Future]] = Future()
    left, lock = [len(awaited)], threading.Lock()

    def one_more(_: Future) -> None:
        with lock:
            left[0] -= 1
            last = not left[0]
        if last:
            made.set_result(awaited)

    if not awaited:
        made.set_result(awaited)
    for each in awaited:
        each.add_done_callback(one_more)
    return made


def wait_all(futures: Iterable[Future]) -> list:
    """Wait for all futures and return their results.

    If some futures have an exception, raise the exception of the first of them.
    """
    return [future.wait() for future in collect_all(futures).wait()]
