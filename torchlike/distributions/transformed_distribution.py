"""Distributions of transformed samples."""

from __future__ import annotations

from typing import Any

import torchlike
from torchlike import Size, Tensor

from . import _errors, constraints
from .distribution import Distribution
from .independent import Independent
from .transforms import ComposeTransform, Transform
from .utils import sum_rightmost
from .utils import sum_rightmost as _sum_rightmost  # noqa: F401  # other projects import it


class TransformedDistribution(Distribution):
    """The distribution of samples of `base_distribution` after a sequence of transforms.

    The log-density is log p(y) = log p(x) - log |det dy/dx|. The base distribution is expanded to the batch shape of
    the result. Its last batch dims become event dims if the transforms need more event dims.

    Args:
      base_distribution (Distribution): the distribution of x.
      transforms (Transform or list of Transforms): the transforms, in the order of their application.
      validate_args (bool, optional): check the parameters and values. Default: see `Distribution`.

    Raises:
      ValueError: `transforms` is not a transform or a list of transforms, or the base distribution has fewer dims than
        the transforms need.

    >>> import torchlike as torch
    >>> base, exp = torch.distributions.Normal(0.0, 1.0), torch.distributions.ExpTransform()
    >>> torch.distributions.TransformedDistribution(base, [exp]).log_prob(torch.tensor(1.0))
    tensor(-0.9189)
    """

    arg_constraints: dict = {}
    has_rsample: Any = property(lambda self: self.base_dist.has_rsample)
    base_dist: Any
    transforms: list

    def __init__(self, base_distribution: Any, transforms: Any, validate_args: bool | None = None) -> None:
        self.transforms = _as_list(transforms)
        shape = base_distribution.batch_shape + base_distribution.event_shape
        base_dims = len(base_distribution.event_shape)
        transform = ComposeTransform(self.transforms)
        if len(shape) < transform.domain.event_dim:
            raise _errors.base_too_small(transform.domain.event_dim, shape)
        result = transform.forward_shape(shape)
        needed = transform.inverse_shape(result)
        if needed != shape:
            base_distribution = base_distribution.expand(needed[: len(needed) - base_dims])
        more = transform.domain.event_dim - base_dims
        self.base_dist = Independent(base_distribution, more) if more > 0 else base_distribution
        cut = len(result) - transform.codomain.event_dim - max(-more, 0)
        super().__init__(result[:cut], result[cut:], validate_args=validate_args)

    def _expanded(self, name: str, value: Any, batch_shape: Size) -> Any:
        if name != "base_dist":
            return super()._expanded(name, value, batch_shape)
        shape = batch_shape + self.event_shape
        for transform in reversed(self.transforms):
            shape = transform.inverse_shape(shape)
        return value.expand(shape[: len(shape) - len(value.event_shape)])

    @constraints.dependent_property(is_discrete=False)
    def support(self) -> Any:
        if not self.transforms:
            return self.base_dist.support
        found = self.transforms[-1].codomain
        more = len(self.event_shape) - found.event_dim
        return constraints.independent(found, more) if more > 0 else found

    def sample(self, sample_shape: Any = Size()) -> Tensor:
        with torchlike.no_grad():
            return self._transformed(self.base_dist.sample(sample_shape))

    def rsample(self, sample_shape: Any = Size()) -> Tensor:
        return self._transformed(self.base_dist.rsample(sample_shape))

    def _transformed(self, x: Tensor) -> Tensor:
        for transform in self.transforms:
            x = transform(x)
        return x

    def log_prob(self, value: Tensor) -> Tensor:
        y = self._checked(value)
        dims, total = len(self.event_shape), 0.0
        for transform in reversed(self.transforms):
            x = transform.inv(y)
            dims += transform.domain.event_dim - transform.codomain.event_dim
            total = total - sum_rightmost(transform.log_abs_det_jacobian(x, y), dims - transform.domain.event_dim)
            y = x
        return total + sum_rightmost(self.base_dist.log_prob(y), dims - len(self.base_dist.event_shape))

    def _monotonize_cdf(self, value: Tensor) -> Tensor:
        """Return the probability `value`, or 1 - `value` if the composed transform is decreasing."""
        sign: Any = 1
        for transform in self.transforms:
            sign = sign * transform.sign
        return value if isinstance(sign, int) and sign == 1 else sign * (value - 0.5) + 0.5

    def cdf(self, value: Tensor) -> Tensor:
        for transform in reversed(self.transforms):
            value = transform.inv(value)
        if self._validate_args:
            self.base_dist._validate_sample(value)
        return self._monotonize_cdf(self.base_dist.cdf(value))

    def icdf(self, value: Tensor) -> Tensor:
        return self._transformed(self.base_dist.icdf(self._monotonize_cdf(value)))


def _as_list(transforms: Any) -> list[Transform]:
    if isinstance(transforms, Transform):
        return [transforms]
    if not isinstance(transforms, list):
        raise _errors.no_transforms(transforms)
    if not all(isinstance(t, Transform) for t in transforms):
        raise _errors.no_transforms()
    return transforms
