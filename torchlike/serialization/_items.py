"""Tensors that were saved one after the other into a single file."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import IO

import numpy as np

from torchlike import Tensor
from torchlike._engine import to_numpy
from torchlike.serialization import _errors as errors
from torchlike.serialization._load import Storages, naming
from torchlike.serialization._reader import Reader
from torchlike.serialization._streams import Part
from torchlike.serialization._weights_only import unpickle


def load_region(
    file: IO[bytes], path: str, start: int, end: int, offsets: Sequence[int], sizes: Sequence[int]
) -> np.ndarray:
    """Return a region of a tensor that `save` wrote between two positions of a file, as a read-only array.

    The checksum is verified if the region is the whole tensor. Otherwise the file is memory-mapped, and only the bytes
    of the region are read when the array is used.

    Args:
        file: the open file.
        path: the path of the file.
        start: the position of the first byte of the saved tensor.
        end: the position after its last byte.
        offsets: the offsets of the region in the tensor.
        sizes: the size of the region.

    Raises:
        RuntimeError: The file is damaged.
        UnpicklingError: The bytes are not a saved tensor.
    """
    with naming(path, True):
        found = _read(file, path, start, end)
        if found.dim() != len(sizes) or any(b + n > size for b, n, size in zip(offsets, sizes, found.shape)):
            raise errors.broken_archive(f"a tensor in it has the size {list(found.shape)}, unlike the metadata")
        if tuple(found.shape) == tuple(sizes):
            found = _read(file, None, start, end)
        return to_numpy(found._value)[tuple(slice(b, b + n) for b, n in zip(offsets, sizes))]


def _read(file: IO[bytes], map_path: str | None, start: int, end: int) -> Tensor:
    part = Part(file, end)
    part.seek(start)
    archive = Reader(part, map_path)
    if archive.begin != start:
        raise errors.broken_archive(f"no saved tensor lies between the bytes {start} and {end}")
    archive.check_version()
    storages = Storages(archive, "cpu")
    found = unpickle(io.BytesIO(archive.read("data.pkl")), storages.get, "utf-8")
    storages.release()
    if not isinstance(found, Tensor):
        raise errors.broken_archive(f"a {type(found).__name__} is stored where a tensor was expected")
    return found
