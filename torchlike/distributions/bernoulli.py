"""The Bernoulli distribution."""

from __future__ import annotations

from typing import Any

import torchlike
from torchlike import Size, Tensor
from torchlike.nn import functional as F

from . import constraints
from ._logits import OfProbability
from .exp_family import ExponentialFamily
from .utils import broadcast_all
from .utils import lazy_property as lazy_property
from .utils import logits_to_probs as logits_to_probs
from .utils import probs_to_logits as probs_to_logits


class Bernoulli(OfProbability, ExponentialFamily):
    """The distribution of a number that is 1 with probability `probs` and otherwise 0.

    Args:
      probs (number or Tensor, optional): the probability of 1, in [0, 1].
      logits (number or Tensor, optional): the log-odds, log(probs / (1 - probs)).
      validate_args (bool, optional): check the parameters and values. Default: see `Distribution`.

    Raises:
      ValueError: both or neither of `probs` and `logits` are given.

    >>> import torchlike as torch
    >>> torch.distributions.Bernoulli(torch.tensor([0.5, 0.9])).log_prob(torch.tensor(1.0))
    tensor([-0.6931, -0.1054])
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.boolean
    has_enumerate_support = True
    _mean_carrier_measure = 0

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        super().__init__(self._set_either(probs, logits), validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.probs

    @property
    def mode(self) -> Tensor:
        """The more likely value. NaN if both are equally likely."""
        return torchlike.where(self.probs == 0.5, torchlike.nan, (self.probs >= 0.5).to(self.probs))

    @property
    def variance(self) -> Tensor:
        return self.probs * (1 - self.probs)

    def sample(self, sample_shape: Any = Size()) -> Tensor:
        with torchlike.no_grad():
            return torchlike.bernoulli(self.probs.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Tensor) -> Tensor:
        value = self._checked(value)  # before `logits` is computed and would appear in the error message
        logits, value = broadcast_all(self.logits, value)
        return -F.binary_cross_entropy_with_logits(logits, value, reduction="none")

    def entropy(self) -> Tensor:
        return F.binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none")

    def enumerate_support(self, expand: bool = True) -> Tensor:
        return self._enumerated(torchlike.arange(2, dtype=self._param.dtype, device=self._param.device), expand)

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        return (torchlike.logit(self.probs),)

    def _log_normalizer(self, x: Tensor) -> Tensor:
        return torchlike.log(1 + torchlike.exp(x))
