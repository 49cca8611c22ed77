"""Streams and events. XLA schedules the work, so there is only one stream per GPU."""

from __future__ import annotations

import time
from typing import Any

from torchlike import _errors
from torchlike._engine import accelerators


class Stream:
    """The single stream of a GPU."""

    def __init__(self, device: Any = None, priority: int = 0) -> None:
        accelerators.jax_device("cuda", device)
        self.device_index = accelerators.number("cuda", device)

    def synchronize(self) -> None:
        """Flush the pending trace and block until the GPU has finished."""
        accelerators.synchronize("cuda", self.device_index)

    def wait_stream(self, stream: Stream) -> None:
        """Do nothing: all work runs in program order."""

    def wait_event(self, event: Event) -> None:
        """Do nothing: all work runs in program order."""

    def record_event(self, event: Event | None = None) -> Event:
        """Record an event at the current point of the stream."""
        event = event or Event()
        event.record(self)
        return event

    def query(self) -> bool:
        """Block until the work is done and return True."""
        self.synchronize()
        return True

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stream) and other.device_index == self.device_index

    def __hash__(self) -> int:
        return hash(("stream", self.device_index))


class Event:
    """A point in a GPU's stream. With `enable_timing`, it stores the time at which all preceding work was done."""

    def __init__(self, enable_timing: bool = False, blocking: bool = False, interprocess: bool = False) -> None:
        if interprocess:
            raise _errors.arguments.unsupported("cuda.Event", "interprocess")
        accelerators.jax_device("cuda", None)
        self.enable_timing = enable_timing
        self._moment: float | None = None

    def record(self, stream: Stream | None = None) -> None:
        """Record the current time. A timing event first blocks on the GPU, since XLA does not report times."""
        if self.enable_timing:
            accelerators.synchronize("cuda", None)
        self._moment = time.perf_counter()

    def synchronize(self) -> None:
        """Block until the GPU has finished."""
        accelerators.synchronize("cuda", None)

    def wait(self, stream: Stream | None = None) -> None:
        """Do nothing: all work runs in program order."""

    def query(self) -> bool:
        """Block until the GPU has finished and return True."""
        self.synchronize()
        return True

    def elapsed_time(self, end_event: Event) -> float:
        """Return the milliseconds from this event to `end_event`."""
        if not (self.enable_timing and end_event.enable_timing):
            raise ValueError("Both events must be created with argument 'enable_timing=True'.")
        if self._moment is None or end_event._moment is None:
            raise ValueError("Both events must be recorded before calculating elapsed time.")
        return (end_event._moment - self._moment) * 1000


class stream:
    """A context manager that selects a stream. It has no effect, since there is only one stream."""

    def __init__(self, stream: Stream | None) -> None:
        self.stream = stream

    def __enter__(self) -> None:
        return None

    def __exit__(self, *_: object) -> None:
        return None


def current_stream(device: Any = None) -> Stream:
    """Return the single stream of a GPU."""
    return Stream(device)


def default_stream(device: Any = None) -> Stream:
    """Return the single stream of a GPU."""
    return Stream(device)


class StreamContext(stream):
    """The same as `stream`, under PyTorch's other name."""


def is_current_stream_capturing() -> bool:
    """Return False: CUDA graphs are not supported."""
    return False


class CUDAGraph:
    """A CUDA graph. Not supported: the constructor raises an error that suggests `torch.compile`."""

    def __init__(self, keep_graph: bool = False) -> None:
        raise _errors.arguments.cannot("cuda.CUDAGraph", _NO_GRAPH)


class graph:
    """The capture of a CUDA graph. Not supported: the constructor raises an error that suggests `torch.compile`."""

    def __init__(self, cuda_graph: Any, *args: Any, **kwargs: Any) -> None:
        raise _errors.arguments.cannot("cuda.graph", _NO_GRAPH)


_NO_GRAPH = "use torch.compile, which compiles a whole step into one program"
