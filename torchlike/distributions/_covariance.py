"""The base of distributions that take a covariance matrix, its inverse or its Cholesky factor."""

from __future__ import annotations

from typing import Any

import torchlike
from torchlike import Tensor

from ._matrices import factor_of_inverse
from .distribution import Distribution
from .utils import lazy_property


class OfCovariance(Distribution):
    """A distribution that is given by `covariance_matrix`, `precision_matrix` or `scale_tril`, of shape (..., n, n)."""

    _unbroadcasted_scale_tril: Tensor

    @staticmethod
    def _only_given(refusal: type[Exception] = ValueError, **given: Any) -> tuple[str, Tensor]:
        found = [(name, matrix) for name, matrix in given.items() if matrix is not None]
        if len(found) != 1:
            raise refusal("Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified.")
        return found[0]

    def _factor(self, name: str, matrix: Tensor) -> Tensor:
        """Return the lower Cholesky factor of the covariance, given the matrix called `name`."""
        if name == "scale_tril":
            return matrix
        return torchlike.linalg.cholesky(matrix) if name == "covariance_matrix" else factor_of_inverse(matrix)

    def _expand_to_batch(self, matrix: Tensor) -> Tensor:
        n = matrix.shape[-1]
        return matrix.expand(self._batch_shape + (n, n))

    @lazy_property
    def scale_tril(self) -> Tensor:
        """The lower Cholesky factor of the covariance."""
        return self._expand_to_batch(self._unbroadcasted_scale_tril)

    @lazy_property
    def covariance_matrix(self) -> Tensor:
        """The covariance."""
        return self._expand_to_batch(self._unbroadcasted_scale_tril @ self._unbroadcasted_scale_tril.mT)

    @lazy_property
    def precision_matrix(self) -> Tensor:
        """The inverse of the covariance."""
        return self._expand_to_batch(torchlike.cholesky_inverse(self._unbroadcasted_scale_tril))
