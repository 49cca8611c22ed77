"""The multivariate normal distribution with a low-rank plus diagonal covariance."""

from __future__ import annotations

import math
from typing import Any

import torchlike
from torchlike import Size, Tensor

from . import _errors, constraints
from ._matrices import log_diagonal, mahalanobis, matrix_vector
from .distribution import Distribution
from .utils import lazy_property, standard_normal


class LowRankMultivariateNormal(Distribution):
    """The multivariate normal distribution with covariance cov_factor @ cov_factor.T + diag(cov_diag).

    The computation of a density costs O(n m ** 2) by the matrix determinant lemma and the Woodbury identity. Both use
    the m x m "capacitance" matrix I + cov_factor.T diag(cov_diag)^-1 cov_factor.

    Args:
      loc (Tensor): the mean, (..., n).
      cov_factor (Tensor): the factor of the part of low rank, (..., n, m). m should be much smaller than n.
      cov_diag (Tensor): the diagonal part, (..., n), positive.
      validate_args (bool, optional): check the parameters and values. Default: see `Distribution`.

    Raises:
      ValueError: the shapes do not fit together.

    >>> import torchlike as torch
    >>> factor, diagonal = torch.tensor([[1.0], [2.0]]), torch.ones(2)
    >>> torch.distributions.LowRankMultivariateNormal(torch.zeros(2), factor, diagonal).covariance_matrix
    tensor([[2., 2.],
            [2., 5.]])
    """

    arg_constraints = {
        "loc": constraints.real_vector,
        "cov_factor": constraints.independent(constraints.real, 2),
        "cov_diag": constraints.independent(constraints.positive, 1),
    }
    support = constraints.real_vector
    has_rsample = True
    loc: Tensor
    cov_diag: Tensor
    cov_factor: Tensor

    def __init__(self, loc: Tensor, cov_factor: Tensor, cov_diag: Tensor, validate_args: bool | None = None) -> None:
        if loc.dim() < 1:
            raise _errors.no_vector("loc")
        event_shape = loc.shape[-1:]
        if cov_factor.dim() < 2:
            raise _errors.no_matrix("cov_factor")
        if cov_factor.shape[-2:-1] != event_shape:
            raise ValueError(f"cov_factor must be a batch of matrices with shape {event_shape[0]} x m")
        if cov_diag.shape[-1:] != event_shape:
            raise ValueError(f"cov_diag must be a batch of vectors with shape {event_shape}")
        try:
            batch_shape = torchlike.broadcast_shapes(loc.shape[:-1], cov_factor.shape[:-2], cov_diag.shape[:-1])
        except RuntimeError as error:
            raise _errors.batch_shapes(loc.shape, cov_factor.shape, cov_diag.shape) from error
        self.loc = loc.expand(batch_shape + event_shape)
        self.cov_diag = cov_diag.expand(batch_shape + event_shape)
        self.cov_factor = cov_factor.expand(batch_shape + cov_factor.shape[-2:])
        self._unbroadcasted_cov_factor = cov_factor
        self._unbroadcasted_cov_diag = cov_diag
        self._capacitance_tril = capacitance_factor(cov_factor, cov_diag)
        super().__init__(batch_shape, event_shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.loc

    @property
    def mode(self) -> Tensor:
        return self.loc

    @lazy_property
    def variance(self) -> Tensor:  # type: ignore[override]
        variance = self._unbroadcasted_cov_factor.pow(2).sum(-1) + self._unbroadcasted_cov_diag
        return variance.expand(self._batch_shape + self._event_shape)

    def _expand_to_batch(self, matrix: Tensor) -> Tensor:
        return matrix.expand(self._batch_shape + self._event_shape + self._event_shape)

    @lazy_property
    def scale_tril(self) -> Tensor:
        """The lower Cholesky factor of the covariance."""
        root = self._unbroadcasted_cov_diag.sqrt().unsqueeze(-1)
        scaled = self._unbroadcasted_cov_factor / root
        return self._expand_to_batch(root * torchlike.linalg.cholesky(_plus_identity(scaled @ scaled.mT)))

    @lazy_property
    def covariance_matrix(self) -> Tensor:
        """The covariance matrix, (..., n, n)."""
        factor = self._unbroadcasted_cov_factor
        return self._expand_to_batch(factor @ factor.mT + torchlike.diag_embed(self._unbroadcasted_cov_diag))

    @lazy_property
    def precision_matrix(self) -> Tensor:
        """The inverse of the covariance matrix, (..., n, n)."""
        weighted = self._unbroadcasted_cov_factor.mT / self._unbroadcasted_cov_diag.unsqueeze(-2)
        solved = torchlike.linalg.solve_triangular(self._capacitance_tril, weighted, upper=False)
        diagonal = torchlike.diag_embed(self._unbroadcasted_cov_diag.reciprocal())
        return self._expand_to_batch(diagonal - solved.mT @ solved)

    def rsample(self, sample_shape: Any = Size()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        along_factor = standard_normal(shape[:-1] + self.cov_factor.shape[-1:], self.loc)
        alone = standard_normal(shape, self.loc)
        moved = self.loc + matrix_vector(self._unbroadcasted_cov_factor, along_factor)
        return moved + self._unbroadcasted_cov_diag.sqrt() * alone

    def _log_det(self) -> Tensor:
        return log_det(self._unbroadcasted_cov_diag, self._capacitance_tril)

    def log_prob(self, value: Tensor) -> Tensor:
        offset = self._checked(value) - self.loc
        distance = distance_from(
            self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag, offset, self._capacitance_tril
        )
        return -0.5 * (self._event_shape[0] * math.log(2 * math.pi) + self._log_det() + distance)

    def entropy(self) -> Tensor:
        entropy = 0.5 * (self._event_shape[0] * (1.0 + math.log(2 * math.pi)) + self._log_det())
        return entropy.expand(self._batch_shape) if self._batch_shape else entropy


def _plus_identity(matrix: Tensor) -> Tensor:
    return matrix + torchlike.eye(matrix.shape[-1], dtype=matrix.dtype, device=matrix.device)


def capacitance_factor(factor: Tensor, diagonal: Tensor) -> Tensor:
    """Return the Cholesky factor of I + factor.T diag^-1 factor; (..., n, m), (..., n) -> (..., m, m)."""
    return torchlike.linalg.cholesky(_plus_identity(torchlike.matmul(factor.mT / diagonal.unsqueeze(-2), factor)))


def log_det(diagonal: Tensor, capacitance: Tensor) -> Tensor:
    """Return the log-determinant of the covariance, given the Cholesky factor of the capacitance matrix."""
    return 2 * log_diagonal(capacitance) + diagonal.log().sum(-1)


def distance_from(factor: Tensor, diagonal: Tensor, x: Tensor, capacitance: Tensor) -> Tensor:
    """Return x^T covariance^-1 x."""
    along = matrix_vector(factor.mT / diagonal.unsqueeze(-2), x)
    return (x.pow(2) / diagonal).sum(-1) - mahalanobis(capacitance, along)
