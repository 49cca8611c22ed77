"""The logistic normal distribution."""

from __future__ import annotations

from typing import Any

from torchlike import Tensor

from . import constraints
from .normal import Normal
from .transformed_distribution import TransformedDistribution
from .transforms import StickBreakingTransform


class LogisticNormal(TransformedDistribution):
    """The distribution on the simplex that results from K normal numbers by stick-breaking. Samples have K + 1 entries.

    Args:
      loc (number or Tensor): the means of the normal numbers, (..., K).
      scale (number or Tensor): the standard deviations of the normal numbers, (..., K), positive.
      validate_args (bool, optional): check the parameters and values. Default: see `Distribution`.

    >>> import torchlike as torch
    >>> torch.distributions.LogisticNormal(torch.zeros(2), 1.0).sample((5,)).shape
    torch.Size([5, 3])
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.simplex
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        base = Normal(loc, scale, validate_args=validate_args)
        if not base.batch_shape:
            base = base.expand([1])
        super().__init__(base, StickBreakingTransform(), validate_args=validate_args)

    @property
    def loc(self) -> Tensor:
        """The means of the normal numbers before the transform."""
        return self.base_dist.base_dist.loc

    @property
    def scale(self) -> Tensor:
        """The standard deviations of the normal numbers before the transform."""
        return self.base_dist.base_dist.scale
