"""Schedulers that multiply the current learning rate by a factor that depends only on the step.

Each scheduler has two formulas. `get_lr` computes the learning rate from that of the previous step, as PyTorch does, so
that several schedulers can act on one optimizer. `_get_closed_form_lr` computes the rate directly for a given step.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable
from typing import Any

from torchlike.optim.lr_scheduler._base import LRScheduler, group_values
from torchlike.optim.optimizer import Optimizer


class _Decay(LRScheduler):
    """A scheduler defined by `_factor`: the learning rate divided by the previous one, or None for no change."""

    def _factor(self) -> float | None:
        raise NotImplementedError

    def get_lr(self) -> list[Any]:
        """Return the current learning rates multiplied by the factor of this step."""
        self._warn_outside_step()
        factor = self._factor()
        return group_values(self.optimizer, "lr") if factor is None else self._scaled(factor)


class StepLR(_Decay):
    """A scheduler that multiplies the learning rate by `gamma` every `step_size` steps.

    Args:
      optimizer: the optimizer.
      step_size: the number of steps with the same learning rate.
      gamma: the factor.
      last_epoch: -1 to start, or the last step of an earlier run to resume it.

    >>> import torchlike
    >>> optimizer = torchlike.optim.SGD([torchlike.nn.Parameter(torchlike.ones(1))], lr=1.0)
    >>> scheduler = StepLR(optimizer, step_size=2, gamma=0.5)
    >>> rates = []
    >>> for _ in range(5):
    ...     rates.append(scheduler.get_last_lr()[0])
    ...     optimizer.step()
    ...     scheduler.step()
    >>> rates
    [1.0, 1.0, 0.5, 0.5, 0.25]
    """

    def __init__(self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1) -> None:
        self.step_size = step_size
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def _factor(self) -> float | None:
        return None if self.last_epoch == 0 or self.last_epoch % self.step_size else self.gamma

    def _get_closed_form_lr(self) -> list[Any]:
        return [base * self.gamma ** (self.last_epoch // self.step_size) for base in self.base_lrs]


class MultiStepLR(_Decay):
    """A scheduler that multiplies the learning rate by `gamma` at each milestone.

    Args:
      optimizer: the optimizer.
      milestones: numbers of steps, in increasing order. A milestone that is listed twice counts twice.
      gamma: the factor.
      last_epoch: -1 to start, or the last step of an earlier run to resume it.

    >>> import torchlike as torch
    >>> optimizer = torch.optim.SGD([torch.nn.Parameter(torch.ones(1))], lr=1.0)
    >>> scheduler = torch.optim.lr_scheduler.MultiStepLR(optimizer, milestones=[1, 3], gamma=0.5)
    >>> optimizer.step()
    >>> scheduler.step()
    >>> scheduler.get_last_lr()
    [0.5]
    """

    def __init__(
        self, optimizer: Optimizer, milestones: Iterable[int], gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        self.milestones = Counter(milestones)
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def _factor(self) -> float | None:
        return self.gamma ** self.milestones[self.last_epoch] if self.last_epoch in self.milestones else None

    def _get_closed_form_lr(self) -> list[Any]:
        passed = bisect_right(sorted(self.milestones.elements()), self.last_epoch)
        return [base * self.gamma**passed for base in self.base_lrs]


class ConstantLR(_Decay):
    """A scheduler that multiplies the learning rate by `factor` until step `total_iters`.

    From step `total_iters` on it restores the full learning rate.

    Args:
      optimizer: the optimizer.
      factor: the factor, from 0 to 1.
      total_iters: the number of steps with the smaller learning rate.
      last_epoch: -1 to start, or the last step of an earlier run to resume it.

    Raises:
      ValueError: `factor` is outside [0, 1].

    >>> import torchlike as torch
    >>> optimizer = torch.optim.SGD([torch.nn.Parameter(torch.ones(1))], lr=1.0)
    >>> torch.optim.lr_scheduler.ConstantLR(optimizer, factor=0.5).get_last_lr()
    [0.5]
    """

    def __init__(
        self, optimizer: Optimizer, factor: float = 1.0 / 3, total_iters: int = 5, last_epoch: int = -1
    ) -> None:
        if factor > 1.0 or factor < 0:
            raise ValueError("Constant multiplicative factor expected to be between 0 and 1.")
        self.factor = factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def _factor(self) -> float | None:
        if self.last_epoch == 0:
            return self.factor
        return 1.0 / self.factor if self.last_epoch == self.total_iters else None

    def _get_closed_form_lr(self) -> list[Any]:
        ended = self.last_epoch >= self.total_iters
        return [base * (self.factor + ended * (1 - self.factor)) for base in self.base_lrs]


class LinearLR(_Decay):
    """A scheduler that multiplies the initial learning rate by a linearly changing factor.

    Args:
      optimizer: the optimizer.
      start_factor, end_factor: the factor at step 0, and from step `total_iters` on.
      total_iters: the number of steps of the change.
      last_epoch: -1 to start, or the last step of an earlier run to resume it.

    Raises:
      ValueError: `start_factor` is outside (0, 1] or `end_factor` is outside [0, 1].

    >>> import torchlike
    >>> optimizer = torchlike.optim.SGD([torchlike.nn.Parameter(torchlike.ones(1))], lr=1.0)
    >>> LinearLR(optimizer, start_factor=0.25, total_iters=3).get_last_lr()
    [0.25]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        start_factor: float = 1.0 / 3,
        end_factor: float = 1.0,
        total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:
        if start_factor > 1.0 or start_factor <= 0:
            raise ValueError("Starting multiplicative factor expected to be greater than 0 and less or equal to 1.")
        if end_factor > 1.0 or end_factor < 0:
            raise ValueError("Ending multiplicative factor expected to be between 0 and 1.")
        self.start_factor = start_factor
        self.end_factor = end_factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def _factor(self) -> float | None:
        if self.last_epoch == 0:
            return self.start_factor
        if self._is_initial or self.last_epoch > self.total_iters:
            return None
        rise = self.end_factor - self.start_factor
        return 1.0 + rise / (self.total_iters * self.start_factor + (self.last_epoch - 1) * rise)

    def _get_closed_form_lr(self) -> list[Any]:
        rise = self.end_factor - self.start_factor
        factor = self.start_factor + rise * min(self.total_iters, self.last_epoch) / self.total_iters
        return [base * factor for base in self.base_lrs]


