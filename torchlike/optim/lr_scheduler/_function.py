"""Schedulers that multiply the learning rate by the result of a user-defined function."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

from torchlike._internal import own_methods
from torchlike.optim.lr_scheduler._base import LRScheduler, group_values
from torchlike.optim.optimizer import Optimizer


class _FromFunctions(LRScheduler):
    def __init__(
        self,
        optimizer: Optimizer,
        lr_lambda: Callable[[int], float] | list[Callable[[int], float]],
        last_epoch: int = -1,
    ) -> None:
        self.optimizer = optimizer
        if isinstance(lr_lambda, (list, tuple)):
            if len(lr_lambda) != len(optimizer.param_groups):
                raise ValueError(f"Expected {len(optimizer.param_groups)} lr_lambdas, but got {len(lr_lambda)}")
            self.lr_lambdas: list[Any] = list(lr_lambda)
        else:
            self.lr_lambdas = [lr_lambda] * len(optimizer.param_groups)
        super().__init__(optimizer, last_epoch)

    def _followed(self) -> list:
        return [*super()._followed(), *self.lr_lambdas]

    def state_dict(self) -> dict[str, Any]:
        """Return the attributes without the optimizer and the functions.

        A plain function is saved as None. Any other callable is saved as a copy of its attributes.
        """
        state = {key: value for key, value in self.__dict__.items() if key not in ("optimizer", "lr_lambdas")}
        state["lr_lambdas"] = [
            None if isinstance(f, types.FunctionType) else f.__dict__.copy() for f in self.lr_lambdas
        ]
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Load a dictionary that `state_dict` returned.

        Callable objects get their saved attributes. Functions do not change.

        Args:
          state_dict: the dictionary.
        """
        self.__dict__.update({key: value for key, value in state_dict.items() if key != "lr_lambdas"})
        for function, saved in zip(self.lr_lambdas, state_dict["lr_lambdas"]):
            if saved is not None:
                function.__dict__.update(saved)


@own_methods("__init__")
class LambdaLR(_FromFunctions):
    """A scheduler that multiplies the initial learning rate by `lr_lambda(step)`.

    Args:
      optimizer: the optimizer.
      lr_lambda: a function of the number of the step, or a list with one function for each group.
      last_epoch: -1 to start, or the last step of an earlier run to resume it.

    Raises:
      ValueError: the length of the list is not the number of groups.

    >>> import torchlike as torch
    >>> optimizer = torch.optim.SGD([torch.nn.Parameter(torch.ones(1))], lr=1.0)
    >>> scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 0.5**step)
    >>> optimizer.step()
    >>> scheduler.step()
    >>> scheduler.get_last_lr()
    [0.5]
    """

    def get_lr(self) -> list[Any]:
        """Return the initial learning rates multiplied by the functions' values at the current step."""
        self._warn_outside_step()
        return [base * f(self.last_epoch) for f, base in zip(self.lr_lambdas, self.base_lrs)]


@own_methods("__init__")
class MultiplicativeLR(_FromFunctions):
    """A scheduler that multiplies the current learning rate by `lr_lambda(step)`, starting at step 1.

    Args:
      optimizer: the optimizer.
      lr_lambda: a function of the number of the step, or a list with one function for each group.
      last_epoch: -1 to start, or the last step of an earlier run to resume it.

    Raises:
      ValueError: the length of the list is not the number of groups.

    >>> import torchlike as torch
    >>> optimizer = torch.optim.SGD([torch.nn.Parameter(torch.ones(1))], lr=1.0)
    >>> scheduler = torch.optim.lr_scheduler.MultiplicativeLR(optimizer, lambda step: 0.5)
    >>> optimizer.step()
    >>> scheduler.step()
    >>> scheduler.get_last_lr()
    [0.5]
    """

    def get_lr(self) -> list[Any]:
        """Return the current learning rates multiplied by the functions' values at the current step."""
        self._warn_outside_step()
        if self._is_initial:
            return group_values(self.optimizer, "lr")
        return [
            group["lr"] * f(self.last_epoch)
            for f, group in zip(self.lr_lambdas, self.optimizer.param_groups, strict=True)
        ]
