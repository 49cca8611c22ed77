"""The orthogonal parametrization, which gives a matrix orthonormal columns (orthonormal rows if it is wide)."""

from __future__ import annotations

from enum import Enum, auto

import torchlike
from torchlike import Tensor
from torchlike.nn.modules.module import Module
from torchlike.nn.utils import _errors
from torchlike.nn.utils.parametrize import register_parametrization


class _OrthMaps(Enum):
    matrix_exp = auto()
    cayley = auto()
    householder = auto()


def _nearest_by_qr(matrix: Tensor) -> Tensor:
    """Return the orthonormal factor Q of the QR decomposition.

    The signs are chosen such that an orthonormal matrix is returned unchanged.
    """
    reflectors, tau = torchlike.geqrf(matrix)
    factor = torchlike.linalg.householder_product(reflectors, tau)
    return factor * reflectors.diagonal(dim1=-2, dim2=-1).sgn().unsqueeze(-2)


def _is_orthonormal(matrix: Tensor) -> bool:
    size = matrix.size(-1)
    identity = torchlike.eye(size, dtype=matrix.dtype, device=matrix.device)
    allowed = 10.0 * size * torchlike.finfo(matrix.dtype).eps
    return torchlike.allclose(matrix.mH @ matrix, identity, atol=allowed)


class _Orthogonal(Module):
    """The parametrization of an orthonormal matrix by the lower triangle of an unconstrained matrix.

    With `use_trivialization` the matrix `base` multiplies the result from the left.
    """

    base: Tensor | None

    def __init__(self, weight: Tensor, orthogonal_map: _OrthMaps, *, use_trivialization: bool = True) -> None:
        super().__init__()
        if weight.is_complex() and orthogonal_map == _OrthMaps.householder:
            raise ValueError("The householder parametrization does not support complex tensors.")
        self.shape = weight.shape
        self.orthogonal_map = orthogonal_map
        if use_trivialization:
            self.register_buffer("base", None)

    def forward(self, X: Tensor) -> Tensor:
        n, k = X.size(-2), X.size(-1)
        is_wide = n < k
        if is_wide:
            X, n, k = X.mT, k, n
        Q = self._reflected(X) if self.orthogonal_map == _OrthMaps.householder else self._rotated(X, n, k)
        if "base" in self._buffers:
            Q = self.base @ Q
        return Q.mT if is_wide else Q

    def _rotated(self, X: Tensor, n: int, k: int) -> Tensor:
        """Make a skew-symmetric matrix from the lower triangle of `X`. Return its matrix exponential or Cayley map."""
        X = X.tril()
        if n != k:
            X = torchlike.cat([X, X.new_zeros(n, n - k).expand(*X.shape[:-2], -1, -1)], dim=-1)
        A = X - X.mH
        if self.orthogonal_map == _OrthMaps.matrix_exp:
            Q = torchlike.matrix_exp(A)
        else:
            identity = torchlike.eye(n, dtype=A.dtype, device=A.device)
            Q = torchlike.linalg.solve(identity - 0.5 * A, identity + 0.5 * A)
        return Q[..., :k] if n != k else Q

    @staticmethod
    def _reflected(X: Tensor) -> Tensor:
        """Return the product of Householder reflections. `X` holds their vectors below the diagonal and signs on it."""
        A = X.tril(diagonal=-1)
        tau = 2.0 / (1.0 + (A * A).sum(dim=-2))
        Q = torchlike.linalg.householder_product(A, tau)
        return Q * X.diagonal(dim1=-2, dim2=-1).int().unsqueeze(-2)

    @torchlike.no_grad()
    def right_inverse(self, Q: Tensor) -> Tensor:
        if Q.shape != self.shape:
            raise ValueError(
                f"Expected a matrix or batch of matrices of shape {self.shape}. Got a tensor of shape {Q.shape}."
            )
        n, k = Q.size(-2), Q.size(-1)
        tall = Q.mT if n < k else Q
        if "base" in self._buffers:
            self.base = self._completed(tall)
            original = torchlike.zeros_like(Q)
            original.diagonal(dim1=-2, dim2=-1).fill_(-1.0)
            return original
        if self.orthogonal_map != _OrthMaps.householder:
            raise NotImplementedError(
                "It is not possible to assign to the matrix exponential or the Cayley parametrizations when "
                "use_trivialization=False."
            )
        A, tau = torchlike.geqrf(tall)
        signs = A.diagonal(dim1=-2, dim2=-1)
        signs.sign_()
        signs[tau == 0.0] *= -1
        return A.mT if n < k else A

    @staticmethod
    def _completed(tall: Tensor) -> Tensor:
        """Return a square orthonormal matrix: the orthonormalized columns of `tall`, followed by random columns."""
        n, k = tall.size(-2), tall.size(-1)
        if n == k:
            return tall.clone() if _is_orthonormal(tall) else _nearest_by_qr(tall)
        drawn = torchlike.randn(*tall.shape[:-2], n, n - k, dtype=tall.dtype, device=tall.device)
        return _nearest_by_qr(torchlike.cat([tall, drawn], dim=-1))


def orthogonal(
    module: Module, name: str = "weight", orthogonal_map: str | None = None, *, use_trivialization: bool = True
) -> Module:
    """Parametrize `name`, a matrix or a batch of matrices, to have orthonormal columns, or rows if it is wide.

    Args:
      module: the module, which is changed.
      name: the name of the parameter.
      orthogonal_map: "matrix_exp", "cayley" or "householder". The default is "matrix_exp" for square and for complex
        matrices, and "householder" otherwise.
      use_trivialization: the map is relative to the last assigned matrix.

    Returns:
      The module.

    Raises:
      ValueError: there is no such tensor, it has fewer than two dimensions, or the map is unknown.

    >>> import torchlike as torch
    >>> layer = torch.nn.utils.parametrizations.orthogonal(torch.nn.Linear(3, 2))
    >>> layer.weight.shape
    torch.Size([2, 3])
    """
    weight = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    if weight.ndim < 2:
        raise ValueError(f"Expected a matrix or batch of matrices. Got a tensor of {weight.ndim} dimensions.")
    if orthogonal_map is None:
        square = weight.shape[-2] == weight.shape[-1] or weight.is_complex()
        orthogonal_map = "matrix_exp" if square else "householder"
    chosen = _OrthMaps.__members__.get(orthogonal_map)
    if chosen is None:
        raise _errors.orthogonal_map(orthogonal_map)
    made = _Orthogonal(weight, chosen, use_trivialization=use_trivialization)
    register_parametrization(module, name, made, unsafe=True)
    return module
