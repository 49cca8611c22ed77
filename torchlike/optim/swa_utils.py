"""Stochastic weight averaging and exponential moving averages of a model's parameters (Izmailov et al., 2018)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable
from copy import deepcopy
from typing import Any, Literal

import numpy as np

import torchlike
from torchlike import Tensor
from torchlike._internal import WRITE, multi_tensor_update, of_array
from torchlike._internal import current as _current
from torchlike.nn import Module
from torchlike.nn.modules.batchnorm import _BatchNorm
from torchlike.optim import _errors
from torchlike.optim.lr_scheduler import LRScheduler
from torchlike.optim.optimizer import Optimizer

Average = Callable[[Tensor, Tensor, Any], Tensor]
AverageLists = Callable[[list[Tensor], list[Tensor], Any], None]


def get_swa_avg_fn() -> Average:
    """Return the update function of the equal average: `a + (p - a) / (n + 1)`.

    Returns:
      A function of the average a, the parameter p and the number n of averaged parameters.

    >>> import torchlike as torch
    >>> average = torch.optim.swa_utils.get_swa_avg_fn()
    >>> average(torch.tensor(1.0), torch.tensor(3.0), 1).item()
    2.0
    """

    @torchlike.no_grad()
    def swa_update(averaged_param: Tensor, current_param: Tensor, num_averaged: Any) -> Tensor:
        return averaged_param + (current_param - averaged_param) / (num_averaged + 1)

    return swa_update


def get_ema_avg_fn(decay: float = 0.999) -> Average:
    """Return the update function of the exponential moving average: `decay * a + (1 - decay) * p`.

    Args:
      decay: the weight of the old average, from 0 to 1.

    Returns:
      A function of the average a, the parameter p and the number of averaged parameters, which has no effect.

    Raises:
      ValueError: `decay` is outside [0, 1].

    >>> import torchlike as torch
    >>> average = torch.optim.swa_utils.get_ema_avg_fn(0.5)
    >>> average(torch.tensor(1.0), torch.tensor(3.0), 1).item()
    2.0
    """
    if decay < 0.0 or decay > 1.0:
        raise ValueError(f"Invalid decay value {decay} provided. Please provide a value in [0,1] range.")

    @torchlike.no_grad()
    def ema_update(ema_param: Tensor, current_param: Tensor, num_averaged: Any) -> Tensor:
        return decay * ema_param + (1 - decay) * current_param

    return ema_update


def get_swa_multi_avg_fn() -> AverageLists:
    """Return the function that updates lists of equal averages in place.

    Returns:
      A function of the list of averages, the list of parameters and the number of averaged parameters.

    >>> import torchlike as torch
    >>> a = [torch.tensor(1.0)]
    >>> torch.optim.swa_utils.get_swa_multi_avg_fn()(a, [torch.tensor(3.0)], 1)
    >>> a
    [tensor(2.)]
    """
    return _over_lists(get_swa_avg_fn())


def get_ema_multi_avg_fn(decay: float = 0.999) -> AverageLists:
    """Return the function that updates lists of exponential moving averages in place.

    Args:
      decay: the weight of the old average, from 0 to 1.

    Returns:
      A function of the list of averages, the list of parameters and the number of averaged parameters.

    Raises:
      ValueError: `decay` is outside [0, 1].

    >>> import torchlike as torch
    >>> a = [torch.tensor(1.0)]
    >>> torch.optim.swa_utils.get_ema_multi_avg_fn(0.5)(a, [torch.tensor(3.0)], 1)
    >>> a
    [tensor(2.)]
    """
    return _over_lists(get_ema_avg_fn(decay))


def _over_lists(average: Average) -> AverageLists:
    @torchlike.no_grad()
    def update(averaged: list[Tensor], current: list[Tensor], num_averaged: Any) -> None:
        for a, p in zip(averaged, current):
            a.copy_(average(a, p, num_averaged))

    return update


class AveragedModel(Module):
    """A copy of a model whose parameters are averages. Each call of `update_parameters` adds to the averages.

    Args:
      model: the model, which is copied deeply.
      device: the device of the copy. The default is that of the model.
      avg_fn: `avg_fn(average, parameter, n) -> new average` for one parameter. The default is the equal average.
      multi_avg_fn: a function that updates lists of averages in place.
      use_buffers: average the buffers too, instead of copying them.

    Raises:
      AssertionError: both `avg_fn` and `multi_avg_fn` are given.

    >>> import torchlike
    >>> model = torchlike.nn.Linear(1, 1)
    >>> averaged = AveragedModel(model)
    >>> averaged.update_parameters(model)
    >>> averaged.n_averaged.item()
    1
    """

    n_averaged: Tensor

    def __init__(
        self,
        model: Module,
        device: Any = None,
        avg_fn: Average | None = None,
        multi_avg_fn: AverageLists | None = None,
        use_buffers: bool = False,
    ) -> None:
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise AssertionError("Only one of avg_fn and multi_avg_fn should be provided")
        self.module = deepcopy(model)
        if device is not None:
            self.module = self.module.to(device)
        self.register_buffer("n_averaged", torchlike.tensor(0, dtype=torchlike.long, device=device))
        self.avg_fn = avg_fn
        self.multi_avg_fn = multi_avg_fn
        self.use_buffers = use_buffers

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Call the averaged model."""
        return self.module(*args, **kwargs)

    def _averaged(self, model: Module) -> list[Tensor]:
        buffers = model.buffers() if self.use_buffers else ()
        return [tensor.detach() for tensor in itertools.chain(model.parameters(), buffers)]

    def update_parameters(self, model: Module) -> None:
        """Add the model's parameters to the averages. The first call copies them.

        Args:
          model: the model with the current parameters.
        """
        ours = self._averaged(self.module)
        theirs = [p.to(a.device) for a, p in zip(ours, self._averaged(model))]
        repeated = _Count.captured(self.n_averaged)
        if repeated.is_zero() if repeated is not None else self.n_averaged == 0:
            for a, p in zip(ours, theirs):
                a.copy_(p)
        else:
            self._average(ours, theirs, repeated)
        if not self.use_buffers:
            for a, p in zip(self.module.buffers(), model.buffers(), strict=True):
                a.detach().copy_(p.detach().to(a.device))
        if repeated is None:
            self.n_averaged += 1

    def _average(self, ours: list[Tensor], theirs: list[Tensor], repeated: _Count | None) -> None:
        """Update the averages. `repeated` is the count of a captured call."""
        count_on = self.n_averaged.to if repeated is None else repeated.on
        if self.multi_avg_fn is not None:
            for a, p in _grouped(ours, theirs):
                self.multi_avg_fn(a, p, count_on(a[0].device))
            return
        average = self.avg_fn or get_swa_avg_fn()
        for a, p in zip(ours, theirs):
            a.copy_(average(a, p, count_on(a.device)))


