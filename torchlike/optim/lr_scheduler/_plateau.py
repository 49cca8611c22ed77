"""`ReduceLROnPlateau`, the scheduler that depends on a metric."""

from __future__ import annotations

import math
from typing import Any, Literal, SupportsFloat

from torchlike._internal import _engine, warn
from torchlike.optim import _errors
from torchlike.optim.lr_scheduler._base import LRScheduler, group_values, set_value
from torchlike.optim.optimizer import Optimizer


class ReduceLROnPlateau(LRScheduler):
    """A scheduler that multiplies the learning rate by `factor` if a metric stops improving.

    Args:
      optimizer: the optimizer.
      mode: `"min"` if a lower metric is better, `"max"` if a higher one is.
      factor: the factor of a reduction, below 1.
      patience: the number of steps without improvement that are tolerated before a reduction.
      threshold: the minimal change that counts as improvement.
      threshold_mode: `"rel"` for a threshold relative to the best metric, `"abs"` for an absolute one.
      cooldown: the number of steps after a reduction in which steps without improvement are not counted.
      min_lr: a lower bound of the learning rate, or a list with one for each group.
      eps: the minimal change of the learning rate. Smaller reductions are ignored.

    Raises:
      ValueError: `factor` is 1 or more, a mode is unknown, or the length of `min_lr` is not the number of groups.
      TypeError: `optimizer` is not an optimizer.

    >>> import torchlike as torch
    >>> optimizer = torch.optim.SGD([torch.nn.Parameter(torch.ones(1))], lr=1.0)
    >>> scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, factor=0.5, patience=0)
    >>> for loss in (3.0, 2.0, 2.0):
    ...     optimizer.step()
    ...     scheduler.step(loss)
    >>> scheduler.get_last_lr()
    [0.5]
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
            raise ValueError("Factor should be < 1.0.")
        self.factor = factor
        if not isinstance(optimizer, Optimizer):
            raise _errors.not_an_optimizer(optimizer)
        optimizer._check_scheduled()
        self.optimizer = optimizer
        groups = len(optimizer.param_groups)
        if isinstance(min_lr, (list, tuple)):
            if len(min_lr) != groups:
                raise ValueError(f"expected {groups} min_lrs, got {len(min_lr)}")
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
            raise ValueError("mode " + mode + " is unknown!")
        if threshold_mode not in ("rel", "abs"):
            raise ValueError("threshold mode " + threshold_mode + " is unknown!")
        self.mode_worse = math.inf if mode == "min" else -math.inf
        self.mode = mode
        self.threshold = threshold
        self.threshold_mode = threshold_mode

    def _reset(self) -> None:
        self.best = self.mode_worse
        self.cooldown_counter = 0
        self.num_bad_epochs = 0

    def step(self, metrics: SupportsFloat, epoch: int | None = None) -> None:  # type: ignore[override]
        """Record the metric, and reduce the learning rates if it has not improved for more than `patience` steps.

        Args:
          metrics: the metric, a number or a tensor of one element.
          epoch: deprecated, with a warning: the number of the step.
        """
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
        """Return whether the cooldown after a reduction is still active."""
        return self.cooldown_counter > 0

    def _is_better(self, a: float, best: float) -> bool:
        if self.mode == "min":
            return a < (best * (1.0 - self.threshold) if self.threshold_mode == "rel" else best - self.threshold)
        return a > (best * (self.threshold + 1.0) if self.threshold_mode == "rel" else best + self.threshold)

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Load a dictionary that `state_dict` returned.

        Args:
          state_dict: the dictionary.
        """
        self.__dict__.update(state_dict)
        self._init_is_better(self.mode, self.threshold, self.threshold_mode)
