"""`HierarchicalModelAverager`: frequent averages in small groups of processes, rare ones in larger groups."""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from typing import Any

from torchlike._internal import warn
from torchlike.distributed._group import ProcessGroup
from torchlike.distributed._world import new_subgroups
from torchlike.distributed.algorithms.model_averaging import utils
from torchlike.distributed.algorithms.model_averaging.averagers import WITHOUT_USE, ModelAverager

logger = logging.getLogger(__name__)


class HierarchicalModelAverager(ModelAverager):
    """An averager with several periods, each with groups of processes of another size (arXiv:2007.13819).

    A step that several periods divide averages in the groups of the longest period.

    Args:
      period_group_size_dict (ordered mapping): the size of the groups for each period, in ascending order. The last
        size is that of `process_group`.
      warmup_steps (int, default 0): the number of steps before the first average.
      process_group (ProcessGroup, optional): the processes. Default: all.

    Raises:
      ValueError: an argument is invalid.
    """

    def __init__(
        self,
        period_group_size_dict: Mapping[int, int] | None = None,
        warmup_steps: int = 0,
        process_group: ProcessGroup | None = None,
    ) -> None:
        super().__init__(process_group)
        if not period_group_size_dict:
            raise ValueError("Arg ``period_group_size_dict`` must not be empty.")
        self._periods, sizes = list(period_group_size_dict), list(period_group_size_dict.values())
        if self._periods[0] <= 0:
            raise ValueError("The minimum period in arg ``period_group_size_dict`` must be a positive value.")
        if self._periods[-1] == 1:
            warn(f"When the maximum period in arg ``period_group_size_dict`` is 1, {WITHOUT_USE}")
        overall = self.process_group.size()
        if sizes[-1] != overall:
            raise ValueError(
                f"The last value in arg ``period_group_size_dict`` {sizes[-1]} must be equal to the size of arg "
                f"``process_group`` {overall}."
            )
        self.period_process_group_dict: OrderedDict[int, Any] = OrderedDict()
        logger.info("Model averaging hierarchy:")
        for period, size in zip(self._periods, sizes):
            told = "\tEach group that has %s processes average parameters every %s iterations"
            logger.info(told + ", if no higher-level averaging.", size, period)
            whole = size == overall
            group = self.process_group if whole else new_subgroups(group_size=size, group=self.process_group)[0]
            self.period_process_group_dict[period] = group
        if warmup_steps < 0:
            raise ValueError("Arg ``warmup_steps`` must be a non-negative number.")
        self.warmup_steps = warmup_steps

    def _find_process_group(self) -> ProcessGroup | None:
        """Return the group of the longest period that divides the step, or None."""
        periods = (period for period in reversed(self._periods) if self.step % period == 0)
        period = next(periods, None)
        return None if period is None else self.period_process_group_dict[period]

    def average_parameters(self, params: Iterable[Any]) -> None:
        """Average the parameters that have gradients, if this step is one that averages, and count the step.

        Args:
          params (iterable of Parameters or of dicts): the parameters, or the groups of an optimizer.
        """
        group = self._find_process_group() if self.step >= self.warmup_steps else None
        if group is not None:
            utils.average_parameters_or_parameter_groups(params, group)
        self.step += 1
