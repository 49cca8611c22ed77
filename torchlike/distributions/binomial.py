"""The binomial distribution."""

from __future__ import annotations

from typing import Any

import torchlike
from torchlike import Size, Tensor

from . import _errors, constraints
from ._logits import OfProbability
from .distribution import Distribution as Distribution
from .utils import broadcast_all as broadcast_all
from .utils import lazy_property as lazy_property
from .utils import logits_to_probs as logits_to_probs
from .utils import probs_to_logits as probs_to_logits


def _above_zero(x: Tensor) -> Tensor:
    """Return max(x, 0) with gradient 1/2 at x = 0."""
    return (x.clamp(min=0) + x - x.clamp(max=0)) / 2


class Binomial(OfProbability):
    """The number of successes in `total_count` trials with success probability `probs`.

    Args:
      total_count (int or Tensor, default 1): the number of trials.
      probs (number or Tensor, optional): the probability of success in each trial, in [0, 1].
      logits (number or Tensor, optional): the log-odds of success.
      validate_args (bool, optional): check the parameters and values. Default: see `Distribution`.

    Raises:
      ValueError: both or neither of `probs` and `logits` are given.
      NotImplementedError: the counts of a batch differ. `entropy` and `enumerate_support` raise this.

    >>> import torchlike as torch
    >>> torch.distributions.Binomial(10, torch.tensor([0.2, 0.5])).mean
    tensor([2., 5.])
    """

    arg_constraints = {
        "total_count": constraints.nonnegative_integer,
        "probs": constraints.unit_interval,
        "logits": constraints.real,
    }
    has_enumerate_support = True
    total_count: Tensor

    def __init__(
        self, total_count: Any = 1, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        self._set_either(probs, logits, total_count=total_count)
        self.total_count = self.total_count.type_as(self._param)
        super().__init__(self._param.size(), validate_args=validate_args)

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self) -> Any:
        return constraints.integer_interval(0, self.total_count)

    @property
    def mean(self) -> Tensor:
        return self.total_count * self.probs

    @property
    def mode(self) -> Tensor:
        return ((self.total_count + 1) * self.probs).floor().clamp(max=self.total_count)

    @property
    def variance(self) -> Tensor:
        return self.total_count * self.probs * (1 - self.probs)

    def sample(self, sample_shape: Any = Size()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        with torchlike.no_grad():
            return torchlike.binomial(self.total_count.expand(shape), self.probs.expand(shape))

    def log_prob(self, value: Tensor) -> Tensor:
        value = self._checked(value)
        n = torchlike.lgamma(self.total_count + 1)
        k = torchlike.lgamma(value + 1)
        rest = torchlike.lgamma(self.total_count - value + 1)
        # k log p + (n - k) log(1 - p) = k logit - n log(1 + exp(logit)), which stays accurate for large logits
        certain = self.total_count * _above_zero(self.logits)
        certain = certain + self.total_count * torchlike.log1p(torchlike.exp(-torchlike.abs(self.logits)))
        return value * self.logits - k - rest - (certain - n)

    def entropy(self) -> Tensor:
        if not self.total_count.min() == int(self.total_count.max()):
            raise _errors.inhomogeneous_total("entropy")
        log_prob = self.log_prob(self.enumerate_support(False))
        return -(torchlike.exp(log_prob) * log_prob).sum(0)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        total = int(self.total_count.max())
        if not self.total_count.min() == total:
            raise _errors.inhomogeneous_total("enumerate_support")
        values = torchlike.arange(1 + total, dtype=self._param.dtype, device=self._param.device)
        return self._enumerated(values, expand)
