"""Streams and events of GPUs. XLA schedules the work, so there is only one stream per GPU."""

from __future__ import annotations

from typing import Any

from torchlike import _errors
from torchlike._dtypes import devices
from torchlike._engine import accelerators
from torchlike.cuda import _any_streams, _refused

_INSTEAD = "XLA schedules all work"


class Stream(_any_streams.Stream):
    """The single stream of a GPU.

    Args:
      device: a GPU: its index, its name or a device. Default: the current GPU.
      priority: has no effect.
      kwargs: has no effect.
    """

    def __init__(self, device: Any = None, priority: int = 0, **kwargs: Any) -> None:
        if not accelerators.devices("cuda"):
            raise _errors.making.no_cuda_stream()
        super().__init__(devices.device("cuda", accelerators.number("cuda", device)))

    @property
    def cuda_stream(self) -> int:
        """Raise an error: XLA does not give access to its streams."""
        raise _errors.making.no_handle()

    @staticmethod
    def priority_range() -> tuple[int, int]:
        """Return (0, 0): there is only one priority."""
        return 0, 0

    def _event(self) -> Event:
        return Event()

    def __repr__(self) -> str:
        return f"<torch.cuda.Stream device={self.device}>"

    __hash__ = _any_streams.Stream.__hash__


class ExternalStream(Stream):
    """A stream of another library. Not supported: the constructor raises an error.

    Args:
      stream_ptr, device, kwargs: not used.
    """

    def __init__(self, stream_ptr: int, device: Any = None, **kwargs: Any) -> None:
        _refused.refuse("ExternalStream", _INSTEAD)


class Event(_any_streams.Event):
    """A point in a GPU's stream.

    Args:
      enable_timing: Whether `record` stores the time at which all preceding work is done. It then waits for this work,
        since XLA does not report times.
      blocking: Without effect.
      interprocess: Must be False.
      external: Must be False.
    """

    def __init__(
        self, enable_timing: bool = False, blocking: bool = False, interprocess: bool = False, external: bool = False
    ) -> None:
        if not accelerators.devices("cuda"):
            raise _errors.making.no_instance("Event")
        if interprocess or external:
            raise _errors.arguments.unsupported("cuda.Event", "interprocess" if interprocess else "external")
        super().__init__(devices.device("cuda", accelerators.current("cuda")), enable_timing=enable_timing)

    def __repr__(self) -> str:
        return f"<torch.cuda.Event {'recorded' if self._is_recorded else 'uninitialized'}>"


class StreamContext:
    """A context manager that selects a stream. It has no effect, since there is only one stream.

    Args:
      stream: a stream, or None.
    """

    def __init__(self, stream: Stream | None) -> None:
        self.stream = stream

    def __enter__(self) -> None:
        return None

    def __exit__(self, *_: object) -> None:
        return None


def stream(stream: Stream | None) -> StreamContext:
    """Return a context manager that selects a stream. It has no effect, since there is only one stream.

    Args:
      stream: a stream, or None.
    """
    return StreamContext(stream)


def set_stream(stream: Stream | None) -> None:
    """Do nothing: there is only one stream per GPU.

    Args:
      stream: a stream.
    """
    if stream is not None:
        stream.stream_id  # noqa: B018  as in PyTorch, any other object raises AttributeError
        accelerators.jax_device("cuda", None)


def _stream_of(device: Any) -> Stream:
    accelerators.jax_device("cuda", device)
    return Stream(device)


def current_stream(device: Any = None) -> Stream:
    """Return the single stream of a GPU.

    Args:
      device: a GPU: its index, its name or a device. Default: the current GPU.
    """
    return _stream_of(device)


def default_stream(device: Any = None) -> Stream:
    """Return the single stream of a GPU.

    Args:
      device: a GPU: its index, its name or a device. Default: the current GPU.
    """
    return _stream_of(device)
