"""Writing the zip archive of a checkpoint.

Records are uncompressed, and the data of each record starts at a multiple of 64 bytes. `zipfile` is not used for three
reasons: the records must be aligned, the stream may support neither `seek` nor `tell`, and offsets must count from the
start of the archive, not from the start of the file.
"""

from __future__ import annotations

import struct
import zlib
from typing import IO

from torchlike.serialization._streams import write_all

ALIGNMENT = 64
_UTF8_NAMES = 0x0800
_NEW_YEAR_1980 = 33  # the earliest date of a zip archive; a fixed date makes files with equal contents equal
_ZIP64, _PADDING = 0x0001, 0x4246  # ids of extra fields; PyTorch pads with the field 'FB'
_MAX32, _MAX16 = 0xFFFFFFFF, 0xFFFF
_LOCAL = struct.Struct("<4s5H3I2H")
_CENTRAL = struct.Struct("<4s6H3I5H2I")
_computes_checksums = True


def get_crc32_options() -> bool:
    """Return whether `torch.save` computes the checksum of each record."""
    return _computes_checksums


def set_crc32_options(compute_crc32: bool) -> None:
    """Set whether `torch.save` computes the checksum of each record.

    Args:
      compute_crc32: if False, saving is faster, and `torch.load` does not detect damaged records. Other programs that
        read zip archives may refuse the file.
    """
    global _computes_checksums
    _computes_checksums = compute_crc32


class Writer:
    """A writer that writes records to a binary stream in order, and the directory at the end."""

    def __init__(self, stream: IO[bytes], name: str) -> None:
        self._stream = stream
        self._name = name
        self._position = 0
        self._directory: list[bytes] = []
        self._checksums: list[int] = []

    def write(self, record: str, data: bytes | memoryview) -> None:
        name = f"{self._name}/{record}".encode()
        size, checksum, start = len(data), zlib.crc32(data) if _computes_checksums else 0, self._position
        extra = struct.pack("<2H2Q", _ZIP64, 16, size, size) if size >= _MAX32 else b""
        extra += _padding(start + _LOCAL.size + len(name) + len(extra))
        short = min(size, _MAX32)
        head = (0, _UTF8_NAMES, 0, 0, _NEW_YEAR_1980, checksum, short, short, len(name))
        self._put(_LOCAL.pack(b"PK\3\4", *head, len(extra)) + name + extra)
        self._put(data)
        self._checksums.append(checksum)
        self._directory.append(_directory_entry(head, name, size, start))

    def _put(self, data: bytes | memoryview) -> None:
        write_all(self._stream, data)
        self._position += len(data)

    def identity(self) -> bytes:
        """Return forty digits that depend on the records written so far."""
        checksums = struct.pack(f"<{len(self._checksums)}I", *self._checksums)
        return b"%020d%020d" % (zlib.crc32(b"".join(self._directory)), zlib.crc32(checksums))

    def close(self) -> None:
        directory, start, count = b"".join(self._directory), self._position, len(self._directory)
        end = start + len(directory)
        self._put(directory)
        self._put(struct.pack("<4sQ2H2I4Q", b"PK\6\6", 44, 45, 45, 0, 0, count, count, len(directory), start))
        self._put(struct.pack("<4sIQI", b"PK\6\7", 0, end, 1))
        few, small = min(count, _MAX16), (min(len(directory), _MAX32), min(start, _MAX32))
        self._put(struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, few, few, *small, 0))


def _padding(position: int) -> bytes:
    """Return an extra field that starts at `position` and ends at a multiple of 64 bytes."""
    length = -(position + 4) % ALIGNMENT
    return struct.pack("<2H", _PADDING, length) + b"Z" * length


def _directory_entry(head: tuple, name: bytes, size: int, start: int) -> bytes:
    wide = ([size, size] if size >= _MAX32 else []) + ([start] if start >= _MAX32 else [])
    extra = struct.pack(f"<2H{len(wide)}Q", _ZIP64, 8 * len(wide), *wide) if wide else b""
    return _CENTRAL.pack(b"PK\1\2", 0, *head, len(extra), 0, 0, 0, 0, min(start, _MAX32)) + name + extra
