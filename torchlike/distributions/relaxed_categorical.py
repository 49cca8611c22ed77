"""Continuous relaxations of the categorical distribution."""

from __future__ import annotations

from typing import Any

import torchlike
from torchlike import Size, Tensor

from . import constraints
from .categorical import Categorical
from .distribution import Distribution
from .transformed_distribution import TransformedDistribution
from .transforms import ExpTransform
from .utils import broadcast_all, clamp_probs


class ExpRelaxedCategorical(Distribution):
    """The distribution of the logarithm of a relaxed one-hot vector (Maddison et al., 2017).

    A sample is log softmax((logits + Gumbel noise) / temperature).

    Args:
      temperature (Tensor): the temperature, positive. It is not checked.
      probs (Tensor, optional): the weights, (..., K), not negative. They need not sum to one.
      logits (Tensor, optional): the logarithms of the weights, (..., K).
      validate_args (bool, optional): check the parameters and values. Default: see `Distribution`.

    Raises:
      ValueError: both or neither of `probs` and `logits` are given, or the argument is a 0-d tensor.
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support = constraints.real_vector  # more precisely: vectors whose exponentials sum to one
    has_rsample = True

    def __init__(
        self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        self._categorical = Categorical(probs, logits)
        self.temperature = temperature
        super().__init__(self._categorical.batch_shape, self._categorical.param_shape[-1:], validate_args=validate_args)

    def _new(self, *args: Any, **kwargs: Any) -> Tensor:
        return self._categorical._new(*args, **kwargs)

    @property
    def param_shape(self) -> Size:
        """The shape of `probs` and `logits`."""
        return self._categorical.param_shape

    @property
    def logits(self) -> Tensor:
        """The logarithms of the probabilities."""
        return self._categorical.logits

    @property
    def probs(self) -> Tensor:
        """The probabilities, normalized to sum to one."""
        return self._categorical.probs

    def rsample(self, sample_shape: Any = Size()) -> Tensor:
        shape, logits = self._extended_shape(sample_shape), self.logits
        u = clamp_probs(torchlike.rand(shape, dtype=logits.dtype, device=logits.device))
        scores = (logits - (-(u.log())).log()) / self.temperature
        return scores - scores.logsumexp(dim=-1, keepdim=True)

    def log_prob(self, value: Tensor) -> Tensor:
        k = self._categorical._num_events
        value = self._checked(value)  # before `logits` is computed, so that the error message does not print it
        logits, value = broadcast_all(self.logits, value)
        normalizer = torchlike.full_like(self.temperature, float(k)).lgamma() + (k - 1) * self.temperature.log()
        score = logits - value.mul(self.temperature)
        return (score - score.logsumexp(dim=-1, keepdim=True)).sum(-1) + normalizer


class RelaxedOneHotCategorical(TransformedDistribution):
    """A continuous relaxation of random one-hot vectors on the simplex, with reparametrized samples.

    Args:
      temperature (Tensor): the temperature, positive. The lower it is, the closer samples are to one-hot vectors. It is
        not checked.
      probs (Tensor, optional): the weights, (..., K), not negative. They need not sum to one.
      logits (Tensor, optional): the logarithms of the weights, (..., K).
      validate_args (bool, optional): check the parameters and values. Default: see `Distribution`.

    Raises:
      ValueError: both or neither of `probs` and `logits` are given, or the argument is a 0-d tensor.

    >>> import torchlike as torch
    >>> relaxed = torch.distributions.RelaxedOneHotCategorical(torch.tensor(0.5), torch.tensor([0.25, 0.75]))
    >>> relaxed.log_prob(torch.tensor([0.5, 0.5]))
    tensor(-0.9808)
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support = constraints.simplex
    has_rsample = True

    def __init__(
        self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        base = ExpRelaxedCategorical(temperature, probs, logits, validate_args=validate_args)
        super().__init__(base, ExpTransform(), validate_args=validate_args)

    @property
    def temperature(self) -> Tensor:
        """The temperature. Low values give samples close to one-hot vectors."""
        return self.base_dist.temperature

    @property
    def logits(self) -> Tensor:
        """The logarithms of the probabilities."""
        return self.base_dist.logits

    @property
    def probs(self) -> Tensor:
        """The probabilities, normalized to sum to one."""
        return self.base_dist.probs
