"""Reading the legacy checkpoint format from before PyTorch 1.6.

A file consists of several pickles, followed by the storages, in one stream.
"""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from torchlike.serialization import _errors as errors
from torchlike.serialization._locations import Restore
from torchlike.serialization._machine import Machine
from torchlike.serialization._names import python3_name, readable_names
from torchlike.serialization._storages import LoadedStorage, StorageType, checked_id, in_our_byte_order, text
from torchlike.serialization._weights_only import Scan

MAGIC = 0x1950A86A20F9469CFC6C
PROTOCOL = 1001


def load(file: Any, read: Callable[..., Any], weights_only: bool, restore: Restore) -> Any:
    """Return the object of a legacy checkpoint.

    The storages follow the pickle that refers to them. The pickle is therefore read twice: first it is scanned for the
    types of the storages, and it is loaded after the storages have been read.
    """
    magic = read(file, _none)
    if type(magic) is not int or magic != MAGIC:
        raise RuntimeError("Invalid magic number; corrupt file?")
    version = read(file, _none)
    if type(version) is not int or version != PROTOCOL:
        raise errors.bad_protocol(version)
    swapped = _is_little(read(file, _none)) != (sys.byteorder == "little")
    start = file.tell()
    found = _scanned(file, weights_only)
    storages: dict[str, LoadedStorage] = {}
    for key in _keys(read(file, _none), found):
        storages[key] = _read(file, key, *found[key], swapped, restore)
    end = file.tell()
    file.seek(start)

    def persistent(saved: Any) -> Any:
        return saved[1] if text(saved[0]) == "module" else storages[text(saved[2])].typed

    made = read(file, persistent)
    file.seek(end)
    return made


def _is_little(system: Any) -> bool:
    """Return whether the system information in the file says that the file is little-endian."""
    found = dict.get(system, "little_endian", True) if isinstance(system, dict) else None
    if type(found) is not bool:
        raise errors.broken_pickle("its byte order is missing")
    return found


def _none(saved: Any) -> Any:
    """Raise, because the pickle must not contain persistent ids."""
    raise errors.bad_persistent_id()


def _keys(keys: Any, found: dict) -> list[str]:
    if type(keys) is not list:
        raise errors.broken_pickle("the list of its storages is missing")
    keys = [text(key) for key in keys]
    if sorted(keys) != sorted(found):
        raise errors.broken_pickle("its storages do not match its tensors")
    return keys


def _scanned(file: Any, weights_only: bool) -> dict[str, tuple[StorageType, str, int]]:
    """Scan the pickle and return the type, location and number of elements of each storage, by key."""
    if not weights_only:
        scanner = _Scanner(file, encoding="utf-8")
        scanner.load()
        return scanner.found
    scan = Scan()
    Machine(file, scan).load()
    found: dict[str, tuple[StorageType, str, int]] = {}
    for saved in scan.found:
        _note(saved, found)
    return found


def _note(saved: Any, found: dict) -> None:
    kind, key, location, numel = checked_id(saved, 6)
    if saved[5] is not None:
        raise errors.old_views()
    if found.setdefault(key, (kind, location, numel)) != (kind, location, numel):
        raise errors.two_dtypes_in_file()


def _read(
    file: Any, key: str, kind: StorageType, location: str, count: int, swapped: bool, restore: Restore
) -> LoadedStorage:
    dtype = kind.dtype_or_bytes()
    head = file.read(8)
    if len(head) != 8:
        raise errors.truncated_pickle()
    (numel,) = np.frombuffer(head, "<i8" if swapped != (sys.byteorder == "big") else "=i8")
    nbytes = int(numel) * dtype.itemsize
    if numel != count:
        raise errors.short_record(key, count * dtype.itemsize, nbytes)
    start = file.tell()
    left = file.seek(0, os.SEEK_END) - start
    file.seek(start)
    if left < nbytes:
        raise errors.truncated_pickle()
    data = np.frombuffer(bytearray(file.read(nbytes)), np.uint8)
    if swapped:
        data = in_our_byte_order(data, dtype)
    return restore(LoadedStorage(data, nbytes, dtype), location)


class _Inert:
    """A placeholder for every object during a scan. All its operations do nothing."""

    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

    def __call__(self, *args: Any, **kwargs: Any) -> _Inert:
        return _Inert()

    def __setstate__(self, state: Any) -> None: ...

    append = extend = add = update = __setitem__ = __call__


class _Scanner(pickle._Unpickler):
    """An unpickler that collects the type and location of each storage and executes no code from the pickle."""

    def __init__(self, file: Any, **options: Any) -> None:
        super().__init__(file, **options)
        self.found: dict[str, tuple[StorageType, str, int]] = {}

    def find_class(self, module: str, name: str) -> Any:
        found = readable_names().get(".".join(python3_name(module, name)))
        return found if isinstance(found, StorageType) else _Inert

    def persistent_load(self, pid: Any) -> Any:
        kind = text(pid[0])
        if kind == "module":  # the source code of a module class
            return _Inert
        if kind == "storage":
            _note(pid, self.found)
        return _Inert()
