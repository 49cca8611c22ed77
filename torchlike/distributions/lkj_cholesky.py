"""The LKJ distribution."""

from __future__ import annotations

import math
from typing import Any

import torchlike
from torchlike import Size, Tensor

from . import _errors, constraints
from ._matrices import multivariate_lgamma
from .beta import Beta
from .distribution import Distribution
from .utils import broadcast_all as broadcast_all


class LKJCholesky(Distribution):
    """Cholesky factors of dim x dim correlation matrices M with density proportional to det(M) ** (concentration - 1).

    Draws are made by the "onion" method (Lewandowski, Kurowicka and Joe, 2009).
    """

    arg_constraints = {"concentration": constraints.positive}
    support = constraints.corr_cholesky
    concentration: Tensor

    def __init__(self, dim: int, concentration: Any = 1.0, validate_args: bool | None = None) -> None:
        if dim < 2:
            raise _errors.correlation_size(dim)
        self.dim = dim
        shape = self._set(concentration=concentration)
        # Row by row, the squared length of what lies left of the diagonal.
        steps = torchlike.arange(dim - 1, dtype=self.concentration.dtype, device=self.concentration.device)
        steps = torchlike.cat([torchlike.zeros(1, dtype=steps.dtype, device=steps.device), steps])
        left = (self.concentration + 0.5 * (dim - 2)).unsqueeze(-1) - 0.5 * steps
        self._beta = Beta(steps + 0.5, left)
        super().__init__(shape, Size((dim, dim)), validate_args=validate_args)

    def _expanded(self, name: str, value: Any, batch_shape: Size) -> Any:
        return super()._expanded(name, value, batch_shape + (self.dim,) if name == "_beta" else batch_shape)

    def sample(self, sample_shape: Any = Size()) -> Tensor:
        with torchlike.no_grad():
            lengths = self._beta.sample(sample_shape).unsqueeze(-1)
            shape = self._extended_shape(sample_shape)
            normal = torchlike.randn(shape, dtype=lengths.dtype, device=lengths.device).tril(-1)
            sphere = normal / normal.norm(dim=-1, keepdim=True)
            sphere[..., 0, :].fill_(0.0)
            rows = torchlike.sqrt(lengths) * sphere
            tiny = torchlike.finfo(rows.dtype).tiny
            diagonal = torchlike.clamp(1 - torchlike.sum(rows**2, dim=-1), min=tiny).sqrt()
            return rows + torchlike.diag_embed(diagonal)

    def log_prob(self, value: Tensor) -> Tensor:
        diagonal = self._checked(value).diagonal(dim1=-1, dim2=-2)[..., 1:]
        orders = torchlike.arange(2, self.dim + 1, device=self.concentration.device)
        orders = 2 * (self.concentration - 1).unsqueeze(-1) + self.dim - orders
        density = torchlike.sum(orders * diagonal.log(), dim=-1)
        less = self.dim - 1
        alpha = self.concentration + 0.5 * less
        normalizer = multivariate_lgamma(alpha - 0.5, less) - torchlike.lgamma(alpha) * less
        return density - (0.5 * less * math.log(math.pi) + normalizer)
