"""`PeriodicModelAverager`: averages of parameters every few steps."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any

from torchlike._internal import warn
from torchlike.distributed._group import ProcessGroup
from torchlike.distributed._world import member
from torchlike.distributed.algorithms.model_averaging import utils

WITHOUT_USE = (
    "no need to use model averaging because the communication cost of all-reducing parameters will be no less than "
    "the cost of all-reducing gradients by DistributedDataParallel in the backward pass. Therefore, only "
    "DistributedDataParallel should be used for this case."
)


class ModelAverager(ABC):
    """The base class of averagers. It counts the steps in the attribute `step`.

    Args:
      process_group (ProcessGroup, optional): the processes. Default: all.
    """

    def __init__(self, process_group: ProcessGroup | None = None) -> None:
        self.process_group = member(process_group)
        self.step = 0

    @abstractmethod
    def average_parameters(self, params: Iterable[Any]) -> None:
        """Average parameters, if this step is one that averages.

        Args:
          params (iterable of Parameters or of dicts): the parameters, or the groups of an optimizer.
        """
        raise NotImplementedError


class PeriodicModelAverager(ModelAverager):
    """An averager that averages parameters every `period` steps (post-local SGD, arXiv:1808.07217).

    Args:
      period (int): the number of steps between two averages.
      warmup_steps (int, default 0): the number of steps before the first average.
      process_group (ProcessGroup, optional): the processes. Default: all.

    Raises:
      ValueError: `period` is not positive, or `warmup_steps` is negative.
    """

    def __init__(self, period: int, warmup_steps: int = 0, process_group: ProcessGroup | None = None) -> None:
        super().__init__(process_group)
        if warmup_steps < 0:
            raise ValueError("Arg ``warmup_steps`` must be a non-negative number.")
        self.warmup_steps = warmup_steps
        if period < 1:
            raise ValueError("Arg ``period`` must be a positive value.")
        if period == 1:
            warn(f"When period is 1, {WITHOUT_USE}")
        self.period = period

    def average_parameters(self, params: Iterable[Any]) -> None:
        """Average the parameters that have gradients, if this step is one that averages, and count the step.

        Args:
          params (iterable of Parameters or of dicts): the parameters, or the groups of an optimizer.
        """
        if self.step >= self.warmup_steps and (self.step - self.warmup_steps) % self.period == 0:
            utils.average_parameters_or_parameter_groups(params, self.process_group)
        self.step += 1


__all__ = ["ModelAverager", "PeriodicModelAverager"]
