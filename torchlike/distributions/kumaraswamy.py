"""The Kumaraswamy distribution."""

from __future__ import annotations

from typing import Any

import torchlike
from torchlike import Tensor

from . import constraints
from .transformed_distribution import TransformedDistribution
from .transforms import AffineTransform, PowerTransform
from .uniform import Uniform
from .utils import broadcast_all as broadcast_all
from .utils import euler_constant


class Kumaraswamy(TransformedDistribution):
    """The distribution on [0, 1] with CDF 1 - (1 - x ** concentration1) ** concentration0.

    Args:
      concentration1 (number or Tensor): the inner exponent, positive.
      concentration0 (number or Tensor): the outer exponent, positive.
      validate_args (bool, optional): check the parameters and values. Default: see `Distribution`.

    >>> import torchlike as torch
    >>> torch.distributions.Kumaraswamy(1.0, torch.tensor([1.0, 3.0])).mean
    tensor([0.5000, 0.2500])
    """

    arg_constraints = {"concentration1": constraints.positive, "concentration0": constraints.positive}
    support = constraints.unit_interval
    has_rsample = True
    concentration1: Tensor
    concentration0: Tensor

    def __init__(self, concentration1: Any, concentration0: Any, validate_args: bool | None = None) -> None:
        self._set(concentration1=concentration1, concentration0=concentration0)
        low, high = (torchlike.full_like(self.concentration0, end) for end in (0, 1))
        transforms = [
            PowerTransform(exponent=self.concentration0.reciprocal()),
            AffineTransform(loc=1.0, scale=-1.0),
            PowerTransform(exponent=self.concentration1.reciprocal()),
        ]
        super().__init__(Uniform(low, high, validate_args=validate_args), transforms, validate_args=validate_args)

    def _moment(self, n: int) -> Tensor:
        """Return the mean of x ** n."""
        b, more = self.concentration0, 1 + n / self.concentration1
        return b * torchlike.exp(torchlike.lgamma(more) + torchlike.lgamma(b) - torchlike.lgamma(more + b))

    @property
    def mean(self) -> Tensor:
        return self._moment(1)

    @property
    def mode(self) -> Tensor:
        """The mode by PyTorch's formula. NaN where a concentration is below 1."""
        a, b = self.concentration1, self.concentration0
        log_mode = b.reciprocal() * (-b).log1p() - (-b * a).log1p()
        return torchlike.where((b < 1) | (a < 1), torchlike.nan, log_mode).exp()

    @property
    def variance(self) -> Tensor:
        return self._moment(2) - torchlike.pow(self.mean, 2)

    def entropy(self) -> Tensor:
        a, b = self.concentration1, self.concentration0
        harmonic = torchlike.digamma(b + 1) + euler_constant
        return (1 - b.reciprocal()) + (1 - a.reciprocal()) * harmonic - torchlike.log(a) - torchlike.log(b)
