"""Reading a checkpoint from a folder. No code of the checkpoint is executed."""

from __future__ import annotations

import io
import os
import uuid
from collections import defaultdict
from pathlib import Path
from typing import IO, Any

from torchlike._internal import unsupported
from torchlike.distributed.checkpoint._file_system import FileSystem
from torchlike.distributed.checkpoint._file_writer import metadata_name
from torchlike.distributed.checkpoint._metadata_file import read_metadata
from torchlike.distributed.checkpoint._storage_info import _StorageInfo
from torchlike.distributed.checkpoint.metadata import Metadata, MetadataIndex, StorageMeta
from torchlike.distributed.checkpoint.planner import LoadItemType, LoadPlan, LoadPlanner, ReadItem
from torchlike.distributed.checkpoint.storage import StorageReader
from torchlike.futures import Future
from torchlike.serialization._items import load_region


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
        by_file: dict[str, list[tuple[_StorageInfo, ReadItem]]] = defaultdict(list)
        for item in plan.items:
            stored = self.storage_data.get(item.storage_index)
            if stored is None:
                raise RuntimeError(f"The checkpoint in {self.path} does not store {item.storage_index}.")
            by_file[stored.relative_path].append((stored, item))
        for name, items in by_file.items():
            with open(self._inside(name), "rb") as file:
                for stored, item in sorted(items, key=lambda found: found[0].offset):
                    self._read_item(file, stored, item, planner)
        future: Future[None] = Future()
        future.set_result(None)
        return future

    def _inside(self, name: str) -> Path:
        """Return the path of a data file. Raise if the metadata names a file outside of the folder."""
        if not name or Path(name).is_absolute() or ".." in Path(name).parts:
            raise RuntimeError(f"The metadata in {self.path} names the file {name!r}, which is outside of the folder.")
        return self.fs.concat_path(self.path, name)

    def _read_item(self, file: IO[bytes], stored: _StorageInfo, item: ReadItem, planner: LoadPlanner) -> None:
        end = stored.offset + stored.length
        found = os.fstat(file.fileno()).st_size
        if end > found:
            raise RuntimeError(
                f"The file {file.name} is truncated: it has {found} bytes, and {item.storage_index.fqn!r} ends at byte "
                f"{end}. Get a new copy of the file."
            )
        if stored.transform_descriptors:
            raise NotImplementedError(
                f"{item.storage_index.fqn!r} was saved with the extensions {list(stored.transform_descriptors)}, which "
                "are not supported by torchlike. Save it in PyTorch without extensions."
            )
        if item.type == LoadItemType.BYTE_IO:
            file.seek(stored.offset)
            planner.load_bytes(item, io.BytesIO(file.read(stored.length)))
            return
        region = load_region(file, file.name, stored.offset, end, tuple(item.storage_offsets), tuple(item.lengths))
        target = planner.resolve_tensor(item).detach()
        if target.size() != region.size():
            raise AssertionError(f"req {item.storage_index} mismatch sizes {target.size()} vs {region.size()}")
        target.copy_(region)
        planner.commit_tensor(item, target)

    @property
    def checkpoint_id(self) -> str | os.PathLike:
        """The folder."""
        return self.path

    @classmethod
    def validate_checkpoint_id(cls, checkpoint_id: str | os.PathLike) -> bool:
        return FileSystem.validate_checkpoint_id(checkpoint_id)