class _Count:
    """`n_averaged` in a captured call: a number on the host that each replay increments and passes to the program."""

    def __init__(self, count: Tensor, scalars: tuple[float]) -> None:
        self._count, self._scalars = count, scalars

    @staticmethod
    def captured(count: Tensor) -> _Count | None:
        """Return the count for the current capture, and increment it. Return None if there is no capture.

        Return None too if the count is not a plain tensor on the CPU that was made before the call.
        """
        capture, storage = _current().capture, count._storage
        if capture is None or count.device.type != "cpu" or count._chain is not None or storage.value.array is None:
            return None
        host = _Counter(count)
        is_zero = host.number() == 0
        capture.guards.append(lambda: host.is_known() and (host.number() == 0) is is_zero)
        return _Count(count, capture.ask(host.advance, host))

    def is_zero(self) -> bool:
        """Return whether the count was zero before the call."""
        return self._scalars[0] == 0

    def on(self, device: Any) -> Tensor:
        """Return the count before the call as a tensor on a device. The program sets it from a runtime number."""
        made = torchlike.zeros((), dtype=self._count.dtype, device=device)
        multi_tensor_update(_set_number, (), self._scalars, [[made]], (0,))
        return made


def _set_number(_: tuple, scalars: tuple, old: Any) -> tuple:
    return (scalars[0].astype(old.dtype).reshape(old.shape),)


class _Counter:
    """A count that the host advances."""

    def __init__(self, count: Tensor) -> None:
        self._count = count

    def is_known(self) -> bool:
        """Return whether the count is not pending."""
        return self._count._storage.value.array is not None

    def number(self) -> int:
        """Return the count. The array is read directly, so that a captured call does not depend on its value."""
        return int(self._count._storage.value.array)

    def advance(self) -> tuple[float]:
        """Increment the count and return the count before."""
        before = self.number()
        self._write(before + 1, WRITE)
        return (float(before),)

    def kept(self) -> Callable[[], None]:
        """Save the count and return a function that restores it."""
        before = self.number()
        return lambda: self._write(before, -WRITE)

    def _write(self, number: int, step: int) -> None:
        storage = self._count._storage
        storage.value = of_array(np.full(self._count.shape, number, self._count.dtype.numpy))._value
        storage.version += step


