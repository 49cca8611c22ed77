"""The generalized Pareto distribution."""

from __future__ import annotations

from typing import Any

import torchlike
from torchlike import Size, Tensor

from . import constraints
from .distribution import Distribution
from .utils import broadcast_all as broadcast_all


class GeneralizedPareto(Distribution):
    """The generalized Pareto distribution.

    Its survival function is (1 + concentration * (x - loc) / scale) ** (-1 / concentration). For a concentration of 0,
    it is the limit exp(-(x - loc) / scale).

    Args:
      loc (number or Tensor): the lower end of the support.
      scale (number or Tensor): the scale of x - loc, positive.
      concentration (number or Tensor): the weight of the tail. The support is bounded above where it is negative. The
        mean is NaN from 1, and the variance from 1/2.
      validate_args (bool, optional): check the parameters and values. Default: see `Distribution`.

    >>> import torchlike as torch
    >>> torch.distributions.GeneralizedPareto(0.0, 1.0, torch.tensor([0.0, 0.5])).mean
    tensor([1., 2.])
    """

    arg_constraints = {
        "loc": constraints.real,
        "scale": constraints.positive,
        "concentration": constraints.real,
    }
    has_rsample = True
    loc: Tensor
    scale: Tensor
    concentration: Tensor

    def __init__(self, loc: Any, scale: Any, concentration: Any, validate_args: bool | None = None) -> None:
        shape = self._set(loc=loc, scale=scale, concentration=concentration)
        super().__init__(shape, validate_args=validate_args)

    def rsample(self, sample_shape: Any = Size()) -> Tensor:
        u = torchlike.rand(self._extended_shape(sample_shape), dtype=self.loc.dtype, device=self.loc.device)
        return self.icdf(u)

    def _z(self, x: Tensor) -> Tensor:
        return (x - self.loc) / self.scale

    def _shape(self) -> tuple[Tensor, Tensor]:
        """Return a mask of the (nearly) zero concentrations, and the concentrations with 1 at these positions."""
        zero = torchlike.isclose(self.concentration, torchlike.zeros_like(self.concentration))
        return zero, torchlike.where(zero, torchlike.ones_like(self.concentration), self.concentration)

    def log_prob(self, value: Tensor) -> Tensor:
        z = self._z(self._checked(value))
        zero, shape = self._shape()
        y = 1 / shape + torchlike.ones_like(z)
        heavy = torchlike.where(y == 0, y, y * torchlike.log1p(shape * z))
        return -self.scale.log() - torchlike.where(zero, z, heavy)

    def log_survival_function(self, value: Tensor) -> Tensor:
        """Return log(1 - cdf(value))."""
        z = self._z(self._checked(value))
        zero, shape = self._shape()
        return torchlike.where(zero, -z, -torchlike.log1p(shape * z) / shape)

    def log_cdf(self, value: Tensor) -> Tensor:
        """Return log(cdf(value))."""
        return torchlike.log1p(-torchlike.exp(self.log_survival_function(value)))

    def cdf(self, value: Tensor) -> Tensor:
        return torchlike.exp(self.log_cdf(value))

    def icdf(self, value: Tensor) -> Tensor:
        zero, shape = self._shape()
        log_survival = torchlike.log1p(-value)
        heavy = self.loc + self.scale * torchlike.expm1(-shape * log_survival) / shape
        return torchlike.where(zero, self.loc - self.scale * log_survival, heavy)

    @property
    def mean(self) -> Tensor:
        """The mean. For concentrations of at least 1, where the mean is infinite, it is NaN as in PyTorch."""
        finite = self.loc + self.scale / (1 - self.concentration)
        return torchlike.where(self.concentration < 1, finite, torchlike.nan)

    @property
    def variance(self) -> Tensor:
        """The variance. For concentrations of at least 1/2, where the variance is infinite, it is NaN as in PyTorch."""
        a = self.concentration
        finite = self.scale**2 / ((1 - a) ** 2 * (1 - 2 * a))
        return torchlike.where(a < 0.5, finite, torchlike.nan)

    def entropy(self) -> Tensor:
        return (torchlike.log(self.scale) + self.concentration + 1).expand(self._batch_shape)

    @property
    def mode(self) -> Tensor:
        return self.loc

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> Any:
        upper = self.loc - self.scale / self.concentration
        return constraints.interval(self.loc, torchlike.where(self.concentration < 0, upper, torchlike.inf))
