"""The transport: tagged messages between processes over TCP.

Messages are sent immediately and buffered at the receiver. Each process has a connection to every other process, and
for each connection a thread that reads the incoming messages. A send therefore never waits for the matching receive,
and no order of sends and receives can deadlock.
"""

from __future__ import annotations

import contextlib
import secrets
import socket
import struct
import threading
from collections import defaultdict, deque
from collections.abc import Iterable

from torchlike.distributed import _errors as errors
from torchlike.distributed._stores import Store

_HELLO = struct.Struct("!16sI")  # the secret of the process group, the rank of the sender
_HEAD = struct.Struct("!HQ")  # the lengths of the tag and of the message


class Mail:
    """The connections of this process to all others. Ranks are global ranks."""

    def __init__(self, store: Store, rank: int, size: int, seconds: float) -> None:
        self.rank, self._seconds = rank, seconds
        self._connections: dict[int, socket.socket] = {}
        self._sending: dict[int, threading.Lock] = defaultdict(threading.Lock)
        self._inbox: dict[tuple[int, str], deque[bytearray]] = defaultdict(deque)
        self._gone: set[int] = set()
        self._arrived = threading.Condition()
        if size > 1:
            self._meet(store, size)

    def _meet(self, store: Store, size: int) -> None:
        """Connect to all other processes. In each pair, the process of the higher rank opens the connection."""
        secret = store.compare_set("secret", "", secrets.token_hex(8))
        with socket.create_server(("", 0), backlog=size) as listener:
            listener.settimeout(self._seconds)
            store.set(f"address/{self.rank}", f"{store._address} {listener.getsockname()[1]}")
            for other in range(self.rank):
                host, port = store.get(f"address/{other}").decode().split()
                made = socket.create_connection((host, int(port)), timeout=self._seconds)
                made.sendall(_HELLO.pack(secret, self.rank))
                self._read_from(other, made)
            while len(self._connections) < size - 1:
                made, _ = listener.accept()
                said, other = _HELLO.unpack(_exactly(made, _HELLO.size))
                if said == secret:
                    self._read_from(other, made)

    def _read_from(self, other: int, connection: socket.socket) -> None:
        connection.settimeout(None)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._connections[other] = connection
        threading.Thread(target=self._read, args=(other, connection), name=f"from rank {other}", daemon=True).start()

    def _read(self, other: int, connection: socket.socket) -> None:
        with connection, contextlib.suppress(OSError):
            while True:
                length, size = _HEAD.unpack(_exactly(connection, _HEAD.size))
                tag = _exactly(connection, length).decode()
                self._arrive(other, tag, _exactly(connection, size))
        with self._arrived:
            self._gone.add(other)
            self._arrived.notify_all()

    def _arrive(self, other: int, tag: str, message: bytearray) -> None:
        with self._arrived:
            self._inbox[other, tag].append(message)
            self._arrived.notify_all()

    def send(self, to: int, tag: str, message: bytes | memoryview) -> None:
        """Send a message. Raise DistBackendError if the receiving process has ended."""
        if to == self.rank:
            return self._arrive(to, tag, bytearray(message))
        name = tag.encode()
        try:
            with self._sending[to]:
                self._connections[to].sendall(_HEAD.pack(len(name), len(message)) + name)
                if message:  # the receiver may close its end after the last byte
                    self._connections[to].sendall(message)
        except OSError as error:
            raise errors.gone(to) from error

    def receive(self, among: Iterable[int], tag: str, seconds: float | None = None) -> tuple[int, bytearray]:
        """Wait for a message with this tag from one of these processes. Return the sender's rank and the message.

        Raise DistBackendError after the timeout, or if no message is there and one of the processes has ended.
        """
        among = list(among)
        with self._arrived:
            if not self._arrived.wait_for(lambda: self._is_settled(among, tag), seconds or self._seconds):
                raise errors.late(seconds or self._seconds, among)
            for other in among:
                if self._inbox.get((other, tag)):
                    message = self._inbox[other, tag].popleft()
                    if not self._inbox[other, tag]:
                        del self._inbox[other, tag]  # the tag of a collective is never reused
                    return other, message
            raise errors.gone(next(other for other in among if other in self._gone))

    def _is_settled(self, among: list[int], tag: str) -> bool:
        return any(self._inbox.get((other, tag)) for other in among) or not self._gone.isdisjoint(among)

    def is_there(self, other: int, tag: str) -> bool:
        """Return whether a message with this tag from the process `other` has arrived."""
        with self._arrived:
            return bool(self._inbox.get((other, tag)))

    def close(self) -> None:
        """Shut down all connections for writing. Messages that were sent before still arrive."""
        for connection in self._connections.values():
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_WR)


def _exactly(connection: socket.socket, size: int) -> bytearray:
    """Read exactly `size` bytes from a connection. Raise ConnectionError if it closes earlier."""
    found = bytearray(size)
    view = memoryview(found)
    while view:
        count = connection.recv_into(view)
        if not count:
            raise ConnectionError
        view = view[count:]
    return found
