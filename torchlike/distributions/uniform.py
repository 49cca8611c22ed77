"""The uniform distribution."""

from __future__ import annotations

from typing import Any

import torchlike
from torchlike import Size, Tensor

from . import constraints
from .distribution import Distribution
from .utils import broadcast_all as broadcast_all


class Uniform(Distribution):
    """The uniform distribution on [low, high).

    Args:
      low (number or Tensor): the lower end, which samples can take.
      high (number or Tensor): the upper end, above `low`.
      validate_args (bool, optional): check the parameters and values. Default: see `Distribution`.

    >>> import torchlike as torch
    >>> torch.distributions.Uniform(0.0, torch.tensor([1.0, 4.0])).variance
    tensor([0.0833, 1.3333])
    """

    has_rsample = True
    low: Tensor
    high: Tensor

    def __init__(self, low: Any, high: Any, validate_args: bool | None = None) -> None:
        super().__init__(self._set(low=low, high=high), validate_args=validate_args)

    @property
    def arg_constraints(self) -> dict[str, Any]:
        return {"low": constraints.less_than(self.high), "high": constraints.greater_than(self.low)}

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> Any:
        return constraints.interval(self.low, self.high)

    @property
    def mean(self) -> Tensor:
        return (self.high + self.low) / 2

    @property
    def mode(self) -> Tensor:
        return torchlike.nan * self.high

    @property
    def stddev(self) -> Tensor:
        return (self.high - self.low) / 12**0.5

    @property
    def variance(self) -> Tensor:
        return (self.high - self.low).pow(2) / 12

    def rsample(self, sample_shape: Any = Size()) -> Tensor:
        u = torchlike.rand(self._extended_shape(sample_shape), dtype=self.low.dtype, device=self.low.device)
        return self.low + u * (self.high - self.low)

    def log_prob(self, value: Tensor) -> Tensor:
        value = self._checked(value)
        inside = self.low.le(value).type_as(self.low) * self.high.gt(value).type_as(self.low)
        return torchlike.log(inside) - torchlike.log(self.high - self.low)

    def cdf(self, value: Tensor) -> Tensor:
        return ((self._checked(value) - self.low) / (self.high - self.low)).clamp(min=0, max=1)

    def icdf(self, value: Tensor) -> Tensor:
        return value * (self.high - self.low) + self.low

    def entropy(self) -> Tensor:
        return torchlike.log(self.high - self.low)
