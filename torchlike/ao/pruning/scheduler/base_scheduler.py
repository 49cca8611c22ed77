"""The base class of schedulers of the sparsity level."""

from __future__ import annotations

import functools
import weakref
from typing import Any

from torchlike._errors.warned import warn
from torchlike.ao.pruning.sparsifier.base_sparsifier import BaseSparsifier

_USE_LAST = "To get the last sparsity level computed by the scheduler, please use `get_last_sl()`."
_REPLACED = (
    "Seems like `sparsifier.step()` has been overridden after sparsity scheduler initialization. Please, make sure "
    "to call `sparsifier.step()` before `scheduler.step()`."
)
_TOO_EARLY = (
    "Detected call of `scheduler.step()` before `sparsifier.step()`. You have to make sure you run the "
    "sparsifier.step() BEFORE any calls to the scheduler.step()."
)


class BaseScheduler:
    """The base class. A subclass defines `get_sl`, which returns the sparsity level of each group.

    Args:
      sparsifier: the sparsifier whose groups have a `sparsity_level`.
      last_epoch: the number of steps so far, minus 1.
      verbose: print each new level.

    Raises:
      TypeError: `sparsifier` is of another class.

    >>> import torchlike as torch
    >>> class Halved(torch.ao.pruning.BaseScheduler):
    ...     def get_sl(self):
    ...         return [level / 2**self.last_epoch for level in self.base_sl]
    >>> sparsifier = torch.ao.pruning.WeightNormSparsifier(sparsity_level=0.8)
    >>> sparsifier.prepare(torch.nn.Sequential(torch.nn.Linear(4, 4)), None)
    >>> scheduler = Halved(sparsifier)
    >>> sparsifier.step()
    >>> scheduler.step()
    >>> scheduler.get_last_sl()
    [0.4]
    """

    def __init__(self, sparsifier: Any, last_epoch: int = -1, verbose: bool = False) -> None:
        if not isinstance(sparsifier, BaseSparsifier):
            raise TypeError(f"{type(sparsifier).__name__} is not an instance of torch.ao.pruning.BaseSparsifier")
        self.sparsifier: Any = sparsifier
        self.base_sl = [group["sparsity_level"] for group in sparsifier.groups]
        self.last_epoch = last_epoch
        self.sparsifier.step = _counted(sparsifier)
        self.sparsifier._step_count = 0
        self._step_count = 0
        self.verbose = verbose
        self._get_sl_called_within_step = False
        self.step()

    def state_dict(self) -> dict[str, Any]:
        """Return all attributes except the sparsifier."""
        return {key: value for key, value in self.__dict__.items() if key != "sparsifier"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Set the attributes.

        Args:
          state_dict: the result of `state_dict`.
        """
        self.__dict__.update(state_dict)

    def get_last_sl(self) -> Any:
        """Return the levels of the last step."""
        return self._last_sl

    def get_sl(self) -> Any:
        """Return the level of each group. Subclasses define it.

        Raises:
          NotImplementedError: always.
        """
        self._check_caller()
        raise NotImplementedError

    def _check_caller(self) -> None:
        """Warn if `get_sl` was not called by `step`."""
        if not self._get_sl_called_within_step:
            warn(_USE_LAST)

    def print_sl(self, is_verbose: Any, group: Any, sl: Any, epoch: Any = None) -> None:
        """Print a level.

        Args:
          is_verbose: print at all.
          group: the number of the group.
          sl: the level.
          epoch: the epoch, or None.
        """
        if not is_verbose:
            return
        start = "Adjusting" if epoch is None else f"Epoch {epoch:5d}: adjusting"
        print(f"{start} sparsity level of group {group} to {sl:.4e}.")

    def __repr__(self) -> str:
        return f"{type(self).__name__} (\nSparsifier {self.sparsifier}\n    base_sl: {self.base_sl}\n)"

    def step(self, epoch: int | None = None) -> None:
        """Set the levels of the groups to those of the next step.

        Args:
          epoch: is only printed.
        """
        if self._step_count == 1:
            if not hasattr(self.sparsifier.step, "_with_counter"):
                warn(_REPLACED)
            elif self.sparsifier._step_count < 1:
                warn(_TOO_EARLY)
        self._step_count += 1
        self.last_epoch += 1
        self._get_sl_called_within_step = True
        try:
            levels = self.get_sl()
        finally:
            self._get_sl_called_within_step = False
        for place, (group, level) in enumerate(zip(self.sparsifier.groups, levels, strict=False)):
            group["sparsity_level"] = level
            self.print_sl(self.verbose, place, level, epoch)
        self._last_sl = [group["sparsity_level"] for group in self.sparsifier.groups]
        self.sparsifier.enable_mask_update = True

    def _make_sure_a_list(self, var: Any) -> list[Any]:
        """Return one value for each group.

        Raises:
          ValueError: the number of values is not that of the groups.
        """
        count = len(self.sparsifier.groups)
        if not isinstance(var, list | tuple):
            return [var] * count
        if len(var) != count:
            raise ValueError(f"Expected variable of length {count}, but got {len(var)}")
        return list(var)


def _counted(sparsifier: Any) -> Any:
    """Return the method `step` of a sparsifier, which also counts its calls."""
    method = sparsifier.step
    if hasattr(method, "_with_counter"):
        return method
    owner, function = weakref.ref(sparsifier), method.__func__

    @functools.wraps(function)
    def step(*args: Any, **kwargs: Any) -> Any:
        found: Any = owner()
        found._step_count += 1
        return function(found, *args, **kwargs)

    vars(step)["_with_counter"] = True
    return step
