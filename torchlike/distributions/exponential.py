"""The exponential distribution."""

from __future__ import annotations

from typing import Any

import torchlike
from torchlike import Size, Tensor

from . import constraints
from .exp_family import ExponentialFamily
from .utils import broadcast_all as broadcast_all


class Exponential(ExponentialFamily):
    """The exponential distribution, with the density rate * exp(-rate * x) for x >= 0.

    Args:
      rate (number or Tensor): the inverse of the mean, positive.
      validate_args (bool, optional): check the parameters and values. Default: see `Distribution`.

    >>> import torchlike as torch
    >>> torch.distributions.Exponential(2.0).cdf(torch.tensor([0.0, 1.0]))
    tensor([0.0000, 0.8647])
    """

    arg_constraints = {"rate": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True
    _mean_carrier_measure = 0
    rate: Tensor

    def __init__(self, rate: Any, validate_args: bool | None = None) -> None:
        super().__init__(self._set(rate=rate), validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.rate.reciprocal()

    @property
    def mode(self) -> Tensor:
        return torchlike.zeros_like(self.rate)

    @property
    def stddev(self) -> Tensor:
        return self.rate.reciprocal()

    @property
    def variance(self) -> Tensor:
        return self.rate.pow(-2)

    def rsample(self, sample_shape: Any = Size()) -> Tensor:
        return self.rate.new(self._extended_shape(sample_shape)).exponential_() / self.rate

    def log_prob(self, value: Tensor) -> Tensor:
        return self.rate.log() - self.rate * self._checked(value)

    def cdf(self, value: Tensor) -> Tensor:
        return 1 - torchlike.exp(-self.rate * self._checked(value))

    def icdf(self, value: Tensor) -> Tensor:
        return -torchlike.log1p(-value) / self.rate

    def entropy(self) -> Tensor:
        return 1.0 - torchlike.log(self.rate)

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        return (-self.rate,)

    def _log_normalizer(self, x: Tensor) -> Tensor:
        return -torchlike.log(-x)
