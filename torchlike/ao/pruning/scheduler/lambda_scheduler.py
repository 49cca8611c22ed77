"""The scheduler that multiplies the first sparsity levels by a function of the step."""

from __future__ import annotations

from collections.abc import Callable

from torchlike.ao.pruning.scheduler.base_scheduler import BaseScheduler
from torchlike.ao.pruning.sparsifier.base_sparsifier import BaseSparsifier

__all__ = ["LambdaSL"]


class LambdaSL(BaseScheduler):
    """Set each level to the first level times a function of the step.

    Args:
      sparsifier: the sparsifier whose groups have a `sparsity_level`.
      sl_lambda: a function of the number of the step, or one for each group.
      last_epoch: the number of steps so far, minus 1.
      verbose: print each new level.

    Raises:
      ValueError: the number of functions is not that of the groups.

    >>> import torchlike as torch
    >>> sparsifier = torch.ao.pruning.WeightNormSparsifier(sparsity_level=0.8)
    >>> sparsifier.prepare(torch.nn.Sequential(torch.nn.Linear(4, 4)), None)
    >>> scheduler = torch.ao.pruning.LambdaSL(sparsifier, lambda step: 0.5**step)
    >>> sparsifier.step()
    >>> scheduler.step()
    >>> scheduler.get_last_sl()
    [0.4]
    """

    def __init__(
        self,
        sparsifier: BaseSparsifier,
        sl_lambda: Callable[[int], float] | list[Callable[[int], float]],
        last_epoch: int = -1,
        verbose: bool = False,
    ) -> None:
        self.sparsifier = sparsifier
        count = len(sparsifier.groups)
        given = list(sl_lambda) if isinstance(sl_lambda, list | tuple) else [sl_lambda] * count
        if len(given) != count:
            raise ValueError(f"Expected {count} lr_lambdas, but got {len(given)}")
        self.sl_lambdas = given
        super().__init__(sparsifier, last_epoch, verbose)

    def get_sl(self) -> list[float]:
        """Return the level of each group."""
        self._check_caller()
        pairs = zip(self.base_sl, self.sl_lambdas, strict=False)
        return [level * factor(self.last_epoch) for level, factor in pairs]
