"""Reading the zip archive of a checkpoint.

`zipfile` parses only the central directory. This module reads the records, because it must check three properties:
local headers agree with the directory, records do not overlap, and no decompressed record exceeds its declared length.
"""

from __future__ import annotations

import itertools
import re
import struct
import sys
import zipfile
import zlib
from typing import Any

import numpy as np

from torchlike.serialization import _errors as errors
from torchlike.serialization._limits import get_load_limits, is_swapped
from torchlike.serialization._streams import Part

_LOCAL = struct.Struct("<4s5H3I2H")
_UTF8_NAMES = 0x0800
_ENCRYPTED = 0x0041
# The total uncompressed lengths, in bytes, that are permitted regardless of the limit `unpacked_ratio`.
_STORAGES_ALWAYS_UNPACKED = 1 << 26
_RECORDS_ALWAYS_UNPACKED = 1 << 16  # all records except storages
_VERSIONS = range(1, 11)
_MOST_ARCHIVES = 1_000  # the maximum number of archives in one stream that `_archive_at` examines
# The exceptions that `zipfile` raises for damaged directories.
_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    OSError,
    NotImplementedError,
    RuntimeError,
    ValueError,
    struct.error,
    OverflowError,
    IndexError,
)


class Reader:
    """A reader of the records of a checkpoint.

    Checksums are verified, except for memory-mapped storages. PyTorch does not verify them.
    """

    def __init__(self, file: Any, map_path: str | None = None) -> None:
        try:
            archive = _archive_at(file)
        except _DAMAGE:
            raise errors.broken_archive(
                "its directory, which is at its end, is missing or damaged, so it may be truncated"
            ) from None
        self._file, self._map_path = file, map_path
        records = archive.infolist()
        first = records[0].filename if records else ""
        if "/" not in first:
            raise errors.not_in_directory("", first)
        self._prefix = first.split("/")[0] + "/"
        self._records = {record.filename: record for record in records}
        if len(self._records) != len(records):
            raise errors.broken_archive("two of its records have the same name")
        self._ends = _checked(records, self._prefix, archive.start_dir)

    @property
    def begin(self) -> int:
        """The position of the first record in the file."""
        return min(self._ends)

    def has(self, record: str) -> bool:
        """Return whether the archive has a record with this name."""
        return self._prefix + record in self._records

    def read(self, record: str) -> bytes:
        """Return the bytes of a record."""
        info = self._record_info(record)
        self._file.seek(self._start(info, record))
        data = self._file.read(info.compress_size)
        if len(data) != info.compress_size:
            raise errors.broken_archive(f"it is truncated within the record {record}")
        if info.compress_type != zipfile.ZIP_STORED:
            data = _unpacked(data, info.file_size, record)
        if info.CRC and zlib.crc32(data) != info.CRC:  # the writer may have omitted the checksum
            raise errors.broken_archive(f"the record {record} is damaged")
        return data

    def storage(self, key: str, size: int) -> np.ndarray:
        """Return the bytes of one storage, memory-mapped if the reader was created with `map_path`."""
        record = f"data/{key}"
        data = self._mapped(record) if self._map_path else np.frombuffer(self.read(record), np.uint8)
        if data.size != size:
            raise errors.short_record(record, size, data.size)
        return data

    def swapped(self) -> bool:
        """Return whether the storages were written by a machine with the opposite byte order."""
        if not self.has("byteorder"):
            return is_swapped()
        order = self.read("byteorder")
        if order not in (b"little", b"big"):
            raise errors.broken_archive("its byte order is neither little nor big")
        return order.decode() != sys.byteorder

    def check_version(self) -> None:
        """Raise if PyTorch does not read this version of the archive either."""
        text = self.read("version").strip()
        if not re.fullmatch(rb"\d{1,9}", text) or int(text) not in _VERSIONS:
            raise errors.bad_version(text, _VERSIONS)

    def _record_info(self, record: str) -> zipfile.ZipInfo:
        found = self._records.get(self._prefix + record)
        if found is None:
            raise errors.missing_record(record)
        return found

    def _start(self, info: zipfile.ZipInfo, record: str) -> int:
        """Check the local header of a record against the directory and return the offset of the data of the record."""
        # `orig_filename` is the unmodified name in the directory; `filename` is truncated at a null byte.
        name = info.orig_filename.encode("utf-8" if info.flag_bits & _UTF8_NAMES else "cp437")
        self._file.seek(info.header_offset)
        head = self._file.read(_LOCAL.size + len(name))
        if len(head) != _LOCAL.size + len(name):
            raise errors.broken_archive(f"it is truncated within the record {record}")
        fields = _LOCAL.unpack_from(head)
        if (
            fields[0] != b"PK\3\4"
            or fields[9] != len(name)
            or head[_LOCAL.size :] != name
            or fields[3] != info.compress_type
        ):
            raise errors.broken_archive(f"the record {record} has a header that differs from the directory")
        start = info.header_offset + len(head) + fields[10]
        if start + info.compress_size > self._ends[info.header_offset]:
            raise errors.broken_archive("its records overlap")
        return start

    def _mapped(self, record: str) -> np.ndarray:
        info = self._record_info(record)
        if info.compress_type != zipfile.ZIP_STORED:
            raise RuntimeError(
                f"mmap cannot be used with a compressed checkpoint: the record {record} is not stored uncompressed"
            )
        if not info.file_size:
            return np.empty(0, np.uint8)
        start = self._start(info, record)
        path: Any = self._map_path
        mapped = np.memmap(path, np.uint8, "r", start, (info.file_size,))
        return mapped.view(np.ndarray)


