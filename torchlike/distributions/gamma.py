"""The gamma distribution."""

from __future__ import annotations

from typing import Any

import torchlike
from torchlike import Size, Tensor

from . import constraints
from .exp_family import ExponentialFamily
from .utils import broadcast_all as broadcast_all


class Gamma(ExponentialFamily):
    """The gamma distribution, with density proportional to x ** (concentration - 1) * exp(-rate * x) for x > 0.

    Gradients of samples are implicit reparametrization gradients, derived from the CDF.

    Args:
      concentration (number or Tensor): the exponent of x plus one, positive.
      rate (number or Tensor): the inverse of the scale, positive.
      validate_args (bool, optional): check the parameters and values. Default: see `Distribution`.

    >>> import torchlike as torch
    >>> torch.distributions.Gamma(2.0, torch.tensor([1.0, 4.0])).mean
    tensor([2.0000, 0.5000])
    """

    arg_constraints = {"concentration": constraints.positive, "rate": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True
    _mean_carrier_measure = 0
    concentration: Tensor
    rate: Tensor

    def __init__(self, concentration: Any, rate: Any, validate_args: bool | None = None) -> None:
        super().__init__(self._set(concentration=concentration, rate=rate), validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.concentration / self.rate

    @property
    def mode(self) -> Tensor:
        return ((self.concentration - 1) / self.rate).clamp(min=0)

    @property
    def variance(self) -> Tensor:
        return self.concentration / self.rate.pow(2)

    def rsample(self, sample_shape: Any = Size()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        value = torchlike._standard_gamma(self.concentration.expand(shape)) / self.rate.expand(shape)
        value.detach().clamp_(min=torchlike.finfo(value.dtype).tiny)  # detached: the clamp must not affect the gradient
        return value

    def log_prob(self, value: Tensor) -> Tensor:
        value = self._checked(torchlike.as_tensor(value, dtype=self.rate.dtype, device=self.rate.device))
        powers = torchlike.xlogy(self.concentration, self.rate) + torchlike.xlogy(self.concentration - 1, value)
        return powers - self.rate * value - torchlike.lgamma(self.concentration)

    def cdf(self, value: Tensor) -> Tensor:
        return torchlike.special.gammainc(self.concentration, self.rate * self._checked(value))

    def entropy(self) -> Tensor:
        a = self.concentration
        return a - torchlike.log(self.rate) + torchlike.lgamma(a) + (1.0 - a) * torchlike.digamma(a)

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        return (self.concentration - 1, -self.rate)

    def _log_normalizer(self, x: Tensor, y: Tensor) -> Tensor:
        return torchlike.lgamma(x + 1) + (x + 1) * torchlike.log(-y.reciprocal())
