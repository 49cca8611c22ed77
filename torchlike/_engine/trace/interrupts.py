"""Deferral of signals during state changes, so that an interrupt leaves the state either unchanged or fully changed."""

from __future__ import annotations

import _signal  # pyright: ignore[reportMissingImports]  # no stub describes it
import functools
import threading
from _thread import get_ident, interrupt_main
from collections import deque
from collections.abc import Callable
from itertools import chain, repeat
from signal import Signals
from typing import Any

from torchlike import _native

# These functions run at every step. Unlike those of `signal`, they do not convert to enums, and they take a tenth of
# the time.
_get, _set = _signal.getsignal, _signal.signal
# Fault signals and real-time signals are not deferred.
_FAULTS = {"SIGKILL", "SIGSTOP", "SIGSEGV", "SIGBUS", "SIGFPE", "SIGILL", "SIGABRT", "SIGTRAP", "SIGSYS"}
_ALL = tuple([int(s) for s in Signals if s.name not in _FAULTS and not s.name.startswith("SIGRT")])
_main = threading.main_thread().ident
_caught: list[Any] = []


class _Held:
    """The deferred signals.

    `handlers` are the handlers of all signals as last read. `deferred` are those that run Python code, and `numbers`
    are the signals of the deferred handlers.
    """

    depth = 0
    handlers: list = []
    numbers: tuple[int, ...] = ()
    deferred: tuple[Callable, ...] = ()


def _catch(number: int, frame: object) -> None:
    _caught.append(number)


_catching = repeat(_catch)


class uninterrupted:
    """A context that defers signals. Their handlers run at the exit of the outermost block.

    Python runs signal handlers in the main thread only. The handler of any signal may raise, not only Ctrl-C's.
    """

    __slots__ = ()

    def __enter__(self) -> uninterrupted:
        if get_ident() == _main:
            if not _Held.depth:
                handlers = [*map(_get, _ALL)]
                if handlers != _Held.handlers:
                    _store_handlers(handlers)
                try:
                    deque(map(_set, _Held.numbers, _catching), 0)
                except BaseException:  # a handler ran in between and raised
                    _restore()
                    raise
            _Held.depth += 1
        return self

    def __exit__(self, *_: object) -> None:
        if get_ident() == _main:
            _Held.depth -= 1
            if not _Held.depth:
                try:
                    _restore()
                finally:
                    while _caught:  # the handler runs at Python's next check for signals
                        interrupt_main(_caught.pop())


def _store_handlers(handlers: list) -> None:
    """Store the handlers of all signals, and separately those that run Python code."""
    numbers = tuple([number for number, handler in zip(_ALL, handlers) if callable(handler)])
    _Held.handlers, _Held.numbers, _Held.deferred = handlers, numbers, tuple(filter(callable, handlers))


def _restore() -> None:
    """Restore the handlers, except those that were replaced inside the block. A handler may run here and raise."""
    raised = None
    for number, handler in zip(_Held.numbers, _Held.deferred):
        try:
            if _get(number) is _catch:
                _set(number, handler)
        except BaseException as error:
            _set(number, handler)
            raised = error
    if raised is not None:
        raise raised


def reraise(error: Exception) -> None:
    """Raise an error again if a signal handler raised it, such as one that limits the time of a block by an alarm.

    Code that treats every exception as the failure of an operator calls this function first.
    """
    codes = [_code_of(handler) for handler in map(_get, _ALL) if callable(handler)]
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code in codes:
            raise error
        trace = trace.tb_next


def _code_of(handler: Any) -> Any:
    """Return the code object that a handler runs. A handler is a function, method, partial or callable object."""
    while isinstance(handler, functools.partial):
        handler = handler.func
    if not hasattr(handler, "__code__") and not hasattr(handler, "__func__"):
        handler = type(handler).__call__
    return getattr(getattr(handler, "__func__", handler), "__code__", None)


def assign(columns: tuple[tuple[list, str, list], ...], done: list) -> None:
    """Set attributes of objects, and then append an item to `done`. No signal handler runs in between.

    A column (objects, attribute name, values) gives the objects, and the value of the attribute for each.
    """
    if _native.same is not None:
        _native.same.assign(columns, done)
        return
    sets = [map(setattr, objects, repeat(name), values) for objects, name, values in columns]
    deque(chain(*sets, map(done.append, (True,))), 0)
