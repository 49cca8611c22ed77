"""Saving of checkpoints."""

from __future__ import annotations

import inspect
import os
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from enum import Enum
from typing import Any

import torchlike.distributed as dist
from torchlike._internal import unsupported, warn
from torchlike.distributed.checkpoint._storage_utils import chosen
from torchlike.distributed.checkpoint.default_planner import DefaultSavePlanner
from torchlike.distributed.checkpoint.filesystem import FileSystemWriter
from torchlike.distributed.checkpoint.metadata import STATE_DICT_TYPE, Metadata
from torchlike.distributed.checkpoint.planner import SavePlan, SavePlanner
from torchlike.distributed.checkpoint.staging import AsyncStager, DefaultStager
from torchlike.distributed.checkpoint.stateful import Stateful
from torchlike.distributed.checkpoint.storage import StorageWriter, WriteResult
from torchlike.distributed.checkpoint.utils import _DistWrapper


def is_alone(no_dist: bool, verb: str) -> bool:
    """Return whether this process acts alone, and warn if so."""
    if not no_dist and dist.is_initialized():
        return False
    warn(
        "torch.distributed is disabled, unavailable or uninitialized, assuming the intent is to "
        f"{verb} in a single process."
    )
    return True


def save_state_dict(
    state_dict: STATE_DICT_TYPE,
    storage_writer: StorageWriter,
    process_group: dist.ProcessGroup | None = None,
    coordinator_rank: int = 0,
    no_dist: bool = False,
    planner: SavePlanner | None = None,
) -> Metadata:
    """Save a state dict without calling `state_dict` of its values. Deprecated: use `save`.

    Args:
      state_dict: the state dict. It may be nested.
      storage_writer: the writer.
      process_group: the processes that save. The default is all.
      coordinator_rank (int, default 0): the rank in the group of the process that makes the plan of all.
      no_dist: save in this process only, without the others. Without it, a process group must be initialized.
      planner: the planner. The default is `DefaultSavePlanner()`.

    Returns:
      The metadata of the checkpoint.

    Raises:
      CheckpointException: A process failed. All processes raise it.
    """
    warn(
        "`save_state_dict` is deprecated and will be removed in future versions.Please use `save` instead.",
        FutureWarning,
    )
    storage_writer.reset()
    return _save_state_dict(state_dict, storage_writer, process_group, coordinator_rank, no_dist, planner)


def save(
    state_dict: STATE_DICT_TYPE,
    *,
    checkpoint_id: str | os.PathLike | None = None,
    storage_writer: StorageWriter | None = None,
    planner: SavePlanner | None = None,
    process_group: dist.ProcessGroup | None = None,
    no_dist: bool = False,
    use_collectives: bool = True,
) -> Metadata:
    """Save a state dict that is distributed over processes. All processes of the group must call this function.

    Each process writes its parts of DTensors. Other tensors and objects are written once. PyTorch can load the
    checkpoint. If the processes are killed, an earlier checkpoint in the same folder stays valid.

    Args:
      state_dict: the state dict. It may be nested. For an object with a method `state_dict`, its result is saved.
      checkpoint_id: the folder.
      storage_writer: the writer. The default is `FileSystemWriter(checkpoint_id)`.
      planner: the planner. The default is `DefaultSavePlanner()`.
      process_group: the processes that save. The default is all.
      no_dist: save in this process only, without the others. This is the default if there is no process group.
      use_collectives: if False, each process saves on its own and writes its own metadata.

    Returns:
      The metadata of the checkpoint.

    Raises:
      CheckpointException: A process failed. All processes raise it.

    >>> import tempfile
    >>> import torchlike as torch
    >>> import torchlike.distributed.checkpoint as dcp
    >>> store = torch.distributed.HashStore()
    >>> torch.distributed.init_process_group("gloo", rank=0, world_size=1, store=store)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     metadata = dcp.save({"model": {"x": torch.ones(2)}}, checkpoint_id=folder)
    >>> list(metadata.state_dict_metadata)
    ['model.x']
    >>> torch.distributed.destroy_process_group()
    """
    alone = is_alone(no_dist, "save")
    writer = chosen(storage_writer, checkpoint_id, FileSystemWriter)
    state = _stateful_to_state_dict(state_dict)
    return _save_state_dict(state, writer, process_group, 0, alone, planner, use_collectives)


class AsyncCheckpointerType(Enum):
    """The kinds of asynchronous saves: in a thread or in a process. Only threads are supported."""

    THREAD = "thread"
    PROCESS = "process"


@dataclass
class AsyncSaveResponse:
    """The result of `async_save` with a stager that copies asynchronously.

    Attributes:
      staging_completion: completes when the state dict is copied.
      upload_completion: completes when the checkpoint is saved.
    """

    staging_completion: Future[None]
    upload_completion: Future[Metadata]


