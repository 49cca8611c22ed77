"""Steps that all processes take together, and look-ups in state dicts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import torchlike.distributed as dist
from torchlike import Size, Tensor
from torchlike.distributed.checkpoint.api import (
    WRAPPED_EXCEPTION,
    CheckpointException,
    _is_wrapped_exception,
    _wrap_exception,
)
from torchlike.distributed.checkpoint.metadata import MetadataIndex
from torchlike.distributed.checkpoint.planner_helpers import chunk_of, local_part
from torchlike.distributed.tensor import DTensor

T = TypeVar("T")
R = TypeVar("R")


def _attempt(run: Callable[[], T]) -> T | WRAPPED_EXCEPTION:
    try:
        return run()
    except BaseException as error:  # also CheckpointException, which other processes must learn of
        return _wrap_exception(error)


def _failures(results: list[Any]) -> dict[int, WRAPPED_EXCEPTION]:
    return {rank: found for rank, found in enumerate(results) if _is_wrapped_exception(found)}


class _DistWrapper:
    """Steps of all processes of a group. Without `use_dist`, the steps of this process only.

    If a step fails in one process, it raises `CheckpointException` in all of them.

    Args:
        group: the group, or None for the default group.
        use_dist: whether the other processes take part.
        coordinator_rank: the rank, within the group, of the process that computes global results.
    """

    def __init__(self, group: dist.ProcessGroup | None, use_dist: bool, coordinator_rank: int) -> None:
        self.group, self.use_dist, self.coordinator_rank = group, use_dist, coordinator_rank
        self.rank = dist.get_rank(group) if use_dist else 0
        self.is_coordinator = not use_dist or self.rank == coordinator_rank
        self.global_coordinator_rank = coordinator_rank
        if use_dist and group is not None:
            self.global_coordinator_rank = dist.get_global_rank(group, coordinator_rank)

    def get_world_size(self) -> int:
        """Return the number of processes."""
        return dist.get_world_size(self.group) if self.use_dist else 1

    def _gather(self, found: Any) -> list[Any] | None:
        if not self.use_dist:
            return [found]
        gathered = [None] * self.get_world_size() if self.is_coordinator else None
        dist.gather_object(found, gathered, dst=self.global_coordinator_rank, group=self.group)
        return gathered

    def _reduce(self, step: str, gathered: list[Any], reduce_fun: Callable[[list[Any]], R]) -> R | CheckpointException:
        failures = _failures(gathered)
        if not failures:
            try:
                return reduce_fun(gathered)
            except BaseException as error:
                failures = {self.rank: _wrap_exception(error)}
        return CheckpointException(step, failures)

    def reduce_scatter(self, step: str, map_fun: Callable[[], T], reduce_fun: Callable[[list[T]], list[R]]) -> R:
        """Call `map_fun` in all processes, `reduce_fun` in the coordinator, and return element `rank` of its result."""
        gathered, results = self._gather(_attempt(map_fun)), None
        if gathered is not None:
            found = self._reduce(step, gathered, reduce_fun)
            results = [found] * self.get_world_size() if isinstance(found, CheckpointException) else found
        if not self.use_dist:
            return _checked((results or [])[0])
        received: list[Any] = [None]
        dist.scatter_object_list(received, results, src=self.global_coordinator_rank, group=self.group)
        return _checked(received[0])

    def all_reduce(self, step: str, map_fun: Callable[[], T], reduce_fun: Callable[[list[T]], R]) -> R:
        """Call `map_fun` in all processes, `reduce_fun` in the coordinator, and return its result in all processes."""
        gathered = self._gather(_attempt(map_fun))
        result: list[Any] = [None if gathered is None else self._reduce(step, gathered, reduce_fun)]
        if self.use_dist:
            dist.broadcast_object_list(result, src=self.global_coordinator_rank, group=self.group)
        return _checked(result[0])

    def all_gather(self, step: str, map_fun: Callable[[], T]) -> list[T]:
        """Call `map_fun` in all processes and return all results in all processes."""
        result: Any = _attempt(map_fun)
        gathered: list[Any] = [result]
        if self.use_dist:
            gathered = [None] * self.get_world_size()
            dist.all_gather_object(gathered, result, group=self.group)
        failures = _failures(gathered)
        if failures:
            raise CheckpointException(step, failures)
        return gathered

    def barrier(self) -> None:
        """Wait for all processes."""
        if self.use_dist:
            dist.barrier(group=self.group)


def _checked(found: Any) -> Any:
    if isinstance(found, CheckpointException):
        raise found
    return found


def _all_gather_keys(local_dict: dict[str, Any], group: dist.ProcessGroup | None = None) -> set[str]:
    """Return the keys of the dictionaries of all processes."""
    gathered: list[Any] = [None] * dist.get_world_size(group)
    dist.all_gather_object(gathered, list(local_dict), group=group)
    return {key for keys in gathered for key in keys}


def _assert_same_keys(state_dict: dict[str, Any], process_group: dist.ProcessGroup | None = None) -> None:
    """Raise AssertionError if another process has keys that this process does not have. All processes must call it."""
    if dist.get_world_size(process_group) == 1:
        return
    missing = _all_gather_keys(state_dict, process_group) - set(state_dict)
    if missing:
        raise AssertionError(f"Key(s) present in other ranks but not this one, difference: {missing}")


def find_tensor_shard(tensor: Tensor, index: MetadataIndex) -> Tensor:
    """Return the elements of a tensor that this process has and `index` names.

    Raises:
        ValueError: This process has no part of the tensor at `index.offset`.
    """
    begin = chunk_of(index.fqn, tensor).offsets if isinstance(tensor, DTensor) else Size([0] * tensor.dim())
    if index.offset is not None and index.offset != begin:
        raise ValueError(f"Could not find shard at '{index.offset}' for FQN: '{index.fqn}'")
    return local_part(tensor) if isinstance(tensor, DTensor) else tensor


def find_state_dict_object(state_dict: dict[str, Any], index: MetadataIndex) -> Any:
    """Return the value of a flat state dict that `index` names.

    Raises:
        ValueError: The state dict has no such value.
    """
    if index.fqn not in state_dict:
        raise ValueError(f"Could not find FQN: '{index.fqn}'")
    found = state_dict[index.fqn]
    if isinstance(found, Tensor):
        return find_tensor_shard(found, index)
    if index.offset is not None:
        raise ValueError(f"FQN: '{index.fqn}' is not a ShardedTensor, can't find by offset: '{index.offset}'")
    return found
