"""Reading a checkpoint from a folder. No code of the checkpoint is executed."""

from __future__ import annotations

import io
import os
import uuid
from pathlib import Path
from typing import IO, Any

import numpy as np

from torchlike._internal import boundary, unsupported
from torchlike.distributed.checkpoint._files.file_system import FileSystem
from torchlike.distributed.checkpoint._files.file_writer import metadata_name
from torchlike.distributed.checkpoint._files.filling import destinations, fill
from torchlike.distributed.checkpoint._files.metadata_file import read_metadata
from torchlike.distributed.checkpoint._files.storage_info import _StorageInfo
from torchlike.distributed.checkpoint.metadata import Metadata, MetadataIndex, StorageMeta
from torchlike.distributed.checkpoint.planner import LoadItemType, LoadPlan, LoadPlanner, ReadItem
from torchlike.distributed.checkpoint.storage import StorageReader
from torchlike.futures import Future
from torchlike.serialization._items import load_region

_MOST_PENDING = 1 << 26  # bytes


class FileSystemReader(StorageReader):
    """A reader of checkpoints that `FileSystemWriter` or PyTorch's wrote in a folder.

    Only the regions of the plan are read. If a region is a whole saved chunk, its checksum is verified.

    Args:
      path: the folder.
      _extension_registry: not supported.
    """

    def __init__(self, path: str | os.PathLike, _extension_registry: Any = None) -> None:
        if _extension_registry is not None:
            raise unsupported("FileSystemReader", "_extension_registry")
        self.fs = FileSystem()
        self.path = self.fs.init_path(path)
        self.storage_data: dict[MetadataIndex, _StorageInfo] = {}
        self.load_id = str(uuid.uuid4())

    def reset(self, checkpoint_id: str | os.PathLike | None = None) -> None:
        self.storage_data = {}
        if checkpoint_id:
            self.path = self.fs.init_path(checkpoint_id)
        self.load_id = str(uuid.uuid4())

    def read_metadata(self, *args: Any, **kwargs: Any) -> Metadata:
        """Return the metadata of the checkpoint, or of the process `rank` if it saved on its own."""
        metadata = read_metadata(self.fs.concat_path(self.path, metadata_name(kwargs.get("rank"))))
        if metadata.storage_meta is None:
            metadata.storage_meta = StorageMeta()
        metadata.storage_meta.load_id = self.load_id
        return metadata

    def set_up_storage_reader(self, metadata: Metadata, is_coordinator: bool, *args: Any, **kwargs: Any) -> None:
        if metadata.storage_data is None:
            raise AssertionError("storage_data must not be None in metadata")
        self.storage_data = metadata.storage_data

    def prepare_local_plan(self, plan: LoadPlan) -> LoadPlan:
        return plan

    def prepare_global_plan(self, plans: list[LoadPlan]) -> list[LoadPlan]:
        return plans

    def read_data(self, plan: LoadPlan, planner: LoadPlanner) -> Future[None]:
        for item in plan.items:
            if item.storage_index not in self.storage_data:
                raise RuntimeError(f"The checkpoint in {self.path} does not store {item.storage_index}.")
        with _OpenFiles(self) as files:
            tensors = []
            for item in sorted(plan.items, key=self._place):
                if item.type == LoadItemType.BYTE_IO:
                    planner.load_bytes(item, io.BytesIO(files.bytes(item)))
                else:
                    tensors.append(item)
            _fill_all(tensors, planner, files)
        future: Future[None] = Future()
        future.set_result(None)
        return future

    def _place(self, item: ReadItem) -> tuple[str, int]:
        """Return the file and the offset of an item, by which reads are ordered."""
        stored = self.storage_data[item.storage_index]
        return stored.relative_path, stored.offset

    def _region(self, file: IO[bytes], stored: _StorageInfo, item: ReadItem) -> np.ndarray:
        """Return a region of a tensor, as a read-only array."""
        end = stored.offset + stored.length
        return load_region(file, file.name, stored.offset, end, item.storage_offsets, item.lengths)

    def _inside(self, name: str) -> Path:
        """Return the path of a data file. Raise if the metadata names a file outside of the folder."""
        if not name or Path(name).is_absolute() or ".." in Path(name).parts:
            raise RuntimeError(f"The metadata in {self.path} names the file {name!r}, which is outside of the folder.")
        return self.fs.concat_path(self.path, name)

    @property
    def checkpoint_id(self) -> str | os.PathLike:
        """The folder."""
        return self.path

    @classmethod
    def validate_checkpoint_id(cls, checkpoint_id: str | os.PathLike) -> bool:
        return FileSystem.validate_checkpoint_id(checkpoint_id)


class _OpenFiles:
    """The files of a checkpoint. Each is opened when it is first needed, and the latest one stays open."""

    def __init__(self, reader: FileSystemReader) -> None:
        self._reader = reader
        self._file: IO[bytes] | None = None

    def __enter__(self) -> _OpenFiles:
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()

    def bytes(self, item: ReadItem) -> bytes:
        """Return the bytes of an item."""
        file, stored = self._open(item)
        file.seek(stored.offset)
        return file.read(stored.length)

    def region(self, item: ReadItem) -> np.ndarray:
        """Return a region of a tensor, as a read-only array."""
        return self._reader._region(*self._open(item), item)

    def _open(self, item: ReadItem) -> tuple[IO[bytes], _StorageInfo]:
        stored = self._reader.storage_data[item.storage_index]
        path = str(self._reader._inside(stored.relative_path))
        if self._file is None or self._file.name != path:
            self.__exit__()
            self._file = open(path, "rb")  # noqa: SIM115 - closed by `__exit__`
        _check(self._file, stored, item.storage_index.fqn)
        return self._file, stored


def _fill_all(items: list[ReadItem], planner: LoadPlanner, files: _OpenFiles) -> None:
    """Write all regions into their tensors. Pending writes hold their data, so they are executed from time to time."""
    pending = 0
    for group in destinations(items, planner):
        pending += fill(group, planner, files.region)
        if pending > _MOST_PENDING:
            boundary()
            pending = 0
    boundary()


def _check(file: IO[bytes], stored: _StorageInfo, fqn: str) -> None:
    found, end = os.fstat(file.fileno()).st_size, stored.offset + stored.length
    if end > found:
        raise RuntimeError(
            f"The file {file.name} is truncated: it has {found} bytes, and {fqn!r} ends at byte {end}. Get a new copy "
            "of the file."
        )
    if stored.transform_descriptors:
        raise NotImplementedError(
            f"{fqn!r} was saved with the extensions {list(stored.transform_descriptors)}, which are not supported by "
            "torchlike. Save it in PyTorch without extensions."
        )
