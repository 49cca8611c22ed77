"""Collectives on Python objects that report the error of one process in all processes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, cast

from torchlike.distributed._group import ProcessGroup
from torchlike.distributed._messages import all_gather_object, broadcast_object_list
from torchlike.distributed._world import get_world_size

T = TypeVar("T")


@dataclass
class SyncPayload(Generic[T]):
    """What a process sends.

    Args:
      stage_name (str or None): the name of the step of the program.
      success: whether the process succeeded.
      payload: the data.
      exception (Exception, optional): the error of the process.
    """

    stage_name: str | None
    success: bool
    payload: T
    exception: Exception | None = None


def _computed(data_or_fn: Any, stage_name: str | None, success: bool) -> SyncPayload:
    """Return data, or the result or the error of a function."""
    if not callable(data_or_fn):
        return SyncPayload(stage_name, success, data_or_fn)
    try:
        return SyncPayload(stage_name, success, data_or_fn())
    except Exception as error:
        return SyncPayload(stage_name, False, None, error)


def broadcast(
    data_or_fn: T | Callable[[], T],
    *,
    success: bool = True,
    stage_name: str | None = None,
    rank: int = 0,
    pg: ProcessGroup | None = None,
) -> T:
    """Send the data of one process to all others, or the result of a function that this process calls.

    Args:
      data_or_fn: the data or the function.
      success: False reports a failure to all processes. Then `data_or_fn` must be None.
      stage_name (str, optional): the name of the step, which errors name.
      rank (int, default 0): the process that sends.
      pg (ProcessGroup, optional): the processes. Without it, the data is returned as it is.

    Raises:
      RuntimeError: the function raised an error, or `success` is False. All processes raise it.

    >>> broadcast(lambda: 3)
    3
    """
    if not success and data_or_fn is not None:
        raise AssertionError("Data or Function is expected to be None if not successful")
    sends = rank == 0 if pg is None else pg.rank() == rank
    sent = _computed(data_or_fn, stage_name, success) if sends else SyncPayload(stage_name, success, None)
    if pg is not None:
        objects = [sent]
        broadcast_object_list(objects, src=rank, group=pg)
        sent = objects[0]
    if sent.success:
        return cast("T", sent.payload)
    text = f"Rank {rank} failed"
    text += f": stage {sent.stage_name}" if stage_name is not None else ""
    text += f": exception {sent.exception}" if sent.exception is not None else ""
    raise RuntimeError(text) from sent.exception


def all_gather(
    data_or_fn: T | Callable[[], T], stage_name: str | None = None, pg: ProcessGroup | None = None
) -> list[T]:
    """Return the data of all processes, or the results of the functions that they call.

    Args:
      data_or_fn: the data or the function.
      stage_name (str, optional): the name of the step, which must be the same in all processes.
      pg (ProcessGroup, optional): the processes. Without it, the list contains the data of this process.

    Raises:
      RuntimeError: a function raised an error.

    >>> all_gather("here")
    ['here']
    """
    own = _computed(data_or_fn, stage_name, True)
    if pg is None:
        if not own.success:
            raise RuntimeError(f"all_gather failed with exception {own.exception}") from own.exception
        return [own.payload]
    gathered: list[Any] = [None] * get_world_size(pg)
    all_gather_object_enforce_type(pg, gathered, own)
    text, errors, found = "", [], []
    for rank, each in enumerate(gathered):
        if each.stage_name != gathered[0].stage_name:
            text += f"Unexpected stage name received from rank {rank}: {each.stage_name} "
        elif not each.success and each.exception is not None:
            errors.append((rank, each.exception))
        else:
            found.append(each.payload)
    if errors:
        raise RuntimeError(text, errors) from errors[0][1]
    return found


def all_gather_object_enforce_type(
    pg: ProcessGroup,
    object_list: list[Any],
    obj: Any,
    type_checker: Callable[[Any, Any], bool] = lambda x, y: type(x) is type(y),
) -> None:
    """Gather objects as `all_gather_object` does, and compare their types.

    Args:
      pg (ProcessGroup): the processes.
      object_list (list): receives the objects.
      obj: the object of this process.
      type_checker (function): returns whether two objects may occur together. Default: their types are the same.

    Raises:
      TypeError: an object has another type than the first one.
    """
    all_gather_object(object_list, obj, group=pg)
    for i, each in enumerate(object_list[1:], 1):
        if not type_checker(object_list[0], each):
            raise TypeError(
                f"Object type at index {i} is {type(each)}, while first object type is {type(object_list[0])}"
            )


def _summarize_ranks(ranks: Any) -> str:
    """Return ranks as ranges, such as "0:4,7" or "0:8:2"."""
    left = sorted(ranks)
    if left[0] < 0:
        raise AssertionError("ranks should all be positive")
    if len(set(left)) != len(left):
        raise AssertionError("ranks should not contain duplicates")
    words = []
    while left:
        step = left[1] - left[0] if len(left) > 1 else 1
        count = 1
        while count < len(left) and left[count] - left[count - 1] == step:
            count += 1
        first, end = left[0], left[count - 1] + step
        words.append(f"{first}" if count == 1 else f"{first}:{end}" if step == 1 else f"{first}:{end}:{step}")
        left = left[count:]
    return ",".join(words)
