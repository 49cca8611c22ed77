"""Kullback-Leibler divergences, and the registry of formulas by pair of types."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torchlike
from torchlike import Tensor
from torchlike._internal import warn

from . import _errors
from .distribution import Distribution
from .exp_family import ExponentialFamily as ExponentialFamily

_KL_REGISTRY: dict[tuple[type, type], Callable[[Any, Any], Tensor]] = {}
_KL_MEMOIZE: dict[tuple[type, type], Any] = {}


def register_kl(type_p: type, type_q: type) -> Callable[[Callable], Callable]:
    """Return a decorator that registers `f(p, q)`, the divergence KL(p || q), for these types and their subclasses.

    If several registered pairs match, the most specific is chosen, comparing `p` first. A `RuntimeWarning` is emitted
    if comparing `q` first would choose a different formula.

    Args:
      type_p (type): the class of `p`, a subclass of `Distribution`.
      type_q (type): the class of `q`, a subclass of `Distribution`.

    Returns:
      The decorator. It returns the formula unchanged. A later registration for the same pair replaces an earlier one.
    """

    if not (isinstance(type_p, type) and isinstance(type_q, type)):
        raise TypeError("issubclass() arg 1 must be a class")

    def decorate(formula: Callable[[Any, Any], Tensor]) -> Callable[[Any, Any], Tensor]:
        _KL_REGISTRY[type_p, type_q] = formula
        _KL_MEMOIZE.clear()
        return formula

    return decorate


def _dispatch_kl(type_p: type, type_q: type) -> Any:
    """Return the most specific registered formula, or NotImplemented."""
    depth_p = {kind: depth for depth, kind in enumerate(type_p.__mro__)}
    depth_q = {kind: depth for depth, kind in enumerate(type_q.__mro__)}
    fitting = [(p, q) for p, q in _KL_REGISTRY if p in depth_p and q in depth_q]
    if not fitting:
        return NotImplemented
    by_p = min(fitting, key=lambda pair: (depth_p[pair[0]], depth_q[pair[1]]))
    by_q = min(fitting, key=lambda pair: (depth_q[pair[1]], depth_p[pair[0]]))
    if _KL_REGISTRY[by_p] is not _KL_REGISTRY[by_q]:
        warn(_errors.ambiguous_kl(by_p, by_q), RuntimeWarning)
    return _KL_REGISTRY[by_p]


def kl_divergence(p: Distribution, q: Distribution) -> Tensor:
    """Return KL(p || q), the mean under `p` of log p(x) - log q(x), with the batch shape.

    Args:
      p (Distribution): the distribution of x.
      q (Distribution): the other distribution. The result is infinite where values of `p` lie outside of its support.

    Raises:
      NotImplementedError: no formula is registered for the pair of types.

    >>> from torchlike.distributions import Normal
    >>> kl_divergence(Normal(0.0, 1.0), Normal(1.0, 1.0))
    tensor(0.5000)
    """
    types = type(p), type(q)
    if types not in _KL_MEMOIZE:
        _KL_MEMOIZE[types] = _dispatch_kl(*types)
    formula = _KL_MEMOIZE[types]
    if formula is NotImplemented:
        raise _errors.no_kl(*types)
    return formula(p, q)


def infinite_like(tensor: Tensor) -> Tensor:
    """Return a tensor of infinities with the shape of `tensor`."""
    return torchlike.full_like(tensor, torchlike.inf)


def infinite_where(condition: Tensor, kl: Tensor) -> Tensor:
    """Return `kl`, with infinity where `condition` holds, that is, where `p` has values outside the support of `q`."""
    return torchlike.where(condition, torchlike.inf, kl)
