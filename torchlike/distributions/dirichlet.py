"""The Dirichlet distribution."""

from __future__ import annotations

from typing import Any

import torchlike
from torchlike import Size, Tensor
from torchlike.nn import functional as F

from . import _errors, constraints
from .exp_family import ExponentialFamily


class Dirichlet(ExponentialFamily):
    """The distribution on the simplex with density proportional to the product of x ** (concentration - 1).

    Gradients of samples are implicit reparametrization gradients.

    Args:
      concentration (Tensor): the exponents plus one, positive, of shape (..., K) for events of K numbers.
      validate_args (bool, optional): check the parameters and values. Default: see `Distribution`.

    Raises:
      ValueError: `concentration` is a 0-d tensor.

    >>> import torchlike as torch
    >>> torch.distributions.Dirichlet(torch.tensor([1.0, 1.0, 2.0])).mean
    tensor([0.2500, 0.2500, 0.5000])
    """

    arg_constraints = {"concentration": constraints.independent(constraints.positive, 1)}
    support = constraints.simplex
    has_rsample = True
    concentration: Tensor

    def __init__(self, concentration: Any, validate_args: bool | None = None) -> None:
        if concentration.dim() < 1:
            raise _errors.too_few_dims("`concentration`")
        self.concentration = concentration
        super().__init__(concentration.shape[:-1], concentration.shape[-1:], validate_args=validate_args)

    def rsample(self, sample_shape: Any = Size()) -> Tensor:
        return torchlike._sample_dirichlet(self.concentration.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Tensor) -> Tensor:
        value, a = self._checked(value), self.concentration
        powers = torchlike.xlogy(a - 1.0, value).sum(-1)
        return powers + torchlike.lgamma(a.sum(-1)) - torchlike.lgamma(a).sum(-1)

    @property
    def mean(self) -> Tensor:
        return self.concentration / self.concentration.sum(-1, True)

    @property
    def mode(self) -> Tensor:
        """The point of highest density. A corner of the simplex if all concentrations are below 1."""
        above = (self.concentration - 1).clamp(min=0.0)
        mode = above / above.sum(-1, True)
        corner = F.one_hot(mode.argmax(dim=-1), mode.shape[-1]).to(mode)
        return torchlike.where((self.concentration < 1).all(dim=-1, keepdim=True), corner, mode)

    @property
    def variance(self) -> Tensor:
        total = self.concentration.sum(-1, True)
        return self.concentration * (total - self.concentration) / (total.pow(2) * (total + 1))

    def entropy(self) -> Tensor:
        a, k = self.concentration, self.concentration.size(-1)
        total = a.sum(-1)
        normalizer = torchlike.lgamma(a).sum(-1) - torchlike.lgamma(total)
        return normalizer - (k - total) * torchlike.digamma(total) - ((a - 1.0) * torchlike.digamma(a)).sum(-1)

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        return (self.concentration,)

    def _log_normalizer(self, x: Tensor) -> Tensor:
        return x.lgamma().sum(-1) - torchlike.lgamma(x.sum(-1))
