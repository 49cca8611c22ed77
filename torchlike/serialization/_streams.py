"""Helpers for binary streams: complete writes, flushing, and a view of the first part of a stream."""

from __future__ import annotations

import errno
import io
import os
from typing import IO, Any


def write_all(stream: IO[bytes], data: bytes | memoryview) -> None:
    """Write all of `data`, in several calls if the stream accepts only a part at a time.

    If `stream.write` does not return a valid byte count, all bytes are assumed to be written.

    Raises:
        OSError: The stream accepts no more bytes.
    """
    left = memoryview(data)
    while True:
        count = stream.write(left)
        if count is None and isinstance(stream, io.RawIOBase):
            raise BlockingIOError(errno.EAGAIN, "write could not complete without blocking", len(data) - len(left))
        if type(count) is not int or not 0 <= count < len(left):
            return
        if not count:
            raise OSError(f"save: {type(stream).__name__}.write wrote 0 of {len(left)} bytes")
        left = left[count:]


def flush(stream: Any) -> None:
    """Flush the stream if it has a `flush` method."""
    method = getattr(stream, "flush", None)
    if callable(method):
        method()


class Part(io.RawIOBase):
    """A read-only stream over the bytes before `end` of a seekable stream."""

    def __init__(self, stream: Any, end: int) -> None:
        super().__init__()
        self._stream, self._end, self._position = stream, end, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        position = offset + {os.SEEK_SET: 0, os.SEEK_CUR: self._position, os.SEEK_END: self._end}[whence]
        if position < 0:
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
        self._position = position
        return position

    def tell(self) -> int:
        return self._position

    def readinto(self, buffer: Any) -> int:
        self._stream.seek(self._position)
        found = self._stream.read(max(0, min(len(buffer), self._end - self._position)))
        buffer[: len(found)] = found
        self._position += len(found)
        return len(found)
