"""Recording of program runs and of user-defined regions."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from time import perf_counter
from typing import Any

import jax

from torchlike._engine import boundary
from torchlike._engine.report.program_statistics import Account
from torchlike._engine.report.timing import watchers
from torchlike.profiler._events import FunctionEvent

_MAX_NAMES = 4  # the maximum number of operators in a program's name


class Recorder:
    """The recorder of a profile's events."""

    def __init__(self) -> None:
        self.events: list[FunctionEvent] = []

    def start(self) -> None:
        """Start recording."""
        boundary()
        watchers.append(self._program)
        _active.append(self)

    def stop(self) -> None:
        """Stop recording."""
        boundary()
        watchers.remove(self._program)
        _active.remove(self)

    def _program(self, account: Account, started: float, ended: float, is_build: bool) -> None:
        group = account.group
        names = group.operators
        operators = " ".join(names[:_MAX_NAMES]) + (f" ... ({len(names)})" if len(names) > _MAX_NAMES else "")
        shapes = tuple(group.shapes(account.shapes, i) for i in range(len(group.base)))
        name = f"building {group.place}: {operators}" if is_build else f"{group.place}: {operators}"
        place, device = f"{group.place.file}:{group.place.line}", "cpu" if is_build else group.device.type
        event = FunctionEvent(name, started, ended, threading.get_ident(), "program", shapes, place, device)
        self.events.append(event)


_active: list[Recorder] = []


class record_function:
    """A named region, as a context manager or a decorator. JAX's profiler (`jax.profiler.trace`) records it too.

    Args:
      name (str): the name of the region.
      args (str, optional): a description. It has no effect: events have no field for it.

    >>> import torchlike as torch
    >>> @torch.profiler.record_function("twice")
    ... def twice(x):
    ...     return 2 * x
    >>> with torch.profiler.profile() as prof:
    ...     _ = twice(torch.ones(2))
    >>> [average.count for average in prof.key_averages() if average.key == "twice"]
    [1]
    """

    def __init__(self, name: str, args: str | None = None) -> None:
        self.name, self.args = name, args
        self._open: list[tuple] = []

    def __enter__(self) -> record_function:
        if _active:
            boundary()
        annotation = jax.profiler.TraceAnnotation(self.name)
        annotation.__enter__()
        self._open.append((perf_counter(), annotation))
        return self

    def __exit__(self, *error: Any) -> None:
        if _active:
            boundary()
        started, annotation = self._open.pop()
        annotation.__exit__(*error)
        region(self.name, started)

    def __call__(self, function: Callable) -> Callable:
        @functools.wraps(function)
        def called(*args: Any, **kwargs: Any) -> Any:
            with record_function(self.name, self.args):
                return function(*args, **kwargs)

        return called


def region(name: str, started: float) -> None:
    """Add a region that ends now to the events of every active profile."""
    event = FunctionEvent(name, started, perf_counter(), threading.get_ident(), "region", (), "", "cpu")
    for recorder in _active:
        recorder.events.append(event)
