"""The half-Cauchy distribution."""

from __future__ import annotations

import math
from typing import Any

import torchlike
from torchlike import Tensor

from . import constraints
from .cauchy import Cauchy
from .transformed_distribution import TransformedDistribution
from .transforms import AbsTransform


class HalfCauchy(TransformedDistribution):
    """The distribution of |x|, where x has a Cauchy distribution with median 0 and scale `scale`.

    Args:
      scale (number or Tensor): the half width at half maximum of x, positive.
      validate_args (bool, optional): check the parameters and values. Default: see `Distribution`.

    >>> import torchlike as torch
    >>> torch.distributions.HalfCauchy(1.0).cdf(torch.tensor(1.0))
    tensor(0.5000)
    """

    arg_constraints = {"scale": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True

    def __init__(self, scale: Any, validate_args: bool | None = None) -> None:
        super().__init__(Cauchy(0, scale, validate_args=False), AbsTransform(), validate_args=validate_args)

    @property
    def scale(self) -> Tensor:
        """The half width at half maximum of x."""
        return self.base_dist.scale

    @property
    def mean(self) -> Tensor:
        return self.base_dist._filled(torchlike.inf)

    @property
    def mode(self) -> Tensor:
        return torchlike.zeros_like(self.scale)

    @property
    def variance(self) -> Tensor:
        return self.base_dist.variance

    def log_prob(self, value: Tensor) -> Tensor:
        scale = self.base_dist.scale
        value = torchlike.as_tensor(self._checked(value), dtype=scale.dtype, device=scale.device)
        return torchlike.where(value >= 0, self.base_dist.log_prob(value) + math.log(2), -torchlike.inf)

    def cdf(self, value: Tensor) -> Tensor:
        return 2 * self.base_dist.cdf(self._checked(value)) - 1

    def icdf(self, value: Tensor) -> Tensor:
        return self.base_dist.icdf((value + 1) / 2)

    def entropy(self) -> Tensor:
        return self.base_dist.entropy() - math.log(2)
