"""Checkpoints of tensors in the safetensors format of Hugging Face."""

from __future__ import annotations

import json
import os
from collections import defaultdict
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any

import numpy as np

from torchlike import Size
from torchlike import dtype as Dtype
from torchlike._internal import unsupported
from torchlike.distributed.checkpoint._files import safetensors
from torchlike.distributed.checkpoint._files.file_reader import FileSystemReader
from torchlike.distributed.checkpoint._files.file_writer import FileSystemWriter, on_host
from torchlike.distributed.checkpoint._files.storage_info import _StorageInfo
from torchlike.distributed.checkpoint.metadata import (
    ChunkStorageMetadata,
    Metadata,
    MetadataIndex,
    StorageMeta,
    TensorProperties,
    TensorStorageMetadata,
)
from torchlike.distributed.checkpoint.planner import ReadItem, SavePlan, SavePlanner, WriteItem, WriteItemType
from torchlike.distributed.checkpoint.storage import WriteResult
from torchlike.futures import Future

_INDEX = "model.safetensors.index.json"
_SHARDING, _OFFSETS = "DCP_SHARDING_INFO", "saved_offsets"


@dataclass
class _HFStorageInfo(_StorageInfo):
    """The place of a tensor in a safetensors file, with its shape and dtype."""

    shape: tuple[int, ...] = ()
    dtype: Dtype | None = None


class HuggingFaceStorageWriter(FileSystemWriter):
    """A writer of safetensors files, which hold only tensors.

    Args:
      path: the folder.
      fqn_to_index_mapping: for each key, the number of its file, from 1. By default all tensors of a process are in
        one file.
      thread_count: has no effect: files are written one after the other.
      save_distributed: each process writes its own chunks of the tensors, with their offsets. By default, whole tensors
        are written, and a file with an index.
      enable_consolidation: not supported.
      thread_count_consolidation: has no effect.
    """

    def __init__(
        self,
        path: str | os.PathLike,
        fqn_to_index_mapping: dict[str, int] | None = None,
        thread_count: int = 1,
        save_distributed: bool = False,
        enable_consolidation: bool = False,
        thread_count_consolidation: int = 1,
    ) -> None:
        if enable_consolidation:
            raise unsupported("HuggingFaceStorageWriter", "enable_consolidation")
        super().__init__(path=path)
        self.fqn_to_index_mapping, self.save_distributed = fqn_to_index_mapping, save_distributed

    def prepare_global_plan(self, plans: list[SavePlan]) -> list[SavePlan]:
        return [replace(plan, storage_data=rank) for rank, plan in enumerate(plans, 1)]

    def write_data(self, plan: SavePlan, planner: SavePlanner) -> Future[list[WriteResult]]:
        files: dict[int, list[WriteItem]] = defaultdict(list)
        numbers = self.fqn_to_index_mapping or {}
        for item in plan.items:
            if item.type == WriteItemType.BYTE_IO:
                raise TypeError(f"{item.index.fqn!r} is not a tensor, and safetensors files hold only tensors.")
            files[numbers[item.index.fqn] if numbers else 1].append(item)
        last = max(numbers.values(), default=1)
        shard = f"shard-{plan.storage_data:05}-" if self.save_distributed else ""
        future: Future[list[WriteResult]] = Future()
        future.set_result(
            [
                result
                for number, items in files.items()
                for result in self._write_tensors(f"{shard}model-{number:05}-of-{last:05}.safetensors", items, planner)
            ]
        )
        return future

    def _write_tensors(self, name: str, items: list[WriteItem], planner: SavePlanner) -> list[WriteResult]:
        tensors: dict[str, Any] = {item.index.fqn: on_host(planner.resolve_data(item)) for item in items}  # type: ignore[arg-type]
        places = {item.index.fqn: {_OFFSETS: list(item.index.offset or ())} for item in items}
        header = {_SHARDING: json.dumps(places), "DCP_VERSION": "1.0", "format": "pt"}
        with self.fs.create_stream(self.fs.concat_path(self.path, name), "wb") as stream:
            safetensors.write(stream, tensors, header)
        sizes = [tensors[item.index.fqn].nbytes for item in items]
        return [WriteResult(item.index, size, _StorageInfo(name, 0, size)) for item, size in zip(items, sizes)]

    def finish(self, metadata: Metadata, results: list[list[WriteResult]]) -> None:
        if self.save_distributed:
            return
        written = [result for found in results for result in found]
        index = {
            "metadata": {"total_size": sum(result.size_in_bytes for result in written)},
            "weight_map": {result.index.fqn: result.storage_data.relative_path for result in written},
        }
        with self.fs.create_stream(self.fs.concat_path(self.path, _INDEX), "wb") as stream:
            stream.write(json.dumps(index, indent=2).encode())

    @property
    def metadata_path(self) -> str:
        """The name of the index."""
        return _INDEX


class HuggingFaceStorageReader(FileSystemReader):
    """A reader of the safetensors files in a folder: those of a model, or those of `HuggingFaceStorageWriter`.

    Args:
      path: the folder.
      thread_count: has no effect: files are read one after the other.
    """

    def __init__(self, path: str | os.PathLike, thread_count: int = 1) -> None:
        super().__init__(path)

    def read_metadata(self, *args: Any, **kwargs: Any) -> Metadata:
        """Return the metadata of all tensors in the files."""
        tensors: dict[str, TensorStorageMetadata] = {}
        stored: dict[MetadataIndex, _HFStorageInfo] = {}
        for path in sorted(Path(self.path).glob("*.safetensors")):
            with open(path, "rb") as file:
                entries, header = safetensors.read_header(file)
            places = json.loads(header.get(_SHARDING, "{}"))
            for name, entry in entries.items():
                offsets = places.get(name, {}).get(_OFFSETS, [0] * len(entry.shape))
                _add_chunk(tensors, name, entry, Size(offsets))
                length = entry.end - entry.begin
                info = _HFStorageInfo(path.name, entry.begin, length, None, entry.shape, entry.dtype)
                stored[MetadataIndex(name, offsets)] = info
        return Metadata(dict(tensors), storage_data=stored, storage_meta=StorageMeta(load_id=self.load_id))

    def _region(self, file: IO[bytes], stored: _StorageInfo, item: ReadItem) -> np.ndarray:
        assert isinstance(stored, _HFStorageInfo) and stored.dtype is not None
        end = stored.offset + stored.length
        found = safetensors.mapped(file.name, safetensors.Entry(stored.dtype, stored.shape, stored.offset, end))
        return found[tuple(slice(b, b + n) for b, n in zip(item.storage_offsets, item.lengths))]


def _add_chunk(tensors: dict[str, TensorStorageMetadata], name: str, entry: safetensors.Entry, offsets: Size) -> None:
    chunk = ChunkStorageMetadata(offsets, Size(entry.shape))
    ends = [begin + length for begin, length in zip(offsets, entry.shape)]
    if name not in tensors:
        tensors[name] = TensorStorageMetadata(TensorProperties(entry.dtype), Size(ends), [])
    md = tensors[name]
    md.chunks.append(chunk)
    md.size = Size([max(size, end) for size, end in zip(md.size, ends)])
