"""The format from before PyTorch 1.6: several pickles, then the storages, in one stream."""

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
from torchlike.serialization._names import modern, table
from torchlike.serialization._storages import LoadedStorage, StorageType, checked_id, in_our_byte_order
from torchlike.serialization._weights_only import Scan

MAGIC = 0x1950A86A20F9469CFC6C
PROTOCOL = 1001


def load(file: Any, read: Callable[..., Any], weights_only: bool, restore: Restore) -> Any:
    """The object of an old checkpoint.

    The storages stand behind the pickle that needs them, so it is scanned for their kinds first and loaded last.
    """
    if read(file, _none) != MAGIC:
        raise errors.bad_magic()
    version = read(file, _none)
    if version != PROTOCOL:
        raise errors.bad_protocol(version)
    system = read(file, _none)
    if not isinstance(system, dict) or type(system.get("little_endian", True)) is not bool:
        raise errors.broken_pickle("it does not say in which byte order it was written")
    swapped = system.get("little_endian", True) != (sys.byteorder == "little")
    start = file.tell()
    found = _scanned(file, weights_only)
    storages: dict[str, LoadedStorage] = {}
    for key in _keys(read(file, _none), found):
        storages[key] = _read(file, *found[key], swapped, restore)
    end = file.tell()
    file.seek(start)

    def persistent(saved: Any) -> Any:
        return saved[1] if _text(saved[0]) == "module" else storages[_text(saved[2])]

    made = read(file, persistent)
    file.seek(end)
    return made


def _none(saved: Any) -> Any:
    raise errors.bad_persistent_id()


def _keys(keys: Any, found: dict) -> list[str]:
    if type(keys) is not list or not all(type(key) in (str, bytes) for key in keys):
        raise errors.broken_pickle("the list of its storages is missing")
    keys = [_text(key) for key in keys]
    if sorted(keys) != sorted(found):
        raise errors.broken_pickle("its storages are others than its tensors need")
    return keys


def _scanned(file: Any, weights_only: bool) -> dict[str, tuple[StorageType, str, int]]:
    """The kind, location and number of elements of each storage that the pickle refers to."""
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
    if type(saved) is not tuple or len(saved) != 6:
        raise errors.bad_persistent_id()
    checked_id(saved, 6)
    if saved[5] is not None:
        raise NotImplementedError("load: views of storages in files of the old format are not supported")
    noted = (saved[1], _text(saved[3]), saved[4])
    if found.setdefault(_text(saved[2]), noted) != noted:
        raise errors.two_dtypes_in_file()


def _text(name: str | bytes) -> str:
    return name.decode("ascii") if isinstance(name, bytes) else name


def _read(file: Any, kind: StorageType, location: str, count: int, swapped: bool, restore: Restore) -> LoadedStorage:
    dtype = kind.dtype_or_bytes()
    head = file.read(8)
    if len(head) != 8:
        raise errors.truncated_pickle()
    (numel,) = np.frombuffer(head, "<i8" if swapped != (sys.byteorder == "big") else "=i8")
    nbytes = int(numel) * dtype.itemsize
    if numel != count:
        raise errors.short_record("of the old format", count * dtype.itemsize, nbytes)
    start = file.tell()
    left = file.seek(0, os.SEEK_END) - start
    file.seek(start)
    if left < nbytes:
        raise errors.short_record("of the old format", nbytes, left)
    data = np.frombuffer(bytearray(file.read(nbytes)), np.uint8)
    if swapped:
        data = in_our_byte_order(data, dtype.itemsize)
    return restore(LoadedStorage(data, nbytes, dtype), location)


class _Inert:
    """Stands for every object while a pickle is only scanned."""

    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

    def __call__(self, *args: Any, **kwargs: Any) -> _Inert:
        return _Inert()

    def __setstate__(self, state: Any) -> None: ...

    append = extend = add = update = __setitem__ = __call__


class _Scanner(pickle._Unpickler):  # type: ignore[misc,name-defined]
    """Collects the kind and location of each storage that a pickle refers to, and runs nothing."""

    def __init__(self, file: Any, **options: Any) -> None:
        super().__init__(file, **options)
        self.found: dict[str, tuple[StorageType, str, int]] = {}

    def find_class(self, module: str, name: str) -> Any:
        found = table().get(".".join(modern(module, name)))
        return found if isinstance(found, StorageType) else _Inert

    def persistent_load(self, saved: Any) -> Any:
        if _text(saved[0]) == "module":  # a class, with its source
            return _Inert
        _note(saved, self.found)
        return _Inert()
