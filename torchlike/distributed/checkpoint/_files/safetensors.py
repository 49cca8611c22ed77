"""The safetensors format: the length of a JSON header, the header, and the bytes of the tensors."""

from __future__ import annotations

import json
import math
import os
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import IO, Any

import numpy as np

import torchlike
from torchlike import Tensor
from torchlike._internal import to_numpy

_LENGTH = struct.Struct("<Q")
_LONGEST_HEADER = 100_000_000  # bytes; the limit of the safetensors library
_METADATA = "__metadata__"
_NAMES = {
    "F64": torchlike.float64,
    "F32": torchlike.float32,
    "F16": torchlike.float16,
    "BF16": torchlike.bfloat16,
    "F8_E4M3": torchlike.float8_e4m3fn,
    "F8_E5M2": torchlike.float8_e5m2,
    "C64": torchlike.complex64,
    "I64": torchlike.int64,
    "I32": torchlike.int32,
    "I16": torchlike.int16,
    "I8": torchlike.int8,
    "U64": torchlike.uint64,
    "U32": torchlike.uint32,
    "U16": torchlike.uint16,
    "U8": torchlike.uint8,
    "BOOL": torchlike.bool,
}
_NAME_OF = {dtype: name for name, dtype in _NAMES.items()}


@dataclass
class Entry:
    """A tensor in a file: its dtype, its shape, and the positions of its first byte and after its last byte."""

    dtype: torchlike.dtype
    shape: tuple[int, ...]
    begin: int
    end: int


def write(stream: IO[bytes], tensors: Mapping[str, Tensor], metadata: Mapping[str, str]) -> None:
    """Write tensors and a dictionary of strings.

    Raises:
        NotImplementedError: The format does not have the dtype of a tensor.
    """
    header: dict[str, Any] = {_METADATA: dict(metadata)}
    position = 0
    for name, tensor in tensors.items():
        if tensor.dtype not in _NAME_OF:
            raise NotImplementedError(f"{name!r} has the dtype {tensor.dtype}, which the safetensors format lacks.")
        end = position + tensor.numel() * tensor.element_size()
        offsets = [position, end]
        header[name] = {"dtype": _NAME_OF[tensor.dtype], "shape": list(tensor.shape), "data_offsets": offsets}
        position = end
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    stream.write(_LENGTH.pack(len(text)) + text)
    for tensor in tensors.values():
        array = to_numpy(tensor.detach()._value)
        stream.write(np.asarray(array, order="C").reshape(-1).view(np.uint8).data)


def read_header(file: IO[bytes]) -> tuple[dict[str, Entry], dict[str, str]]:
    """Return the tensors in a file, and its dictionary of strings.

    Raises:
        ValueError: The file is damaged or not in this format.
    """
    size = os.fstat(file.fileno()).st_size
    start = file.read(_LENGTH.size)
    length = _LENGTH.unpack(start)[0] if len(start) == _LENGTH.size else size
    if length > min(size - _LENGTH.size, _LONGEST_HEADER):
        raise _damaged(file, "its header is incomplete")
    try:
        header = json.loads(file.read(length))
        metadata = header.pop(_METADATA, {})
        begin = _LENGTH.size + length
        found = {name: _entry(entry, begin) for name, entry in header.items()}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise _damaged(file, "its header cannot be read") from None
    for name, entry in found.items():
        if not _is_consistent(entry, begin, size):
            raise _damaged(file, f"the place of {name!r} does not fit its shape or the length of the file")
    return found, metadata


def _entry(found: dict[str, Any], begin: int) -> Entry:
    first, last = found["data_offsets"]
    return Entry(_NAMES[found["dtype"]], tuple(found["shape"]), begin + first, begin + last)


def _is_consistent(entry: Entry, begin: int, size: int) -> bool:
    if not all(type(n) is int and n >= 0 for n in (*entry.shape, entry.begin, entry.end)):
        return False
    length = math.prod(entry.shape) * entry.dtype.itemsize
    return begin <= entry.begin and entry.end <= size and entry.end - entry.begin == length


def _damaged(file: IO[bytes], why: str) -> ValueError:
    return ValueError(f"{file.name} is not a safetensors file, or it is damaged: {why}. Get a new copy of the file.")


def mapped(path: str, entry: Entry) -> np.ndarray:
    """Return a tensor of a file as a read-only array, which is read when it is used."""
    if not math.prod(entry.shape):
        return np.empty(entry.shape, _numpy(entry.dtype))
    data = np.memmap(path, np.uint8, "r", entry.begin, (entry.end - entry.begin,))
    return data.view(np.ndarray).view(_numpy(entry.dtype)).reshape(entry.shape)


def _numpy(dtype: torchlike.dtype) -> np.dtype:
    return to_numpy(torchlike.empty(0, dtype=dtype)._value).dtype
