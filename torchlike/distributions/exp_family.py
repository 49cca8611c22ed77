"""Exponential families: p(x) = exp(<t(x), theta> - F(theta) + k(x))."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torchlike
from torchlike import Tensor

from .distribution import Distribution, not_given


class ExponentialFamily(Distribution):
    """A distribution with natural parameters theta and log-normalizer F.

    The gradient of F is the mean of the sufficient statistics t(x). The KL divergence within a family follows from F
    alone, and the entropy from F and the mean of the carrier measure k(x). A subclass defines `_natural_params`,
    `_log_normalizer` and `_mean_carrier_measure`.

    Args:
      batch_shape (sequence of ints, default ()): the shape of the batch of independent distributions.
      event_shape (sequence of ints, default ()): the shape of one sample.
      validate_args (bool, optional): check the parameters and values. Default: see `Distribution`.

    >>> import torchlike as torch
    >>> issubclass(torch.distributions.Poisson, torch.distributions.ExponentialFamily)
    True
    """

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        raise NotImplementedError

    if TYPE_CHECKING:
        _log_normalizer: Callable[..., Tensor]
    else:

        def _log_normalizer(self, *natural_params: Any) -> Tensor:
            raise NotImplementedError

    _mean_carrier_measure: Any = property(not_given, doc="The mean of k(x).")

    def entropy(self) -> Tensor:
        """Return the entropy F(theta) - <theta, F'(theta)> - E k(x). The shape is batch_shape."""
        theta = [p.detach().requires_grad_() for p in self._natural_params]
        normalizer = self._log_normalizer(*theta)
        gradients = torchlike.autograd.grad(normalizer.sum(), theta, create_graph=True)
        result = -self._mean_carrier_measure
        result = result + normalizer
        for parameter, gradient in zip(theta, gradients):
            result = result - (parameter * gradient).reshape(self._batch_shape + (-1,)).sum(-1)
        return result
