"""Schedulers that cycle the learning rate, and the momentum inversely (Smith, 2017; Smith and Topin, 2019)."""

from __future__ import annotations

import math
import types
from collections.abc import Callable
from typing import Any, Literal

from torchlike.optim import _errors
from torchlike.optim.lr_scheduler._base import LRScheduler, set_value
from torchlike.optim.optimizer import Optimizer


class _Cycle(LRScheduler):
    """The base class of cyclic schedulers: options for each group, and cycling of momentum or beta1."""

    use_beta1: bool

    def _per_group(self, name: str, value: Any) -> list[Any]:
        groups = len(self.optimizer.param_groups)
        if not isinstance(value, (list, tuple)):
            return [value] * groups
        if len(value) != groups:
            raise _errors.cycle_values(name, len(value), groups)
        return list(value)

    def _cycled_momentum(self, base: Any, largest: Any, last_epoch: int) -> tuple[list[float], list[float]]:
        """Return the smallest and the largest momentum of each group. A new schedule sets the largest momentum."""
        defaults = self.optimizer.defaults
        if "momentum" not in defaults and "betas" not in defaults:
            raise ValueError("optimizer must support momentum or beta1 with `cycle_momentum` option enabled")
        self.use_beta1 = "betas" in defaults
        bases, maxima = self._per_group("base_momentum", base), self._per_group("max_momentum", largest)
        if last_epoch == -1:
            for low, high, group in zip(bases, maxima, self.optimizer.param_groups):
                self._set_momentum(group, high)
                group["max_momentum"], group["base_momentum"] = high, low
        return bases, maxima

    def _set_momentum(self, group: dict[str, Any], value: float) -> None:
        if self.use_beta1:
            group["betas"] = (value, *group["betas"][1:])
        else:
            group["momentum"] = value


