"""The Pareto distribution."""

from __future__ import annotations

from typing import Any

from torchlike import Tensor

from . import constraints
from .exponential import Exponential
from .transformed_distribution import TransformedDistribution
from .transforms import AffineTransform, ExpTransform
from .utils import broadcast_all as broadcast_all


class Pareto(TransformedDistribution):
    """The Pareto distribution of type 1: the probability of values above x is (scale / x) ** alpha for x >= scale.

    Args:
      scale (number or Tensor): the smallest value, positive.
      alpha (number or Tensor): the exponent, positive. The mean is infinite up to 1, and the variance up to 2.
      validate_args (bool, optional): check the parameters and values. Default: see `Distribution`.

    >>> import torchlike as torch
    >>> torch.distributions.Pareto(1.0, torch.tensor([1.0, 3.0])).mean
    tensor([   inf, 1.5000])
    """

    arg_constraints = {"alpha": constraints.positive, "scale": constraints.positive}
    scale: Tensor
    alpha: Tensor

    def __init__(self, scale: Any, alpha: Any, validate_args: bool | None = None) -> None:
        self._set(scale=scale, alpha=alpha)
        base = Exponential(self.alpha, validate_args=validate_args)
        transforms = [ExpTransform(), AffineTransform(loc=0, scale=self.scale)]
        super().__init__(base, transforms, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        """The mean. Infinite where `alpha` is at most 1."""
        a = self.alpha.clamp(min=1)
        return a * self.scale / (a - 1)

    @property
    def mode(self) -> Tensor:
        return self.scale

    @property
    def variance(self) -> Tensor:
        """The variance. Infinite where `alpha` is at most 2."""
        a = self.alpha.clamp(min=2)
        return self.scale.pow(2) * a / ((a - 1).pow(2) * (a - 2))

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> Any:
        return constraints.greater_than_eq(self.scale)

    def entropy(self) -> Tensor:
        return (self.scale / self.alpha).log() + (1 + self.alpha.reciprocal())