class ExponentialLR(_Decay):
    """A scheduler that multiplies the learning rate by `gamma` at every step.

    Args:
      optimizer: the optimizer.
      gamma: the factor.
      last_epoch: -1 to start, or the last step of an earlier run to resume it.

    >>> import torchlike as torch
    >>> optimizer = torch.optim.SGD([torch.nn.Parameter(torch.ones(1))], lr=1.0)
    >>> scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.5)
    >>> optimizer.step()
    >>> scheduler.step()
    >>> scheduler.get_last_lr()
    [0.5]
    """

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def _factor(self) -> float | None:
        return None if self._is_initial else self.gamma

    def _get_closed_form_lr(self) -> list[Any]:
        return [base * self.gamma**self.last_epoch for base in self.base_lrs]


class PolynomialLR(_Decay):
    """A scheduler that multiplies the initial learning rate by :math:`(1 - t/T)^{power}`.

    Args:
      optimizer: the optimizer.
      total_iters: the number of steps T. From step T on the learning rate is zero.
      power: the exponent.
      last_epoch: -1 to start, or the last step of an earlier run to resume it.

    >>> import torchlike as torch
    >>> optimizer = torch.optim.SGD([torch.nn.Parameter(torch.ones(1))], lr=1.0)
    >>> scheduler = torch.optim.lr_scheduler.PolynomialLR(optimizer, total_iters=4, power=2.0)
    >>> optimizer.step()
    >>> scheduler.step()
    >>> scheduler.get_last_lr()
    [0.5625]
    """

    def __init__(self, optimizer: Optimizer, total_iters: int = 5, power: float = 1.0, last_epoch: int = -1) -> None:
        self.total_iters = total_iters
        self.power = power
        super().__init__(optimizer, last_epoch)

    def _factor(self) -> float | None:
        if self._is_initial or self.last_epoch > self.total_iters:
            return None
        left, left_before = 1.0 - self.last_epoch / self.total_iters, 1.0 - (self.last_epoch - 1) / self.total_iters
        return (left / left_before) ** self.power

    def _get_closed_form_lr(self) -> list[Any]:
        left = 1.0 - min(self.total_iters, self.last_epoch) / self.total_iters
        return [base * left**self.power for base in self.base_lrs]