def async_save(
    state_dict: STATE_DICT_TYPE,
    *,
    checkpoint_id: str | os.PathLike | None = None,
    storage_writer: StorageWriter | None = None,
    planner: SavePlanner | None = None,
    process_group: dist.ProcessGroup | None = None,
    async_checkpointer_type: AsyncCheckpointerType = AsyncCheckpointerType.THREAD,
    async_stager: AsyncStager | None = None,
    no_dist: bool = False,
    use_collectives: bool = True,
) -> Future[Metadata] | AsyncSaveResponse:
    """Copy a state dict to the memory of the CPU, and save the copy in a thread.

    The state dict may change after this function returns. Wait for the result before the next save to the same folder.
    While the thread runs, other collectives of `process_group` must not be called: pass a group of its own.

    Args:
      state_dict, checkpoint_id, storage_writer, planner, process_group, no_dist, use_collectives: as for `save`.
      async_checkpointer_type: only `AsyncCheckpointerType.THREAD` is supported.
      async_stager: makes the copy. The default is the writer, if it can copy, or `DefaultStager()`.

    Returns:
      A future of the metadata. With a stager that returns a future, an `AsyncSaveResponse`.
    """
    if async_checkpointer_type is not AsyncCheckpointerType.THREAD:
        raise unsupported("async_save", "async_checkpointer_type=AsyncCheckpointerType.PROCESS")
    if async_stager is None:
        async_stager = storage_writer if isinstance(storage_writer, AsyncStager) else DefaultStager()
    copied = async_stager.stage(_stateful_to_state_dict(state_dict))

    def write() -> Metadata:
        return save(
            copied.result() if isinstance(copied, Future) else copied,
            checkpoint_id=checkpoint_id,
            storage_writer=storage_writer,
            planner=planner,
            process_group=process_group,
            no_dist=no_dist,
            use_collectives=use_collectives,
        )

    pool = ThreadPoolExecutor(1, thread_name_prefix="async_save")
    written = pool.submit(write)
    pool.shutdown(wait=False)
    if isinstance(copied, Future):
        return AsyncSaveResponse(_completion(copied), written)
    if async_stager.should_synchronize_after_execute:
        async_stager.synchronize_staging()
    return written


def _completion(copied: Future[Any]) -> Future[None]:
    """Return a future that completes with another one, without its result."""
    found: Future[None] = Future()

    def complete(done: Future[Any]) -> None:
        error = done.exception()
        if error is None:
            found.set_result(None)
        else:
            found.set_exception(error)

    copied.add_done_callback(complete)
    return found


def _stateful_to_state_dict(state_dict: STATE_DICT_TYPE) -> STATE_DICT_TYPE:
    return {key: value.state_dict() if isinstance(value, Stateful) else value for key, value in state_dict.items()}


def takes(method: Any, name: str) -> bool:
    """Return whether a method of a subclass has a parameter. Older ones lack some."""
    return name in inspect.signature(method).parameters


def _save_state_dict(
    state_dict: STATE_DICT_TYPE,
    storage_writer: StorageWriter,
    process_group: dist.ProcessGroup | None = None,
    coordinator_rank: int = 0,
    no_dist: bool = False,
    planner: SavePlanner | None = None,
    use_collectives: bool = True,
) -> Metadata:
    group = _DistWrapper(process_group, not no_dist, coordinator_rank)
    planner = planner or DefaultSavePlanner()
    run = _Save(state_dict, storage_writer, planner, group, use_collectives)
    if use_collectives:
        run.plan = group.reduce_scatter("plan", run.local_step, run.global_step)
        return group.all_reduce("write", run.write, run.finish)
    run.plan = run.global_step([run.local_step()])[0]
    metadata = run.finish([run.write()])
    group.barrier()
    return metadata


@dataclass
class _Save:
    """The steps of one save."""

    state_dict: STATE_DICT_TYPE
    writer: StorageWriter
    planner: SavePlanner
    group: _DistWrapper
    use_collectives: bool
    plan: SavePlan | None = None
    metadata: Metadata | None = None

    def local_step(self) -> SavePlan:
        is_coordinator = self.group.is_coordinator
        if takes(self.planner.set_up_planner, "storage_meta"):
            self.planner.set_up_planner(
                state_dict=self.state_dict, storage_meta=self.writer.storage_meta(), is_coordinator=is_coordinator
            )
        else:
            warn(
                "The function definition for SavePlanner.set_up_planner has been updated"
                " to include the storage_meta argument. Please update your implementation"
                " to include this parameter."
            )
            self.planner.set_up_planner(self.state_dict, is_coordinator)  # type: ignore[arg-type]
        more = {"rank": self.group.rank, "use_collectives": self.use_collectives}
        known = more if takes(self.writer.set_up_storage_writer, "kwargs") else {}
        self.writer.set_up_storage_writer(is_coordinator, **known)
        return self.writer.prepare_local_plan(self.planner.create_local_plan())

    def global_step(self, plans: list[SavePlan]) -> list[SavePlan]:
        plans, self.metadata = self.planner.create_global_plan(plans)
        return self.writer.prepare_global_plan(plans)

    def write(self) -> list[WriteResult]:
        assert self.plan is not None
        return self.writer.write_data(self.planner.finish_plan(self.plan), self.planner).wait()

    def finish(self, results: list[list[WriteResult]]) -> Metadata:
        assert self.metadata is not None
        self.writer.finish(self.metadata, results)
        return self.metadata
