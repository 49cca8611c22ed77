"""Ready-made parametrizations."""

from __future__ import annotations

from typing import Any

import torchlike
from torchlike import Tensor
from torchlike.nn import functional as F
from torchlike.nn.modules.module import Module
from torchlike.nn.utils import _errors
from torchlike.nn.utils._norms import as_matrix, norm_except_dim, power_iterations, spectral_dim
from torchlike.nn.utils._norms import weight_norm as _scaled_to
from torchlike.nn.utils._orthogonal import orthogonal as orthogonal
from torchlike.nn.utils.parametrize import register_parametrization


class _WeightNorm(Module):
    """The parametrization of a weight by its norms and its direction."""

    def __init__(self, dim: int | None = 0) -> None:
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g: Tensor, weight_v: Tensor) -> Tensor:
        return _scaled_to(weight_v, weight_g, self.dim)

    def right_inverse(self, weight: Tensor) -> tuple[Tensor, Tensor]:
        return norm_except_dim(weight, self.dim), weight


def weight_norm(module: Module, name: str = "weight", dim: int = 0) -> Module:
    """Parametrize `name` as a direction (`original1`) scaled to norms (`original0`), and return the module.

    Args:
      module: the module, which is changed.
      name: the name of the parameter.
      dim: the norms are taken over all dimensions but this one. None means one norm for the whole tensor.

    >>> import torchlike as torch
    >>> layer = torch.nn.utils.parametrizations.weight_norm(torch.nn.Linear(3, 2))
    >>> layer.parametrizations.weight.original0.shape
    torch.Size([2, 1])
    """
    return register_parametrization(module, name, _WeightNorm(dim), unsafe=True)


class _SpectralNorm(Module):
    """The parametrization that divides a weight by its largest singular value.

    Power iterations refine the estimate of the singular value in training mode. A vector is divided by its norm.
    """

    def __init__(self, weight: Tensor, n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12) -> None:
        super().__init__()
        self.dim = dim if dim >= 0 else dim + weight.dim()
        self.eps = eps
        if weight.dim() > 1:
            if n_power_iterations <= 0:
                raise _errors.power_iterations(n_power_iterations)
            self.n_power_iterations = n_power_iterations
            matrix = as_matrix(weight, self.dim)
            rows, columns = matrix.size()
            u, v = matrix.new_empty(rows).normal_(0, 1), matrix.new_empty(columns).normal_(0, 1)
            self.register_buffer("_u", F.normalize(u, dim=0, eps=eps))
            self.register_buffer("_v", F.normalize(v, dim=0, eps=eps))
            self._power_method(matrix, 15)

    def _power_method(self, matrix: Tensor, count: int) -> None:
        with torchlike.no_grad():
            u, v = power_iterations(matrix, self._u, self._v, count, self.eps, first="u")
            self._u.copy_(u)
            self._v.copy_(v)

    def forward(self, weight: Tensor) -> Tensor:
        if weight.dim() == 1:
            return F.normalize(weight, dim=0, eps=self.eps)
        matrix = as_matrix(weight, self.dim)
        if self.training:
            self._power_method(matrix, self.n_power_iterations)
        u, v = self._u.clone(), self._v.clone()
        return weight / torchlike.vdot(u, torchlike.mv(matrix, v))

    def right_inverse(self, value: Tensor) -> Tensor:
        return value


def spectral_norm(
    module: Module, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None
) -> Any:
    """Add a parametrization that divides `name` by its largest singular value, and return the module.

    Args:
      module: the module, which is changed.
      name: the name of the parameter.
      n_power_iterations: the number of iterations that refine the estimate at each forward in training mode.
      eps: the least divisor when vectors are normalized.
      dim: the dimension of the output channels: 1 for a transposed convolution, otherwise 0 by default.

    Raises:
      ValueError: there is no such tensor, or `n_power_iterations` is not positive.

    >>> import torchlike as torch
    >>> layer = torch.nn.utils.parametrizations.spectral_norm(torch.nn.Linear(3, 2))
    >>> layer.weight.shape
    torch.Size([2, 3])
    """
    weight = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise _errors.nothing_to_parametrize(module, name)
    dim = spectral_dim(module) if dim is None else dim
    return register_parametrization(module, name, _SpectralNorm(weight, n_power_iterations, dim, eps))