class CyclicLR(_Cycle):
    """A scheduler that cycles the learning rate linearly between `base_lr` and `max_lr`.

    Args:
      optimizer: the optimizer.
      base_lr, max_lr: the lowest and the highest learning rate, or lists with one for each group.
      step_size_up, step_size_down: the number of steps of the rising and the falling half. By default they are equal.
      mode: `"triangular"` keeps the amplitude, `"triangular2"` halves it at each cycle, `"exp_range"` multiplies it by
        `gamma` at each step.
      gamma: the factor of the mode `"exp_range"`.
      scale_fn: a function that returns the relative amplitude, in place of `mode`.
      scale_mode: the argument of `scale_fn`: the number of the `"cycle"`, counted from 1, or of the step
        (`"iterations"`).
      cycle_momentum: lower momentum (or Adam's beta1) from `max_momentum` to `base_momentum` while the learning rate
        rises.
      base_momentum, max_momentum: the lowest and the highest momentum, or lists with one for each group.
      last_epoch: -1 to start, or the last step of an earlier run to resume it.

    Raises:
      ValueError: the mode is unknown, the length of a list is not the number of groups, or `cycle_momentum` is set for
        an optimizer without momentum.

    >>> import torchlike as torch
    >>> optimizer = torch.optim.SGD([torch.nn.Parameter(torch.ones(1))], lr=1.0)
    >>> scheduler = torch.optim.lr_scheduler.CyclicLR(optimizer, 0.0, 1.0, step_size_up=2, cycle_momentum=False)
    >>> optimizer.step()
    >>> scheduler.step()
    >>> scheduler.get_last_lr()
    [0.5]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        base_lr: float | list[float],
        max_lr: float | list[float],
        step_size_up: int = 2000,
        step_size_down: int | None = None,
        mode: Literal["triangular", "triangular2", "exp_range"] = "triangular",
        gamma: float = 1.0,
        scale_fn: Callable[[float], float] | None = None,
        scale_mode: Literal["cycle", "iterations"] = "cycle",
        cycle_momentum: bool = True,
        base_momentum: float = 0.8,
        max_momentum: float = 0.9,
        last_epoch: int = -1,
    ) -> None:
        if not isinstance(optimizer, Optimizer):
            raise _errors.not_an_optimizer(optimizer)
        optimizer._check_scheduled()
        self.optimizer = optimizer
        base_lrs = self._per_group("base_lr", base_lr)
        if last_epoch == -1:
            for lr, group in zip(base_lrs, optimizer.param_groups):
                set_value(group, "lr", lr)
        self.max_lrs = self._per_group("max_lr", max_lr)
        up = float(step_size_up)
        self.total_size = up + (float(step_size_down) if step_size_down is not None else up)
        self.step_ratio = up / self.total_size
        if mode not in ("triangular", "triangular2", "exp_range") and scale_fn is None:
            raise ValueError("mode is invalid and scale_fn is None")
        self.mode = mode
        self.gamma = gamma
        self._scale_fn_custom = scale_fn
        by_cycle = scale_mode == "cycle" if scale_fn is not None else mode != "exp_range"
        self.scale_mode = scale_mode if scale_fn is not None else ("cycle" if by_cycle else "iterations")
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            found = self._cycled_momentum(base_momentum, max_momentum, last_epoch)
            self.base_momentums, self.max_momentums = found
        super().__init__(optimizer, last_epoch)
        self.base_lrs = base_lrs

    def _followed(self) -> list:
        functions = [] if self._scale_fn_custom is None else [self._scale_fn_custom]
        return [*super()._followed(), *functions]

    def scale_fn(self, x: float) -> float:
        """Return the relative amplitude at cycle `x` or step `x`, depending on `scale_mode`.

        Args:
          x: the number of the cycle or of the step.
        """
        if self._scale_fn_custom is not None:
            return self._scale_fn_custom(x)
        if self.mode == "triangular":
            return 1.0
        return 1 / (2.0 ** (x - 1)) if self.mode == "triangular2" else self.gamma**x

    def get_lr(self) -> list[Any]:
        """Return the learning rates at the current position in the cycle, and set the momentum."""
        self._warn_outside_step()
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        x = 1.0 + self.last_epoch / self.total_size - cycle
        height = x / self.step_ratio if x <= self.step_ratio else (x - 1) / (self.step_ratio - 1)
        at = cycle if self.scale_mode == "cycle" else self.last_epoch
        lrs = [base + (top - base) * height * self.scale_fn(at) for base, top in zip(self.base_lrs, self.max_lrs)]
        if self.cycle_momentum:
            limits = zip(self.base_momentums, self.max_momentums, self.optimizer.param_groups)
            for base, top, group in limits:
                self._set_momentum(group, top - (top - base) * height * self.scale_fn(at))
        return lrs

    def state_dict(self) -> dict[str, Any]:
        """Return the attributes without the optimizer.

        A custom `scale_fn` is saved by its attributes if it is a callable object, and not at all if it is a function.
        """
        state = super().state_dict()
        scale_fn = state.pop("_scale_fn_custom")
        plain = scale_fn is None or isinstance(scale_fn, types.FunctionType)
        state["_scale_fn_custom"] = None if plain else scale_fn.__dict__.copy()
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Load a dictionary that `state_dict` returned.

        Args:
          state_dict: the dictionary.
        """
        saved = state_dict["_scale_fn_custom"]
        super().load_state_dict({key: value for key, value in state_dict.items() if key != "_scale_fn_custom"})
        if saved is not None:
            self._scale_fn_custom.__dict__.update(saved)


