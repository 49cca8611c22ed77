"""Schedulers that call the user's function."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

from torchlike.optim import _errors
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
                raise _errors.lambda_count(len(optimizer.param_groups), len(lr_lambda))
            self.lr_lambdas: list[Any] = list(lr_lambda)
        else:
            self.lr_lambdas = [lr_lambda] * len(optimizer.param_groups)
        super().__init__(optimizer, last_epoch)

    def state_dict(self) -> dict[str, Any]:
        """Everything but optimizer and functions; of callable objects their attributes."""
        state = {key: value for key, value in self.__dict__.items() if key not in ("optimizer", "lr_lambdas")}
        state["lr_lambdas"] = [
            None if isinstance(f, types.FunctionType) else f.__dict__.copy() for f in self.lr_lambdas
        ]
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what `state_dict` gave; functions stay, callable objects get their attributes back."""
        self.__dict__.update({key: value for key, value in state_dict.items() if key != "lr_lambdas"})
        for function, saved in zip(self.lr_lambdas, state_dict["lr_lambdas"]):
            if saved is not None:
                function.__dict__.update(saved)


class LambdaLR(_FromFunctions):
    """The initial rate times `lr_lambda(step)`; a list gives one function for each group.

    Raises:
      ValueError: a list whose length is not the number of groups.
    """

    def get_lr(self) -> list[Any]:
        """The initial rates times the functions of the step."""
        self._warn_outside_step()
        return [base * f(self.last_epoch) for f, base in zip(self.lr_lambdas, self.base_lrs)]


class MultiplicativeLR(_FromFunctions):
    """The present rate times `lr_lambda(step)`, from step 1 on; a list gives one function for each group.

    Raises:
      ValueError: a list whose length is not the number of groups.
    """

    def get_lr(self) -> list[Any]:
        """The present rates times the functions of the step."""
        self._warn_outside_step()
        if self._is_initial:
            return group_values(self.optimizer, "lr")
        return [
            group["lr"] * f(self.last_epoch)
            for f, group in zip(self.lr_lambdas, self.optimizer.param_groups, strict=True)
        ]
