"""Streams and events. XLA orders the work itself: there is one stream, and an event marks a place in the record."""

from __future__ import annotations

import time
from typing import Any

from torchlike import _errors
from torchlike._engine import accelerators


class Stream:
    """The one order in which a GPU does its work."""

    def __init__(self, device: Any = None, priority: int = 0) -> None:
        accelerators.jax_device("cuda", device)
        self.device_index = accelerators.number("cuda", device)

    def synchronize(self) -> None:
        """Wait until the GPU has done what was asked of it."""
        accelerators.synchronize("cuda", self.device_index)

    def wait_stream(self, stream: Stream) -> None:
        """Nothing to wait for: all work is done in the order it was recorded."""

    def wait_event(self, event: Event) -> None:
        """Nothing to wait for: all work is done in the order it was recorded."""

    def record_event(self, event: Event | None = None) -> Event:
        """Mark this place."""
        event = event or Event()
        event.record(self)
        return event

    def query(self) -> bool:
        """Whether the work is done; waits until it is."""
        self.synchronize()
        return True

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stream) and other.device_index == self.device_index

    def __hash__(self) -> int:
        return hash(("stream", self.device_index))


class Event:
    """A mark in the work of a GPU; with `enable_timing`, the moment at which the GPU had done all before it."""

    def __init__(self, enable_timing: bool = False, blocking: bool = False, interprocess: bool = False) -> None:
        if interprocess:
            raise _errors.arguments.unsupported("cuda.Event", "interprocess")
        accelerators.jax_device("cuda", None)
        self.enable_timing = enable_timing
        self._moment: float | None = None

    def record(self, stream: Stream | None = None) -> None:
        """Mark this place; a timing event waits for the GPU, since XLA tells no times of its own."""
        if self.enable_timing:
            accelerators.synchronize("cuda", None)
        self._moment = time.perf_counter()

    def synchronize(self) -> None:
        """Wait until the GPU has done all before the mark."""
        accelerators.synchronize("cuda", None)

    def wait(self, stream: Stream | None = None) -> None:
        """Nothing to wait for: all work is done in the order it was recorded."""

    def query(self) -> bool:
        """Whether the GPU has done all before the mark; waits until it has."""
        self.synchronize()
        return True

    def elapsed_time(self, end_event: Event) -> float:
        """Milliseconds from this mark to another."""
        if not (self.enable_timing and end_event.enable_timing):
            raise ValueError("Both events must be created with argument 'enable_timing=True'.")
        if self._moment is None or end_event._moment is None:
            raise ValueError("Both events must be recorded before calculating elapsed time.")
        return (end_event._moment - self._moment) * 1000


class stream:
    """Work on a stream within a `with` block; None changes nothing."""

    def __init__(self, stream: Stream | None) -> None:
        self.stream = stream

    def __enter__(self) -> None:
        return None

    def __exit__(self, *_: object) -> None:
        return None


def current_stream(device: Any = None) -> Stream:
    """The one stream of a GPU."""
    return Stream(device)


def default_stream(device: Any = None) -> Stream:
    """The one stream of a GPU."""
    return Stream(device)


class StreamContext(stream):
    """The class of `stream`."""


def is_current_stream_capturing() -> bool:
    """Whether a graph is being captured: no, since none can be."""
    return False


class CUDAGraph:
    """A captured sequence of kernels. Refused: `compile` makes one program of a step."""

    def __init__(self, keep_graph: bool = False) -> None:
        raise _errors.arguments.cannot("cuda.CUDAGraph", _NO_GRAPH)


class graph:
    """Capturing into a graph. Refused: `compile` makes one program of a step."""

    def __init__(self, cuda_graph: Any, *args: Any, **kwargs: Any) -> None:
        raise _errors.arguments.cannot("cuda.graph", _NO_GRAPH)


_NO_GRAPH = "torch.compile makes one program of a whole step"
