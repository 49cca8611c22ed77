"""`LRScheduler`, the base class of learning rate schedulers."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from weakref import ref

from torchlike import Tensor
from torchlike._internal import _engine, warn
from torchlike.optim import _errors
from torchlike.optim.optimizer import Optimizer


class LRScheduler:
    """The base class of the schedulers. Each `step` increments `last_epoch` and sets `lr` of every group.

    Args:
      optimizer: the optimizer. Its groups store their initial learning rate as `initial_lr`.
      last_epoch: -1 to start, or the last step of an earlier run to resume it.

    A subclass overrides `get_lr`, which computes one learning rate for each group from `self.last_epoch`,
    `self.base_lrs` and the groups. If the subclass has `_get_closed_form_lr`, `step(epoch)` calls that instead.

    Raises:
      TypeError: `optimizer` is not an optimizer.
      KeyError: an earlier run is resumed (`last_epoch` >= 0) and a group has no `initial_lr`.

    >>> import torchlike as torch
    >>> class Halved(torch.optim.lr_scheduler.LRScheduler):
    ...     def get_lr(self):
    ...         return [base / 2**self.last_epoch for base in self.base_lrs]
    >>> optimizer = torch.optim.SGD([torch.nn.Parameter(torch.ones(1))], lr=1.0)
    >>> scheduler = Halved(optimizer)
    >>> optimizer.step()
    >>> scheduler.step()
    >>> scheduler.get_last_lr()
    [0.5]
    """

    _get_lr_called_within_step: bool = False
    _is_initial: bool = False

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        if not isinstance(optimizer, Optimizer):
            raise _errors.not_an_optimizer(optimizer)
        optimizer._check_scheduled()
        self.optimizer = optimizer
        for i, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", _copy(group["lr"]))
            elif "initial_lr" not in group:
                raise _errors.initial_lr_missing(i)
        self.base_lrs: list[Any] = group_values(optimizer, "initial_lr")
        self.last_epoch = last_epoch
        _record_calls_of_step(optimizer)
        self._initial_step()

    def _initial_step(self) -> None:
        """Make the initial step, which changes `last_epoch` from -1 to 0."""
        self._step_count = 0
        self._is_initial = True
        try:
            self.step()
        finally:
            self._is_initial = False

    def state_dict(self) -> dict[str, Any]:
        """Return the attributes without the optimizer, as a dictionary."""
        return {key: value for key, value in self.__dict__.items() if key != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Load a dictionary that `state_dict` returned.

        Args:
          state_dict: the dictionary.
        """
        self.__dict__.update(state_dict)

    def get_last_lr(self) -> list[Any]:
        """Return the last learning rates, one for each group."""
        return self._last_lr

    def get_lr(self) -> list[Any]:
        """Return the learning rates for `last_epoch`, one for each group. `step` calls this method."""
        raise NotImplementedError

    def _followed(self) -> list:
        """Return the objects that a captured call reaches through this scheduler, such as its optimizer.

        The other work of the scheduler is repeated on the host at each replay.
        """
        return [self.optimizer]

    def kept(self) -> Callable[[], None]:
        """Save the state of the scheduler, its inner schedulers and the groups, and return a function to restore it."""
        inner = [scheduler.kept() for scheduler in self.__dict__.get("_schedulers", ())]
        before = [(held, dict(held)) for held in (self.__dict__, *self.optimizer.param_groups)]

        def put_back() -> None:
            for one in inner:
                one()
            for held, contents in before:
                held.clear()
                held.update(contents)

        return put_back

    def step(self, epoch: int | None = None) -> None:
        """Advance by one step and set the learning rates.

        Args:
          epoch: deprecated, with a warning: the number of the step to go to.
        """
        if _engine.repeats(lambda: self.step(epoch), self):
            return
        if self._step_count == 1:
            self._check_order()
        with _engine.uninterrupted():  # signals are deferred, so an interrupt cannot separate the count from the rates
            self._step_count += 1
            if epoch is not None:
                warn(_errors.epoch_deprecated())
            self._update_lr(epoch)

    def _check_order(self) -> None:
        if not hasattr(self.optimizer.step, "_wrapped_by_lr_sched"):
            warn(_errors.step_overridden())
        elif not getattr(self.optimizer, "_opt_called", False):
            warn(_errors.stepped_before_optimizer())

    def _update_lr(self, epoch: int | None = None) -> None:
        with _within_step(self):
            if epoch is None:
                self.last_epoch += 1
                values = self.get_lr()
            else:
                self.last_epoch = epoch
                closed_form = getattr(self, "_get_closed_form_lr", self.get_lr)
                values = closed_form()
        self._set(values)

    def _set(self, values: list[Any]) -> None:
        for group, value in zip(self.optimizer.param_groups, values, strict=True):
            set_value(group, "lr", value)
        self._last_lr: list[Any] = group_values(self.optimizer, "lr")

    def _scaled(self, factor: float) -> list[Any]:
        """Return the current learning rates multiplied by a factor."""
        return [group["lr"] * factor for group in self.optimizer.param_groups]

    def _warn_outside_step(self) -> None:
        _warn_get_lr_called_within_step(self)


def _warn_get_lr_called_within_step(lr_scheduler: LRScheduler) -> None:
    """Warn if `get_lr` was called outside `step`. Schedulers of other projects call this first."""
    if not lr_scheduler._get_lr_called_within_step:
        warn(_errors.use_get_last_lr(), site=type(lr_scheduler))


@contextmanager
def _within_step(scheduler: LRScheduler) -> Iterator[None]:
    scheduler._get_lr_called_within_step = True
    try:
        yield
    finally:
        scheduler._get_lr_called_within_step = False


def _record_calls_of_step(optimizer: Optimizer) -> None:
    """Wrap `step` of this optimizer instance, to record whether it was called."""
    if hasattr(optimizer.step, "_wrapped_by_lr_sched"):
        return
    method: Callable = optimizer.step.__func__
    owner = ref(optimizer)  # weak, because the optimizer refers to the wrapper

    @functools.wraps(method)
    def step(*args: Any, **kwargs: Any) -> Any:
        optimizer: Any = owner()
        optimizer._opt_called = True
        return method(optimizer, *args, **kwargs)

    made: Any = step
    made._wrapped_by_lr_sched = True
    optimizer.step = made
    vars(optimizer)["_noted_step"] = made  # `step_of` distinguishes it from a wrapper of the user's


def set_value(group: dict[str, Any], name: str, value: Any) -> None:
    """Set an option of a group. An option that is a Tensor is filled in place."""
    if isinstance(group[name], Tensor):
        group[name].fill_(value.item() if isinstance(value, Tensor) else value)
    else:
        group[name] = value


def group_values(optimizer: Optimizer, name: str) -> list[Any]:
    """Return an option of every group. Tensors are copied."""
    return [_copy(group[name]) for group in optimizer.param_groups]


def _copy(value: Any) -> Any:
    return value.clone() if isinstance(value, Tensor) else value
