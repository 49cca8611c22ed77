"""Divergences between multivariate normal distributions, including low-rank ones.

For means m_p and m_q and covariances S_p and S_q in n dims, the divergence KL(p || q) is given by

2 KL = log det S_q - log det S_p + tr(S_q^-1 S_p) + (m_q - m_p)^T S_q^-1 (m_q - m_p) - n
"""

from __future__ import annotations

from typing import Any

import torchlike
from torchlike import Tensor

from ._matrices import log_diagonal, mahalanobis
from .kl import register_kl
from .lowrank_multivariate_normal import LowRankMultivariateNormal, distance_from
from .multivariate_normal import MultivariateNormal


def _log_det(d: Any) -> Tensor:
    return d._log_det() if isinstance(d, LowRankMultivariateNormal) else 2 * log_diagonal(d._unbroadcasted_scale_tril)


def _columns(d: Any) -> list[Tensor]:
    """Return matrices A such that the covariance is the sum of their products A @ A.T."""
    if isinstance(d, LowRankMultivariateNormal):
        return [d._unbroadcasted_cov_factor, torchlike.diag_embed(d._unbroadcasted_cov_diag.sqrt())]
    return [d._unbroadcasted_scale_tril]


def _distance(q: Any, x: Tensor) -> Tensor:
    """Return x^T S_q^-1 x."""
    if not isinstance(q, LowRankMultivariateNormal):
        return mahalanobis(q._unbroadcasted_scale_tril, x)
    return distance_from(q._unbroadcasted_cov_factor, q._unbroadcasted_cov_diag, x, q._capacitance_tril)


def _trace(q: Any, columns: Tensor) -> Tensor:
    """Return tr(S_q^-1 A A^T)."""
    if isinstance(q, LowRankMultivariateNormal):
        diagonal = q._unbroadcasted_cov_diag.unsqueeze(-1)
        along = (q._unbroadcasted_cov_factor / diagonal).mT @ columns
        solved = _solved(q._capacitance_tril, along)
        return (columns.pow(2) / diagonal).sum((-2, -1)) - solved.pow(2).sum((-2, -1))
    return _solved(q._unbroadcasted_scale_tril, columns).pow(2).sum((-2, -1))


def _solved(factor: Tensor, columns: Tensor) -> Tensor:
    shape = torchlike.broadcast_shapes(factor.shape[:-2], columns.shape[:-2])
    factor, columns = (m.expand(shape + m.shape[-2:]) for m in (factor, columns))
    return torchlike.linalg.solve_triangular(factor, columns, upper=False)


@register_kl(LowRankMultivariateNormal, LowRankMultivariateNormal)
@register_kl(MultivariateNormal, LowRankMultivariateNormal)
@register_kl(LowRankMultivariateNormal, MultivariateNormal)
@register_kl(MultivariateNormal, MultivariateNormal)
def _normals(p: Any, q: Any) -> Tensor:
    if p.event_shape != q.event_shape:
        low = [isinstance(d, LowRankMultivariateNormal) for d in (p, q)]
        kinds = {0: "Multivariate Normals", 1: "(Low Rank) Multivariate Normals", 2: "Low Rank Multivariate Normals"}
        raise ValueError(
            f"KL-divergence between two {kinds[sum(low)]} with{' ' * 26}different event shapes cannot be computed"
        )
    spread = _distance(q, q.loc - p.loc)
    for columns in _columns(p):
        spread = spread + _trace(q, columns)
    return 0.5 * (_log_det(q) - _log_det(p) + spread - p.event_shape[0])