class OneCycleLR(_Cycle):
    """A scheduler with one cycle: the learning rate rises to `max_lr` and then falls below its initial value.

    Args:
      optimizer: the optimizer.
      max_lr: the highest learning rate, or a list with one for each group.
      total_steps: the number of steps of the cycle. The default is `epochs * steps_per_epoch`.
      epochs, steps_per_epoch: the number of epochs and the number of steps of an epoch, in place of `total_steps`.
      pct_start: the fraction of the cycle in which the learning rate rises.
      anneal_strategy: `"cos"` or `"linear"`.
      cycle_momentum: lower momentum (or Adam's beta1) from `max_momentum` to `base_momentum` while the learning rate
        rises.
      base_momentum, max_momentum: the lowest and the highest momentum, or lists with one for each group.
      div_factor: the initial learning rate is `max_lr / div_factor`.
      final_div_factor: the final learning rate is the initial one divided by `final_div_factor`.
      three_phase: return to the initial learning rate in a phase as long as the rise, then fall to the final one.
      last_epoch: -1 to start, or the last step of an earlier run to resume it.

    Raises:
      ValueError: the number of steps is missing or invalid, the strategy is unknown, `cycle_momentum` is set for an
        optimizer without momentum, or a step is beyond the end of the cycle.

    >>> import torchlike as torch
    >>> optimizer = torch.optim.SGD([torch.nn.Parameter(torch.ones(1))], lr=1.0)
    >>> scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, 1.0, total_steps=10, cycle_momentum=False)
    >>> round(scheduler.get_last_lr()[0], 6)
    0.04
    """

    def __init__(
        self,
        optimizer: Optimizer,
        max_lr: float | list[float],
        total_steps: int | None = None,
        epochs: int | None = None,
        steps_per_epoch: int | None = None,
        pct_start: float = 0.3,
        anneal_strategy: Literal["cos", "linear"] = "cos",
        cycle_momentum: bool = True,
        base_momentum: float | list[float] = 0.85,
        max_momentum: float | list[float] = 0.95,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
        three_phase: bool = False,
        last_epoch: int = -1,
    ) -> None:
        if not isinstance(optimizer, Optimizer):
            raise _errors.not_an_optimizer(optimizer)
        self.optimizer = optimizer
        self.total_steps = _total_steps(total_steps, epochs, steps_per_epoch)
        self._schedule_phases = _phases(self.total_steps, pct_start, three_phase)
        if pct_start < 0 or pct_start > 1 or not isinstance(pct_start, float):
            raise ValueError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        if anneal_strategy not in ("cos", "linear"):
            raise _errors.cycle_strategy(anneal_strategy)
        self._anneal_func_type = anneal_strategy
        max_lrs = self._per_group("max_lr", max_lr)
        if last_epoch == -1:
            for largest, group in zip(max_lrs, optimizer.param_groups):
                group["initial_lr"] = largest / div_factor
                group["max_lr"] = largest
                group["min_lr"] = group["initial_lr"] / final_div_factor
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self._cycled_momentum(base_momentum, max_momentum, last_epoch)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """Return the learning rates at the current position in the cycle, and set the momentum."""
        self._warn_outside_step()
        step = self.last_epoch
        if step > self.total_steps:
            raise ValueError(f"Tried to step {step} times. The specified number of total steps is {self.total_steps}")
        start, phase = 0.0, self._schedule_phases[0]
        for phase in self._schedule_phases:
            if step <= phase["end_step"] or phase is self._schedule_phases[-1]:
                break
            start = phase["end_step"]
        done = (step - start) / (phase["end_step"] - start)
        lrs = []
        for group in self.optimizer.param_groups:
            lrs.append(self._anneal(group[phase["start_lr"]], group[phase["end_lr"]], done))
            if self.cycle_momentum:
                self._set_momentum(
                    group, self._anneal(group[phase["start_momentum"]], group[phase["end_momentum"]], done)
                )
        return lrs

    def _anneal(self, start: float, end: float, done: float) -> float:
        if self._anneal_func_type == "linear":
            return (end - start) * done + start
        return end + (start - end) / 2.0 * (math.cos(math.pi * done) + 1)


def _total_steps(total_steps: int | None, epochs: int | None, steps_per_epoch: int | None) -> int:
    if total_steps is not None:
        return _positive("total_steps", total_steps)
    if epochs is None or steps_per_epoch is None:
        raise ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")
    return _positive("epochs", epochs) * _positive("steps_per_epoch", steps_per_epoch)


def _positive(name: str, value: int) -> int:
    if value <= 0 or not isinstance(value, int):
        raise ValueError(f"Expected positive integer {name}, but got {value}")
    return value


def _phases(total: int, pct_start: float, three_phase: bool) -> list[dict[str, Any]]:
    rising = _phase(float(pct_start * total) - 1, "initial_lr", "max_lr", "max_momentum", "base_momentum")
    if not three_phase:
        return [rising, _phase(total - 1, "max_lr", "min_lr", "base_momentum", "max_momentum")]
    falling = _phase(float(2 * pct_start * total) - 2, "max_lr", "initial_lr", "base_momentum", "max_momentum")
    return [rising, falling, _phase(total - 1, "initial_lr", "min_lr", "max_momentum", "max_momentum")]


def _phase(end: float, start_lr: str, end_lr: str, start_momentum: str, end_momentum: str) -> dict[str, Any]:
    return dict(
        end_step=end, start_lr=start_lr, end_lr=end_lr, start_momentum=start_momentum, end_momentum=end_momentum
    )
