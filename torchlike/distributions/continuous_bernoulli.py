"""The continuous Bernoulli distribution (Loaiza-Ganem and Cunningham, 2019)."""

from __future__ import annotations

import math
from numbers import Number
from typing import Any

import torchlike
from torchlike import Size, Tensor
from torchlike.nn import functional as F

from . import constraints
from ._logits import OfProbability
from .exp_family import ExponentialFamily
from .utils import broadcast_all, clamp_probs
from .utils import lazy_property as lazy_property
from .utils import logits_to_probs as logits_to_probs
from .utils import probs_to_logits as probs_to_logits


class ContinuousBernoulli(OfProbability, ExponentialFamily):
    """The distribution on [0, 1] with density proportional to probs ** x * (1 - probs) ** (1 - x).

    At `probs` = 0.5 the formulas divide zero by zero. Taylor series replace the formulas if `probs` lies between the
    two `lims`.

    Args:
      probs (number or Tensor, optional): the base of the density, in [0, 1]. It is clamped to
        [eps, 1 - eps], where eps is the machine epsilon of its dtype.
      logits (number or Tensor, optional): log(probs / (1 - probs)).
      lims (tuple of two floats, default (0.499, 0.501)): the range of `probs` for which the series are used.
      validate_args (bool, optional): check the parameters and values. Default: see `Distribution`.

    Raises:
      ValueError: both or neither of `probs` and `logits` are given.

    >>> import torchlike as torch
    >>> torch.distributions.ContinuousBernoulli(torch.tensor([0.5, 0.9])).mean
    tensor([0.5000, 0.6699])
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.unit_interval
    _mean_carrier_measure = 0
    has_rsample = True

    def __init__(
        self,
        probs: Any = None,
        logits: Any = None,
        lims: tuple[float, float] = (0.499, 0.501),
        validate_args: bool | None = None,
    ) -> None:
        shape = self._set_either(probs, logits)
        if probs is not None:
            if validate_args is not None and not self.arg_constraints["probs"].check(self.probs).all():
                raise ValueError("The parameter probs has invalid values")
            self.probs = clamp_probs(self.probs)  # type: ignore[assignment]
        self._lims = lims
        super().__init__(Size() if isinstance(probs, Number) else shape, validate_args=validate_args)

    def _outside_unstable_region(self) -> Tensor:
        return (self.probs <= self._lims[0]) | (self.probs > self._lims[1])

    def _cut_probs(self) -> Tensor:
        """Return the probabilities, with values in the unstable region replaced by its lower limit."""
        return torchlike.where(self._outside_unstable_region(), self.probs, self._lims[0])

    def _or_taylor(self, formula: Tensor, series: Tensor) -> Tensor:
        return torchlike.where(self._outside_unstable_region(), formula, series)

    def _cont_bern_log_norm(self) -> Tensor:
        """Return the logarithm of the density's normalizing constant."""
        p = self._cut_probs()
        low = p <= 0.5
        # Each branch is evaluated only at probabilities where its gradient is finite.
        difference = torchlike.where(
            low,
            torchlike.log1p(-2.0 * torchlike.where(low, p, 0.0)),
            torchlike.log(2.0 * torchlike.where(p >= 0.5, p, 1.0) - 1.0),
        )
        formula = torchlike.log(torchlike.abs(torchlike.log1p(-p) - torchlike.log(p))) - difference
        x = torchlike.pow(self.probs - 0.5, 2)
        return self._or_taylor(formula, math.log(2.0) + (4.0 / 3.0 + 104.0 / 45.0 * x) * x)

    @property
    def mean(self) -> Tensor:
        p = self._cut_probs()
        x = self.probs - 0.5
        formula = p / (2.0 * p - 1.0) + 1.0 / (torchlike.log1p(-p) - torchlike.log(p))
        return self._or_taylor(formula, 0.5 + (1.0 / 3.0 + 16.0 / 45.0 * torchlike.pow(x, 2)) * x)

    @property
    def stddev(self) -> Tensor:
        return torchlike.sqrt(self.variance)

    @property
    def variance(self) -> Tensor:
        p = self._cut_probs()
        x = torchlike.pow(self.probs - 0.5, 2)
        formula = p * (p - 1.0) / torchlike.pow(1.0 - 2.0 * p, 2)
        formula = formula + 1.0 / torchlike.pow(torchlike.log1p(-p) - torchlike.log(p), 2)
        return self._or_taylor(formula, 1.0 / 12.0 - (1.0 / 15.0 - 128.0 / 945.0 * x) * x)

    def rsample(self, sample_shape: Any = Size()) -> Tensor:
        u = torchlike.rand(self._extended_shape(sample_shape), dtype=self.probs.dtype, device=self.probs.device)
        return self.icdf(u)

    def sample(self, sample_shape: Any = Size()) -> Tensor:
        with torchlike.no_grad():
            return self.rsample(sample_shape)

    def log_prob(self, value: Tensor) -> Tensor:
        value = self._checked(value)  # before `logits` is computed and would appear in the error message
        logits, value = broadcast_all(self.logits, value)
        return -F.binary_cross_entropy_with_logits(logits, value, reduction="none") + self._cont_bern_log_norm()

    def cdf(self, value: Tensor) -> Tensor:
        value = self._checked(value)
        p = self._cut_probs()
        powers = torchlike.pow(p, value) * torchlike.pow(1.0 - p, 1.0 - value)
        inside = self._or_taylor((powers + p - 1.0) / (2.0 * p - 1.0), value)
        inside = torchlike.where(value >= 1.0, torchlike.ones_like(inside), inside)
        return torchlike.where(value <= 0.0, torchlike.zeros_like(inside), inside)

    def icdf(self, value: Tensor) -> Tensor:
        p = self._cut_probs()
        formula = torchlike.log1p(-p + value * (2.0 * p - 1.0)) - torchlike.log1p(-p)
        return self._or_taylor(formula / (torchlike.log(p) - torchlike.log1p(-p)), value)

    def entropy(self) -> Tensor:
        zero, one = torchlike.log1p(-self.probs), torchlike.log(self.probs)
        return self.mean * (zero - one) - self._cont_bern_log_norm() - zero

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        return (self.logits,)

    def _log_normalizer(self, x: Tensor) -> Tensor:
        outside = (x <= self._lims[0] - 0.5) | (x > self._lims[1] - 0.5)
        cut = torchlike.where(outside, x, self._lims[0] - 0.5)
        formula = torchlike.log(torchlike.abs(torchlike.exp(cut) - 1.0)) - torchlike.log(torchlike.abs(cut))
        series = 0.5 * x + torchlike.pow(x, 2) / 24.0 - torchlike.pow(x, 4) / 2880.0
        return torchlike.where(outside, formula, series)
