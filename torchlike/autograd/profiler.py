"""`torch.autograd.profiler`: the older interface of `torch.profiler`."""

from __future__ import annotations

from typing import Any

from torchlike import _errors
from torchlike.profiler._events import Average, EventList
from torchlike.profiler._events import FunctionEvent as FunctionEvent
from torchlike.profiler._profile import profile as _profile
from torchlike.profiler._recording import record_function as record_function

__all__ = [
    "EnforceUnique",
    "EventList",
    "FunctionEvent",
    "emit_itt",
    "emit_nvtx",
    "load_nvprof",
    "parse_nvprof_trace",
    "profile",
    "record_function",
]


class profile(_profile):
    """A context manager that times programs and regions. `enabled=False` disables it."""

    def __init__(
        self,
        enabled: bool = True,
        *,
        use_cuda: bool = False,
        use_device: Any = None,
        record_shapes: bool = False,
        with_stack: bool = False,
        use_kineto: bool = False,
        **more: Any,
    ) -> None:
        super().__init__(record_shapes=record_shapes, with_stack=with_stack, **more)
        self.enabled = enabled

    def start(self) -> None:
        """Start profiling."""
        if self.enabled:
            super().start()

    def table(self, sort_by: str | None = None, row_limit: int = 100, **more: Any) -> str:
        """Return the totals by name as a text table."""
        return self.key_averages().table(sort_by, row_limit, **more)

    def total_average(self) -> Average:
        """Return the totals over all events."""
        return self.key_averages().total_average()

    @property
    def self_cpu_time_total(self) -> float:
        """The total time in microseconds, with overlapping events counted once."""
        return self.key_averages().self_cpu_time_total


def emit_nvtx(*args: Any, **kwargs: Any) -> Any:
    """Raise an error: NVTX ranges are not supported."""
    raise _errors.arguments.cannot("autograd.profiler.emit_nvtx", "use record_function with JAX's profiler")


def emit_itt(*args: Any, **kwargs: Any) -> Any:
    """Raise an error: ranges for VTune are not supported."""
    raise _errors.arguments.cannot("autograd.profiler.emit_itt", "use record_function with JAX's profiler")


def load_nvprof(path: str) -> Any:
    """Raise an error: files of nvprof cannot be read.

    Args:
      path: the file.
    """
    raise _errors.arguments.cannot("autograd.profiler.load_nvprof", "use the traces of JAX's profiler")


def parse_nvprof_trace(path: str) -> Any:
    """Raise an error: files of nvprof cannot be read.

    Args:
      path: the file.
    """
    raise _errors.arguments.cannot("autograd.profiler.parse_nvprof_trace", "use the traces of JAX's profiler")


class EnforceUnique:
    """A set of keys, each of which may occur once.

    >>> keys = EnforceUnique()
    >>> keys.see("a")
    >>> keys.see("a")
    Traceback (most recent call last):
    RuntimeError: duplicate key: ('a',)
    """

    def __init__(self) -> None:
        self.seen: set[tuple] = set()

    def see(self, *key: Any) -> None:
        """Add a key. Raise RuntimeError if it was added before.

        Args:
          *key: the parts of the key.
        """
        if key in self.seen:
            raise RuntimeError(f"duplicate key: {key}")
        self.seen.add(key)