def _grouped(ours: list[Tensor], theirs: list[Tensor]) -> Iterable[tuple[list[Tensor], list[Tensor]]]:
    """Return the two lists grouped by device and dtype."""
    groups: dict[Any, tuple[list[Tensor], list[Tensor]]] = {}
    for a, p in zip(ours, theirs):
        group = groups.setdefault((a.device, a.dtype), ([], []))
        group[0].append(a)
        group[1].append(p)
    return groups.values()


@torchlike.no_grad()
def update_bn(loader: Iterable[Any], model: Module, device: Any = None) -> None:
    """Recompute the running statistics of the batch norm layers of `model` by one pass over `loader`.

    Args:
      loader: an iterable of batches. A batch is a tensor, or a list or tuple whose first element is the input.
      model: the model, which is called with each batch in training mode.
      device: the device to which the inputs are moved. By default they are not moved.

    >>> import torchlike as torch
    >>> model = torch.nn.BatchNorm1d(1)
    >>> torch.optim.swa_utils.update_bn([torch.tensor([[1.0], [3.0]])], model)
    >>> model.running_mean
    tensor([2.])
    """
    momenta = {}
    for module in model.modules():
        if isinstance(module, _BatchNorm):
            module.reset_running_stats()
            momenta[module] = module.momentum
    if not momenta:
        return
    was_training = model.training
    model.train()
    for module in momenta:
        module.momentum = None  # cumulative average over all batches
    for batch in loader:
        given = batch[0] if isinstance(batch, (list, tuple)) else batch
        model(given if device is None else given.to(device))
    for module, momentum in momenta.items():
        module.momentum = momentum
    model.train(was_training)


class SWALR(LRScheduler):
    """A scheduler that anneals the learning rates to `swa_lr` in `anneal_epochs` steps and then keeps them constant.

    Args:
      optimizer: the optimizer.
      swa_lr: the final learning rate, or one for each group.
      anneal_epochs: the number of steps.
      anneal_strategy: `"cos"` or `"linear"`.
      last_epoch: -1 to start, or the last step of an earlier run to resume it.

    Raises:
      ValueError: the strategy is unknown, the number of steps is negative, or the length of a list is not the number of
        groups.

    >>> import torchlike as torch
    >>> optimizer = torch.optim.SGD([torch.nn.Parameter(torch.ones(1))], lr=1.0)
    >>> scheduler = torch.optim.swa_utils.SWALR(optimizer, swa_lr=0.5, anneal_epochs=1)
    >>> optimizer.step()
    >>> scheduler.step()
    >>> scheduler.get_last_lr()
    [0.5]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        swa_lr: float | list[float],
        anneal_epochs: int = 10,
        anneal_strategy: Literal["cos", "linear"] = "cos",
        last_epoch: int = -1,
    ) -> None:
        groups = optimizer.param_groups
        rates = list(swa_lr) if isinstance(swa_lr, (list, tuple)) else [swa_lr] * len(groups)
        if len(rates) != len(groups):
            raise _errors.cycle_values("swa_lr", len(rates), len(groups))
        for rate, group in zip(rates, groups):
            group["swa_lr"] = rate
        if anneal_strategy not in ("cos", "linear"):
            raise _errors.cycle_strategy(anneal_strategy)
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise ValueError(f"anneal_epochs must be equal or greater than 0, got {anneal_epochs}")
        self._anneal_strategy = anneal_strategy
        self.anneal_epochs = anneal_epochs
        super().__init__(optimizer, last_epoch)

    def _done(self, step: int) -> float:
        part = max(0, min(1, step / max(1, self.anneal_epochs)))
        return (1 - math.cos(math.pi * part)) / 2 if self._anneal_strategy == "cos" else part

    def get_lr(self) -> list[Any]:
        """Return the learning rates of this step. The initial rates are recovered from the current ones."""
        self._warn_outside_step()
        step = self._step_count - 1
        if self.anneal_epochs == 0:
            step = max(1, step)
        before, now = self._done(step - 1), self._done(step)
        rates = []
        for group in self.optimizer.param_groups:
            last = group["swa_lr"]
            first = last if before == 1 else (group["lr"] - before * last) / (1 - before)
            rates.append(last * now + first * (1 - now))
        return rates