def _archive_at(file: Any) -> zipfile.ZipFile:
    """Open the archive that begins at the current position of the file; other archives may follow it.

    `zipfile` finds the directory of the last archive at the end of the file. The smallest record offset in that
    directory is the start of the last archive and the end of the archive before it. The search repeats from there.
    """
    start, end = file.tell(), None
    for _ in range(_MOST_ARCHIVES):
        found = zipfile.ZipFile(file if end is None else Part(file, end))
        begin = min((record.header_offset for record in found.infolist()), default=start)
        if begin <= start:
            return found
        end = begin
    raise zipfile.BadZipFile


def _unpacked(data: bytes, size: int, record: str) -> bytes:
    unpacker = zlib.decompressobj(-zlib.MAX_WBITS)
    try:
        found = unpacker.decompress(data, size + 1)
    except zlib.error:
        raise errors.broken_archive(f"the record {record} is damaged") from None
    if len(found) != size or not (unpacker.eof or unpacker.decompress(unpacker.unconsumed_tail, 1) == b""):
        raise errors.broken_archive(f"the record {record} does not have the length that the directory declares")
    return found


def _checked(records: list[zipfile.ZipInfo], prefix: str, end: int) -> dict[int, int]:
    """Check the records and return the end of the space of each record, keyed by the start of the record.

    The end is the start of the next record or of the directory.

    Raises:
        RuntimeError: Records lie outside the archive's directory, overlap, or cannot be read.
        UnpicklingError: The uncompressed size exceeds the limit `unpacked_ratio`.
    """
    for record in records:
        _check_record(record, prefix)
    storages = [r for r in records if r.filename.startswith(prefix + "data/")]
    _check_ratio(storages, _STORAGES_ALWAYS_UNPACKED)
    _check_ratio([r for r in records if not r.filename.startswith(prefix + "data/")], _RECORDS_ALWAYS_UNPACKED)
    ordered = sorted(records, key=lambda r: r.header_offset)
    starts = [r.header_offset for r in ordered]
    for one, after in itertools.pairwise((*starts, end)):
        if one >= after or one < 0:
            raise errors.broken_archive("its records overlap")
    ends = dict(zip(starts, (*starts[1:], end)))
    if any(r.header_offset + _LOCAL.size + r.compress_size > ends[r.header_offset] for r in records):
        raise errors.broken_archive("its records overlap")
    return ends


def _check_record(record: zipfile.ZipInfo, prefix: str) -> None:
    name = record.orig_filename
    if not name.startswith(prefix):
        raise errors.not_in_directory(prefix, name[:100])
    if prefix in ("/", "./", "../") or not {"..", "."}.isdisjoint(name.split("/")) or "\\" in name or "\0" in name:
        raise errors.broken_archive(f"the name of the record {name[:100]!r} points outside the archive")
    if record.flag_bits & _ENCRYPTED or record.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise errors.broken_archive(f"the record {name[:100]} is encrypted or has an unknown compression")
    if record.compress_type == zipfile.ZIP_STORED and record.file_size != record.compress_size:
        raise errors.broken_archive(f"the record {name[:100]} has two different lengths")


def _check_ratio(records: list[zipfile.ZipInfo], always: int) -> None:
    most = get_load_limits().unpacked_ratio
    unpacked = sum(r.file_size for r in records)
    if unpacked > max(always, most * sum(r.compress_size for r in records)):
        raise errors.over_limit("unpacked_ratio", most)
