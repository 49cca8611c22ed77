"""`Independent`, which turns batch dims into event dims."""

from __future__ import annotations

from typing import Any

from torchlike import Size, Tensor

from . import _errors, constraints
from .distribution import Distribution
from .utils import sum_rightmost


class Independent(Distribution):
    """`base_distribution` with its last `reinterpreted_batch_ndims` batch dims treated as event dims.

    Log-probabilities are summed over these dims.

    Args:
      base_distribution (Distribution): the distribution of the samples.
      reinterpreted_batch_ndims (int): the number of batch dims that become event dims.
      validate_args (bool, optional): check the parameters and values. Default: see `Distribution`.

    Raises:
      ValueError: `base_distribution` has fewer batch dims.
      NotImplementedError: `enumerate_support` raises this unless `reinterpreted_batch_ndims` is 0.

    >>> import torchlike as torch
    >>> torch.distributions.Independent(torch.distributions.Normal(torch.zeros(2, 3), 1.0), 1).event_shape
    torch.Size([3])
    """

    arg_constraints: dict = {}
    base_dist: Any

    def __init__(
        self, base_distribution: Any, reinterpreted_batch_ndims: int, validate_args: bool | None = None
    ) -> None:
        given = len(base_distribution.batch_shape)
        if reinterpreted_batch_ndims > given:
            raise _errors.reinterpreted(reinterpreted_batch_ndims, given, "base_distribution.batch_shape")
        shape = base_distribution.batch_shape + base_distribution.event_shape
        cut = given - reinterpreted_batch_ndims
        self.base_dist = base_distribution
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims
        super().__init__(shape[:cut], shape[cut:], validate_args=validate_args)

    def _expanded(self, name: str, value: Any, batch_shape: Size) -> Any:
        if name == "base_dist":
            return value.expand(batch_shape + self.event_shape[: self.reinterpreted_batch_ndims])
        return super()._expanded(name, value, batch_shape)

    @property
    def has_rsample(self) -> bool:
        return self.base_dist.has_rsample

    @property
    def has_enumerate_support(self) -> bool:
        return not self.reinterpreted_batch_ndims and self.base_dist.has_enumerate_support

    @constraints.dependent_property
    def support(self) -> Any:
        found = self.base_dist.support
        return (
            constraints.independent(found, self.reinterpreted_batch_ndims) if self.reinterpreted_batch_ndims else found
        )

    @property
    def mean(self) -> Tensor:
        return self.base_dist.mean

    @property
    def mode(self) -> Tensor:
        return self.base_dist.mode

    @property
    def variance(self) -> Tensor:
        return self.base_dist.variance

    def sample(self, sample_shape: Any = Size()) -> Tensor:
        return self.base_dist.sample(sample_shape)

    def rsample(self, sample_shape: Any = Size()) -> Tensor:
        return self.base_dist.rsample(sample_shape)

    def log_prob(self, value: Tensor) -> Tensor:
        return sum_rightmost(self.base_dist.log_prob(value), self.reinterpreted_batch_ndims)

    def entropy(self) -> Tensor:
        return sum_rightmost(self.base_dist.entropy(), self.reinterpreted_batch_ndims)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        if self.reinterpreted_batch_ndims:
            raise NotImplementedError("Enumeration over cartesian product is not implemented")
        return self.base_dist.enumerate_support(expand=expand)

    def __repr__(self) -> str:
        return f"{self.__class__.__name__}({self.base_dist}, {self.reinterpreted_batch_ndims})"
