"""The scheduler that raises the sparsity levels along a cubic curve."""

from __future__ import annotations

from typing import Any

from torchlike.ao.pruning.scheduler.base_scheduler import BaseScheduler

__all__ = ["CubicSL"]


class CubicSL(BaseScheduler):
    """Raise each level from `init_sl` to that of its group: fast at first, then slowly.

    Args:
      sparsifier: the sparsifier, whose groups have the final levels.
      init_sl: the first level, a number or one for each group.
      init_t: the step at which the levels start to rise.
      delta_t: the number of steps of one update.
      total_t: the number of updates.
      initially_zero: use level 0 before the step `init_t`, instead of `init_sl`.
      last_epoch: the number of steps so far, minus 1.
      verbose: print each new level.

    Raises:
      ValueError: a list has not one number for each group.

    >>> import torchlike as torch
    >>> round(torch.ao.pruning.CubicSL.sparsity_compute_fn(0.0, 0.8, t=5, t_0=0, dt=1, n=10), 4)
    0.7
    """

    def __init__(
        self,
        sparsifier: Any,
        init_sl: Any = 0.0,
        init_t: Any = 0,
        delta_t: Any = 10,
        total_t: Any = 100,
        initially_zero: Any = False,
        last_epoch: int = -1,
        verbose: bool = False,
    ) -> None:
        self.sparsifier = sparsifier
        self.init_sl = self._make_sure_a_list(init_sl)
        self.init_t = self._make_sure_a_list(init_t)
        self.delta_t = self._make_sure_a_list(delta_t)
        self.total_t = self._make_sure_a_list(total_t)
        self.initially_zero = self._make_sure_a_list(initially_zero)
        super().__init__(sparsifier, last_epoch, verbose)

    @staticmethod
    def sparsity_compute_fn(
        s_0: float, s_f: float, t: int, t_0: int, dt: int, n: int, initially_zero: bool = False
    ) -> float:
        """Return the level at a step.

        Args:
          s_0: the first level.
          s_f: the final level.
          t: the step.
          t_0: the step at which the level starts to rise.
          dt: the number of steps of one update.
          n: the number of updates.
          initially_zero: return 0 before the step `t_0`, instead of `s_0`.
        """
        if initially_zero and t < t_0:
            return 0
        rest = 1.0 - (t - t_0) / (dt * n)
        return max(s_0, min(s_f, s_f + (s_0 - s_f) * rest**3))

    def get_sl(self) -> list[float]:
        """Return the level of each group."""
        self._check_caller()
        columns = self.init_sl, self.base_sl, self.init_t, self.delta_t, self.total_t, self.initially_zero
        return [
            self.sparsity_compute_fn(first, final, self.last_epoch, start, steps, count, is_zero)
            for first, final, start, steps, count, is_zero in zip(*columns, strict=False)
        ]
