"""Pickles as lists of tokens, and hand-written fragments of pickles."""

from __future__ import annotations

import functools
import io
import pickletools
import struct
from typing import Any


def tokens(stream: bytes) -> list[bytes]:
    """Return the opcodes of the first pickle in a stream, each with its argument."""
    return list(_tokens(stream))


@functools.cache
def _tokens(stream: bytes) -> tuple[bytes, ...]:
    places = [place for _, _, place in pickletools.genops(io.BytesIO(stream))]
    ends = [*places[1:], places[-1] + 1]
    return tuple(stream[start:end] for start, end in zip(places, ends))


def body(stream: bytes) -> bytes:
    """Return a pickle without its PROTO and STOP opcodes."""
    return stream[2:-1]


def text(value: str) -> bytes:
    """Return opcodes that push a string."""
    data = value.encode("utf-8", "surrogatepass")
    return b"X" + struct.pack("<I", len(data)) + data


def number(value: int) -> bytes:
    """Return opcodes that push an int of at most 255 bytes."""
    data = value.to_bytes(value.bit_length() // 8 + 1, "little", signed=True)
    return b"\x8a" + bytes([len(data)]) + data


def name(path: str) -> bytes:
    """Return opcodes that push the object of a global name."""
    module, _, last = path.rpartition(".")
    return f"c{module}\n{last}\n".encode()


def call(path: str, *args: Any) -> bytes:
    """Return opcodes that push the result of a call."""
    return name(path) + push(tuple(args)) + b"R"


class Raw(bytes):
    """Opcodes that push one object."""


def push(value: Any) -> bytes:
    """Return opcodes that push a plain object. `Raw` opcodes are returned unchanged."""
    if isinstance(value, Raw):
        return bytes(value)
    if value is None or isinstance(value, bool):
        return {None: b"N", True: b"\x88", False: b"\x89"}[value]
    if isinstance(value, int):
        return number(value)
    if isinstance(value, float):
        return b"G" + struct.pack(">d", value)
    if isinstance(value, str):
        return text(value)
    if isinstance(value, tuple):
        return b"(" + b"".join(map(push, value)) + b"t"
    if isinstance(value, list):
        return b"](" + b"".join(map(push, value)) + b"e"
    assert isinstance(value, dict)
    return b"}(" + b"".join(push(k) + push(v) for k, v in value.items()) + b"u"


def storage(
    kind: str = "torch.FloatStorage", key: Any = "0", location: Any = "cpu", count: Any = 4, view: bool = False
) -> Raw:
    """Return opcodes that push a storage by its persistent id.

    If `view`, the id has the sixth item of the old format.
    """
    rest = (None,) if view else ()
    return Raw(push(("storage", Raw(name(kind)), key, location, count, *rest)) + b"Q")
