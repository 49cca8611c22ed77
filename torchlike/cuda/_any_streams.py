"""Streams of any device. Each device has one stream and executes work in program order."""

from __future__ import annotations

from typing import Any

from torchlike import _errors
from torchlike._dtypes import devices
from torchlike._engine import accelerators


class Stream:
    """The single stream of a device. The default device is the GPU, or the CPU if there is no GPU."""

    def __init__(self, device: Any = None, *, priority: int = 0) -> None:
        if device is None:
            device = "cuda" if devices.jax_devices("cuda") else "cpu"
        self.device = devices.canonical(device)
        self.stream_id = 0
        self.device_index = -1 if self.device.type == "cpu" else self.device.index or 0

    def synchronize(self) -> None:
        """Flush the pending trace and block until the device has finished."""
        from torchlike._engine import boundary

        if self.device.type == "cpu":
            boundary()
        else:
            accelerators.synchronize(self.device.type, self.device_index)

    def query(self) -> bool:
        """Block until the work is done and return True."""
        self.synchronize()
        return True

    def wait_stream(self, stream: Stream) -> None:
        """Do nothing: all work runs in program order. As in PyTorch, raise an error for the CPU."""
        self._refuse_events()

    def wait_event(self, event: Any) -> None:
        """Do nothing: all work runs in program order."""

    def record_event(self, event: Any = None) -> Any:
        """Record an event at the current point of the stream and return it. Raise an error for the CPU."""
        self._refuse_events()
        from torchlike import cuda

        event = event or cuda.Event()
        event.record(self)
        return event

    def _refuse_events(self) -> None:
        if self.device.type == "cpu":
            raise _errors.making.no_events("cpu")

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stream) and other.device == self.device

    def __hash__(self) -> int:
        return hash(("stream", self.device))

    def __repr__(self) -> str:
        return (
            f"torch.Stream device_type={self.device.type}, device_index={self.device_index}, stream_id={self.stream_id}"
        )
