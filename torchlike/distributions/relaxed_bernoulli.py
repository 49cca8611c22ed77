"""Continuous relaxations of the Bernoulli distribution."""

from __future__ import annotations

from typing import Any

import torchlike
from torchlike import Size, Tensor

from . import constraints
from ._logits import OfProbability
from .distribution import Distribution as Distribution
from .transformed_distribution import TransformedDistribution
from .transforms import SigmoidTransform
from .utils import broadcast_all, clamp_probs
from .utils import lazy_property as lazy_property
from .utils import logits_to_probs as logits_to_probs
from .utils import probs_to_logits as probs_to_logits


class LogitRelaxedBernoulli(OfProbability):
    """The distribution of the log-odds of a relaxed Bernoulli number (Maddison et al., 2017).

    A sample is (logits + logistic noise) / temperature.

    Args:
      temperature (Tensor): the temperature, positive. It is not checked.
      probs (number or Tensor, optional): the probability of 1, in [0, 1].
      logits (number or Tensor, optional): the log-odds of 1.
      validate_args (bool, optional): check the parameters and values. Default: see `Distribution`.

    Raises:
      ValueError: both or neither of `probs` and `logits` are given.
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.real
    has_rsample = True

    def __init__(
        self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        self.temperature = temperature
        super().__init__(self._set_either(probs, logits), validate_args=validate_args)

    def rsample(self, sample_shape: Any = Size()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        p = clamp_probs(self.probs.expand(shape))
        u = clamp_probs(torchlike.rand(shape, dtype=p.dtype, device=p.device))
        return (u.log() - (-u).log1p() + p.log() - (-p).log1p()) / self.temperature

    def log_prob(self, value: Tensor) -> Tensor:
        value = self._checked(value)  # before `logits` is computed and would appear in the error message
        logits, value = broadcast_all(self.logits, value)
        difference = logits - value.mul(self.temperature)
        return self.temperature.log() + difference - 2 * difference.exp().log1p()


class RelaxedBernoulli(TransformedDistribution):
    """A continuous relaxation of Bernoulli on (0, 1), with reparametrized samples.

    Args:
      temperature (Tensor): the temperature, positive. The lower it is, the closer samples are to 0 or 1. It is not
        checked.
      probs (number or Tensor, optional): the probability of 1, in [0, 1].
      logits (number or Tensor, optional): the log-odds of 1.
      validate_args (bool, optional): check the parameters and values. Default: see `Distribution`.

    Raises:
      ValueError: both or neither of `probs` and `logits` are given.

    >>> import torchlike as torch
    >>> relaxed = torch.distributions.RelaxedBernoulli(torch.tensor(1.0), torch.tensor([0.5, 0.25]))
    >>> relaxed.log_prob(torch.tensor(0.5))
    tensor([ 0.0000, -0.2877])
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.unit_interval
    has_rsample = True

    def __init__(
        self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        base = LogitRelaxedBernoulli(temperature, probs, logits)
        super().__init__(base, SigmoidTransform(), validate_args=validate_args)

    @property
    def temperature(self) -> Tensor:
        """The temperature. Low values give samples close to 0 or 1."""
        return self.base_dist.temperature

    @property
    def logits(self) -> Tensor:
        """The log-odds."""
        return self.base_dist.logits

    @property
    def probs(self) -> Tensor:
        """The probabilities."""
        return self.base_dist.probs
