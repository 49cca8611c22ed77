"""The negative binomial distribution."""

from __future__ import annotations

from typing import Any

import torchlike
from torchlike import Size, Tensor
from torchlike.nn import functional as F

from . import constraints
from ._logits import OfProbability
from .distribution import Distribution as Distribution
from .gamma import Gamma
from .utils import broadcast_all as broadcast_all
from .utils import lazy_property
from .utils import logits_to_probs as logits_to_probs
from .utils import probs_to_logits as probs_to_logits


class NegativeBinomial(OfProbability):
    """The number of successes before `total_count` failures. Each trial succeeds with probability `probs`.

    Args:
      total_count (number or Tensor): the number of failures at which the trials end, not negative. It need not be
        an integer.
      probs (number or Tensor, optional): the probability of success, in [0, 1).
      logits (number or Tensor, optional): the log-odds of success.
      validate_args (bool, optional): check the parameters and values. Default: see `Distribution`.

    Raises:
      ValueError: both or neither of `probs` and `logits` are given.

    >>> import torchlike as torch
    >>> torch.distributions.NegativeBinomial(3, torch.tensor([0.5, 0.75])).mean
    tensor([3., 9.])
    """

    arg_constraints = {
        "total_count": constraints.greater_than_eq(0),
        "probs": constraints.half_open_interval(0.0, 1.0),
        "logits": constraints.real,
    }
    support = constraints.nonnegative_integer
    total_count: Tensor

    def __init__(
        self, total_count: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        self._set_either(probs, logits, total_count=total_count)
        self.total_count = self.total_count.type_as(self._param)
        super().__init__(self._param.size(), validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.total_count * torchlike.exp(self.logits)

    @property
    def mode(self) -> Tensor:
        return ((self.total_count - 1) * self.logits.exp()).floor().clamp(min=0.0)

    @property
    def variance(self) -> Tensor:
        return self.mean / torchlike.sigmoid(-self.logits)

    @lazy_property
    def _gamma(self) -> Gamma:
        """The distribution of the Poisson rate: a gamma mixture of Poisson distributions is negative binomial."""
        return Gamma(concentration=self.total_count, rate=torchlike.exp(-self.logits), validate_args=False)

    def sample(self, sample_shape: Any = Size()) -> Tensor:
        with torchlike.no_grad():
            return torchlike.poisson(self._gamma.sample(sample_shape))

    def log_prob(self, value: Tensor) -> Tensor:
        value = self._checked(value)
        powers = self.total_count * F.logsigmoid(-self.logits) + value * F.logsigmoid(self.logits)
        orders = torchlike.lgamma(1.0 + value) + torchlike.lgamma(self.total_count)
        orders = orders - torchlike.lgamma(self.total_count + value)
        return powers - orders.masked_fill(self.total_count + value == 0.0, 0.0)
