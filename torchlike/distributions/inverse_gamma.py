"""The inverse gamma distribution."""

from __future__ import annotations

from typing import Any

import torchlike
from torchlike import Tensor

from . import constraints
from .gamma import Gamma
from .transformed_distribution import TransformedDistribution
from .transforms import PowerTransform


class InverseGamma(TransformedDistribution):
    """The distribution of 1 / x, where x has a gamma distribution.

    Args:
      concentration (number or Tensor): the concentration of x, positive. The mean is infinite up to 1, and the variance
        up to 2.
      rate (number or Tensor): the rate of x, positive. It is a scale parameter of 1 / x.
      validate_args (bool, optional): check the parameters and values. Default: see `Distribution`.

    >>> import torchlike as torch
    >>> torch.distributions.InverseGamma(torch.tensor([1.0, 3.0]), 4.0).mean
    tensor([inf, 2.])
    """

    arg_constraints = {"concentration": constraints.positive, "rate": constraints.positive}
    support = constraints.positive
    has_rsample = True

    def __init__(self, concentration: Any, rate: Any, validate_args: bool | None = None) -> None:
        base = Gamma(concentration, rate, validate_args=validate_args)
        minus_one = -torchlike.ones((), dtype=base.rate.dtype, device=base.rate.device)
        super().__init__(base, PowerTransform(minus_one), validate_args=validate_args)

    @property
    def concentration(self) -> Tensor:
        """The concentration of x."""
        return self.base_dist.concentration

    @property
    def rate(self) -> Tensor:
        """The rate of x, which is a scale parameter of 1 / x."""
        return self.base_dist.rate

    @property
    def mean(self) -> Tensor:
        mean = self.rate / (self.concentration - 1)
        return torchlike.where(self.concentration > 1, mean, torchlike.inf)

    @property
    def mode(self) -> Tensor:
        return self.rate / (self.concentration + 1)

    @property
    def variance(self) -> Tensor:
        variance = self.rate.square() / ((self.concentration - 1).square() * (self.concentration - 2))
        return torchlike.where(self.concentration > 2, variance, torchlike.inf)

    def entropy(self) -> Tensor:
        a = self.concentration
        return a + self.rate.log() + a.lgamma() - (1 + a) * a.digamma()
