"""Writing a checkpoint to a folder.

A save writes its data to new files, which no earlier checkpoint in the folder uses. Then it replaces `.metadata`, which
makes the new checkpoint valid and the old one invalid in one step, and removes the files of the old checkpoint. If a
save is killed, the folder holds the old checkpoint or the new one, and the next save removes what is left over.
"""

from __future__ import annotations

import io
import os
import pickle
import uuid
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from enum import Enum
from pathlib import Path
from typing import IO, Any

import torchlike
from torchlike import Tensor
from torchlike._internal import unsupported, warn
from torchlike.distributed.checkpoint._files import file_system
from torchlike.distributed.checkpoint._files.file_system import METADATA, SUFFIX, FileSystem
from torchlike.distributed.checkpoint._files.metadata_file import read_metadata, write_metadata
from torchlike.distributed.checkpoint._files.storage_info import _StorageInfo, _StoragePrefix
from torchlike.distributed.checkpoint.metadata import STATE_DICT_TYPE, Metadata, StorageMeta
from torchlike.distributed.checkpoint.planner import SavePlan, SavePlanner, WriteItem, WriteItemType
from torchlike.distributed.checkpoint.staging import BlockingAsyncStager
from torchlike.distributed.checkpoint.storage import StorageWriter, WriteResult
from torchlike.futures import Future

VERSION = "1.0.0"


class SerializationFormat(Enum):
    """The formats of data files."""

    TORCH_SAVE = "torch_save"
    SAFETENSORS = "safetensors"


class FileSystemWriter(StorageWriter, BlockingAsyncStager):
    """A writer of checkpoints in a folder, in PyTorch's format: `.metadata` and `__<rank>_<number>.distcp`.

    An existing checkpoint in the folder stays valid until the new one is complete and on disk, then it is removed.
    PyTorch overwrites the files of the old checkpoint one by one.

    Args:
      path: the folder. It is created if it does not exist.
      single_file_per_rank: each process writes one file, or as many as there are threads. With False, it writes
        a file for each item.
      sync_files: write the entries of the folder to disk. The contents of files are always written to disk.
      thread_count: the number of threads that write files.
      per_thread_copy_ahead: has no effect.
      cache_staged_state_dict: not supported.
      overwrite: replace an existing checkpoint, with a warning. With False, it raises.
      _extensions, serialization_format: not supported.
    """

    def __init__(
        self,
        path: str | os.PathLike,
        single_file_per_rank: bool = True,
        sync_files: bool = True,
        thread_count: int = 1,
        per_thread_copy_ahead: int = 10_000_000,
        cache_staged_state_dict: bool = False,
        overwrite: bool = True,
        _extensions: Sequence[Any] | None = None,
        serialization_format: SerializationFormat = SerializationFormat.TORCH_SAVE,
    ) -> None:
        BlockingAsyncStager.__init__(self, cache_staged_state_dict=cache_staged_state_dict)
        if _extensions:
            raise unsupported("FileSystemWriter", "_extensions")
        if serialization_format is not SerializationFormat.TORCH_SAVE:
            raise unsupported("FileSystemWriter", "serialization_format")
        self.fs = FileSystem()
        self.path = self.fs.init_path(path)
        self.single_file_per_rank, self.sync_files = single_file_per_rank, sync_files
        self.thread_count, self.per_thread_copy_ahead, self.overwrite = thread_count, per_thread_copy_ahead, overwrite
        self.rank: int | None = None
        self.use_collectives = True
        self.save_id = str(uuid.uuid4())
        self._before: set[str] = set()

    def reset(self, checkpoint_id: str | os.PathLike | None = None) -> None:
        if checkpoint_id:
            self.path = self.fs.init_path(checkpoint_id)
        self.save_id = str(uuid.uuid4())

    def set_up_storage_writer(self, is_coordinator: bool, *args: Any, **kwargs: Any) -> None:
        self.rank, self.use_collectives = kwargs.get("rank"), kwargs.get("use_collectives", True)

    def prepare_local_plan(self, plan: SavePlan) -> SavePlan:
        self.fs.mkdir(self.path)
        exists = self.fs.exists(self._metadata_path(None if self.use_collectives else 0))
        if exists and not self.overwrite:
            raise RuntimeError(f"Checkpoint already exists and {self.overwrite=}.")
        if exists:
            warn(
                f"Detected an existing checkpoint in {self.path}, overwriting since {self.overwrite=}."
                " Past version 2.5 of PyTorch, `overwrite` will default to False. Set this variable to True to"
                " maintain this functionality or False to raise when an existing checkpoint is found."
            )
        if self.use_collectives or self.rank is None:
            return plan
        return replace(plan, storage_data=_StoragePrefix(f"__{self.rank}_", self._first(self.rank)))

    def prepare_global_plan(self, plans: list[SavePlan]) -> list[SavePlan]:
        first = self._first(None) if any(plan.storage_data is None for plan in plans) else 0
        return [
            replace(plan, storage_data=_StoragePrefix(f"__{rank}_", first)) if plan.storage_data is None else plan
            for rank, plan in enumerate(plans)
        ]

    def _first(self, rank: int | None) -> int:
        """Return the number of the first new file, and keep the names of the old files (of one rank, if given)."""
        old = file_system.data_files(self.path)
        self._before = {name for name, (owner, _) in old.items() if rank is None or owner == rank}
        return 1 + max((old[name][1] for name in self._before), default=-1)

    def write_data(self, plan: SavePlan, planner: SavePlanner) -> Future[list[WriteResult]]:
        prefix: _StoragePrefix = plan.storage_data
        if not self.single_file_per_rank:
            buckets = [[item] for item in plan.items]
        elif self.thread_count == 1:
            buckets = [plan.items]
        else:
            buckets = balanced(plan.items, self.thread_count)
        names = [f"{prefix.prefix}{prefix.first + i}{SUFFIX}" for i in range(len(buckets))]
        files = list(zip(names, buckets))
        if self.thread_count == 1:
            results = [self._write_file(name, items, planner) for name, items in files]
        else:
            with ThreadPoolExecutor(self.thread_count) as pool:
                results = list(pool.map(lambda file: self._write_file(file[0], file[1], planner), files))
        if self.sync_files:
            file_system.sync(self.path)
        future: Future[list[WriteResult]] = Future()
        future.set_result([result for found in results for result in found])
        return future

    def _write_file(self, name: str, items: list[WriteItem], planner: SavePlanner) -> list[WriteResult]:
        """Write one file: first the objects that are not tensors, then the tensors."""
        items = sorted(items, key=lambda item: item.type != WriteItemType.BYTE_IO)
        with self.fs.create_stream(self.fs.concat_path(self.path, name), "wb") as stream:
            return [_write_item(stream, name, item, planner.resolve_data(item)) for item in items]

    def finish(self, metadata: Metadata, results: list[list[WriteResult]]) -> None:
        metadata.version = VERSION
        metadata.storage_data = {result.index: result.storage_data for found in results for result in found}
        metadata.storage_meta = self.storage_meta()
        path = self._metadata_path(None if self.use_collectives else self.rank)
        write_metadata(path, metadata)
        if self.sync_files:
            file_system.sync(self.path)
        used = {stored.relative_path for stored in metadata.storage_data.values()} | _used_by_others(path)
        file_system.remove(self.path, self._before - used)

    def storage_meta(self) -> StorageMeta:
        return StorageMeta(checkpoint_id=self.checkpoint_id, save_id=self.save_id)

    def stage(self, state_dict: STATE_DICT_TYPE) -> STATE_DICT_TYPE:
        """Return a copy of the state dict on the CPU."""
        return BlockingAsyncStager.stage(self, state_dict)

    def _metadata_path(self, rank: int | None) -> Path:
        return self.fs.concat_path(self.path, metadata_name(rank))

    @property
    def checkpoint_id(self) -> str | os.PathLike:
        """The folder."""
        return self.path

    @classmethod
    def validate_checkpoint_id(cls, checkpoint_id: str | os.PathLike) -> bool:
        return FileSystem.validate_checkpoint_id(checkpoint_id)


