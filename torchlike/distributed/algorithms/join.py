"""`Join`: training with different numbers of batches in the processes of a group.

A process that has no batches left repeats the collectives of the others until all processes have left the block.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from types import TracebackType
from typing import Any, NamedTuple

import torchlike
from torchlike import Tensor
from torchlike._internal import warn
from torchlike.distributed import _collectives as collectives
from torchlike.distributed import _world
from torchlike.distributed._group import Work

_MANY = 1000  # repeated steps after which the context manager warns


class JoinHook:
    """The actions of a process for one `Joinable` after its own batches have ended."""

    def main_hook(self) -> None:
        """Repeat the collectives of one training step. This is called for each step of the other processes."""

    def post_hook(self, is_last_joiner: bool) -> None:
        """Finish after the batches of all processes have ended.

        Args:
          is_last_joiner: whether no process had more batches than this one.
        """


class _JoinConfig(NamedTuple):
    """The settings of the context manager that a `Joinable` needs."""

    enable: bool
    throw_on_early_termination: bool
    is_first_joinable: bool

    @staticmethod
    def construct_disabled_join_config() -> _JoinConfig:
        """Return the configuration outside of a context manager."""
        return _JoinConfig(False, False, False)


class Joinable(ABC):
    """The base class of objects that call collectives in each step, and can take part in `Join`."""

    @abstractmethod
    def __init__(self) -> None:
        super().__init__()
        self._join_config = _JoinConfig.construct_disabled_join_config()

    @abstractmethod
    def join_hook(self, **kwargs: Any) -> JoinHook:
        """Return the hook of this object. `kwargs` are those of `Join`."""

    @property
    @abstractmethod
    def join_device(self) -> torchlike.device:
        """The device on which the context manager calls its collectives."""

    @property
    @abstractmethod
    def join_process_group(self) -> Any:
        """The process group in which the context manager calls its collectives."""


class Join:
    """A context manager around a training loop whose processes may have different numbers of batches.

    Each joinable calls `Join.notify_join_context(self)` before the collectives of a step. The joinables keep their
    configuration after the block, as in PyTorch.

    Args:
      joinables: the objects that call collectives, in the order in which their hooks are called.
      enable: whether uneven inputs are allowed. If False, the context manager does nothing.
      throw_on_early_termination: whether all processes raise RuntimeError as soon as one has no batches left.
      kwargs: arguments of `join_hook`.

    Raises:
      ValueError: there are no joinables, or they have different process groups.
    """

    def __init__(
        self,
        joinables: Sequence[Joinable],
        enable: bool = True,
        throw_on_early_termination: bool = False,
        **kwargs: Any,
    ) -> None:
        if not joinables:
            raise ValueError("The join context manager requires at least one joinable")
        self._hooks = [joinable.join_hook(**kwargs) for joinable in joinables]
        self._enable, self._throws = enable, throw_on_early_termination
        for i, joinable in enumerate(joinables):
            joinable._join_config = _JoinConfig(enable, throw_on_early_termination, i == 0)
        groups = [joinable.join_process_group for joinable in joinables]
        if any(group != groups[0] for group in groups):
            raise ValueError("Using join context manager with multiple process groups")
        self._group, self._device = groups[0], joinables[0].join_device
        self._rank = _world.get_rank(self._group)

    def __enter__(self) -> None: ...

    def __exit__(
        self, type: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Repeat the steps of the other processes until all have left the block, and call the last hooks.

        Raises:
          RuntimeError: another process has batches left, and `throw_on_early_termination` is set.
        """
        if not self._enable or type is not None:
            return
        count = 0
        while self._others():
            if self._throws:
                collectives.all_reduce(torchlike.ones(1, device=self._device), group=self._group)
                raise RuntimeError(f"Rank {self._rank} exhausted all inputs.")
            if count > _MANY:
                self._warn()
            for hook in self._hooks:
                hook.main_hook()
            count += 1
        for hook in self._hooks:
            hook.post_hook(count == 0)

    def _others(self) -> bool:
        """Return whether another process begins a step."""
        total = torchlike.zeros(1, device=self._device)
        collectives.all_reduce(total, group=self._group)
        return total.item() != 0

    def _warn(self) -> None:
        warn(
            f"Detected uneven input skew of greater than {_MANY}. This means that rank {self._rank} has at least "
            f"{_MANY} fewer inputs than other currently-active ranks. This level of skew could lead to performance "
            "degradation during training."
        )

    @staticmethod
    def notify_join_context(joinable: Joinable) -> Work | None:
        """Tell the processes without batches that this process begins a step. Only the first joinable does so.

        Returns:
          The handle of an all-reduce whose result is the number of processes that begin a step, or None.

        Raises:
          RuntimeError: a process has no batches left, and `throw_on_early_termination` is set.
        """
        _, work = notified(joinable)
        return work


def notified(joinable: Joinable) -> tuple[Tensor | None, Work | None]:
    """Do the same as `Join.notify_join_context`. Return the number of processes that begin a step too."""
    if not hasattr(joinable, "_join_config"):
        raise AssertionError(f"Check that the {type(joinable)} constructor calls the ``Joinable`` constructor")
    config = joinable._join_config
    if not config.is_first_joinable or not config.enable:
        return None, None
    group, device = joinable.join_process_group, joinable.join_device
    count = torchlike.ones(1, device=device)
    work = collectives.all_reduce(count, group=group, async_op=True)
    if config.throw_on_early_termination:
        ended = torchlike.zeros(1, device=device)
        collectives.all_reduce(ended, group=group)
        if ended.item():
            raise RuntimeError("Detected at least one rank that exhausted inputs. Throwing across all ranks.")
    return count, work
