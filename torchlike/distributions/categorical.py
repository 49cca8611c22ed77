"""The categorical distribution over indices."""

from __future__ import annotations

from typing import Any

import torchlike
from torchlike import Size, Tensor

from . import _errors, constraints
from ._logits import OfProbability
from .distribution import Distribution as Distribution
from .utils import lazy_property as lazy_property
from .utils import logits_to_probs as logits_to_probs
from .utils import probs_to_logits as probs_to_logits


class Categorical(OfProbability):
    """The distribution of an index below K, given by weights `probs` (..., K) or their logarithms `logits`.

    The attributes `probs` and `logits` are normalized. Samples are int64 tensors whose batch shape lacks the dim of K.

    Args:
      probs (Tensor, optional): the weights, not negative. They need not sum to one.
      logits (Tensor, optional): the logarithms of the weights.
      validate_args (bool, optional): check the parameters and values. Default: see `Distribution`.

    Raises:
      ValueError: both or neither of `probs` and `logits` are given, or the argument is a 0-d tensor.

    >>> import torchlike as torch
    >>> index = torch.distributions.Categorical(torch.tensor([1.0, 2.0, 1.0]))
    >>> index.probs
    tensor([0.2500, 0.5000, 0.2500])
    >>> index.log_prob(torch.tensor(1))
    tensor(-0.6931)
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    has_enumerate_support = True
    _is_binary = False

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        if (probs is None) == (logits is None):
            raise _errors.probs_or_logits()
        name, given = ("logits", logits) if probs is None else ("probs", probs)
        if given.dim() < 1:
            raise _errors.too_few_dims(f"`{name}`")
        if probs is None:
            self.logits = logits - logits.logsumexp(dim=-1, keepdim=True)
        else:
            self.probs = probs / probs.sum(-1, keepdim=True)
        self._num_events = self._param.size()[-1]
        super().__init__(Size(self._param.size()[:-1]), validate_args=validate_args)

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self) -> Any:
        return constraints.integer_interval(0, self._num_events - 1)

    @property
    def mean(self) -> Tensor:
        return self._undefined()

    @property
    def mode(self) -> Tensor:
        return self.probs.argmax(dim=-1)

    @property
    def variance(self) -> Tensor:
        return self._undefined()

    def _undefined(self) -> Tensor:
        return torchlike.full(self._extended_shape(), torchlike.nan, dtype=self.probs.dtype, device=self.probs.device)

    def sample(self, sample_shape: Any = Size()) -> Tensor:
        sample_shape = Size(sample_shape)
        rows = self.probs.reshape(-1, self._num_events)
        drawn = torchlike.multinomial(rows, sample_shape.numel(), True).T
        return drawn.reshape(self._extended_shape(sample_shape))

    def log_prob(self, value: Tensor) -> Tensor:
        value = self._checked(value).long().unsqueeze(-1)
        value, logits = torchlike.broadcast_tensors(value, self.logits)
        return logits.gather(-1, value[..., :1]).squeeze(-1)

    def entropy(self) -> Tensor:
        finite = torchlike.clamp(self.logits, min=torchlike.finfo(self.logits.dtype).min)
        return -(finite * self.probs).sum(-1)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        values = torchlike.arange(self._num_events, dtype=torchlike.long, device=self._param.device)
        return self._enumerated(values, expand)
