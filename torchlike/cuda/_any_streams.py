"""Streams and events of any device (`torch.Stream`, `torch.Event`).

XLA executes the work of a device in program order, so each device has one stream. All `Stream` objects of a device are
equal, and waiting for another stream has no effect.
"""

from __future__ import annotations

import time
from typing import Any

from torchlike import _errors
from torchlike._dtypes import devices, modes
from torchlike._engine import accelerators


def place_of(device: Any) -> devices.device:
    """Return the device of a stream or an event. None means the current accelerator, or the CPU if there is none."""
    if device is None:
        device = devices.accelerator() or "cpu"
    found = modes.canonical(device)
    if found.type in ("cpu", "meta"):
        return found
    if not devices.jax_devices(found.type):
        raise _errors.making.not_linked(found.type)
    devices.to_jax(found)
    return found


class Stream:
    """The single stream of a device.

    Args:
      device: A device, its name or the index of an accelerator. The default is the current accelerator, or the CPU.
      priority: Without effect.
    """

    def __init__(self, device: Any = None, *, priority: int = 0) -> None:
        self.device = place_of(device)
        self.stream_id = 0

    @property
    def device_index(self) -> int:
        """The index of the device, or -1 for the CPU."""
        return -1 if self.device.index is None else self.device.index

    @property
    def native_handle(self) -> int:
        """Raise an error: XLA does not give access to its streams."""
        raise _errors.making.no_handle()

    def synchronize(self) -> None:
        """Flush the pending trace and block until the device has finished."""
        _flush_or_wait(self.device)

    def query(self) -> bool:
        """Flush the pending trace and return whether the device has finished, without waiting."""
        return _is_done(self.device)

    def is_capturing(self) -> bool:
        """Return False: CUDA graphs are not supported."""
        return False

    def wait_stream(self, stream: Stream) -> None:
        """Do nothing: all work runs in program order. As in PyTorch, raise an error for the CPU."""
        self._refuse_events()

    def wait_event(self, event: Event) -> None:
        """Do nothing: all work runs in program order."""

    def record_event(self, event: Event | None = None) -> Event:
        """Record an event at the current point of the stream and return it. Raise an error for the CPU."""
        self._refuse_events()
        event = self._event() if event is None else event
        event.record(self)
        return event

    def _event(self) -> Event:
        return Event(self.device)

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


class Event:
    """A point in a device's stream.

    Args:
      device: A device, its name or the index of an accelerator. The default is the current accelerator, or the CPU.
      enable_timing: Whether `record` stores the time at which all preceding work is done. It then waits for this work,
        since XLA does not report times.
      blocking: Without effect.
      interprocess: Must be False.
    """

    def __init__(
        self, device: Any = None, *, enable_timing: bool = False, blocking: bool = False, interprocess: bool = False
    ) -> None:
        if interprocess:
            raise _errors.arguments.unsupported("Event", "interprocess")
        self.device = place_of(device)
        self.event_id = 0
        self.enable_timing = enable_timing
        self._is_recorded = False
        self._moment = 0.0

    def record(self, stream: Stream | None = None) -> None:
        """Flush the pending trace and record the event at this point of the stream. Raise an error for the CPU."""
        if self.device.type == "cpu":
            raise _errors.making.no_events("cpu")
        if stream is not None:
            self.device = stream.device
        if self.enable_timing:
            _flush_or_wait(self.device)
        else:
            _flush()
        self._is_recorded, self._moment = True, time.perf_counter()

    def synchronize(self) -> None:
        """Block until the device has finished, including work that was started after `record`."""
        if self._is_recorded:
            _flush_or_wait(self.device)

    def wait(self, stream: Stream | None = None) -> None:
        """Do nothing: all work runs in program order."""

    def query(self) -> bool:
        """Return whether the device has finished, including work that was started after `record`, without waiting."""
        return not self._is_recorded or accelerators.is_done(self.device.type, self.device)

    def elapsed_time(self, end_event: Event) -> float:
        """Return the milliseconds from this event to `end_event`.

        Raises:
          ValueError: If an event was created without `enable_timing` or was not recorded.
        """
        if not (self.enable_timing and end_event.enable_timing):
            raise ValueError("Both events must be created with argument 'enable_timing=True'.")
        if not (self._is_recorded and end_event._is_recorded):
            raise ValueError("Both events must be recorded before calculating elapsed time.")
        return (end_event._moment - self._moment) * 1000

    def __repr__(self) -> str:
        index = -1 if self.device.index is None else self.device.index
        return f"torch.Event device_type={self.device.type}, device_index={index}, event_flag=0, event_id=0"


def _flush() -> None:
    from torchlike._engine import boundary

    boundary()


def _flush_or_wait(device: devices.device) -> None:
    if device.type in ("cpu", "meta"):
        _flush()
    else:
        accelerators.synchronize(device.type, device)


def _is_done(device: devices.device) -> bool:
    _flush()
    return device.type in ("cpu", "meta") or accelerators.is_done(device.type, device)
