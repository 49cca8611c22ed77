"""The multivariate normal distribution."""

from __future__ import annotations

import math
from typing import Any

import torchlike
from torchlike import Size, Tensor

from . import _errors, constraints
from ._covariance import OfCovariance
from ._matrices import factor_of_inverse as _precision_to_scale_tril  # noqa: F401, as libraries import it
from ._matrices import log_diagonal, mahalanobis, matrix_vector
from ._matrices import mahalanobis as _batch_mahalanobis  # noqa: F401  # other projects import it
from ._matrices import matrix_vector as _batch_mv  # noqa: F401
from .distribution import Distribution as Distribution
from .utils import lazy_property as lazy_property
from .utils import standard_normal


class MultivariateNormal(OfCovariance):
    """The multivariate normal distribution with mean `loc` (..., n).

    Exactly one of the three matrices must be given. `scale_tril` is cheapest, because no factorization is needed.

    Args:
      loc (Tensor): the mean, (..., n).
      covariance_matrix (Tensor, optional): the covariance, (..., n, n), symmetric and positive definite.
      precision_matrix (Tensor, optional): the inverse of the covariance, (..., n, n).
      scale_tril (Tensor, optional): the Cholesky factor of the covariance, (..., n, n): lower triangular, with a
        positive diagonal.
      validate_args (bool, optional): check the parameters and values. Default: see `Distribution`.

    Raises:
      ValueError: none or several of the matrices are given, `loc` is a 0-d tensor, or a matrix has fewer than two dims.

    >>> import torchlike as torch
    >>> torch.distributions.MultivariateNormal(torch.zeros(2), torch.eye(2)).log_prob(torch.ones(2))
    tensor(-2.8379)
    """

    arg_constraints = {
        "loc": constraints.real_vector,
        "covariance_matrix": constraints.positive_definite,
        "precision_matrix": constraints.positive_definite,
        "scale_tril": constraints.lower_cholesky,
    }
    support = constraints.real_vector
    has_rsample = True
    loc: Tensor

    def __init__(
        self,
        loc: Tensor,
        covariance_matrix: Tensor | None = None,
        precision_matrix: Tensor | None = None,
        scale_tril: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        if loc.dim() < 1:
            raise _errors.no_vector("loc")
        name, matrix = self._only_given(
            covariance_matrix=covariance_matrix, scale_tril=scale_tril, precision_matrix=precision_matrix
        )
        if matrix.dim() < 2:
            raise _errors.no_matrix(name + (" matrix" if name == "scale_tril" else ""))
        batch_shape = torchlike.broadcast_shapes(matrix.shape[:-2], loc.shape[:-1])
        setattr(self, name, matrix.expand(batch_shape + (-1, -1)))
        self.loc = loc.expand(batch_shape + (-1,))
        super().__init__(batch_shape, self.loc.shape[-1:], validate_args=validate_args)
        self._unbroadcasted_scale_tril = self._factor(name, matrix)

    @property
    def mean(self) -> Tensor:
        return self.loc

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Tensor:
        return self._unbroadcasted_scale_tril.pow(2).sum(-1).expand(self._batch_shape + self._event_shape)

    def rsample(self, sample_shape: Any = Size()) -> Tensor:
        noise = standard_normal(self._extended_shape(sample_shape), self.loc)
        return self.loc + matrix_vector(self._unbroadcasted_scale_tril, noise)

    def log_prob(self, value: Tensor) -> Tensor:
        distance = mahalanobis(self._unbroadcasted_scale_tril, self._checked(value) - self.loc)
        half_log_det = log_diagonal(self._unbroadcasted_scale_tril)
        return -0.5 * (self._event_shape[0] * math.log(2 * math.pi) + distance) - half_log_det

    def entropy(self) -> Tensor:
        half_log_det = log_diagonal(self._unbroadcasted_scale_tril)
        entropy = 0.5 * self._event_shape[0] * (1.0 + math.log(2 * math.pi)) + half_log_det
        return entropy.expand(self._batch_shape) if self._batch_shape else entropy
