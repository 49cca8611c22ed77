"""Loading of files of `torch.save` into divided state dicts."""

from __future__ import annotations

import os
from typing import Any

import torchlike
from torchlike import Tensor
from torchlike.distributed import _world
from torchlike.distributed._collectives import broadcast
from torchlike.distributed.checkpoint._nested_dict import flatten_state_dict
from torchlike.distributed.checkpoint.default_planner import DefaultLoadPlanner, narrow_tensor_by_index
from torchlike.distributed.checkpoint.metadata import STATE_DICT_TYPE, Metadata, TensorProperties, TensorStorageMetadata
from torchlike.distributed.checkpoint.planner import LoadItemType, LoadPlan, LoadPlanner
from torchlike.distributed.checkpoint.planner_helpers import chunk_of
from torchlike.distributed.checkpoint.storage import StorageReader
from torchlike.futures import Future


class BroadcastingTorchSaveReader(StorageReader):
    """A reader of a file of `torch.save`. One process reads the file and sends each tensor to the others.

    Use it with `DynamicMetaLoadPlanner`. The file is loaded with `weights_only=True`.

    Args:
      checkpoint_id (str or path, optional): the file.
      coordinator_rank (int, default 0): the process that reads the file.
    """

    def __init__(self, checkpoint_id: str | os.PathLike | None = None, coordinator_rank: int = 0) -> None:
        self.checkpoint_id, self.coordinator_rank = checkpoint_id, coordinator_rank
        self.is_coordinator = False

    def read_metadata(self, *args: Any, **kwargs: Any) -> Metadata:
        """Return empty metadata: `DynamicMetaLoadPlanner` makes them from the state dict.

        Args:
          *args, **kwargs: have no effect.
        """
        return Metadata(state_dict_metadata={})

    def read_data(self, plan: LoadPlan, planner: LoadPlanner) -> Future[None]:
        """Read the tensors of the plan.

        Args:
          plan (LoadPlan): the plan of this process.
          planner (DefaultLoadPlanner): takes the tensors.

        Raises:
          RuntimeError: a value is not a tensor.
        """
        held: Any = planner
        saved = self._loaded(held.flatten_state_dict) if self.is_coordinator else {}
        for request in plan.items:
            name = request.storage_index.fqn
            if request.type == LoadItemType.BYTE_IO:
                raise _not_a_tensor(name, self)
            like = held.state_dict[name]
            tensor = saved[name] if self.is_coordinator else torchlike.empty(like.size(), dtype=like.dtype)
            if _world.is_initialized():
                broadcast(tensor, src=self.coordinator_rank, async_op=False)
            part = narrow_tensor_by_index(tensor, request.storage_offsets, request.lengths)
            target = planner.resolve_tensor(request).detach()
            if target.size() != part.size():
                raise AssertionError(f"req {request.storage_index} mismatch sizes, {target.size()} vs {part.size()}")
            target.copy_(part)
            planner.commit_tensor(request, target)
        done: Future[None] = Future()
        done.set_result(None)
        return done

    def _loaded(self, flatten: bool) -> dict[str, Any]:
        if self.checkpoint_id is None:
            raise AssertionError("checkpoint_id must be set before reading data")
        state = torchlike.load(self.checkpoint_id, map_location="cpu", weights_only=True)
        return flatten_state_dict(state)[0] if flatten else state

    def set_up_storage_reader(self, metadata: Metadata, is_coordinator: bool, *args: Any, **kwargs: Any) -> None:
        """Take the role of this process.

        Args:
          metadata: has no effect.
          is_coordinator: whether this process reads the file.
          *args, **kwargs: have no effect.
        """
        self.is_coordinator = is_coordinator
        rank = _world.get_rank() if _world.is_initialized() else 0
        if is_coordinator and rank != self.coordinator_rank:
            raise AssertionError(f"Coordinator rank mismatch: expected {self.coordinator_rank}, got {rank}")
        if self.checkpoint_id is None:
            raise AssertionError("checkpoint_id must be set before setting up storage reader")

    def prepare_local_plan(self, plan: LoadPlan) -> LoadPlan:
        """Return the plan.

        Args:
          plan (LoadPlan): the plan of this process.
        """
        return plan

    def prepare_global_plan(self, plans: list[LoadPlan]) -> list[LoadPlan]:
        """Return the plans.

        Args:
          plans (list): the plan of each process.
        """
        return plans

    def reset(self, checkpoint_id: str | os.PathLike | None = None) -> None:
        """Set the file.

        Args:
          checkpoint_id (str or path, optional): the file.
        """
        self.checkpoint_id = checkpoint_id

    @classmethod
    def validate_checkpoint_id(cls, checkpoint_id: str | os.PathLike) -> bool:
        """Return whether the file exists.

        Args:
          checkpoint_id (str or path): the file.
        """
        return os.path.isfile(checkpoint_id)


class DynamicMetaLoadPlanner(DefaultLoadPlanner):
    """A planner for files without metadata: they are made from the state dict, which contains only tensors.

    Args:
      *args, **kwargs: the arguments of `DefaultLoadPlanner`.
    """

    def set_up_planner(
        self, state_dict: STATE_DICT_TYPE, metadata: Metadata | None = None, is_coordinator: bool = False
    ) -> None:
        """Take the state dict, and make the metadata.

        Args:
          state_dict (dict): the state dict that is loaded.
          metadata (Metadata, optional): the metadata of the reader, which are replaced.
          is_coordinator: whether this process is the coordinator.

        Raises:
          RuntimeError: a value is not a tensor.
        """
        super().set_up_planner(state_dict, metadata, is_coordinator)
        found: dict[str, Any] = {}
        for name, tensor in self.state_dict.items():
            if not isinstance(tensor, Tensor):
                raise _not_a_tensor(name, self)
            properties = TensorProperties(dtype=tensor.dtype)
            whole = torchlike.empty(tensor.size(), dtype=tensor.dtype, device="meta")
            found[name] = TensorStorageMetadata(properties, tensor.size(), [chunk_of(name, whole)])
        self.metadata = Metadata(state_dict_metadata=found)


def _not_a_tensor(name: str, owner: object) -> RuntimeError:
    return RuntimeError(
        f"Non-tensor value identified at {name}. At this time {type(owner).__name__} only supports loading Tensors."
    )
