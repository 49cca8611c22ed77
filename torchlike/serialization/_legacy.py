"""The format from before PyTorch 1.6: several pickles, then the storages, in one stream. Read only."""

from __future__ import annotations

import pickle
import sys
from typing import Any

import numpy as np

from torchlike.serialization import _errors as errors
from torchlike.serialization._locations import Restore
from torchlike.serialization._names import modern, table
from torchlike.serialization._storages import LoadedStorage, StorageType, in_our_byte_order

_MAGIC = 0x1950A86A20F9469CFC6C
_PROTOCOL = 1001


def load(file: Any, base: type, options: dict, restore: Restore) -> Any:
    """The object of an old checkpoint.

    The storages stand behind the pickle that needs them, so it is scanned for their kinds first and loaded last.
    """

    def unpickle() -> Any:
        return base(file, **options).load()

    if unpickle() != _MAGIC:
        raise errors.bad_magic()
    version = unpickle()
    if version != _PROTOCOL:
        raise errors.bad_protocol(version)
    swapped = unpickle().get("little_endian", True) != (sys.byteorder == "little")
    start = file.tell()
    scanner = _Scanner(file, **options)
    scanner.load()
    storages = {key: _read(file, *scanner.found[key], swapped, restore) for key in unpickle()}
    file.seek(start)

    class Unpickler(base):  # type: ignore[misc,valid-type]
        def persistent_load(self, saved: Any) -> Any:
            return saved[1] if _text(saved[0]) == "module" else storages[_text(saved[2])]

    return Unpickler(file, **options).load()


def _text(name: str | bytes) -> str:
    return name.decode("ascii") if isinstance(name, bytes) else name


def _read(file: Any, kind: StorageType, location: str, swapped: bool, restore: Restore) -> LoadedStorage:
    dtype = kind.dtype_or_bytes()
    (numel,) = np.frombuffer(file.read(8), "<i8" if swapped != (sys.byteorder == "big") else "=i8")
    nbytes = int(numel) * dtype.itemsize
    data = np.frombuffer(file.read(nbytes), np.uint8)
    if data.size != nbytes:
        raise errors.short_record("of the old format", nbytes, data.size)
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
        self.found: dict[str, tuple[StorageType, str]] = {}

    def find_class(self, module: str, name: str) -> Any:
        found = table().get(".".join(modern(module, name)))
        return found if isinstance(found, StorageType) else _Inert

    def persistent_load(self, saved: Any) -> Any:
        if _text(saved[0]) == "storage":
            if len(saved) > 5 and saved[5] is not None:
                raise NotImplementedError("load: views of storages in files of the old format are not supported")
            self.found[_text(saved[2])] = (saved[1], _text(saved[3]))
        return _Inert()
