"""The Fisher-Snedecor distribution."""

from __future__ import annotations

from typing import Any

import torchlike
from torchlike import Size, Tensor

from . import constraints
from .distribution import Distribution
from .gamma import Gamma
from .utils import broadcast_all as broadcast_all


class FisherSnedecor(Distribution):
    """The F distribution: the ratio of two chi-squared variables, each divided by its degrees of freedom.

    Args:
      df1 (number or Tensor): the degrees of freedom of the numerator, positive.
      df2 (number or Tensor): the degrees of freedom of the denominator, positive. The mean is NaN if `df2` is at most
        2, and the variance if it is at most 4.
      validate_args (bool, optional): check the parameters and values. Default: see `Distribution`.

    >>> import torchlike as torch
    >>> torch.distributions.FisherSnedecor(2.0, 6.0).mean
    tensor(1.5000)
    """

    arg_constraints = {"df1": constraints.positive, "df2": constraints.positive}
    support = constraints.positive
    has_rsample = True
    df1: Tensor
    df2: Tensor

    def __init__(self, df1: Any, df2: Any, validate_args: bool | None = None) -> None:
        shape = self._set(df1=df1, df2=df2)
        self._gamma1 = Gamma(self.df1 * 0.5, self.df1)
        self._gamma2 = Gamma(self.df2 * 0.5, self.df2)
        super().__init__(shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        df2 = self._nan_up_to(self.df2, 2)
        return df2 / (df2 - 2)

    @property
    def mode(self) -> Tensor:
        mode = (self.df1 - 2) / self.df1 * self.df2 / (self.df2 + 2)
        return torchlike.where(self.df1 <= 2, torchlike.nan, mode)

    @property
    def variance(self) -> Tensor:
        df2 = self._nan_up_to(self.df2, 4)
        return 2 * df2.pow(2) * (self.df1 + df2 - 2) / (self.df1 * (df2 - 2).pow(2) * (df2 - 4))

    def _nan_up_to(self, df: Tensor, limit: int) -> Tensor:
        return torchlike.where(df <= limit, torchlike.nan, df)

    def rsample(self, sample_shape: Any = Size()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        numerator, denominator = (gamma.rsample(sample_shape).view(shape) for gamma in (self._gamma1, self._gamma2))
        tiny = torchlike.finfo(denominator.dtype).tiny
        denominator.clamp_(min=tiny)
        return (numerator / denominator).clamp_(min=tiny)

    def log_prob(self, value: Tensor) -> Tensor:
        value = self._checked(value)
        half1, half2, ratio = self.df1 * 0.5, self.df2 * 0.5, self.df1 / self.df2
        normalizer = (half1 + half2).lgamma() - half1.lgamma() - half2.lgamma()
        powers = half1 * ratio.log() + (half1 - 1) * torchlike.log(value)
        return normalizer + powers - (half1 + half2) * torchlike.log1p(ratio * value)
