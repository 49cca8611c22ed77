"""Loading of checkpoints."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import torchlike.distributed as dist
from torchlike._internal import warn
from torchlike.distributed.checkpoint._storage_utils import chosen
from torchlike.distributed.checkpoint.default_planner import DefaultLoadPlanner, _EmptyStateDictLoadPlanner
from torchlike.distributed.checkpoint.filesystem import FileSystemReader
from torchlike.distributed.checkpoint.metadata import Metadata
from torchlike.distributed.checkpoint.planner import LoadPlan, LoadPlanner
from torchlike.distributed.checkpoint.state_dict_saver import is_alone, takes
from torchlike.distributed.checkpoint.stateful import Stateful
from torchlike.distributed.checkpoint.storage import StorageReader
from torchlike.distributed.checkpoint.utils import _DistWrapper


def load_state_dict(
    state_dict: dict[str, Any],
    storage_reader: StorageReader,
    process_group: dist.ProcessGroup | None = None,
    coordinator_rank: int = 0,
    no_dist: bool = False,
    planner: LoadPlanner | None = None,
) -> None:
    """Load a checkpoint without calling `load_state_dict` of its values. Deprecated: use `load`.

    Args:
      state_dict: the state dict, which is changed in place. It may be nested.
      storage_reader: the reader.
      process_group: the processes that load. The default is all.
      coordinator_rank (int, default 0): the rank in the group of the process that makes the plan of all.
      no_dist: load in this process only, without the others. Without it, a process group must be initialized.
      planner: the planner. The default is `DefaultLoadPlanner()`.

    Raises:
      CheckpointException: A process failed. All processes raise it.
    """
    warn(
        "`load_state_dict` is deprecated and will be removed in future versions. Please use `load` instead.",
        FutureWarning,
    )
    storage_reader.reset()
    _load_state_dict(state_dict, storage_reader, process_group, coordinator_rank, no_dist, planner)


def load(
    state_dict: dict[str, Any],
    *,
    checkpoint_id: str | os.PathLike | None = None,
    storage_reader: StorageReader | None = None,
    planner: LoadPlanner | None = None,
    process_group: dist.ProcessGroup | None = None,
    no_dist: bool = False,
) -> None:
    """Load a checkpoint into a state dict. All processes of the group must call this function.

    Tensors of the state dict are overwritten in place, and other objects are replaced. The checkpoint may come from
    another number of processes and other placements of DTensors; each process reads only the parts that it needs.
    Checkpoints of PyTorch can be loaded. Unlike in PyTorch, a checkpoint cannot execute code: objects that are not
    plain values are refused, see `DefaultLoadPlanner`.

    Args:
      state_dict: the state dict. It may be nested, and has the same keys in all processes. For an object with the
        methods `state_dict` and `load_state_dict`, its state is loaded.
      checkpoint_id: the folder.
      storage_reader: the reader. The default is `FileSystemReader(checkpoint_id)`.
      planner: the planner. The default is `DefaultLoadPlanner()`.
      process_group: the processes that load. The default is all.
      no_dist: load in this process only, without the others. This is the default if there is no process group.

    Raises:
      CheckpointException: A process failed. All processes raise it.

    >>> import tempfile
    >>> import torchlike as torch
    >>> import torchlike.distributed.checkpoint as dcp
    >>> store = torch.distributed.HashStore()
    >>> torch.distributed.init_process_group("gloo", rank=0, world_size=1, store=store)
    >>> state = {"x": torch.zeros(2)}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = dcp.save({"x": torch.ones(2)}, checkpoint_id=folder)
    ...     dcp.load(state, checkpoint_id=folder)
    >>> state["x"]
    tensor([1., 1.])
    >>> torch.distributed.destroy_process_group()
    """
    alone = is_alone(no_dist, "load")
    reader = chosen(storage_reader, checkpoint_id, FileSystemReader)
    values = {key: state_dict[key] for key in sorted(state_dict)}
    loaded = {key: value.state_dict() if isinstance(value, Stateful) else value for key, value in values.items()}
    _load_state_dict(loaded, reader, process_group, 0, alone, planner)
    for key, value in values.items():
        if isinstance(value, Stateful):
            value.load_state_dict(loaded[key])
        else:
            state_dict[key] = loaded[key]


def _load_state_dict(
    state_dict: dict[str, Any],
    storage_reader: StorageReader,
    process_group: dist.ProcessGroup | None = None,
    coordinator_rank: int = 0,
    no_dist: bool = False,
    planner: LoadPlanner | None = None,
) -> None:
    group = _DistWrapper(process_group, not no_dist, coordinator_rank)
    run = _Load(state_dict, storage_reader, planner or DefaultLoadPlanner(), group)
    run.plan = group.reduce_scatter("plan", run.local_step, run.global_step)
    if run.use_collectives:
        group.all_gather("read", run.read)
        return
    run.read()
    group.barrier()


@dataclass
class _Load:
    """The steps of one load."""

    state_dict: dict[str, Any]
    reader: StorageReader
    planner: LoadPlanner
    group: _DistWrapper
    use_collectives: bool = True
    plan: LoadPlan | None = None

    def local_step(self) -> LoadPlan:
        metadata = self._metadata()
        self.planner.set_up_planner(self.state_dict, metadata, self.group.is_coordinator)
        more = {"rank": self.group.rank, "use_collectives": self.use_collectives}
        known = more if takes(self.reader.set_up_storage_reader, "kwargs") else {}
        self.reader.set_up_storage_reader(metadata, self.group.is_coordinator, **known)
        return self.reader.prepare_local_plan(self.planner.create_local_plan())

    def _metadata(self) -> Metadata:
        """Return the metadata of the checkpoint, or of this process if it saved on its own."""
        failed = ["metadata is None"]
        try:
            return self.reader.read_metadata()
        except Exception as error:
            failed.append(f"global metadata read failed: {error}")
        if takes(self.reader.read_metadata, "kwargs"):
            try:
                metadata = self.reader.read_metadata(rank=self.group.rank)
                self.use_collectives = False
                return metadata
            except Exception as error:
                failed.append(f"rank local metadata read failed: {error}")
        raise AssertionError("; ".join(failed))

    def global_step(self, plans: list[LoadPlan]) -> list[LoadPlan]:
        return self.reader.prepare_global_plan(self.planner.create_global_plan(plans))

    def read(self) -> None:
        assert self.plan is not None
        self.reader.read_data(self.planner.finish_plan(self.plan), self.planner).wait()


def _load_state_dict_from_keys(
    keys: set[str] | str | None = None,
    *,
    checkpoint_id: str | os.PathLike | None = None,
    storage_reader: StorageReader | None = None,
    process_group: dist.ProcessGroup | None = None,
) -> dict[str, Any]:
    """Return the state dict of a checkpoint, with whole tensors on the CPU.

    Args:
        keys: the keys to load, or None for all.
        checkpoint_id, storage_reader, process_group: as for `load`.
    """
    alone = not dist.is_initialized()
    if alone:
        warn("torch.distributed is unavailable or uninitialized, assuming the intent is to load in a single process.")
    reader = chosen(storage_reader, checkpoint_id, FileSystemReader)
    found: dict[str, Any] = {}
    planner = _EmptyStateDictLoadPlanner(keys={keys} if isinstance(keys, str) else keys)
    _load_state_dict(found, reader, process_group, 0, alone, planner)
    return found
