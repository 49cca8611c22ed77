"""Channels between two processes, over which objects travel with their arrays in shared memory."""

from __future__ import annotations

import io
import os
import pickle
import socket
import struct
import weakref
from collections.abc import Callable, Sequence
from multiprocessing.reduction import ForkingPickler
from typing import Any

import numpy as np

from torchlike._engine import segment as _segment
from torchlike._engine import uninterrupted
from torchlike.multiprocessing._tensors import Aliases, reduce_tensor

IS_AVAILABLE = hasattr(socket, "send_fds")  # not on Windows
LARGE = 1 << 16  # bytes; arrays of at least this size travel in segments
_INLINE = 1 << 14  # bytes; a longer pickle travels in a segment. A message therefore always fits into a socket's buffer
_HEAD = struct.Struct("<QQ")  # the length of the pickle, or 0 if it is in the first segment; the number of segments
_MOST_HANDLES = 250  # Linux passes at most 253 descriptors at once
_open: weakref.WeakSet[Channel] = weakref.WeakSet()  # the ends of this process


class Closed(Exception):
    """The other end of a channel is closed, or its process has ended."""


class Channel:
    """One end of a channel. A pickled channel opens the same end in another process.

    An array or tensor of at least `LARGE` bytes is written to a segment, which the receiver maps: it is not copied
    there. The sender copies it, unless it is all of a segment already (`empty`).
    """

    def __init__(self, end: socket.socket) -> None:
        self._socket = end

    def __reduce__(self) -> tuple:
        return Channel, (self._socket,)

    def fileno(self) -> int:
        """Return the descriptor, for `select` and `poll`."""
        return self._socket.fileno()

    def send(self, message: Any) -> None:
        """Send an object. Raises `Closed`, and the pickler's error, after which nothing was sent."""
        body, buffers = dumped(message)
        segments = [_in_segment(buffer) for buffer in buffers]
        if len(body) > _INLINE:
            segments.insert(0, _copied(np.frombuffer(body, np.uint8)))
            body = b""
        sizes = struct.pack(f"<{len(segments)}Q", *[segment.nbytes for segment in segments])
        handles = [segment.handle for segment in segments]
        with uninterrupted():
            try:
                self._send(_HEAD.pack(len(body), len(segments)), handles[:_MOST_HANDLES])
                for i in range(_MOST_HANDLES, len(handles), _MOST_HANDLES):
                    self._send(b"+", handles[i : i + _MOST_HANDLES])
                self._socket.sendall(sizes + body)
            except ConnectionError as error:
                raise Closed from error

    def _send(self, data: bytes, handles: Sequence[int]) -> None:
        sent = socket.send_fds(self._socket, [data], handles) if handles else 0
        self._socket.sendall(data[sent:])

    def receive(self) -> Any:
        """Wait for an object and return it. Raises `Closed`."""
        with uninterrupted():
            body, segments = self._receive()
        return pickle.loads(body, buffers=[np.asarray(segment) for segment in segments])

    def _receive(self) -> tuple[Any, list[_segment.Segment]]:
        try:
            head, handles = self._read_with_handles(_HEAD.size)
            length, count = _HEAD.unpack(head)
            while len(handles) < count:
                handles += self._read_with_handles(1)[1]
            sizes = struct.unpack(f"<{count}Q", self._read(8 * count))
            body = self._read(length)
        except ConnectionResetError:
            raise Closed from None
        segments = [_segment.Segment(size, handle) for handle, size in zip(handles, sizes, strict=True)]
        for segment in segments:
            segment.close()
        return (body, segments) if length else (np.asarray(segments[0]), segments[1:])

    def _read_with_handles(self, count: int) -> tuple[bytes, list[int]]:
        data, handles, _, _ = socket.recv_fds(self._socket, count, _MOST_HANDLES)
        return data + self._read(count - len(data), bool(data)), list(handles)

    def _read(self, count: int, has_begun: bool = True) -> bytes:
        parts = []
        while count:
            data = self._socket.recv(count) if has_begun else b""
            if not data:
                raise Closed
            parts.append(data)
            count -= len(data)
        return b"".join(parts)

    def close(self) -> None:
        """Close this end."""
        self._socket.close()
        _open.discard(self)

    def __del__(self) -> None:
        self._socket.close()  # an interrupt of a loader that is starting leaves channels to their finalizers


def pair() -> tuple[Channel, Channel]:
    """Return the two ends of a new channel. The second belongs to a child process that is about to start."""
    with uninterrupted():
        first, second = map(Channel, socket.socketpair())
        _open.add(first)
    return first, second


def _close_in_child() -> None:
    """Close the channels that a forked process inherited.

    The process at the other end of an open channel would not notice that its partner has ended.
    """
    for channel in [*_open]:
        channel.close()


if IS_AVAILABLE:
    os.register_at_fork(after_in_child=_close_in_child)


def dumped(message: Any) -> tuple[bytes, list[pickle.PickleBuffer]]:
    """Return the pickle of an object, and the memory of its large arrays."""
    aliases = Aliases()
    found = _pickled(message, aliases)
    return _pickled(message, aliases) if aliases.group() else found


def _pickled(message: Any, aliases: Aliases) -> tuple[bytes, list[pickle.PickleBuffer]]:
    file, buffers = io.BytesIO(), []

    def stays(buffer: pickle.PickleBuffer) -> bool:
        if buffer.raw().nbytes < LARGE:
            return True
        buffers.append(buffer)
        return False

    _Pickler(file, stays, aliases).dump(message)
    return file.getvalue(), buffers


class _Pickler(ForkingPickler):
    def __init__(self, file: io.BytesIO, stays: Callable[[pickle.PickleBuffer], bool], aliases: Aliases) -> None:
        super().__init__(file, 5, True, stays)
        self._aliases = aliases

    def reducer_override(self, obj: Any) -> Any:
        return reduce_tensor(obj, self._aliases)


def _in_segment(buffer: pickle.PickleBuffer) -> _segment.Segment:
    """Return the segment with the contents of a buffer, a new one if the buffer is not all of a segment."""
    bytes_of = np.asarray(buffer.raw())
    return _segment.owner_of(bytes_of) or _copied(bytes_of)


def _copied(array: np.ndarray) -> _segment.Segment:
    made = _segment.new(array.nbytes)
    np.asarray(made)[...] = array
    return made


def empty(shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """Return a new array, in a segment if it is large. Such an array travels without a copy."""
    nbytes = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
    return np.empty(shape, dtype) if nbytes < LARGE else _segment.new(nbytes).array(shape, dtype)
