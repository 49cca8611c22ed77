"""The contents of the file `.metadata` of a checkpoint.

PyTorch pickles objects of these classes. Their names, modules and attributes are part of the file format.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import torchlike
from torchlike import Size
from torchlike.distributed.checkpoint.stateful import StatefulT


@dataclass
class ChunkStorageMetadata:
    """A part of a tensor that is stored as one item.

    Args:
      offsets (Size): the offset of the part in each dim of the whole tensor.
      sizes (Size): the shape of the part.
    """

    offsets: Size
    sizes: Size


class _MEM_FORMAT_ENCODING(Enum):
    """The memory formats, because PyTorch cannot pickle a `memory_format`."""

    TORCH_CONTIGUOUS_FORMAT = 0
    TORCH_CHANNELS_LAST = 1
    TORCH_PRESERVE_FORMAT = 2


_MEMORY_FORMATS = {
    torchlike.contiguous_format: _MEM_FORMAT_ENCODING.TORCH_CONTIGUOUS_FORMAT,
    torchlike.channels_last: _MEM_FORMAT_ENCODING.TORCH_CHANNELS_LAST,
    torchlike.preserve_format: _MEM_FORMAT_ENCODING.TORCH_PRESERVE_FORMAT,
}


@dataclass
class TensorProperties:
    """The properties of a saved tensor. All except `dtype` are deprecated."""

    dtype: torchlike.dtype = field(default_factory=torchlike.get_default_dtype)
    layout: torchlike.layout = torchlike.strided
    requires_grad: bool = False
    memory_format: torchlike.memory_format = torchlike.contiguous_format
    pin_memory: bool = False

    def __getstate__(self) -> tuple:
        encoding = _MEMORY_FORMATS.get(self.memory_format)
        if encoding is None:
            raise RuntimeError(f"Invalid torch.memory_format: {self.memory_format}")
        return self.dtype, self.layout, self.requires_grad, encoding, self.pin_memory

    def __setstate__(self, state: tuple) -> None:
        self.dtype, self.layout, self.requires_grad, encoding, self.pin_memory = state
        found = [form for form, known in _MEMORY_FORMATS.items() if known is encoding]
        if not found:
            raise RuntimeError(f"Invalid torch.memory_format encoding: {encoding}")
        self.memory_format = found[0]

    @staticmethod
    def create_from_tensor(tensor: torchlike.Tensor) -> TensorProperties:
        """Return the properties of a tensor."""
        return TensorProperties(tensor.dtype, tensor.layout, tensor.requires_grad, pin_memory=tensor.is_pinned())


@dataclass
class TensorStorageMetadata:
    """The description of a saved tensor.

    Args:
      properties (TensorProperties): the dtype, with properties that are deprecated.
      size (Size): the shape of the whole tensor.
      chunks (list of ChunkStorageMetadata): the parts that store it.
    """

    properties: TensorProperties
    size: Size
    chunks: list[ChunkStorageMetadata]


@dataclass
class BytesStorageMetadata:
    """A saved object that is not a tensor."""


STORAGE_TYPES = TensorStorageMetadata | BytesStorageMetadata
STATE_DICT_TYPE = dict[str, StatefulT | Any]


@dataclass
class StorageMeta:
    """The origin of a checkpoint."""

    checkpoint_id: str | os.PathLike | None = None
    save_id: str | None = None
    load_id: str | None = None
    modules: list[str] = field(default_factory=list)


@dataclass
class Metadata:
    """The description of a checkpoint.

    Args:
      state_dict_metadata: for each key of the state dict, the saved tensor or object.
      planner_data: data of the planner. The default planner stores the path of each key in the nested state dict.
      storage_data: data of the storage. The file system stores the file, the offset and the length of each item.
      storage_meta: the origin of the checkpoint.
      version: the version of the format.
    """

    state_dict_metadata: dict[str, STORAGE_TYPES]
    planner_data: Any = None
    storage_data: Any = None
    storage_meta: StorageMeta | None = None
    version: str | None = None


@dataclass(frozen=True)
class MetadataIndex:
    """The identity of an item of a checkpoint.

    Args:
      fqn: the key in the state dict.
      offset: the offset of the chunk in the whole tensor, or None for other objects.
      index: the position of the chunk in the list of chunks, as a hint. It is ignored by comparisons.
    """

    fqn: str
    offset: Size | None = None
    index: int | None = field(hash=False, compare=False, default=None)

    def __init__(self, fqn: str, offset: Sequence[int] | None = None, index: int | None = None) -> None:
        object.__setattr__(self, "fqn", fqn)
        object.__setattr__(self, "index", index)
        if offset is not None:
            object.__setattr__(self, "offset", Size(offset))
