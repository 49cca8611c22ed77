"""The Laplace distribution."""

from __future__ import annotations

from typing import Any

import torchlike
from torchlike import Size, Tensor

from . import constraints
from .distribution import Distribution
from .utils import broadcast_all as broadcast_all


class Laplace(Distribution):
    """The Laplace distribution, with density exp(-|x - loc| / scale) / (2 scale).

    Args:
      loc (number or Tensor): the mean.
      scale (number or Tensor): the mean of |x - loc|, positive. The standard deviation is sqrt(2) times as large.
      validate_args (bool, optional): check the parameters and values. Default: see `Distribution`.

    >>> import torchlike as torch
    >>> torch.distributions.Laplace(0.0, 1.0).log_prob(torch.tensor([0.0, 2.0]))
    tensor([-0.6931, -2.6931])
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
        return self.loc

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Tensor:
        return 2 * self.scale.pow(2)

    @property
    def stddev(self) -> Tensor:
        return 2**0.5 * self.scale

    def rsample(self, sample_shape: Any = Size()) -> Tensor:
        eps = torchlike.finfo(self.loc.dtype).eps
        u = self.loc.new(self._extended_shape(sample_shape)).uniform_(eps - 1, 1)
        return self.loc - self.scale * u.sign() * torchlike.log1p(-u.abs())

    def log_prob(self, value: Tensor) -> Tensor:
        return -torchlike.log(2 * self.scale) - torchlike.abs(self._checked(value) - self.loc) / self.scale

    def cdf(self, value: Tensor) -> Tensor:
        offset = self._checked(value) - self.loc
        return 0.5 - 0.5 * offset.sign() * torchlike.expm1(-offset.abs() / self.scale)

    def icdf(self, value: Tensor) -> Tensor:
        offset = value - 0.5
        return self.loc - self.scale * offset.sign() * torchlike.log1p(-2 * offset.abs())

    def entropy(self) -> Tensor:
        return 1 + torchlike.log(2 * self.scale)
