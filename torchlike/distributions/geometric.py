"""The geometric distribution."""

from __future__ import annotations

from typing import Any

import torchlike
from torchlike import Size, Tensor
from torchlike.nn import functional as F

from . import _errors, constraints
from ._logits import OfProbability
from .distribution import Distribution as Distribution
from .utils import broadcast_all
from .utils import lazy_property as lazy_property
from .utils import logits_to_probs as logits_to_probs
from .utils import probs_to_logits as probs_to_logits


class Geometric(OfProbability):
    """The number of failures before the first success. Each trial succeeds with probability `probs`.

    Unlike this class, `torch.Tensor.geometric_` also counts the first success.

    Args:
      probs (number or Tensor, optional): the probability of success, in (0, 1].
      logits (number or Tensor, optional): the log-odds of success.
      validate_args (bool, optional): check the parameters and values. Default: see `Distribution`.

    Raises:
      ValueError: both or neither of `probs` and `logits` are given.

    >>> import torchlike as torch
    >>> torch.distributions.Geometric(torch.tensor([0.5, 0.25])).mean
    tensor([1., 3.])
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.nonnegative_integer

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        super().__init__(self._set_either(probs, logits), validate_args=validate_args)
        if self._validate_args and probs is not None:
            value = self.probs
            if not (valid := value > 0).all():
                raise _errors.geometric_zero(value, self, value[~valid])

    @property
    def mean(self) -> Tensor:
        return 1.0 / self.probs - 1.0

    @property
    def mode(self) -> Tensor:
        return torchlike.zeros_like(self.probs)

    @property
    def variance(self) -> Tensor:
        return (1.0 / self.probs - 1.0) / self.probs

    def sample(self, sample_shape: Any = Size()) -> Tensor:
        tiny = torchlike.finfo(self.probs.dtype).tiny  # its logarithm is finite
        with torchlike.no_grad():
            u = self.probs.new(self._extended_shape(sample_shape)).uniform_(tiny, 1)
            return (u.log() / (-self.probs).log1p()).floor()

    def log_prob(self, value: Tensor) -> Tensor:
        value, probs = broadcast_all(self._checked(value), self.probs)
        probs = torchlike.where((probs == 1) & (value == 0), 0, probs)
        return value * (-probs).log1p() + self.probs.log()

    def entropy(self) -> Tensor:
        return F.binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none") / self.probs
