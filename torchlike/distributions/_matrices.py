"""Products and triangular solves for batches of vectors and matrices."""

from __future__ import annotations

import math

import torchlike
from torchlike import Tensor


def matrix_vector(matrix: Tensor, vector: Tensor) -> Tensor:
    """Multiply matrices (..., n, m) by vectors (..., m). The result is (..., n)."""
    return torchlike.matmul(matrix, vector.unsqueeze(-1)).squeeze(-1)


def log_diagonal(factor: Tensor) -> Tensor:
    """Return the sum of the logarithms of the diagonal of `factor` (..., n, n).

    This is half the log-determinant of factor @ factor.T.
    """
    return factor.diagonal(dim1=-2, dim2=-1).log().sum(-1)


def mahalanobis(factor: Tensor, x: Tensor) -> Tensor:
    """Return x^T M^-1 x for M = factor @ factor.T. The shapes are (..., n, n), (..., n) -> (...)."""
    if factor.dim() == 2:  # one system with many right-hand sides
        n = x.shape[-1]
        solved = torchlike.linalg.solve_triangular(factor, x.reshape(-1, n).T, upper=False)
        return solved.pow(2).sum(0).reshape(x.shape[:-1])
    shape = torchlike.broadcast_shapes(factor.shape[:-2], x.shape[:-1])
    factor, x = factor.expand(shape + factor.shape[-2:]), x.expand(shape + x.shape[-1:])
    return torchlike.linalg.solve_triangular(factor, x.unsqueeze(-1), upper=False).pow(2).sum((-2, -1))


def factor_of_inverse(precision: Tensor) -> Tensor:
    """Return the lower Cholesky factor of the inverse of a positive definite matrix."""
    # Reversing rows and columns gives P = U U^T with upper triangular U. U^-T is the Cholesky factor of the inverse.
    reversed_factor = torchlike.linalg.cholesky(torchlike.flip(precision, (-2, -1)))
    transposed = torchlike.transpose(torchlike.flip(reversed_factor, (-2, -1)), -2, -1)
    identity = torchlike.eye(precision.shape[-1], dtype=precision.dtype, device=precision.device)
    return torchlike.linalg.solve_triangular(transposed, identity, upper=False)


def multivariate_lgamma(a: Tensor, p: int) -> Tensor:
    """Return the logarithm of the multivariate gamma function."""
    steps = torchlike.arange(0, p, dtype=a.dtype, device=a.device) * -0.5
    return (a.unsqueeze(-1) + steps).lgamma().sum(-1) + p * (p - 1) / 4 * math.log(math.pi)
