"""The Wishart distribution."""

from __future__ import annotations

import math
from numbers import Number
from typing import Any

import torchlike
from torchlike import Size, Tensor
from torchlike._internal import warn

from . import _errors, constraints
from ._covariance import OfCovariance
from ._matrices import log_diagonal, multivariate_lgamma
from .chi2 import Chi2
from .exp_family import ExponentialFamily
from .utils import lazy_property as lazy_property
from .utils import vec_to_tril_matrix


class Wishart(OfCovariance, ExponentialFamily):
    """The distribution of positive definite matrices (..., n, n): the scatter matrices of `df` normal vectors.

    Exactly one of the three matrices must be given.

    Args:
      df (number or Tensor): the degrees of freedom, above n - 1. Below n, samples can be singular, and the constructor
        warns.
      covariance_matrix (Tensor, optional): the covariance of the normal vectors, (..., n, n).
      precision_matrix (Tensor, optional): the inverse of the covariance, (..., n, n).
      scale_tril (Tensor, optional): the lower Cholesky factor of the covariance, (..., n, n).
      validate_args (bool, optional): check the parameters and values. Default: see `Distribution`.

    Raises:
      AssertionError: none or several of the matrices are given.
      ValueError: `df` is at most n - 1, or a matrix has fewer than two dims.

    >>> import torchlike as torch
    >>> torch.distributions.Wishart(3.0, torch.eye(2)).mean
    tensor([[3., 0.],
            [0., 3.]])
    """

    support = constraints.positive_definite
    has_rsample = True
    _mean_carrier_measure = 0
    df: Tensor

    @property
    def arg_constraints(self) -> dict[str, Any]:
        return {
            "covariance_matrix": constraints.positive_definite,
            "precision_matrix": constraints.positive_definite,
            "scale_tril": constraints.lower_cholesky,
            "df": constraints.greater_than(self.event_shape[-1] - 1),
        }

    def __init__(
        self,
        df: Any,
        covariance_matrix: Tensor | None = None,
        precision_matrix: Tensor | None = None,
        scale_tril: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        name, matrix = self._only_given(
            AssertionError,
            covariance_matrix=covariance_matrix,
            scale_tril=scale_tril,
            precision_matrix=precision_matrix,
        )
        if matrix.dim() < 2:
            raise ValueError("scale_tril must be at least two-dimensional, with optional leading batch dimensions")
        if isinstance(df, Number):
            df = torchlike.tensor(df, dtype=matrix.dtype, device=matrix.device)
        batch_shape, event_shape = torchlike.broadcast_shapes(matrix.shape[:-2], df.shape), matrix.shape[-2:]
        n = event_shape[-1]
        self.df = df.expand(batch_shape)
        if (self.df <= n - 1).any():
            raise ValueError(f"Value of df={df} expected to be greater than ndim - 1 = {n - 1}.")
        setattr(self, name, matrix.expand(batch_shape + (-1, -1)))
        super().__init__(batch_shape, event_shape, validate_args=validate_args)
        if (self.df < n).any():
            warn(_errors.singular_likely())
        self._unbroadcasted_scale_tril = self._factor(name, matrix)
        steps = torchlike.arange(n, dtype=self._unbroadcasted_scale_tril.dtype, device=matrix.device)
        self._dist_chi2 = Chi2(df=self.df.unsqueeze(-1) - steps.expand(batch_shape + (-1,)))

    def _expanded(self, name: str, value: Any, batch_shape: Size) -> Any:
        if name == "_dist_chi2":
            return value.expand(batch_shape + (-1,))
        return super()._expanded(name, value, batch_shape)

    @property
    def mean(self) -> Tensor:
        return self.df.view(self._batch_shape + (1, 1)) * self.covariance_matrix

    @property
    def mode(self) -> Tensor:
        """The mode. NaN where `df` is at most n + 1, since there is no mode."""
        factor = self.df - self.covariance_matrix.shape[-1] - 1
        factor = torchlike.where(factor <= 0, torchlike.nan, factor)
        return factor.view(self._batch_shape + (1, 1)) * self.covariance_matrix

    @property
    def variance(self) -> Tensor:
        covariance = self.covariance_matrix
        diagonal = covariance.diagonal(dim1=-2, dim2=-1)
        squares = covariance.pow(2) + diagonal.unsqueeze(-1) * diagonal.unsqueeze(-2)
        return self.df.view(self._batch_shape + (1, 1)) * squares

    def _bartlett_sampling(self, sample_shape: Any = Size()) -> Tensor:
        """Return samples by the Bartlett decomposition.

        The entries of the triangular factor are chi-distributed on the diagonal and normal below it.
        """
        n = self._event_shape[-1]
        noise = self._dist_chi2.rsample(sample_shape).sqrt().diag_embed(dim1=-2, dim2=-1)
        below = torchlike.randn(
            Size(sample_shape) + self._batch_shape + (n * (n - 1) // 2,), dtype=noise.dtype, device=noise.device
        )
        factor = self._unbroadcasted_scale_tril @ (noise + vec_to_tril_matrix(below, diag=-1) if n > 1 else noise)
        return factor @ factor.mT

    def rsample(self, sample_shape: Any = Size(), max_try_correction: int | None = None) -> Tensor:
        """Return a reparametrized sample: gradients flow to the parameters.

        As in PyTorch, a sample that is positive definite is sampled a second time, with a warning. This reproduces
        PyTorch's numbers. Second samples that are singular are sampled again. `max_try_correction` (3 by default) is
        the maximum number of samples after the first. A sample with batch dims is sampled again as a whole.
        """
        sample = self._bartlett_sampling(sample_shape)
        again = self._in_any_batch(self.support.check(sample))
        if not again.any():
            return sample
        warn("Singular sample detected.")
        for _ in range(3 if max_try_correction is None else max_try_correction):
            drawn = self._bartlett_sampling((int(again.sum()),))
            sample[again] = drawn
            singular = self._in_any_batch(~self.support.check(drawn))
            if not singular.any():
                break
            again[again.clone()] = singular
        return sample

    def _in_any_batch(self, found: Tensor) -> Tensor:
        for _ in self._batch_shape:
            found = found.any(-1)
        return found

    def log_prob(self, value: Tensor) -> Tensor:
        value, nu, n = self._checked(value), self.df, self._event_shape[-1]
        factor = self._unbroadcasted_scale_tril
        normalizer = nu * (n * math.log(2) / 2 + log_diagonal(factor)) + multivariate_lgamma(nu / 2, n)
        power = (nu - n - 1) / 2 * torchlike.linalg.slogdet(value).logabsdet
        factor = factor.expand(torchlike.broadcast_shapes(factor.shape[:-2], value.shape[:-2]) + (n, n))
        solved = torchlike.cholesky_solve(value.expand(factor.shape), factor)
        return power - normalizer - solved.diagonal(dim1=-2, dim2=-1).sum(dim=-1) / 2

    def entropy(self) -> Tensor:
        nu, n = self.df, self._event_shape[-1]
        steps = torchlike.arange(0, n, dtype=nu.dtype, device=nu.device) * -0.5
        digammas = torchlike.digamma(nu.unsqueeze(-1) / 2 + steps).sum(-1)
        volume = (n + 1) * (n * math.log(2) / 2 + log_diagonal(self._unbroadcasted_scale_tril))
        return volume + multivariate_lgamma(nu / 2, n) - (nu - n - 1) / 2 * digammas + nu * n / 2

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        nu, n = self.df, self._event_shape[-1]
        return -self.precision_matrix / 2, (nu - n - 1) / 2

    def _log_normalizer(self, x: Tensor, y: Tensor) -> Tensor:
        n = self._event_shape[-1]
        power = y + (n + 1) / 2
        return power * (-torchlike.linalg.slogdet(-2 * x).logabsdet + math.log(2) * n) + multivariate_lgamma(power, n)
