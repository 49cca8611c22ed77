"""A zip writer that can write inconsistent archives.

Every field of a record's two headers, the local one and the one in the directory, can be set.
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass, field
from typing import Any

_LOCAL = struct.Struct("<4s5H3I2H")
_CENTRAL = struct.Struct("<4s6H3I5H2I")
_END = struct.Struct("<4s4H2IH")


@dataclass
class Record:
    """A record of an archive. Fields that are None get the correct values."""

    name: str
    data: bytes
    method: int = 0  # 0 stored, 8 deflated
    flags: int = 0
    packed: bytes | None = None
    crc: int | None = None
    size: int | None = None
    packed_size: int | None = None
    local: dict[str, Any] = field(default_factory=dict)  # fields in which the local header differs from the directory
    offset: int | None = None
    extra: bytes = b""
    central_name: str | None = None

    def stored(self) -> bytes:
        """Return the bytes of the record as they are stored in the file."""
        if self.packed is None:
            self.packed = deflated(self.data) if self.method == 8 else self.data
        return self.packed


def deflated(data: bytes) -> bytes:
    """Compress `data` with raw DEFLATE, as zip archives do."""
    packer = zlib.compressobj(1, zlib.DEFLATED, -15)
    return packer.compress(data) + packer.flush()


def build(records: list[Record], comment: bytes = b"", before: bytes = b"") -> bytes:
    """Return the bytes of an archive of these records."""
    body, directory = bytearray(before), bytearray()
    for record in records:
        start, stored = len(body), record.stored()
        crc = zlib.crc32(record.data) if record.crc is None else record.crc
        size = len(record.data) if record.size is None else record.size
        packed = len(stored) if record.packed_size is None else record.packed_size
        name = record.name.encode()
        values = {
            "flags": record.flags,
            "method": record.method,
            "crc": crc,
            "packed": packed,
            "size": size,
            "name": len(name),
            "extra": len(record.extra),
        } | record.local
        body += _LOCAL.pack(
            b"PK\3\4",
            20,
            values["flags"],
            values["method"],
            0,
            33,
            values["crc"] & 0xFFFFFFFF,
            values["packed"] & 0xFFFFFFFF,
            values["size"] & 0xFFFFFFFF,
            values["name"] & 0xFFFF,
            values["extra"] & 0xFFFF,
        )
        body += name + record.extra + stored
        listed = (record.central_name or record.name).encode()
        offset = start if record.offset is None else record.offset
        wide = b""
        if max(size, packed, offset) >= 0xFFFFFFFF:
            wide = struct.pack("<2H3Q", 1, 24, size & (1 << 64) - 1, packed & (1 << 64) - 1, offset & (1 << 64) - 1)
            size = packed = offset = 0xFFFFFFFF
        directory += (
            _CENTRAL.pack(
                b"PK\1\2",
                20,
                20,
                record.flags,
                record.method,
                0,
                33,
                crc & 0xFFFFFFFF,
                packed,
                size,
                len(listed),
                len(wide),
                0,
                0,
                0,
                0,
                offset,
            )
            + listed
            + wide
        )
    count = min(len(records), 0xFFFF)
    end = _END.pack(b"PK\5\6", 0, 0, count, count, len(directory), len(body), len(comment))
    return bytes(body + directory + end + comment)