def metadata_name(rank: int | None) -> str:
    """Return the name of the metadata file of all processes, or of one process that saved on its own."""
    return METADATA if rank is None else f"__{rank}{METADATA}"


def _used_by_others(path: Path) -> set[str]:
    """Return the data files of other checkpoints in the folder: those of processes that save on their own."""
    used = set()
    for other in path.parent.glob(f"*{METADATA}"):
        if other.name != path.name:
            with suppress(OSError, pickle.UnpicklingError):
                used |= {stored.relative_path for stored in (read_metadata(other).storage_data or {}).values()}
    return used


def balanced(items: Iterable[WriteItem], count: int) -> list[list[WriteItem]]:
    """Distribute items over `count` files of about the same size."""
    buckets: list[list[WriteItem]] = [[] for _ in range(count)]
    sizes = [0] * count
    objects = [item for item in items if item.type == WriteItemType.BYTE_IO]
    for i, item in enumerate(objects):
        buckets[i % count].append(item)
    tensors = [(item.tensor_storage_size() or 0, item) for item in items if item.type != WriteItemType.BYTE_IO]
    for size, item in sorted(tensors, key=lambda found: found[0], reverse=True):
        smallest = sizes.index(min(sizes))
        buckets[smallest].append(item)
        sizes[smallest] += size
    return buckets


def _write_item(stream: IO[bytes], name: str, item: WriteItem, data: Tensor | io.BytesIO) -> WriteResult:
    offset = stream.tell()
    if isinstance(data, Tensor):
        torchlike.save(on_host(data), stream)
    else:
        stream.write(data.getbuffer())
    length = stream.tell() - offset
    return WriteResult(item.index, length, _StorageInfo(name, offset, length))


def on_host(tensor: Tensor) -> Tensor:
    """Return a detached CPU tensor whose storage has no other elements. Strides are preserved."""
    found = tensor.detach().cpu()
    return found if found.untyped_storage().nbytes() == found.nbytes else found.clone()
