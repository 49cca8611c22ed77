"""The chi-squared distribution."""

from __future__ import annotations

from typing import Any

from torchlike import Size, Tensor

from . import constraints
from .gamma import Gamma


class Chi2(Gamma):
    """The distribution of the sum of squares of `df` standard normal numbers: Gamma(df / 2, 1 / 2).

    Args:
      df (number or Tensor): the degrees of freedom, positive.
      validate_args (bool, optional): check the parameters and values. Default: see `Distribution`.

    >>> import torchlike as torch
    >>> torch.distributions.Chi2(torch.tensor([1.0, 3.0])).variance
    tensor([2., 6.])
    """

    arg_constraints = {"df": constraints.positive}

    def __init__(self, df: Any, validate_args: bool | None = None) -> None:
        super().__init__(0.5 * df, 0.5, validate_args=validate_args)

    def _expanded(self, name: str, value: Any, batch_shape: Size) -> Any:
        return value.expand(batch_shape) if isinstance(value, Tensor) else super()._expanded(name, value, batch_shape)

    @property
    def df(self) -> Tensor:
        """The degrees of freedom."""
        return self.concentration * 2
