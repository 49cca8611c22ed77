"""The categorical distribution over one-hot vectors."""

from __future__ import annotations

from typing import Any

import torchlike
from torchlike import Size, Tensor
from torchlike.nn import functional as F

from . import constraints
from .categorical import Categorical
from .distribution import Distribution


class OneHotCategorical(Distribution):
    """The categorical distribution over one-hot vectors of K elements.

    Args:
      probs (Tensor, optional): the weights, (..., K), not negative. They need not sum to one.
      logits (Tensor, optional): the logarithms of the weights, (..., K).
      validate_args (bool, optional): check the parameters and values. Default: see `Distribution`.

    Raises:
      ValueError: both or neither of `probs` and `logits` are given, or the argument is a 0-d tensor.

    >>> import torchlike as torch
    >>> torch.distributions.OneHotCategorical(torch.tensor([1.0, 3.0])).log_prob(torch.tensor([0.0, 1.0]))
    tensor(-0.2877)
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support = constraints.one_hot
    has_enumerate_support = True

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        self._categorical = Categorical(probs, logits)
        event_shape = self._categorical.param_shape[-1:]
        super().__init__(self._categorical.batch_shape, event_shape, validate_args=validate_args)

    def _new(self, *args: Any, **kwargs: Any) -> Tensor:
        return self._categorical._new(*args, **kwargs)

    @property
    def _param(self) -> Tensor:
        return self._categorical._param

    @property
    def probs(self) -> Tensor:
        """The probabilities, normalized to sum to one."""
        return self._categorical.probs

    @property
    def logits(self) -> Tensor:
        """The logarithms of the probabilities."""
        return self._categorical.logits

    @property
    def mean(self) -> Tensor:
        return self._categorical.probs

    @property
    def mode(self) -> Tensor:
        probs = self._categorical.probs
        return F.one_hot(probs.argmax(dim=-1), num_classes=probs.shape[-1]).to(probs)

    @property
    def variance(self) -> Tensor:
        return self._categorical.probs * (1 - self._categorical.probs)

    @property
    def param_shape(self) -> Size:
        """The shape of `probs` and `logits`."""
        return self._categorical.param_shape

    def sample(self, sample_shape: Any = Size()) -> Tensor:
        probs = self._categorical.probs
        return F.one_hot(self._categorical.sample(sample_shape), self._categorical._num_events).to(probs)

    def log_prob(self, value: Tensor) -> Tensor:
        return self._categorical.log_prob(self._checked(value).max(-1)[1])

    def entropy(self) -> Tensor:
        return self._categorical.entropy()

    def enumerate_support(self, expand: bool = True) -> Tensor:
        n = self.event_shape[0]
        values = torchlike.eye(n, dtype=self._param.dtype, device=self._param.device)
        values = values.view((n,) + (1,) * len(self.batch_shape) + (n,))
        return values.expand((n,) + tuple(self.batch_shape) + (n,)) if expand else values


class OneHotCategoricalStraightThrough(OneHotCategorical):
    """`OneHotCategorical` with the straight-through gradient estimator.

    Gradients of samples flow unchanged to the probabilities.

    Args:
      probs (Tensor, optional): the weights, (..., K), not negative. They need not sum to one.
      logits (Tensor, optional): the logarithms of the weights, (..., K).
      validate_args (bool, optional): check the parameters and values. Default: see `Distribution`.

    Raises:
      ValueError: both or neither of `probs` and `logits` are given, or the argument is a 0-d tensor.

    >>> import torchlike as torch
    >>> logits = torch.zeros(3, requires_grad=True)
    >>> torch.distributions.OneHotCategoricalStraightThrough(logits=logits).rsample().requires_grad
    True
    """

    has_rsample = True

    def rsample(self, sample_shape: Any = Size()) -> Tensor:
        samples, probs = self.sample(sample_shape), self._categorical.probs
        return samples + (probs - probs.detach())
