"""The rules of iterators over an `IterDataPipe`: the last one is valid, and a new one resets the pipe."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from enum import Enum
from typing import Any

_FEEDBACK = (
    "\nFor feedback regarding this single iterator per IterDataPipe constraint, feel free "
    "to comment on this issue: https://github.com/pytorch/data/issues/45."
)
_RULE = "single iterator per IterDataPipe constraint"
_THROWN = "thrown by __iter__ of"


class _SnapshotState(Enum):
    """Whether a pipe has been iterated over, or was moved forward to the place of a snapshot."""

    NotStarted = 0
    Restored = 1
    Iterating = 2


# -- texts -------------------------------------------------------------------------------------------------------------


def described(pipe: Any) -> str:
    """Return the class of a pipe and the arguments of its constructor, as far as they are attributes."""
    parameters = inspect.signature(type(pipe)).parameters
    shown = [
        f"{name}={value.__name__ if inspect.isfunction(value) else repr(value)}"
        for name, value in inspect.getmembers(pipe)
        if name in parameters
    ]
    return f"{type(pipe).__name__}({', '.join(shown)})"


def _invalidated(pipe: Any) -> str:
    return (
        f"This iterator has been invalidated because another iterator has been created from the same IterDataPipe: "
        f"{described(pipe)}\nThis may be caused by multiple references to the same IterDataPipe. We recommend using "
        "`.fork()` if that is necessary."
    )


def _explain(error: Exception, pipe: Any) -> None:
    """Add the pipe that raised an error to the error's message, except if the message already has one."""
    place = f"\nThis exception is {_THROWN} {described(pipe)}"
    if not error.args or not isinstance(error.args[0], str):
        error.args = (place,)
    elif _THROWN not in error.args[0] and _RULE not in error.args[0]:
        error.args = (error.args[0] + place, *error.args[1:])


# -- validity ----------------------------------------------------------------------------------------------------------


def _is_child(pipe: Any) -> bool:
    return getattr(pipe, "_is_child_datapipe", False) is True


def _claim(pipe: Any) -> int:
    """Make a new iterator the valid one, reset the pipe, and return the number of the iterator."""
    if _is_child(pipe):
        if not hasattr(pipe, "_set_main_datapipe_valid_iterator_id"):
            raise RuntimeError("ChildDataPipe must have method `_set_main_datapipe_valid_iterator_id`.")
        pipe._set_main_datapipe_valid_iterator_id()
    else:
        pipe._valid_iterator_id = 0 if pipe._valid_iterator_id is None else pipe._valid_iterator_id + 1
        pipe.reset()
    return pipe._valid_iterator_id


def _check(pipe: Any, number: int) -> None:
    """Raise RuntimeError if an iterator is not valid any more."""
    if not _is_child(pipe):
        if pipe._valid_iterator_id != number:
            raise RuntimeError(_invalidated(pipe) + _FEEDBACK)
        return
    if not hasattr(pipe, "_check_valid_iterator_id"):
        raise RuntimeError("ChildDataPipe must have method `_check_valid_iterator_id`.")
    if not pipe._check_valid_iterator_id(number):
        raise RuntimeError(
            "This iterator has been invalidated, because a new iterator has been created from one of the "
            f"ChildDataPipes of {described(pipe.main_datapipe)}." + _FEEDBACK
        )


# -- wrapped methods ---------------------------------------------------------------------------------------------------


class _Guarded:
    """An iterator that checks before each element whether it is still valid.

    It wraps what an `__iter__` returns that is not a generator function. `counts` says whether it counts the elements.
    """

    def __init__(self, iterator: Iterator, datapipe: Any, iterator_id: int, counts: bool) -> None:
        self.iterator, self.datapipe, self.iterator_id = iterator, datapipe, iterator_id
        self._counts = counts

    def __iter__(self) -> _Guarded:
        return self

    def __next__(self) -> Any:
        _check(self.datapipe, self.iterator_id)
        element = next(self.iterator)
        if self._counts:
            self.datapipe._number_of_samples_yielded += 1
        return element

    def __getattr__(self, name: str) -> Any:
        return getattr(self.iterator, name)


def guard_iteration(namespace: dict[str, Any]) -> None:
    """Wrap the methods `__iter__` and `__next__` in the namespace of a class."""
    function = namespace["__iter__"]
    if inspect.isgeneratorfunction(function):
        namespace["__iter__"] = _of_generator(function)
        return
    has_next = "__next__" in namespace
    if has_next:
        namespace["__next__"] = _counting(namespace["__next__"])
    namespace["__iter__"] = _of_function(function, has_next)


def _forwarded(pipe: Any) -> Iterator | None:
    """Return the iterator of a pipe that was moved forward. It is used once."""
    ahead = pipe._fast_forward_iterator
    if ahead:
        pipe._fast_forward_iterator = None
        pipe._snapshot_state = _SnapshotState.Iterating
    return ahead or None


def _of_generator(function: Callable) -> Callable:
    @functools.wraps(function)
    def iterate(self: Any, *args: Any, **kwargs: Any) -> Any:
        stream = function(self, *args, **kwargs)
        ahead = _forwarded(self)
        if ahead is not None:
            for element in ahead:
                yield element
            return
        number, request = _claim(self), None
        try:
            element = stream.send(None)
            while True:
                self._number_of_samples_yielded += 1
                request = yield element
                _check(self, number)
                element = stream.send(request)
        except StopIteration:
            return
        except Exception as error:
            _explain(error, self)
            raise

    return iterate


def _of_function(function: Callable, has_next: bool) -> Callable:
    @functools.wraps(function)
    def iterate(self: Any, *args: Any, **kwargs: Any) -> Any:
        iterator = function(self, *args, **kwargs)
        self._snapshot_state = _SnapshotState.Iterating
        ahead = _forwarded(self)
        if ahead is not None:
            return ahead
        return _Guarded(iterator, self, _claim(self), counts=not (iterator is self and has_next))

    return iterate


def _counting(function: Callable) -> Callable:
    @functools.wraps(function)
    def advance(self: Any, *args: Any, **kwargs: Any) -> Any:
        element = function(self, *args, **kwargs)
        self._number_of_samples_yielded += 1
        return element

    return advance


def guard_reset(function: Callable) -> Callable:
    """Return a `reset` that keeps the place of a pipe that was moved forward to a snapshot."""

    @functools.wraps(function)
    def reset(self: Any, *args: Any, **kwargs: Any) -> None:
        if self._snapshot_state != _SnapshotState.Restored:
            self._number_of_samples_yielded = 0
            self._fast_forward_iterator = None
            function(self, *args, **kwargs)
        self._snapshot_state = _SnapshotState.Iterating

    return reset
