"""Plans of saves and loads, and the base classes of planners."""

from __future__ import annotations

import abc
import io
import math
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

from torchlike import Size, Tensor
from torchlike.distributed.checkpoint.metadata import (
    STATE_DICT_TYPE,
    ChunkStorageMetadata,
    Metadata,
    MetadataIndex,
    StorageMeta,
    TensorProperties,
)


class WriteItemType(Enum):
    """The kind of an item that is saved: a whole tensor, a part of one, or another object."""

    TENSOR = auto()
    SHARD = auto()
    BYTE_IO = auto()


class LoadItemType(Enum):
    """The kind of an item that is loaded: a part of a tensor, or another object."""

    TENSOR = auto()
    BYTE_IO = auto()


@dataclass(frozen=True)
class BytesIOWriteData:
    """The size of an object that is not a tensor."""

    nbytes: int


@dataclass(frozen=True)
class TensorWriteData:
    """The chunk of a tensor that is saved, with the properties and the size of the whole tensor."""

    chunk: ChunkStorageMetadata
    properties: TensorProperties
    size: Size


@dataclass(frozen=True)
class WriteItem:
    """One item that is saved.

    Args:
      index (MetadataIndex): the key in the state dict, with the offset of the chunk.
      type (WriteItemType): a whole tensor, a part of one, or another object.
      bytes_io_data (BytesIOWriteData, optional): the size of the object, if it is not a tensor. The default planner
        does not set it.
      tensor_data (TensorWriteData, optional): the chunk with the properties and the shape of the tensor. None for other
        objects.
    """

    index: MetadataIndex
    type: WriteItemType
    bytes_io_data: BytesIOWriteData | None = None
    tensor_data: TensorWriteData | None = None

    def tensor_storage_size(self) -> int | None:
        """Return the number of bytes of the whole tensor, or None for other objects."""
        if self.tensor_data is None:
            return None
        return math.prod(self.tensor_data.size) * self.tensor_data.properties.dtype.itemsize


@dataclass(frozen=True)
class ReadItem:
    """One region that is loaded.

    Args:
      type: a part of a tensor, or another object.
      dest_index: the destination in the state dict.
      dest_offsets: the offsets of the region in the destination.
      storage_index: the item of the checkpoint.
      storage_offsets: the offsets of the region in the item.
      lengths: the size of the region.
    """

    type: LoadItemType
    dest_index: MetadataIndex
    dest_offsets: Size
    storage_index: MetadataIndex
    storage_offsets: Size
    lengths: Size


@dataclass(frozen=True)
class SavePlan:
    """The items that one process saves.

    Args:
      items (list of WriteItems): the items.
      storage_data: data of the storage writer, such as the prefix of the names of files.
      planner_data: data of the planner. The default planner sets the path of each key in the nested state dict.
      usable: has no effect: plans are not cached.
    """

    items: list[WriteItem]
    storage_data: Any = None
    planner_data: Any = None
    usable: bool = True


@dataclass
class LoadPlan:
    """The regions that one process loads.

    Args:
      items (list of ReadItems): the regions.
      storage_data: data of a storage reader. Those of torchlike do not set it.
      planner_data: data of a planner. The default planner does not set it.
    """

    items: list[ReadItem]
    storage_data: Any = None
    planner_data: Any = None


class SavePlanner(abc.ABC):
    """The base class of planners of saves.

    `save` calls the methods in this order: `set_up_planner` and `create_local_plan` in all processes,
    `create_global_plan` in the coordinator, then `finish_plan` and `resolve_data` in all processes.
    """

    @abc.abstractmethod
    def set_up_planner(
        self, state_dict: STATE_DICT_TYPE, storage_meta: StorageMeta | None = None, is_coordinator: bool = False
    ) -> None:
        """Take the state dict that will be saved.

        Args:
          state_dict (dict): the state dict.
          storage_meta (StorageMeta, optional): the origin of the checkpoint, from the storage writer.
          is_coordinator: whether this process makes the plan of all.
        """

    @abc.abstractmethod
    def create_local_plan(self) -> SavePlan:
        """Return the items that this process has."""

    @abc.abstractmethod
    def create_global_plan(self, all_plans: list[SavePlan]) -> tuple[list[SavePlan], Metadata]:
        """Return the final plan of each process, and the metadata of the checkpoint.

        Args:
          all_plans (list of SavePlans): the plan of each process.
        """

    @abc.abstractmethod
    def finish_plan(self, new_plan: SavePlan) -> SavePlan:
        """Return the plan that this process carries out.

        Args:
          new_plan (SavePlan): the plan of the coordinator for this process.
        """

    @abc.abstractmethod
    def resolve_data(self, write_item: WriteItem) -> Tensor | io.BytesIO:
        """Return the data of an item: a tensor of any device and layout, or the bytes of another object.

        Args:
          write_item (WriteItem): the item.
        """


class LoadPlanner:
    """The base class of planners of loads.

    `load` calls the methods in this order: `set_up_planner` and `create_local_plan` in all processes,
    `create_global_plan` in the coordinator, then `finish_plan`, `load_bytes`, `resolve_tensor` and `commit_tensor` in
    all processes.
    """

    @abc.abstractmethod
    def set_up_planner(
        self, state_dict: STATE_DICT_TYPE, metadata: Metadata | None = None, is_coordinator: bool = False
    ) -> None:
        """Take the state dict that will be loaded into.

        Args:
          state_dict (dict): the state dict.
          metadata (Metadata, optional): the metadata of the checkpoint.
          is_coordinator: whether this process makes the plan of all.
        """

    @abc.abstractmethod
    def create_local_plan(self) -> LoadPlan:
        """Return the regions that this process needs."""

    @abc.abstractmethod
    def create_global_plan(self, global_plan: list[LoadPlan]) -> list[LoadPlan]:
        """Return the final plan of each process.

        Args:
          global_plan (list of LoadPlans): the plan of each process.
        """

    @abc.abstractmethod
    def finish_plan(self, central_plan: LoadPlan) -> LoadPlan:
        """Return the plan that this process carries out.

        Args:
          central_plan (LoadPlan): the plan of the coordinator for this process.
        """

    @abc.abstractmethod
    def load_bytes(self, read_item: ReadItem, value: io.BytesIO) -> None:
        """Take the bytes of an object that is not a tensor.

        Args:
          read_item (ReadItem): the item.
          value (BytesIO): the bytes.
        """

    def resolve_bytes(self, read_item: ReadItem) -> io.BytesIO:
        """Return the stream into which a storage reader may write the bytes of an object.

        Args:
          read_item (ReadItem): the item.
        """
        raise NotImplementedError("LoadPlanner.resolve_bytes is not implemented")

    @abc.abstractmethod
    def resolve_tensor(self, read_item: ReadItem) -> Tensor:
        """Return the tensor into which a region is read. Its size is `read_item.lengths`.

        Args:
          read_item (ReadItem): the region.
        """

    @abc.abstractmethod
    def commit_tensor(self, read_item: ReadItem, tensor: Tensor) -> None:
        """Take the tensor of `resolve_tensor` after the region was read into it.

        Args:
          read_item (ReadItem): the region.
          tensor (Tensor): the tensor.
        """
