"""Mixtures of distributions of one family."""

from __future__ import annotations

from typing import Any

import torchlike
from torchlike import Size, Tensor

from . import _errors, constraints
from .categorical import Categorical
from .distribution import Distribution


class MixtureSameFamily(Distribution):
    """A mixture of K components, which lie along the last batch dim of `component_distribution`.

    Samples have no gradients.

    Args:
      mixture_distribution (Categorical): the distribution of the component's index, with K categories.
      component_distribution (Distribution): the components, of batch shape (..., K).
      validate_args (bool, optional): check the parameters and values. Default: see `Distribution`.

    Raises:
      ValueError: an argument has another type, or the batch shapes do not fit together.

    >>> import torchlike as torch
    >>> choice = torch.distributions.Categorical(torch.tensor([0.25, 0.75]))
    >>> components = torch.distributions.Normal(torch.tensor([-2.0, 2.0]), 1.0)
    >>> torch.distributions.MixtureSameFamily(choice, components).mean
    tensor(1.)
    """

    arg_constraints: dict = {}
    has_rsample = False

    def __init__(
        self, mixture_distribution: Any, component_distribution: Any, validate_args: bool | None = None
    ) -> None:
        self._mixture_distribution = mixture_distribution
        self._component_distribution = component_distribution
        if not isinstance(mixture_distribution, Categorical):
            raise ValueError(" The Mixture distribution needs to be an  instance of torch.distributions.Categorical")
        if not isinstance(component_distribution, Distribution):
            raise ValueError("The Component distribution needs to be an instance of torch.distributions.Distribution")
        batch = component_distribution.batch_shape[:-1]
        for ours, theirs in zip(reversed(mixture_distribution.batch_shape), reversed(batch)):
            if ours != 1 and theirs != 1 and ours != theirs:
                raise ValueError(
                    f"`mixture_distribution.batch_shape` ({mixture_distribution.batch_shape}) is not compatible with "
                    f"`component_distribution.batch_shape`({batch})"
                )
        count, components = mixture_distribution.logits.shape[-1], component_distribution.batch_shape[-1]
        if count != components:
            raise _errors.mixture_size(count, components)
        self._num_component = count
        self._event_ndims = len(component_distribution.event_shape)
        super().__init__(batch, component_distribution.event_shape, validate_args=validate_args)

    def _expanded(self, name: str, value: Any, batch_shape: Size) -> Any:
        if name == "_component_distribution":
            return value.expand(batch_shape + (self._num_component,))
        return super()._expanded(name, value, batch_shape)

    @constraints.dependent_property
    def support(self) -> Any:
        return constraints.MixtureSameFamilyConstraint(self._component_distribution.support)

    @property
    def mixture_distribution(self) -> Categorical:
        """The distribution of the component's index."""
        return self._mixture_distribution

    @property
    def component_distribution(self) -> Any:
        """The batch of components, along the last batch dim."""
        return self._component_distribution

    @property
    def _weights(self) -> Tensor:
        """The probabilities of the components, with as many dims as the components' mean."""
        return self._pad_mixture_dimensions(self.mixture_distribution.probs)

    @property
    def mean(self) -> Tensor:
        return torchlike.sum(self._weights * self.component_distribution.mean, dim=-1 - self._event_ndims)

    @property
    def variance(self) -> Tensor:
        dim, components = -1 - self._event_ndims, self.component_distribution
        within = torchlike.sum(self._weights * components.variance, dim=dim)
        between = torchlike.sum(self._weights * (components.mean - self._pad(self.mean)).pow(2.0), dim=dim)
        return within + between

    def cdf(self, x: Tensor) -> Tensor:  # type: ignore[override]
        return torchlike.sum(self.component_distribution.cdf(self._pad(x)) * self.mixture_distribution.probs, dim=-1)

    def log_prob(self, x: Tensor) -> Tensor:  # type: ignore[override]
        log_prob = self.component_distribution.log_prob(self._pad(self._checked(x)))
        return torchlike.logsumexp(log_prob + torchlike.log_softmax(self.mixture_distribution.logits, dim=-1), dim=-1)

    def sample(self, sample_shape: Any = Size()) -> Tensor:
        with torchlike.no_grad():
            place = len(Size(sample_shape)) + len(self.batch_shape)
            chosen = self.mixture_distribution.sample(sample_shape)
            drawn = self.component_distribution.sample(sample_shape)
            chosen = chosen.reshape(chosen.shape + (1,) * (self._event_ndims + 1))
            chosen = chosen.expand(drawn.shape[:place] + (1,) + drawn.shape[place + 1 :])
            return torchlike.gather(drawn, place, chosen).squeeze(place)

    def _pad(self, x: Tensor) -> Tensor:
        return x.unsqueeze(-1 - self._event_ndims)

    def _pad_mixture_dimensions(self, x: Tensor) -> Tensor:
        missing = len(self.batch_shape) - len(self.mixture_distribution.batch_shape)
        return x.reshape(x.shape[:-1] + (1,) * missing + x.shape[-1:] + (1,) * self._event_ndims)

    def __repr__(self) -> str:
        return f"MixtureSameFamily(\n  {self.mixture_distribution},\n  {self.component_distribution})"
