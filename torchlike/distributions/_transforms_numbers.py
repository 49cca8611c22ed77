"""Elementwise transforms."""

from __future__ import annotations

import math
from numbers import Number
from typing import Any

import torchlike
from torchlike import Tensor
from torchlike.nn import functional as F

from . import constraints
from ._transforms_base import OneOfAKind, Transform
from .utils import broadcast_all


class ExpTransform(OneOfAKind):
    """The transform y = exp(x).

    Args:
      cache_size (int, default 0): 0 or 1, see `Transform`.

    >>> import torchlike as torch
    >>> torch.distributions.ExpTransform().inv(torch.tensor([1.0, 2.0]))
    tensor([0.0000, 0.6931])
    """

    domain = constraints.real
    codomain = constraints.positive
    bijective = True
    sign = 1

    def _call(self, x: Tensor) -> Tensor:
        return x.exp()

    def _inverse(self, y: Tensor) -> Tensor:
        return y.log()

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return x


class PowerTransform(Transform):
    """The transform y = x ** exponent of positive numbers.

    Args:
      exponent (Tensor): the exponent. It is broadcast with the argument.
      cache_size (int, default 0): 0 or 1, see `Transform`.

    >>> import torchlike as torch
    >>> torch.distributions.PowerTransform(torch.tensor([2.0, -1.0]))(torch.tensor(4.0))
    tensor([16.0000,  0.2500])
    """

    domain = constraints.positive
    codomain = constraints.positive
    bijective = True

    def __init__(self, exponent: Tensor, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        (self.exponent,) = broadcast_all(exponent)

    def with_cache(self, cache_size: int = 1) -> Any:
        return self if self._cache_size == cache_size else PowerTransform(self.exponent, cache_size=cache_size)

    @property
    def sign(self) -> Any:
        return self.exponent.sign()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PowerTransform) and self.exponent.eq(other.exponent).all().item()

    __hash__ = None

    def _call(self, x: Tensor) -> Tensor:
        return x.pow(self.exponent)

    def _inverse(self, y: Tensor) -> Tensor:
        return y.pow(1 / self.exponent)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return (self.exponent * y / x).abs().log()

    def forward_shape(self, shape: Any) -> Any:
        return torchlike.broadcast_shapes(shape, getattr(self.exponent, "shape", ()))

    inverse_shape = forward_shape


def clipped_sigmoid(x: Tensor) -> Tensor:
    """Return the sigmoid, clamped to lie strictly inside (0, 1)."""
    finfo = torchlike.finfo(x.dtype)
    return torchlike.clamp(torchlike.sigmoid(x), min=finfo.tiny, max=1.0 - finfo.eps)


class SigmoidTransform(OneOfAKind):
    """The transform y = 1 / (1 + exp(-x)). The result is clamped to lie strictly between 0 and 1.

    Args:
      cache_size (int, default 0): 0 or 1, see `Transform`.

    >>> import torchlike as torch
    >>> torch.distributions.SigmoidTransform()(torch.tensor([0.0, 1.0]))
    tensor([0.5000, 0.7311])
    """

    domain = constraints.real
    codomain = constraints.unit_interval
    bijective = True
    sign = 1

    def _call(self, x: Tensor) -> Tensor:
        return clipped_sigmoid(x)

    def _inverse(self, y: Tensor) -> Tensor:
        finfo = torchlike.finfo(y.dtype)
        y = y.clamp(min=finfo.tiny, max=1.0 - finfo.eps)
        return y.log() - (-y).log1p()

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return -F.softplus(-x) - F.softplus(x)


class SoftplusTransform(OneOfAKind):
    """The transform y = log(1 + exp(x)). Above 20, y = x.

    Args:
      cache_size (int, default 0): 0 or 1, see `Transform`.

    >>> import torchlike as torch
    >>> torch.distributions.SoftplusTransform()(torch.tensor([0.0, 30.0]))
    tensor([ 0.6931, 30.0000])
    """

    domain = constraints.real
    codomain = constraints.positive
    bijective = True
    sign = 1

    def _call(self, x: Tensor) -> Tensor:
        return F.softplus(x)

    def _inverse(self, y: Tensor) -> Tensor:
        return (-y).expm1().neg().log() + y

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return -F.softplus(-x)


