"""Schedulers that combine other schedulers."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

from torchlike._internal import _engine
from torchlike.optim import _errors
from torchlike.optim.lr_scheduler._base import LRScheduler, group_values, set_value
from torchlike.optim.lr_scheduler._plateau import ReduceLROnPlateau
from torchlike.optim.optimizer import Optimizer


class _Combined(LRScheduler):
    """The base class of combined schedulers. It checks the schedulers and combines their state dictionaries."""

    _schedulers: Sequence[LRScheduler]

    def _followed(self) -> list:
        return [*super()._followed(), *self._schedulers]

    def _check(self, optimizer: Optimizer, schedulers: Sequence[LRScheduler]) -> None:
        name = type(self).__name__
        for i, scheduler in enumerate(schedulers):
            if not hasattr(scheduler, "optimizer"):
                raise TypeError(f"{name} at index {i} should have `optimizer` as its attribute.")
            if isinstance(scheduler, ReduceLROnPlateau):
                raise _errors.plateau_in_combination(name, i)
            if scheduler.optimizer is not optimizer:
                raise _errors.other_optimizer(name, scheduler, i, optimizer)

    def state_dict(self) -> dict[str, Any]:
        """Return the attributes without the optimizer, and the state dictionaries of the schedulers."""
        state = {key: value for key, value in self.__dict__.items() if key not in ("optimizer", "_schedulers")}
        state["_schedulers"] = [scheduler.state_dict() for scheduler in self._schedulers]
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Load a dictionary that `state_dict` returned, including those of the schedulers.

        Args:
          state_dict: the dictionary.
        """
        self.__dict__.update({key: value for key, value in state_dict.items() if key != "_schedulers"})
        for scheduler, saved in zip(self._schedulers, state_dict["_schedulers"]):
            scheduler.load_state_dict(saved)


class SequentialLR(_Combined):
    """A scheduler that runs schedulers in sequence. At each milestone, the next scheduler starts at its step 0.

    Args:
      optimizer: the optimizer of all schedulers.
      schedulers: the schedulers, in order.
      milestones: the steps at which the second and the following schedulers start, in increasing order.
      last_epoch: -1 to start, or the last step of an earlier run to resume it.

    Raises:
      ValueError: there is no scheduler, one belongs to another optimizer or is a `ReduceLROnPlateau`, or the number of
        milestones is not one less than that of the schedulers.

    >>> import torchlike as torch
    >>> optimizer = torch.optim.SGD([torch.nn.Parameter(torch.ones(1))], lr=1.0)
    >>> warmup = torch.optim.lr_scheduler.ConstantLR(optimizer, 0.5, total_iters=9)
    >>> decay = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)
    >>> scheduler = torch.optim.lr_scheduler.SequentialLR(optimizer, [warmup, decay], milestones=[1])
    >>> optimizer.step()
    >>> before = scheduler.get_last_lr()
    >>> scheduler.step()
    >>> before, scheduler.get_last_lr()
    ([0.5], [1.0])
    """

    def __init__(
        self, optimizer: Optimizer, schedulers: list[LRScheduler], milestones: list[int], last_epoch: int = -1
    ) -> None:
        if len(schedulers) < 1:
            raise ValueError("SequentialLR expects at least one scheduler, but got no scheduler.")
        self._check(optimizer, schedulers)
        if len(milestones) != len(schedulers) - 1:
            raise _errors.sequence_milestones(len(schedulers), len(milestones))
        self._schedulers = schedulers
        self._milestones = milestones
        self.last_epoch = last_epoch + 1
        self.optimizer = optimizer
        for group in optimizer.param_groups:
            set_value(group, "lr", group["initial_lr"])
        self.recursive_undo()
        schedulers[0]._initial_step()
        self._last_lr = schedulers[0].get_last_lr()

    def recursive_undo(self, sched: LRScheduler | None = None) -> None:
        """Undo the initial step that the constructor of every scheduler made.

        Args:
          sched: the scheduler. The default is this one.
        """
        scheduler: Any = self if sched is None else sched
        if hasattr(scheduler, "_schedulers"):
            for inner in scheduler._schedulers:
                self.recursive_undo(inner)
        elif hasattr(scheduler, "last_epoch"):
            scheduler.last_epoch -= 1

    def step(self) -> None:  # type: ignore[override]
        """Advance by one step."""
        if _engine.repeats(self.step, self):
            return
        with _engine.uninterrupted():
            self.last_epoch += 1
            i = bisect_right(self._milestones, self.last_epoch)
            scheduler = self._schedulers[i]
            if i > 0 and self._milestones[i - 1] == self.last_epoch:
                scheduler._update_lr(0)
            else:
                scheduler.step()
            self._last_lr = scheduler.get_last_lr()


class ChainedScheduler(_Combined):
    """A scheduler that runs all of its schedulers, in order, at every step.

    Args:
      schedulers: the schedulers, which all change the same optimizer.
      optimizer: their optimizer, by default that of the first one.

    Raises:
      ValueError: there is no scheduler, they belong to several optimizers, or one is a `ReduceLROnPlateau`.

    >>> import torchlike as torch
    >>> optimizer = torch.optim.SGD([torch.nn.Parameter(torch.ones(1))], lr=1.0)
    >>> first = torch.optim.lr_scheduler.ConstantLR(optimizer, 0.5)
    >>> second = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.5)
    >>> scheduler = torch.optim.lr_scheduler.ChainedScheduler([first, second])
    >>> optimizer.step()
    >>> scheduler.step()
    >>> scheduler.get_last_lr()
    [0.25]
    """

    def __init__(self, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None = None) -> None:
        if len(schedulers) < 1:
            raise ValueError("ChainedScheduler expects at least one scheduler to be chained, but got no scheduler.")
        optimizer = optimizer or schedulers[0].optimizer
        self._check(optimizer, schedulers)
        self._schedulers = schedulers
        self.optimizer = optimizer
        self._last_lr = group_values(optimizer, "lr")

    def step(self) -> None:  # type: ignore[override]
        """Advance every scheduler by one step."""
        if _engine.repeats(self.step, self):
            return
        with _engine.uninterrupted():
            for scheduler in self._schedulers:
                scheduler.step()
            self._last_lr = group_values(self.optimizer, "lr")
