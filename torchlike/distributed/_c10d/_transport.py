"""Messages between processes, through the key-value store of JAX's coordination service.

A send never waits for the matching receive. Messages are for objects, and for tensors that one process sends to
another. Collectives on tensors are operators of XLA programs.
"""

from __future__ import annotations

import time
from collections import defaultdict, deque
from collections.abc import Iterable

from torchlike._internal import Connected, Lost, boundary, current, processes
from torchlike.distributed import _errors as errors

_PART = 1 << 20  # bytes; the service limits the size of a value
_SLICE = 0.5  # seconds of a wait that no signal handler interrupts


class Transport(Connected):
    """Sends and receives the messages of this process. Ranks are global ranks."""

    def __init__(self, rank: int, seconds: float) -> None:
        self.rank, self._seconds = rank, seconds
        self._sent: dict[str, int] = defaultdict(int)
        self._read: dict[str, int] = defaultdict(int)
        self._own: dict[str, deque[bytes]] = defaultdict(deque)

    def send(self, to: int, tag: str, message: bytes | memoryview) -> None:
        """Send a message."""
        _run_pending()
        if to == self.rank:
            self._own[tag].append(bytes(message))
            return
        channel = f"mail/{self.rank}/{to}/{tag}"
        key = f"{channel}/{self._sent[channel]}"
        self._sent[channel] += 1
        parts = [bytes(message[i : i + _PART]) for i in range(0, len(message), _PART)]
        try:
            for i, part in enumerate(parts):
                processes.put(f"{key}/{i}", part)
            processes.put(f"{key}/parts", str(len(parts)).encode())
        except Lost as error:
            raise errors.no_service(error) from None

    def receive(self, senders: Iterable[int], tag: str, seconds: float | None = None) -> tuple[int, bytearray]:
        """Wait for a message with this tag from one of these processes. Return the sender's rank and the message.

        Raise DistBackendError after the timeout, or if no message has arrived and one of the processes has ended.
        """
        _run_pending()
        senders = list(senders)
        allowed = seconds or self._seconds
        began = time.monotonic()
        try:
            while True:
                for other in senders:
                    message = self._message(other, tag, _SLICE if len(senders) == 1 else 0.005)
                    if message is not None:
                        return other, message
                waited = time.monotonic() - began
                if waited > allowed:
                    raise errors.late(allowed, senders)
                self._check(senders, tag)
        except Lost as error:
            raise errors.no_service(error) from None

    def _message(self, other: int, tag: str, seconds: float) -> bytearray | None:
        if other == self.rank:
            return bytearray(self._own[tag].popleft()) if self._own[tag] else None
        channel = f"mail/{other}/{self.rank}/{tag}"
        key = f"{channel}/{self._read[channel]}"
        parts = processes.get(f"{key}/parts", seconds)
        if parts is None:
            return None
        message = bytearray()
        for i in range(int(parts)):
            message += processes.get(f"{key}/{i}", self._seconds) or b""
            processes.delete(f"{key}/{i}")
        processes.delete(f"{key}/parts")
        self._read[channel] += 1
        return message

    def _check(self, senders: list[int], tag: str) -> None:
        """Raise an error if one of the processes has ended or left, and has not sent the message."""
        for other in processes.ended().intersection(senders):
            if not self._is_sent(other, tag):
                raise errors.gone(other)

    def has_message(self, other: int, tag: str) -> bool:
        """Return whether a message with this tag from the process `other` has arrived."""
        if other == self.rank:
            return bool(self._own[tag])
        return self._is_sent(other, tag)

    def _is_sent(self, other: int, tag: str) -> bool:
        channel = f"mail/{other}/{self.rank}/{tag}"
        return processes.try_get(f"{channel}/{self._read[channel]}/parts") is not None


class EchoTransport(Transport):
    """The transport of a script that is compiled ahead of time: a message from any process is the one sent last."""

    def send(self, to: int, tag: str, message: bytes | memoryview) -> None:
        """Store the message."""
        self._own[tag].append(bytes(message))

    def receive(self, senders: Iterable[int], tag: str, seconds: float | None = None) -> tuple[int, bytearray]:
        """Return the latest message with this tag that this process sent."""
        return next(iter(senders)), bytearray(self._own[tag][-1] if self._own[tag] else b"")


def _run_pending() -> None:
    """Run pending work: other processes may wait for its collectives. A captured call cannot repeat messages."""
    capture = current().capture
    if capture is not None:
        capture.stop("it exchanges messages with other processes")
    boundary()