class TanhTransform(OneOfAKind):
    """The transform y = tanh(x).

    The formula for the log-Jacobian stays accurate for large |x|, where 1 - y ** 2 loses all its digits.

    Args:
      cache_size (int, default 0): 0 or 1, see `Transform`.

    >>> import torchlike as torch
    >>> torch.distributions.TanhTransform()(torch.tensor([0.0, 1.0]))
    tensor([0.0000, 0.7616])
    """

    domain = constraints.real
    codomain = constraints.interval(-1.0, 1.0)
    bijective = True
    sign = 1

    def _call(self, x: Tensor) -> Tensor:
        return x.tanh()

    def _inverse(self, y: Tensor) -> Tensor:
        return torchlike.atanh(y)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return 2.0 * (math.log(2.0) - x - F.softplus(-2.0 * x))


class AbsTransform(OneOfAKind):
    """The transform y = |x|. The inverse returns the non-negative solution.

    Args:
      cache_size (int, default 0): 0 or 1, see `Transform`.

    >>> import torchlike as torch
    >>> torch.distributions.AbsTransform()(torch.tensor([-1.0, 2.0]))
    tensor([1., 2.])
    """

    domain = constraints.real
    codomain = constraints.positive

    def _call(self, x: Tensor) -> Tensor:
        return x.abs()

    def _inverse(self, y: Tensor) -> Tensor:
        return y


class AffineTransform(Transform):
    """The transform y = loc + scale * x of events of `event_dim` dims.

    Args:
      loc (number or Tensor): the summand.
      scale (number or Tensor): the factor, not 0.
      event_dim (int, default 0): the number of dims of an event. The log |det Jacobian| is summed over these dims.
      cache_size (int, default 0): 0 or 1, see `Transform`.

    >>> import torchlike as torch
    >>> torch.distributions.AffineTransform(1.0, 2.0)(torch.tensor([0.0, 3.0]))
    tensor([1., 7.])
    """

    bijective = True

    def __init__(self, loc: Any, scale: Any, event_dim: int = 0, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.loc, self.scale, self._event_dim = loc, scale, event_dim

    @property
    def event_dim(self) -> int:
        return self._event_dim

    @constraints.dependent_property(is_discrete=False)
    def domain(self) -> Any:
        return constraints.real if not self.event_dim else constraints.independent(constraints.real, self.event_dim)

    codomain = domain

    def with_cache(self, cache_size: int = 1) -> Any:
        if self._cache_size == cache_size:
            return self
        return AffineTransform(self.loc, self.scale, self.event_dim, cache_size=cache_size)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, AffineTransform):
            return False
        return _same(self.loc, other.loc) and _same(self.scale, other.scale)

    __hash__ = None

    @property
    def sign(self) -> Any:
        if isinstance(self.scale, Number):
            return (self.scale > 0) - (self.scale < 0)  # type: ignore[operator]
        return self.scale.sign()

    def _call(self, x: Tensor) -> Tensor:
        return self.loc + self.scale * x

    def _inverse(self, y: Tensor) -> Tensor:
        return (y - self.loc) / self.scale

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        shape, scale = x.shape, self.scale
        if isinstance(scale, Number):
            result = torchlike.full_like(x, math.log(abs(scale)))  # type: ignore[arg-type]
        else:
            result = torchlike.abs(scale).log()
        if self.event_dim:
            result = result.view(result.shape[: -self.event_dim] + (-1,)).sum(-1)
            shape = shape[: -self.event_dim]
        return result.expand(shape)

    def forward_shape(self, shape: Any) -> Any:
        return torchlike.broadcast_shapes(shape, getattr(self.loc, "shape", ()), getattr(self.scale, "shape", ()))

    inverse_shape = forward_shape


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, Number) and isinstance(b, Number):
        return a == b
    return (a == b).all().item()


class CumulativeDistributionTransform(Transform):
    """The transform y = distribution.cdf(x), whose results are uniform on [0, 1] if x has this distribution.

    Args:
      distribution (Distribution): a distribution of numbers with `cdf`. The inverse also needs its `icdf`.
      cache_size (int, default 0): 0 or 1, see `Transform`.

    >>> import torchlike as torch
    >>> normal = torch.distributions.Normal(0.0, 1.0)
    >>> torch.distributions.CumulativeDistributionTransform(normal)(torch.tensor([0.0, 1.0]))
    tensor([0.5000, 0.8413])
    """

    bijective = True
    codomain = constraints.unit_interval
    sign = 1

    def __init__(self, distribution: Any, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.distribution = distribution

    @property
    def domain(self) -> Any:
        return self.distribution.support

    def _call(self, x: Tensor) -> Tensor:
        return self.distribution.cdf(x)

    def _inverse(self, y: Tensor) -> Tensor:
        return self.distribution.icdf(y)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return self.distribution.log_prob(x)

    def with_cache(self, cache_size: int = 1) -> Any:
        if self._cache_size == cache_size:
            return self
        return CumulativeDistributionTransform(self.distribution, cache_size=cache_size)
