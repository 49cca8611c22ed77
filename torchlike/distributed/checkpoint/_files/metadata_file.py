"""Reading and writing the file `.metadata`, without executing code from it."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path, PurePath
from typing import Any

import torchlike
from torchlike import Size
from torchlike.distributed.checkpoint import metadata as kinds
from torchlike.distributed.checkpoint._files.storage_info import _StorageInfo
from torchlike.serialization import _errors as errors
from torchlike.serialization._atomic import replacing
from torchlike.serialization._load import naming
from torchlike.serialization._records import Record, check_attributes, dump_records, load_records

Check = Callable[[Any], bool]


def _is_count(found: Any) -> bool:
    return type(found) is int and found >= 0


def _is_size(found: Any) -> bool:
    return type(found) is Size and all(n >= 0 for n in found)


def _is_anything(found: Any) -> bool:
    return True


def _is_path(found: Any) -> bool:
    return isinstance(found, str | PurePath)


def _is_exactly(kind: type) -> Check:
    return lambda found: type(found) is kind


def _is_valid(*types: type) -> Check:
    """Return a check for objects of these records whose attributes are valid."""
    return lambda found: type(found) in types and _attributes_are_valid(found)


def _attributes_are_valid(found: Any) -> bool:
    attributes = ATTRIBUTES[type(found)]
    return all(hasattr(found, name) and check(getattr(found, name)) for name, check in attributes.items())


def _is_optional(check: Check) -> Check:
    return lambda found: found is None or check(found)


def _is_list_of(check: Check) -> Check:
    return lambda found: type(found) is list and all(map(check, found))


def _is_dict_of(key: Check, value: Check) -> Check:
    return lambda found: isinstance(found, dict) and all(key(k) and value(v) for k, v in found.items())


_is_text = _is_exactly(str)
_is_texts = _is_list_of(_is_text)
ATTRIBUTES: dict[type, dict[str, Check]] = {
    kinds.Metadata: {
        "state_dict_metadata": _is_dict_of(
            _is_text, _is_valid(kinds.TensorStorageMetadata, kinds.BytesStorageMetadata)
        ),
        "planner_data": _is_anything,
        "storage_data": _is_optional(_is_dict_of(_is_valid(kinds.MetadataIndex), _is_valid(_StorageInfo))),
        "storage_meta": _is_optional(_is_valid(kinds.StorageMeta)),
        "version": _is_optional(_is_text),
    },
    kinds.MetadataIndex: {"fqn": _is_text, "offset": _is_optional(_is_size), "index": _is_optional(_is_count)},
    kinds.TensorStorageMetadata: {
        "properties": _is_valid(kinds.TensorProperties),
        "size": _is_size,
        "chunks": _is_list_of(_is_valid(kinds.ChunkStorageMetadata)),
    },
    kinds.BytesStorageMetadata: {},
    kinds.ChunkStorageMetadata: {"offsets": _is_size, "sizes": _is_size},
    kinds.StorageMeta: {
        "checkpoint_id": _is_optional(_is_path),
        "save_id": _is_optional(_is_text),
        "load_id": _is_optional(_is_text),
        "modules": _is_texts,
    },
    kinds.TensorProperties: {"dtype": _is_exactly(torchlike.dtype)},
    _StorageInfo: {
        "relative_path": _is_text,
        "offset": _is_count,
        "length": _is_count,
        "transform_descriptors": _is_optional(_is_texts),
    },
}


def _set_properties(made: Any, state: Any) -> None:
    expected = (torchlike.dtype, torchlike.layout, bool, kinds._MEM_FORMAT_ENCODING, bool)
    if type(state) is not tuple or len(state) != len(expected) or not all(map(isinstance, state, expected)):
        raise errors.bad_state(kinds.TensorProperties)
    made.__setstate__(state)


_HERE = "torch.distributed.checkpoint.metadata."
_BEFORE = "torch.distributed._shard.sharded_tensor.metadata."  # in files from before PyTorch 2.3
_PROPERTIES = Record(kinds.TensorProperties, {}, set_state=_set_properties)
_ENCODING = Record(kinds._MEM_FORMAT_ENCODING, {}, make=kinds._MEM_FORMAT_ENCODING)
RECORDS = {
    **{_HERE + cls.__name__: Record(cls, checks) for cls, checks in ATTRIBUTES.items()},
    _HERE + "TensorProperties": _PROPERTIES,
    _HERE + "_MEM_FORMAT_ENCODING": _ENCODING,
    _BEFORE + "TensorProperties": _PROPERTIES,
    _BEFORE + "MEM_FORMAT_ENCODING": _ENCODING,
    "torch.distributed.checkpoint.filesystem._StorageInfo": Record(_StorageInfo, ATTRIBUTES[_StorageInfo]),
    **{
        f"{module}.{name}": Record(PurePath, {}, make=Path)
        for module in ("pathlib", "pathlib._local")
        for name in ("PosixPath", "WindowsPath", "PurePosixPath", "PureWindowsPath")
    },
}


def read_metadata(path: str | os.PathLike) -> kinds.Metadata:
    """Return the metadata in a file. No code of the file is executed.

    Raises:
        FileNotFoundError: The file does not exist.
        UnpicklingError: The file is damaged, or needs a class that is not part of the format.
    """
    with open(path, "rb") as file, naming(path, True):
        found = load_records(file, RECORDS)
        if type(found) is not kinds.Metadata:
            raise errors.broken_pickle("it is not the metadata of a checkpoint")
        check_attributes(found, RECORDS[_HERE + "Metadata"])  # again, because lists may have grown
        return found


def write_metadata(path: str | os.PathLike, metadata: kinds.Metadata) -> None:
    """Replace a metadata file atomically.

    The name of the checkpoint is written as a string, because a pickled `Path` depends on the version of Python and on
    the platform.
    """
    origin = metadata.storage_meta
    if origin is not None and isinstance(origin.checkpoint_id, os.PathLike):
        metadata = replace(metadata, storage_meta=replace(origin, checkpoint_id=os.fspath(origin.checkpoint_id)))
    with replacing(os.fspath(path)) as file:
        file.write(dump_records(metadata))
