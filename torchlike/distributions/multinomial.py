"""The multinomial distribution."""

from __future__ import annotations

from typing import Any

import torchlike
from torchlike import Size, Tensor

from . import _errors, constraints
from .binomial import Binomial
from .categorical import Categorical
from .distribution import Distribution
from .utils import broadcast_all


class Multinomial(Distribution):
    """The number of times that each of K categories occurs in `total_count` trials.

    Args:
      total_count (int, default 1): the number of trials, the same for the whole batch.
      probs (Tensor, optional): the weights of the categories, (..., K). They need not sum to one.
      logits (Tensor, optional): the logarithms of the weights, (..., K).
      validate_args (bool, optional): check the parameters and values. Default: see `Distribution`.

    Raises:
      ValueError: both or neither of `probs` and `logits` are given.
      NotImplementedError: `total_count` is not an int.

    >>> import torchlike as torch
    >>> torch.distributions.Multinomial(8, torch.tensor([1.0, 1.0, 2.0])).mean
    tensor([2., 2., 4.])
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    total_count: int

    def __init__(
        self, total_count: int = 1, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        if not isinstance(total_count, int):
            raise _errors.inhomogeneous_total()
        self.total_count = total_count
        self._categorical = Categorical(probs=probs, logits=logits)
        self._binomial = Binomial(total_count=total_count, probs=self.probs)
        super().__init__(self._categorical.batch_shape, self._categorical.param_shape[-1:], validate_args=validate_args)

    def _expanded(self, name: str, value: Any, batch_shape: Size) -> Any:
        if name == "_binomial":  # its batch dims include the categories
            return value.expand(batch_shape + self.event_shape)
        return super()._expanded(name, value, batch_shape)

    def _new(self, *args: Any, **kwargs: Any) -> Tensor:
        return self._categorical._new(*args, **kwargs)

    @constraints.dependent_property(is_discrete=True, event_dim=1)
    def support(self) -> Any:
        return constraints.multinomial(self.total_count)

    @property
    def logits(self) -> Tensor:
        """The logarithms of the probabilities."""
        return self._categorical.logits

    @property
    def probs(self) -> Tensor:
        """The probabilities, normalized to sum to one."""
        return self._categorical.probs

    @property
    def mean(self) -> Tensor:
        return self.probs * self.total_count

    @property
    def variance(self) -> Tensor:
        return self.total_count * self.probs * (1 - self.probs)

    @property
    def param_shape(self) -> Size:
        """The shape of `probs` and `logits`."""
        return self._categorical.param_shape

    def sample(self, sample_shape: Any = Size()) -> Tensor:
        sample_shape = Size(sample_shape)
        drawn = self._categorical.sample(Size((self.total_count,)) + sample_shape)
        drawn = drawn.permute([*range(1, drawn.dim()), 0])
        counts = self._categorical._new(self._extended_shape(sample_shape)).zero_()
        counts.scatter_add_(-1, drawn, torchlike.ones_like(drawn).type_as(counts))
        return counts.type_as(self.probs)

    def entropy(self) -> Tensor:
        n = torchlike.tensor(self.total_count)
        repeated = n * self._categorical.entropy() - torchlike.lgamma(n + 1)
        support = self._binomial.enumerate_support(expand=False)[1:]
        chances = torchlike.exp(self._binomial.log_prob(support))
        return repeated + (chances * torchlike.lgamma(support + 1)).sum([0, -1])

    def log_prob(self, value: Tensor) -> Tensor:
        value = self._checked(value)  # before `logits` is computed and would appear in the error message
        logits, value = broadcast_all(self.logits, value)
        orders = torchlike.lgamma(value.sum(-1) + 1) - torchlike.lgamma(value + 1).sum(-1)
        logits = logits.masked_fill((value == 0) & (logits == -torchlike.inf), 0)
        return orders + (logits * value).sum(-1)
