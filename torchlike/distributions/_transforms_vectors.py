"""Transforms to the simplex and to triangular and positive definite matrices."""

from __future__ import annotations

import math
from typing import Any

import torchlike
from torchlike import Tensor
from torchlike.nn import functional as F

from . import _errors, constraints
from ._transforms_base import OneOfAKind, Transform
from ._transforms_numbers import clipped_sigmoid
from .utils import tril_matrix_to_vec, vec_to_tril_matrix


def _a_vector(shape: Any) -> Any:
    if len(shape) < 1:
        raise _errors.too_few_dimensions()
    return shape


class SoftmaxTransform(OneOfAKind):
    """The transform y = softmax(x) over the last dim, which is not bijective. The inverse returns log(y).

    Args:
      cache_size (int, default 0): 0 or 1, see `Transform`.

    >>> import torchlike as torch
    >>> torch.distributions.SoftmaxTransform()(torch.tensor([0.0, 0.0, 1.0]))
    tensor([0.2119, 0.2119, 0.5761])
    """

    domain = constraints.real_vector
    codomain = constraints.simplex

    def _call(self, x: Tensor) -> Tensor:
        weights = (x - x.max(-1, True)[0]).exp()
        return weights / weights.sum(-1, True)

    def _inverse(self, y: Tensor) -> Tensor:
        return y.log()

    def forward_shape(self, shape: Any) -> Any:
        return _a_vector(shape)

    inverse_shape = forward_shape


class StickBreakingTransform(OneOfAKind):
    """A transform from vectors of n numbers to the simplex with n + 1 entries, by stick-breaking.

    The stick has length 1. Each number determines the fraction that is broken off the remaining stick. The zero vector
    maps to the center of the simplex.

    Args:
      cache_size (int, default 0): 0 or 1, see `Transform`.

    >>> import torchlike as torch
    >>> torch.distributions.StickBreakingTransform()(torch.zeros(3))
    tensor([0.2500, 0.2500, 0.2500, 0.2500])
    """

    domain = constraints.real_vector
    codomain = constraints.simplex
    bijective = True

    def _shifted(self, x: Tensor) -> Tensor:
        left = x.shape[-1] + 1 - x.new_ones(x.shape[-1]).cumsum(-1)
        return x - left.log()

    def _call(self, x: Tensor) -> Tensor:
        share = clipped_sigmoid(self._shifted(x))
        rest = (1 - share).cumprod(-1)
        return F.pad(share, [0, 1], value=1) * F.pad(rest, [1, 0], value=1)

    def _inverse(self, y: Tensor) -> Tensor:
        broken = y[..., :-1]
        left = y.shape[-1] - broken.new_ones(broken.shape[-1]).cumsum(-1)
        rest = torchlike.clamp(1 - broken.cumsum(-1), min=torchlike.finfo(y.dtype).tiny)
        return broken.log() - rest.log() + left.log()

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        x = self._shifted(x)
        return (-x + F.logsigmoid(x) + y[..., :-1].log()).sum(-1)

    def forward_shape(self, shape: Any) -> Any:
        return _a_vector(shape)[:-1] + (shape[-1] + 1,)

    def inverse_shape(self, shape: Any) -> Any:
        return _a_vector(shape)[:-1] + (shape[-1] - 1,)


class CorrCholeskyTransform(Transform):
    """A transform from vectors of n (n - 1) / 2 numbers to Cholesky factors of n x n correlation matrices.

    tanh turns the numbers into partial correlations. Stick-breaking with the partial correlations gives rows of unit
    length.

    Args:
      cache_size (int, default 0): 0 or 1, see `Transform`.

    >>> import torchlike as torch
    >>> torch.distributions.CorrCholeskyTransform()(torch.tensor([1.0]))
    tensor([[1.0000, 0.0000],
            [0.7616, 0.6481]])
    """

    domain = constraints.real_vector
    codomain = constraints.corr_cholesky
    bijective = True

    def _call(self, x: Tensor) -> Tensor:
        eps = torchlike.finfo(x.dtype).eps
        partial = vec_to_tril_matrix(torchlike.tanh(x).clamp(min=-1 + eps, max=1 - eps), diag=-1)
        rest = (1 - partial**2).sqrt().cumprod(-1)
        with_diagonal = partial + torchlike.eye(partial.shape[-1], dtype=x.dtype, device=x.device)
        return with_diagonal * F.pad(rest[..., :-1], [1, 0], value=1)

    def _inverse(self, y: Tensor) -> Tensor:
        rest = 1 - torchlike.cumsum(y * y, dim=-1)
        before = tril_matrix_to_vec(F.pad(rest[..., :-1], [1, 0], value=1), diag=-1)
        partial = tril_matrix_to_vec(y, diag=-1) / before.sqrt()
        return (partial.log1p() - partial.neg().log1p()) / 2

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor, intermediates: Any = None) -> Tensor:
        rest = 1 - (y * y).cumsum(dim=-1)
        sticks = 0.5 * tril_matrix_to_vec(rest, diag=-2).log().sum(-1)
        return sticks - 2 * (x + F.softplus(-2 * x) - math.log(2.0)).sum(dim=-1)

    def forward_shape(self, shape: Any) -> Any:
        count = _a_vector(shape)[-1]
        size = round((0.25 + 2 * count) ** 0.5 + 0.5)
        if size * (size - 1) // 2 != count:
            raise ValueError("Input is not a flattened lower-diagonal number")
        return shape[:-1] + (size, size)

    def inverse_shape(self, shape: Any) -> Any:
        if len(shape) < 2:
            raise _errors.too_few_dimensions()
        if shape[-2] != shape[-1]:
            raise ValueError("Input is not square")
        return shape[:-2] + (shape[-1] * (shape[-1] - 1) // 2,)


class LowerCholeskyTransform(OneOfAKind):
    """A transform from square matrices to lower triangular matrices. The diagonal is exponentiated.

    The elements above the diagonal are dropped.

    Args:
      cache_size (int, default 0): 0 or 1, see `Transform`.

    >>> import torchlike as torch
    >>> torch.distributions.LowerCholeskyTransform()(torch.ones(2, 2))
    tensor([[2.7183, 0.0000],
            [1.0000, 2.7183]])
    """

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.lower_cholesky

    def _call(self, x: Tensor) -> Tensor:
        return x.tril(-1) + x.diagonal(dim1=-2, dim2=-1).exp().diag_embed()

    def _inverse(self, y: Tensor) -> Tensor:
        return y.tril(-1) + y.diagonal(dim1=-2, dim2=-1).log().diag_embed()


class PositiveDefiniteTransform(OneOfAKind):
    """A transform from square matrices to positive definite matrices L @ L.T, where L = LowerCholeskyTransform()(x).

    Args:
      cache_size (int, default 0): 0 or 1, see `Transform`.

    >>> import torchlike as torch
    >>> torch.distributions.PositiveDefiniteTransform()(torch.zeros(2, 2))
    tensor([[1., 0.],
            [0., 1.]])
    """

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.positive_definite

    def _call(self, x: Tensor) -> Tensor:
        factor = LowerCholeskyTransform()(x)
        return factor @ factor.mT

    def _inverse(self, y: Tensor) -> Tensor:
        return LowerCholeskyTransform().inv(torchlike.linalg.cholesky(y))
