"""Schedulers with cosine annealing (Loshchilov and Hutter, 2017)."""

from __future__ import annotations

import math
from typing import Any

from torchlike._internal import _engine
from torchlike.optim.lr_scheduler._base import LRScheduler, _within_step, group_values
from torchlike.optim.optimizer import Optimizer


class CosineAnnealingLR(LRScheduler):
    r"""A scheduler with cosine annealing from the initial learning rate to `eta_min` in `T_max` steps.

    After `T_max` steps the learning rate rises again.

    .. math:: \eta_t = \eta_{min} + \tfrac12 (\eta_0 - \eta_{min})(1 + \cos(\pi t / T_{max}))

    Like PyTorch, it computes each learning rate from the previous one, so that even the last digits agree.

    Args:
      optimizer: the optimizer.
      T_max: the number of steps from the highest to the lowest learning rate.
      eta_min: the lowest learning rate.
      last_epoch: -1 to start, or the last step of an earlier run to resume it.

    >>> import torchlike
    >>> optimizer = torchlike.optim.SGD([torchlike.nn.Parameter(torchlike.ones(1))], lr=1.0)
    >>> scheduler = CosineAnnealingLR(optimizer, T_max=2)
    >>> optimizer.step()
    >>> scheduler.step()
    >>> round(scheduler.get_last_lr()[0], 6)
    0.5
    """

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1) -> None:
        self.T_max = T_max
        self.eta_min = eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """Return the learning rates of this step, computed from those of the previous step."""
        self._warn_outside_step()
        t, T_max, eta_min = self.last_epoch, self.T_max, self.eta_min
        groups = self.optimizer.param_groups
        if self._is_initial:
            return group_values(self.optimizer, "lr")
        if self._step_count == 1 and t > 0:
            return self._get_closed_form_lr()
        if (t - 1 - T_max) % (2 * T_max) == 0:  # the previous rate is `eta_min`, so scaling would divide by zero
            return [
                group["lr"] + (base - eta_min) * (1 - math.cos(math.pi / T_max)) / 2
                for base, group in zip(self.base_lrs, groups, strict=True)
            ]
        scale = (1 + math.cos(math.pi * t / T_max)) / (1 + math.cos(math.pi * (t - 1) / T_max))
        return [scale * (group["lr"] - eta_min) + eta_min for group in groups]

    def _get_closed_form_lr(self) -> list[Any]:
        cosine = 1 + math.cos(math.pi * self.last_epoch / self.T_max)
        return [self.eta_min + (base - self.eta_min) * cosine / 2 for base in self.base_lrs]


class CosineAnnealingWarmRestarts(LRScheduler):
    r"""A scheduler with cosine annealing and warm restarts.

    .. math:: \eta = \eta_{min} + \tfrac12 (\eta_0 - \eta_{min})(1 + \cos(\pi T_{cur} / T_i))

    `step(epoch)` accepts fractions of an epoch.

    Args:
      optimizer: the optimizer.
      T_0: the number of steps of the first cycle.
      T_mult: each following cycle is `T_mult` times as long as the previous one.
      eta_min: the lowest learning rate.
      last_epoch: -1 to start, or the last step of an earlier run to resume it.

    Raises:
      ValueError: `T_0` or `T_mult` is not a positive integer, `eta_min` is not a number, or `epoch` is negative.

    >>> import torchlike as torch
    >>> optimizer = torch.optim.SGD([torch.nn.Parameter(torch.ones(1))], lr=1.0)
    >>> scheduler = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(optimizer, T_0=2)
    >>> rates = []
    >>> for _ in range(3):
    ...     rates.append(round(scheduler.get_last_lr()[0], 6))
    ...     optimizer.step()
    ...     scheduler.step()
    >>> rates
    [1.0, 0.5, 1.0]
    """

    def __init__(
        self, optimizer: Optimizer, T_0: int, T_mult: int = 1, eta_min: float = 0.0, last_epoch: int = -1
    ) -> None:
        if T_0 <= 0 or not isinstance(T_0, int):
            raise ValueError(f"Expected positive integer T_0, but got {T_0}")
        if T_mult < 1 or not isinstance(T_mult, int):
            raise ValueError(f"Expected integer T_mult >= 1, but got {T_mult}")
        if not isinstance(eta_min, (float, int)):
            raise ValueError(f"Expected float or int eta_min, but got {eta_min} of type {type(eta_min)}")
        self.T_0 = T_0
        self.T_i = T_0
        self.T_mult = T_mult
        self.eta_min = eta_min
        self.T_cur: float = last_epoch
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """Return the learning rates at the current position in the cycle."""
        self._warn_outside_step()
        cosine = 1 + math.cos(math.pi * self.T_cur / self.T_i)
        return [self.eta_min + (base - self.eta_min) * cosine / 2 for base in self.base_lrs]

    def step(self, epoch: float | None = None) -> None:
        """Advance by one step and set the learning rates.

        Args:
          epoch: the number of the step to go to, which may be a fraction.

        Raises:
          ValueError: `epoch` is negative.
        """
        if _engine.repeats(lambda: self.step(epoch), self):
            return
        with _engine.uninterrupted():
            self._move(epoch)

    def _move(self, epoch: float | None) -> None:
        if epoch is None and self.last_epoch < 0:
            epoch = 0
        if epoch is None:
            epoch = self.last_epoch + 1
            self.T_cur += 1
            if self.T_cur >= self.T_i:
                self.T_cur %= self.T_i
                self.T_i *= self.T_mult
        else:
            if epoch < 0:
                raise ValueError(f"Expected non-negative epoch, but got {epoch}")
            self._jump(epoch)
        self.last_epoch = math.floor(epoch)
        with _within_step(self):
            values = self.get_lr()
        self._set(values)

    def _jump(self, epoch: float) -> None:
        if epoch < self.T_0:
            self.T_i, self.T_cur = self.T_0, epoch
        elif self.T_mult == 1:
            self.T_cur = epoch % self.T_0
        else:
            n = int(math.log(epoch / self.T_0 * (self.T_mult - 1) + 1, self.T_mult))
            self.T_cur = epoch - self.T_0 * (self.T_mult**n - 1) / (self.T_mult - 1)
            self.T_i = self.T_0 * self.T_mult**n
