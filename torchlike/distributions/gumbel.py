"""The Gumbel distribution."""

from __future__ import annotations

import math
from typing import Any

import torchlike
from torchlike import Tensor

from . import constraints
from .transformed_distribution import TransformedDistribution
from .transforms import AffineTransform, ExpTransform
from .uniform import Uniform
from .utils import broadcast_all as broadcast_all
from .utils import euler_constant


class Gumbel(TransformedDistribution):
    """The Gumbel distribution, with CDF exp(-exp(-(x - loc) / scale)).

    Args:
      loc (number or Tensor): the mode.
      scale (number or Tensor): the scale, positive.
      validate_args (bool, optional): check the parameters and values. Default: see `Distribution`.

    >>> import torchlike as torch
    >>> torch.distributions.Gumbel(1.0, 2.0).mean
    tensor(2.1544)
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    loc: Tensor
    scale: Tensor

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        shape = self._set(loc=loc, scale=scale)
        finfo = torchlike.finfo(self.loc.dtype)
        low, high = torchlike.full_like(self.loc, finfo.tiny), torchlike.full_like(self.loc, 1 - finfo.eps)
        base = (
            Uniform(low, high, validate_args=validate_args)
            if len(shape) or isinstance(loc, Tensor)
            else Uniform(finfo.tiny, 1 - finfo.eps, validate_args=validate_args)
        )
        transforms = [
            ExpTransform().inv,
            AffineTransform(loc=0, scale=-torchlike.ones_like(self.scale)),
            ExpTransform().inv,
            AffineTransform(loc=self.loc, scale=-self.scale),
        ]
        super().__init__(base, transforms, validate_args=validate_args)

    def log_prob(self, value: Tensor) -> Tensor:
        y = (self.loc - self._checked(value)) / self.scale
        return (y - y.exp()) - self.scale.log()

    @property
    def mean(self) -> Tensor:
        return self.loc + self.scale * euler_constant

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def stddev(self) -> Tensor:
        return (math.pi / math.sqrt(6)) * self.scale

    @property
    def variance(self) -> Tensor:
        return self.stddev.pow(2)

    def entropy(self) -> Tensor:
        return self.scale.log() + (1 + euler_constant)
