"""The Weibull distribution."""

from __future__ import annotations

from typing import Any

import torchlike
from torchlike import Size, Tensor

from . import constraints
from .exponential import Exponential
from .transformed_distribution import TransformedDistribution
from .transforms import AffineTransform, PowerTransform
from .utils import broadcast_all as broadcast_all
from .utils import euler_constant


class Weibull(TransformedDistribution):
    """The Weibull distribution, with the survival function exp(-(x / scale) ** concentration).

    Args:
      scale (number or Tensor): the scale, positive.
      concentration (number or Tensor): the exponent, positive. At 1, the distribution is exponential.
      validate_args (bool, optional): check the parameters and values. Default: see `Distribution`.

    >>> import torchlike as torch
    >>> torch.distributions.Weibull(1.0, torch.tensor([1.0, 2.0])).mean
    tensor([1.0000, 0.8862])
    """

    arg_constraints = {"scale": constraints.positive, "concentration": constraints.positive}
    support = constraints.positive
    scale: Tensor
    concentration: Tensor

    def __init__(self, scale: Any, concentration: Any, validate_args: bool | None = None) -> None:
        self._set(scale=scale, concentration=concentration)
        self.concentration_reciprocal = self.concentration.reciprocal()
        base = Exponential(torchlike.ones_like(self.scale), validate_args=validate_args)
        transforms = [PowerTransform(exponent=self.concentration_reciprocal), AffineTransform(loc=0, scale=self.scale)]
        super().__init__(base, transforms, validate_args=validate_args)

    def _expanded(self, name: str, value: Any, batch_shape: Size) -> Any:
        return value.expand(batch_shape) if isinstance(value, Tensor) else super()._expanded(name, value, batch_shape)

    @property
    def mean(self) -> Tensor:
        return self.scale * torchlike.exp(torchlike.lgamma(1 + self.concentration_reciprocal))

    @property
    def mode(self) -> Tensor:
        return self.scale * ((self.concentration - 1) / self.concentration) ** self.concentration.reciprocal()

    @property
    def variance(self) -> Tensor:
        second = torchlike.exp(torchlike.lgamma(1 + 2 * self.concentration_reciprocal))
        squared = torchlike.exp(2 * torchlike.lgamma(1 + self.concentration_reciprocal))
        return self.scale.pow(2) * (second - squared)

    def entropy(self) -> Tensor:
        inverse = self.concentration_reciprocal
        return euler_constant * (1 - inverse) + torchlike.log(self.scale * inverse) + 1
