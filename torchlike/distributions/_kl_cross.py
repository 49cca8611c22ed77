"""Divergences between distributions of two families: KL(p || q) = -H(p) - E_p[log q(x)].

Most formulas for E_p[log q(x)] depend on `p` only through moments: the means of x, x ** 2, log x and exp(-x). One
formula for each family of `q` therefore covers several families of `p`. The divergence is infinite if `p` can produce
values outside the support of `q`.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import torchlike
from torchlike import Tensor

from .bernoulli import Bernoulli
from .beta import Beta
from .binomial import Binomial
from .continuous_bernoulli import ContinuousBernoulli
from .exponential import Exponential
from .gamma import Gamma
from .gumbel import Gumbel
from .kl import infinite_like, infinite_where, register_kl
from .laplace import Laplace
from .normal import Normal
from .pareto import Pareto
from .poisson import Poisson
from .uniform import Uniform
from .utils import euler_constant

# -- moments under p ---------------------------------------------------------------------------------------------------


@functools.singledispatch
def _mean_log(p: Any) -> Tensor:
    """Return E[log x]."""
    raise NotImplementedError


@_mean_log.register(Beta)
def _(p: Beta) -> Tensor:
    return p.concentration1.digamma() - (p.concentration1 + p.concentration0).digamma()


@_mean_log.register(Exponential)
def _(p: Exponential) -> Tensor:
    return -euler_constant - p.rate.log()


@_mean_log.register(Pareto)
def _(p: Pareto) -> Tensor:
    return p.scale.log() + p.alpha.reciprocal()


@_mean_log.register(Uniform)
def _(p: Uniform) -> Tensor:
    return _mean_log_between(p.low, p.high)


def _mean_log_between(low: Tensor, high: Tensor) -> Tensor:
    return (torchlike.xlogy(high, high) - torchlike.xlogy(low, low)) / (high - low) - 1


@functools.singledispatch
def _mean_decay(p: Any, loc: Tensor, scale: Tensor) -> Tensor:
    """Return E[exp(-(x - loc) / scale)]."""
    raise NotImplementedError


@_mean_decay.register(Exponential)
def _(p: Exponential, loc: Tensor, scale: Tensor) -> Tensor:
    product = p.rate * scale
    return torchlike.exp(loc / scale) * product / (product + 1)


@_mean_decay.register(Gamma)
def _(p: Gamma, loc: Tensor, scale: Tensor) -> Tensor:
    return torchlike.exp(loc / scale) * (1 + (p.rate * scale).reciprocal()).pow(-p.concentration)


@_mean_decay.register(Normal)
def _(p: Normal, loc: Tensor, scale: Tensor) -> Tensor:
    return torchlike.exp((loc - p.loc) / scale + 0.5 * (p.scale / scale).pow(2))


@_mean_decay.register(Uniform)
def _(p: Uniform, loc: Tensor, scale: Tensor) -> Tensor:
    ends = torchlike.exp(-(p.low - loc) / scale) - torchlike.exp(-(p.high - loc) / scale)
    return scale / (p.high - p.low) * ends


# -- formulas by q -----------------------------------------------------------------------------------------------------


def _below_zero(p: Any) -> Any:
    """Return whether `p` can produce negative values. Among the families that are passed, only `Uniform` can."""
    return p.low < 0 if isinstance(p, Uniform) else torchlike.zeros((), dtype=torchlike.bool, device=p.mean.device)


def _formula(q_type: type, *p_types: type) -> Callable[[Callable], Callable]:
    """Return a decorator that registers the divergence of `p` from `q` for each type in `p_types`.

    The decorated function `cross_entropy(p, q)` returns the mean under `p` of -log q(x).
    """

    def decorate(cross_entropy: Callable[[Any, Any], Tensor]) -> Callable[[Any, Any], Tensor]:
        for p_type in p_types:
            register_kl(p_type, q_type)(lambda p, q: cross_entropy(p, q) - p.entropy())
        return cross_entropy

    return decorate


@_formula(Normal, Beta, ContinuousBernoulli, Exponential, Gamma, Gumbel, Laplace, Pareto, Uniform)
def _to_normal(p: Any, q: Any) -> Tensor:
    spread = p.variance + (p.mean - q.loc).pow(2)
    return 0.5 * math.log(2 * math.pi) + q.scale.log() + spread / (2 * q.scale.pow(2))


@_formula(Exponential, Beta, ContinuousBernoulli, Gamma, Pareto, Uniform)
def _to_exponential(p: Any, q: Any) -> Tensor:
    return infinite_where(_below_zero(p), q.rate * p.mean - q.rate.log())


@_formula(Gamma, Beta, Exponential, Pareto, Uniform)
def _to_gamma(p: Any, q: Any) -> Tensor:
    a = q.concentration
    cross_entropy = a.lgamma() - a * q.rate.log() + (1 - a) * _mean_log(p) + q.rate * p.mean
    return infinite_where(_below_zero(p), cross_entropy)


@_formula(Gumbel, Exponential, Gamma, Normal, Uniform)
def _to_gumbel(p: Any, q: Any) -> Tensor:
    return q.scale.log() + (p.mean - q.loc) / q.scale + _mean_decay(p, q.loc, q.scale)


@_formula(ContinuousBernoulli, Beta)
def _to_continuous_bernoulli(p: Any, q: Any) -> Tensor:
    return -p.mean * q.logits - torchlike.log1p(-q.probs) - q._cont_bern_log_norm()


@_formula(ContinuousBernoulli, Uniform)
def _uniform_to_continuous_bernoulli(p: Any, q: Any) -> Tensor:
    # As in PyTorch, the result is infinite even if the interval of `p` only touches 0 or 1.
    return infinite_where((p.high >= 1) | (p.low <= 0), _to_continuous_bernoulli(p, q))


@_formula(Uniform, Beta)
def _beta_to_uniform(p: Any, q: Any) -> Tensor:
    return infinite_where((q.low > 0) | (q.high < 1), (q.high - q.low).log())


@_formula(Uniform, ContinuousBernoulli)
def _continuous_bernoulli_to_uniform(p: Any, q: Any) -> Tensor:
    # As in PyTorch, the result is infinite unless the interval of `q` extends beyond both 0 and 1.
    return infinite_where((q.low >= 0) | (q.high <= 1), (q.high - q.low).log())


@_formula(Laplace, Normal)
def _normal_to_laplace(p: Any, q: Any) -> Tensor:
    z = (p.loc - q.loc) / p.scale
    # E|x - loc|
    distance = p.scale * (math.sqrt(2 / math.pi) * torchlike.exp(-0.5 * z.pow(2)) + z * torchlike.erf(z / math.sqrt(2)))
    return (2 * q.scale).log() + distance / q.scale


@_formula(Beta, Uniform)
def _uniform_to_beta(p: Any, q: Any) -> Tensor:
    a, b = q.concentration1, q.concentration0
    normalizer = a.lgamma() + b.lgamma() - (a + b).lgamma()
    logs = (1 - a) * _mean_log(p) + (1 - b) * _mean_log_between(1 - p.high, 1 - p.low)
    return infinite_where((p.high > 1) | (p.low < 0), normalizer + logs)


@_formula(Pareto, Uniform)
def _uniform_to_pareto(p: Any, q: Any) -> Tensor:
    cross_entropy = (q.alpha + 1) * _mean_log(p) - q.alpha.log() - q.alpha * q.scale.log()
    return infinite_where(p.low < q.scale, cross_entropy)


@_formula(Poisson, Bernoulli)
def _bernoulli_to_poisson(p: Any, q: Any) -> Tensor:
    return q.rate - p.probs * q.rate.log()


# -- pairs of families with infinite divergence ------------------------------------------------------------------------

_OUT_OF_REACH = {
    Beta: (Pareto,),
    ContinuousBernoulli: (Pareto,),
    Exponential: (Beta, ContinuousBernoulli, Pareto, Uniform),
    Gamma: (Beta, ContinuousBernoulli, Pareto, Uniform),
    Gumbel: (Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform),
    Laplace: (Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform),
    Normal: (Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform),
    Pareto: (Beta, ContinuousBernoulli, Uniform),
    Poisson: (Bernoulli, Binomial),
}
_SHAPED_LIKE = {
    Beta: "concentration1",
    ContinuousBernoulli: "probs",
    Exponential: "rate",
    Gamma: "concentration",
    Gumbel: "loc",
    Laplace: "loc",
    Normal: "loc",
    Pareto: "scale",
    Poisson: "rate",
}


def _infinite(p: Any, q: Any) -> Tensor:
    """Return infinity. As in PyTorch, the shape is the batch shape of `p` alone."""
    return infinite_like(next(getattr(p, name) for kind, name in _SHAPED_LIKE.items() if isinstance(p, kind)))


for _p, _unreachable in _OUT_OF_REACH.items():
    for _q in _unreachable:
        register_kl(_p, _q)(_infinite)
