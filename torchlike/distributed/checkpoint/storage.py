"""The base classes of storage writers and readers."""

from __future__ import annotations

import abc
import os
from dataclasses import dataclass
from typing import Any

from torchlike.distributed.checkpoint.metadata import Metadata, MetadataIndex, StorageMeta
from torchlike.distributed.checkpoint.planner import LoadPlan, LoadPlanner, SavePlan, SavePlanner
from torchlike.futures import Future


@dataclass(frozen=True)
class WriteResult:
    """An item that was written: its index, its size, and the data with which the reader finds it."""

    index: MetadataIndex
    size_in_bytes: int
    storage_data: Any


class StorageWriter(abc.ABC):
    """The base class of storage writers.

    `save` calls the methods in this order: `reset`, `set_up_storage_writer` and `prepare_local_plan` in all processes,
    `prepare_global_plan` in the coordinator, `write_data` in all processes, and `finish` in the coordinator.
    """

    @abc.abstractmethod
    def reset(self, checkpoint_id: str | os.PathLike | None = None) -> None:
        """Begin a new save.

        Args:
          checkpoint_id (str or path, optional): the checkpoint that is written from now on. Default: the same as
            before.
        """

    @abc.abstractmethod
    def set_up_storage_writer(self, is_coordinator: bool, *args: Any, **kwargs: Any) -> None:
        """Take the role of this process.

        Args:
          is_coordinator: whether this process makes the plan of all and writes the metadata.
          *args: not used by torchlike.
          **kwargs: `rank` and `use_collectives`, if the method of the subclass has a parameter `kwargs`.
        """

    @abc.abstractmethod
    def prepare_local_plan(self, plan: SavePlan) -> SavePlan:
        """Return the plan of this process, possibly with data of the storage.

        Args:
          plan (SavePlan): the plan of the planner.
        """

    @abc.abstractmethod
    def prepare_global_plan(self, plans: list[SavePlan]) -> list[SavePlan]:
        """Return the plans of all processes, possibly with data of the storage.

        Args:
          plans (list of SavePlans): the plan of each process.
        """

    @abc.abstractmethod
    def write_data(self, plan: SavePlan, planner: SavePlanner) -> Future[list[WriteResult]]:
        """Write the items of this process.

        Args:
          plan (SavePlan): the final plan of this process.
          planner (SavePlanner): returns the data of each item.

        Returns:
          A future of the list of a `WriteResult` for each item.
        """

    @abc.abstractmethod
    def finish(self, metadata: Metadata, results: list[list[WriteResult]]) -> None:
        """Write the metadata, which makes the checkpoint valid.

        Args:
          metadata (Metadata): the metadata of the planner.
          results (list of lists of WriteResults): the results of `write_data` of each process.
        """

    @classmethod
    @abc.abstractmethod
    def validate_checkpoint_id(cls, checkpoint_id: str | os.PathLike) -> bool:
        """Return whether this class can write to the checkpoint.

        Args:
          checkpoint_id (str or path): the checkpoint.
        """

    def storage_meta(self) -> StorageMeta | None:
        """Return the origin of the checkpoint, for its metadata."""
        return None


class StorageReader(abc.ABC):
    """The base class of storage readers.

    `load` calls the methods in this order: `reset`, `read_metadata`, `set_up_storage_reader` and `prepare_local_plan`
    in all processes, `prepare_global_plan` in the coordinator, and `read_data` in all processes.
    """

    @abc.abstractmethod
    def reset(self, checkpoint_id: str | os.PathLike | None = None) -> None:
        """Begin a new load.

        Args:
          checkpoint_id (str or path, optional): the checkpoint that is read from now on. Default: the same as before.
        """

    @abc.abstractmethod
    def read_metadata(self, *args: Any, **kwargs: Any) -> Metadata:
        """Return the metadata of the checkpoint.

        Args:
          *args: not used by torchlike.
          **kwargs: `rank`, if there is no metadata of all processes and the method of the subclass has a parameter
            `kwargs`. Then the method returns the metadata of this process.
        """

    @abc.abstractmethod
    def set_up_storage_reader(self, metadata: Metadata, is_coordinator: bool, *args: Any, **kwargs: Any) -> None:
        """Take the metadata and the role of this process.

        Args:
          metadata (Metadata): the metadata of the checkpoint.
          is_coordinator: whether this process makes the plan of all.
          *args: not used by torchlike.
          **kwargs: `rank` and `use_collectives`, if the method of the subclass has a parameter `kwargs`.
        """

    @abc.abstractmethod
    def prepare_local_plan(self, plan: LoadPlan) -> LoadPlan:
        """Return the plan of this process, possibly with data of the storage.

        Args:
          plan (LoadPlan): the plan of the planner.
        """

    @abc.abstractmethod
    def prepare_global_plan(self, plans: list[LoadPlan]) -> list[LoadPlan]:
        """Return the plans of all processes, possibly with data of the storage.

        Args:
          plans (list of LoadPlans): the plan of each process.
        """

    @abc.abstractmethod
    def read_data(self, plan: LoadPlan, planner: LoadPlanner) -> Future[None]:
        """Read the regions of the plan.

        Args:
          plan (LoadPlan): the final plan of this process.
          planner (LoadPlanner): takes the data of each region.

        Returns:
          A future that completes when they are read.
        """

    @classmethod
    @abc.abstractmethod
    def validate_checkpoint_id(cls, checkpoint_id: str | os.PathLike) -> bool:
        """Return whether this class can read the checkpoint.

        Args:
          checkpoint_id (str or path): the checkpoint.
        """
