"""The von Mises distribution."""

from __future__ import annotations

import math
from typing import Any

import torchlike
from torchlike import Size, Tensor

from . import constraints
from .distribution import Distribution
from .utils import broadcast_all as broadcast_all
from .utils import lazy_property


class VonMises(Distribution):
    """The von Mises distribution of angles: density proportional to exp(concentration * cos(x - loc)).

    Draws are made by rejection (Best and Fisher, 1979) in float64 and lie in [-pi, pi).
    """

    arg_constraints = {"loc": constraints.real, "concentration": constraints.positive}
    support = constraints.real
    has_rsample = False
    loc: Tensor
    concentration: Tensor

    def __init__(self, loc: Any, concentration: Any, validate_args: bool | None = None) -> None:
        self._set(loc=loc, concentration=concentration)
        super().__init__(self.loc.shape, validate_args=validate_args)

    def log_prob(self, value: Tensor) -> Tensor:
        cosine = torchlike.cos(self._checked(value) - self.loc)
        log_bessel = torchlike.special.i0e(self.concentration).log() + self.concentration
        return self.concentration * cosine - math.log(2 * math.pi) - log_bessel

    @lazy_property
    def _proposal(self) -> Tensor:
        """The parameter r of the wrapped Cauchy distribution from which candidates come, float64."""
        kappa = self.concentration.to(torchlike.float64)
        tau = 1 + (1 + 4 * kappa**2).sqrt()
        rho = (tau - (2 * tau).sqrt()) / (2 * kappa)
        return torchlike.where(kappa < 1e-5, 1 / kappa + kappa, (1 + rho**2) / (2 * rho))

    def sample(self, sample_shape: Any = Size()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        with torchlike.no_grad():
            loc, kappa = self.loc.to(torchlike.float64), self.concentration.to(torchlike.float64)
            angles = _by_rejection(shape, kappa, self._proposal)
            return ((angles + math.pi + loc) % (2 * math.pi) - math.pi).to(self.loc.dtype)

    @property
    def mean(self) -> Tensor:
        """The circular mean."""
        return self.loc

    @property
    def mode(self) -> Tensor:
        return self.loc

    @lazy_property
    def variance(self) -> Tensor:  # type: ignore[override]
        """The circular variance."""
        return 1 - torchlike.special.i1e(self.concentration) / torchlike.special.i0e(self.concentration)


def _by_rejection(shape: Size, kappa: Tensor, r: Tensor) -> Tensor:
    """Angles about zero; all are proposed anew until each was accepted once."""
    x = torchlike.empty(shape, dtype=r.dtype, device=r.device)
    done = torchlike.zeros(shape, dtype=torchlike.bool, device=r.device)
    while not done.all():
        u1, u2, u3 = torchlike.rand((3,) + tuple(shape), dtype=r.dtype, device=r.device).unbind()
        z = torchlike.cos(math.pi * u1)
        f = (1 + r * z) / (r + z)
        c = kappa * (r - f)
        accepted = ((c * (2 - c) - u2) > 0) | ((c / u2).log() + 1 - c >= 0)
        x = torchlike.where(accepted, (u3 - 0.5).sign() * f.acos(), x)
        done = done | accepted
    return x
