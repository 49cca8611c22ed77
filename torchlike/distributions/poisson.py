"""The Poisson distribution."""

from __future__ import annotations

from typing import Any

import torchlike
from torchlike import Size, Tensor

from . import constraints
from .exp_family import ExponentialFamily
from .utils import broadcast_all


class Poisson(ExponentialFamily):
    """The Poisson distribution of counts with mean `rate`, which may be 0.

    Args:
      rate (number or Tensor): the mean count, not negative.
      validate_args (bool, optional): check the parameters and values. Default: see `Distribution`.

    >>> import torchlike as torch
    >>> torch.distributions.Poisson(3.0).log_prob(torch.tensor([0.0, 3.0]))
    tensor([-3.0000, -1.4959])
    """

    arg_constraints = {"rate": constraints.nonnegative}
    support = constraints.nonnegative_integer
    rate: Tensor

    def __init__(self, rate: Any, validate_args: bool | None = None) -> None:
        super().__init__(self._set(rate=rate), validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.rate

    @property
    def mode(self) -> Tensor:
        return self.rate.floor()

    @property
    def variance(self) -> Tensor:
        return self.rate

    def sample(self, sample_shape: Any = Size()) -> Tensor:
        with torchlike.no_grad():
            return torchlike.poisson(self.rate.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Tensor) -> Tensor:
        rate, value = broadcast_all(self.rate, self._checked(value))
        return value.xlogy(rate) - rate - (value + 1).lgamma()

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        return (torchlike.log(self.rate),)

    def _log_normalizer(self, x: Tensor) -> Tensor:
        return torchlike.exp(x)
