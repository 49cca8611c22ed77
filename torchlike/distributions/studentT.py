"""Student's t distribution."""

from __future__ import annotations

import math
from typing import Any

import torchlike
from torchlike import Size, Tensor

from . import constraints
from .chi2 import Chi2
from .distribution import Distribution
from .utils import broadcast_all as broadcast_all
from .utils import standard_normal


class StudentT(Distribution):
    """Student's t distribution with `df` degrees of freedom, shifted by `loc` and scaled by `scale`.

    Args:
      df (number or Tensor): the degrees of freedom, positive. The mean is NaN up to 1. The variance is NaN up to 1 and
        infinite up to 2.
      loc (number or Tensor, default 0.0): the mode.
      scale (number or Tensor, default 1.0): the scale, positive.
      validate_args (bool, optional): check the parameters and values. Default: see `Distribution`.

    >>> import torchlike as torch
    >>> torch.distributions.StudentT(torch.tensor([1.0, 4.0])).variance
    tensor([nan, 2.])
    """

    arg_constraints = {"df": constraints.positive, "loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True
    df: Tensor
    loc: Tensor
    scale: Tensor

    def __init__(self, df: Any, loc: Any = 0.0, scale: Any = 1.0, validate_args: bool | None = None) -> None:
        shape = self._set(df=df, loc=loc, scale=scale)
        self._chi2 = Chi2(self.df)
        super().__init__(self.df.size() if len(shape) else shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return torchlike.where(self.df <= 1, torchlike.nan, self.loc)

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Tensor:
        finite = self.scale.pow(2) * self.df / (self.df - 2)
        infinite = torchlike.where(self.df > 1, torchlike.inf, torchlike.nan).to(finite.dtype)
        return torchlike.where(self.df > 2, finite, infinite)

    def rsample(self, sample_shape: Any = Size()) -> Tensor:
        x = standard_normal(self._extended_shape(sample_shape), self.df)
        return self.loc + self.scale * (x * torchlike.rsqrt(self._chi2.rsample(sample_shape) / self.df))

    def log_prob(self, value: Tensor) -> Tensor:
        y = (self._checked(value) - self.loc) / self.scale
        orders = torchlike.lgamma(0.5 * self.df) - torchlike.lgamma(0.5 * (self.df + 1.0))
        normalizer = self.scale.log() + 0.5 * self.df.log() + 0.5 * math.log(math.pi) + orders
        return -0.5 * (self.df + 1.0) * torchlike.log1p(y**2.0 / self.df) - normalizer

    def entropy(self) -> Tensor:
        half, more = 0.5 * self.df, 0.5 * (self.df + 1)
        log_beta = torchlike.lgamma(half) + math.lgamma(0.5) - torchlike.lgamma(more)
        slope = torchlike.digamma(more) - torchlike.digamma(half)
        return self.scale.log() + more * slope + 0.5 * self.df.log() + log_beta
