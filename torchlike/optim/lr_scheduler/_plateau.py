"""A scheduler that watches a metric."""

from __future__ import annotations

import math
from typing import Any, Literal, SupportsFloat

from torchlike._internal import _engine, warn
from torchlike.optim import _errors
from torchlike.optim.lr_scheduler._base import LRScheduler, group_values, set_value
from torchlike.optim.optimizer import Optimizer


class ReduceLROnPlateau(LRScheduler):
    """The rate times `factor` once a metric has not improved for more than `patience` steps.

    Args:
      optimizer: whose groups are set.
      mode: whether the metric should get smaller (`"min"`) or larger (`"max"`).
      factor: below 1.
      patience: how many steps without improvement are let pass.
      threshold: what counts as improvement: relative to the best, or absolute, by `threshold_mode`.
      cooldown: steps after a reduction in which nothing is counted.
      min_lr: a lower bound, or one for each group.
      eps: a smaller change is not made.

    Raises:
      ValueError: `factor` of 1 or more, an unknown mode, or a list of bounds whose length is not the number of groups.
      TypeError: not an optimizer.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        mode: Literal["min", "max"] = "min",
        factor: float = 0.1,
        patience: int = 10,
        threshold: float = 1e-4,
        threshold_mode: Literal["rel", "abs"] = "rel",
        cooldown: int = 0,
        min_lr: list[float] | float = 0,
        eps: float = 1e-8,
    ) -> None:
        if factor >= 1.0:
            raise _errors.plateau_factor()
        self.factor = factor
        if not isinstance(optimizer, Optimizer):
            raise _errors.not_an_optimizer(optimizer)
        self.optimizer = optimizer
        groups = len(optimizer.param_groups)
        if isinstance(min_lr, (list, tuple)):
            if len(min_lr) != groups:
                raise _errors.plateau_min_lrs(groups, len(min_lr))
            self.default_min_lr = None
            self.min_lrs = list(min_lr)
        else:
            self.default_min_lr = min_lr
            self.min_lrs = [min_lr] * groups
        self.patience = patience
        self.cooldown = cooldown
        self.eps = eps
        self.last_epoch = 0
        self._last_lr = group_values(optimizer, "lr")
        self._init_is_better(mode, threshold, threshold_mode)
        self._reset()

    def _init_is_better(self, mode: str, threshold: float, threshold_mode: str) -> None:
        if mode not in ("min", "max"):
            raise _errors.plateau_mode(mode)
        if threshold_mode not in ("rel", "abs"):
            raise _errors.plateau_threshold_mode(threshold_mode)
        self.mode_worse = math.inf if mode == "min" else -math.inf
        self.mode = mode
        self.threshold = threshold
        self.threshold_mode = threshold_mode

    def _reset(self) -> None:
        self.best = self.mode_worse
        self.cooldown_counter = 0
        self.num_bad_epochs = 0

    def step(self, metrics: SupportsFloat, epoch: int | None = None) -> None:  # type: ignore[override]
        """Take note of the metric and reduce the rates where it is due."""
        current = float(metrics)
        if _engine.repeats(lambda: self.step(current, epoch), self):
            return
        if epoch is None:
            epoch = self.last_epoch + 1
        else:
            warn(_errors.epoch_deprecated())
        with _engine.uninterrupted():
            self._take(current, epoch)

    def _take(self, current: float, epoch: int) -> None:
        self.last_epoch = epoch
        if self._is_better(current, self.best):
            self.best = current
            self.num_bad_epochs = 0
        else:
            self.num_bad_epochs += 1
        if self.in_cooldown:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            self._reduce_lr(epoch)
            self.cooldown_counter = self.cooldown
            self.num_bad_epochs = 0
        self._last_lr = group_values(self.optimizer, "lr")

    def _reduce_lr(self, epoch: int) -> None:
        groups = self.optimizer.param_groups
        if len(groups) != len(self.min_lrs):
            if self.default_min_lr is None:
                raise _errors.plateau_groups_added(len(self.min_lrs), len(groups))
            self.min_lrs = [self.default_min_lr] * len(groups)
        for group, smallest in zip(groups, self.min_lrs):
            old = float(group["lr"])
            new = max(old * self.factor, smallest)
            if old - new > self.eps:
                set_value(group, "lr", new)

    @property
    def in_cooldown(self) -> bool:
        """Whether a reduction was made less than `cooldown` steps ago."""
        return self.cooldown_counter > 0

    def _is_better(self, a: float, best: float) -> bool:
        if self.mode == "min":
            return a < (best * (1.0 - self.threshold) if self.threshold_mode == "rel" else best - self.threshold)
        return a > (best * (self.threshold + 1.0) if self.threshold_mode == "rel" else best + self.threshold)

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what `state_dict` gave."""
        self.__dict__.update(state_dict)
        self._init_is_better(self.mode, self.threshold, self.threshold_mode)
