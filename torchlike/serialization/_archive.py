"""The zip archive of a checkpoint: plain records, each starting at a multiple of 64 bytes.

Written by hand rather than with `zipfile`, because the records must be aligned and the stream may be one that can
neither seek nor tell, and because offsets count from where the archive starts, not from where the file does.
"""

from __future__ import annotations

import itertools
import struct
import sys
import zipfile
import zlib
from typing import IO, Any

import numpy as np

from torchlike.serialization import _errors as errors
from torchlike.serialization._limits import get_load_limits
from torchlike.serialization._streams import Part, write_all

ALIGNMENT = 64
_UTF8_NAMES = 0x0800
_NEW_YEAR_1980 = 33  # the earliest date a zip archive can hold: equal contents make equal files
_ZIP64, _PADDING = 0x0001, 0x4246  # ids of extra fields; PyTorch pads with 'FB'
_MAX32, _MAX16 = 0xFFFFFFFF, 0xFFFF
_LOCAL = struct.Struct("<4s5H3I2H")
_CENTRAL = struct.Struct("<4s6H3I5H2I")
_ENCRYPTED = 0x0041
_ALWAYS_UNPACKED = 1 << 26
# What Python's reader raises for damaged archives.
_DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError, ValueError,
           struct.error, OverflowError, IndexError)  # fmt: skip


class Writer:
    """Writes records one after the other to a binary stream, and the directory at the end."""

    def __init__(self, stream: IO[bytes], name: str) -> None:
        self._stream = stream
        self._name = name
        self._position = 0
        self._directory: list[bytes] = []
        self._checksums: list[int] = []

    def write(self, record: str, data: bytes | memoryview) -> None:
        name = f"{self._name}/{record}".encode()
        size, checksum, start = len(data), zlib.crc32(data), self._position
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
        """Forty digits that depend on the records written so far."""
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
    """An extra field that ends at a multiple of 64 bytes when it starts at `position`."""
    length = -(position + 4) % ALIGNMENT
    return struct.pack("<2H", _PADDING, length) + b"Z" * length


def _directory_entry(head: tuple, name: bytes, size: int, start: int) -> bytes:
    wide = ([size, size] if size >= _MAX32 else []) + ([start] if start >= _MAX32 else [])
    extra = struct.pack(f"<2H{len(wide)}Q", _ZIP64, 8 * len(wide), *wide) if wide else b""
    return _CENTRAL.pack(b"PK\1\2", 0, *head, len(extra), 0, 0, 0, 0, min(start, _MAX32)) + name + extra


class Reader:
    """The records of a checkpoint; their checksums are verified (PyTorch's are not), except under mmap."""

    def __init__(self, file: Any, map_path: str | None = None) -> None:
        try:
            self._zip = _archive_at(file)
        except _DAMAGE:
            raise errors.broken_archive(
                "its directory, which is at its end, is missing or damaged: it may be truncated"
            ) from None
        names = self._zip.namelist()
        first = names[0] if names else ""
        if "/" not in first:
            raise errors.not_in_directory(first)
        self._prefix = first.split("/")[0] + "/"
        self._names = set(names)
        self._map_path = map_path
        _check_records(self._zip.infolist())

    def has(self, record: str) -> bool:
        return self._prefix + record in self._names

    def read(self, record: str) -> bytes:
        if not self.has(record):
            raise errors.missing_record(record)
        info = self._zip.getinfo(self._prefix + record)
        try:
            with self._zip.open(info) as file:
                data = file.read(info.file_size)
                rest = file.read(1)  # verifies the checksum
        except _DAMAGE:
            raise errors.broken_archive(f"the record {record} is damaged") from None
        if len(data) != info.file_size or rest:
            raise errors.broken_archive(f"the record {record} is not as long as the directory says")
        return data

    def storage(self, key: str, size: int) -> np.ndarray:
        """The bytes of one storage, mapped from the file where the reader was opened so."""
        record = f"data/{key}"
        data = self._mapped(record) if self._map_path else np.frombuffer(self.read(record), np.uint8)
        if data.size != size:
            raise errors.short_record(record, size, data.size)
        return data

    def _mapped(self, record: str) -> np.ndarray:
        if not self.has(record):
            raise errors.missing_record(record)
        info = self._zip.getinfo(self._prefix + record)
        if info.compress_type != zipfile.ZIP_STORED:
            raise errors.compressed_mmap(record)
        if not info.file_size:
            return np.empty(0, np.uint8)
        file: Any = self._zip.fp
        file.seek(info.header_offset + _LOCAL.size - 4)
        start = info.header_offset + _LOCAL.size + sum(struct.unpack("<2H", file.read(4)))
        mapped = np.memmap(self._map_path, np.uint8, "r", start, (info.file_size,))  # type: ignore[arg-type,call-overload]
        return mapped.view(np.ndarray)

    def swapped(self) -> bool:
        """Whether the storages were written by a machine of the other byte order."""
        if not self.has("byteorder"):
            return False
        order = self.read("byteorder")
        if order not in (b"little", b"big"):
            raise errors.broken_archive("its byte order is neither little nor big")
        return order.decode() != sys.byteorder


def _archive_at(file: Any) -> zipfile.ZipFile:
    """Open the archive that begins at the file's position; others may follow it.

    The directory of the last archive is found first, at the end of the file. It tells where its archive begins, which
    is where the one before ends.
    """
    start, end = file.tell(), None
    while True:
        found = zipfile.ZipFile(file if end is None else Part(file, end))
        begin = min((record.header_offset for record in found.infolist()), default=start)
        if begin <= start:
            return found
        end = begin


def _check_records(records: list[zipfile.ZipInfo]) -> None:
    """Refuse records that share bytes or names, that cannot be read, or that unpack to far more than they are."""
    if len({r.filename for r in records}) != len(records):
        raise errors.broken_archive("two of its records have one name")
    most = get_load_limits().unpacked_ratio
    for record in records:
        if record.flag_bits & _ENCRYPTED or record.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise errors.broken_archive(f"the record {record.filename} is encrypted or packed in an unknown way")
        if record.compress_type == zipfile.ZIP_STORED and record.file_size != record.compress_size:
            raise errors.broken_archive(f"the record {record.filename} has two lengths")
    packed, unpacked = (sum(getattr(r, name) for r in records) for name in ("compress_size", "file_size"))
    if unpacked > max(_ALWAYS_UNPACKED, most * packed):
        raise errors.over_limit("unpacked_ratio", most)
    ordered = sorted(records, key=lambda r: r.header_offset)
    for one, after in itertools.pairwise(ordered):
        if one.header_offset + _LOCAL.size + one.compress_size > after.header_offset:
            raise errors.broken_archive("its records overlap")
