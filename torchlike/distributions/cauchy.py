"""The Cauchy distribution."""

from __future__ import annotations

import math
from typing import Any

import torchlike
from torchlike import Size, Tensor

from . import constraints
from .distribution import Distribution
from .utils import broadcast_all as broadcast_all


class Cauchy(Distribution):
    """The Cauchy (Lorentz) distribution with median `loc` and half width at half maximum `scale`.

    Its mean is NaN and its variance is infinite.

    Args:
      loc (number or Tensor): the median.
      scale (number or Tensor): the half width at half maximum, positive.
      validate_args (bool, optional): check the parameters and values. Default: see `Distribution`.

    >>> import torchlike as torch
    >>> torch.distributions.Cauchy(0.0, 1.0).cdf(torch.tensor(1.0))
    tensor(0.7500)
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True
    loc: Tensor
    scale: Tensor

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        super().__init__(self._set(loc=loc, scale=scale), validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self._filled(torchlike.nan)

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Tensor:
        return self._filled(torchlike.inf)

    def _filled(self, value: float) -> Tensor:
        return torchlike.full(self._extended_shape(), value, dtype=self.loc.dtype, device=self.loc.device)

    def rsample(self, sample_shape: Any = Size()) -> Tensor:
        return self.loc + self.loc.new(self._extended_shape(sample_shape)).cauchy_() * self.scale

    def log_prob(self, value: Tensor) -> Tensor:
        offset = (self._checked(value) - self.loc) / self.scale
        return -math.log(math.pi) - self.scale.log() - (offset**2).log1p()

    def cdf(self, value: Tensor) -> Tensor:
        return torchlike.atan((self._checked(value) - self.loc) / self.scale) / math.pi + 0.5

    def icdf(self, value: Tensor) -> Tensor:
        return torchlike.tan(math.pi * (value - 0.5)) * self.scale + self.loc

    def entropy(self) -> Tensor:
        return math.log(4 * math.pi) + self.scale.log()
