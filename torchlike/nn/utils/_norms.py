"""The formulas of weight norm and spectral norm, shared by the hooks and the parametrizations."""

from __future__ import annotations

from typing import Any

import torchlike
from torchlike import Tensor
from torchlike._internal import wrong_type
from torchlike.nn import functional as F


def norm_except_dim(v: Tensor, dim: int) -> Tensor:
    """Return the Euclidean norm over every dimension but `dim`, with reduced dimensions kept at size 1.

    If `dim` is -1, the norm is over all dimensions and the result is a 0-d tensor.

    Args:
      v (Tensor): the tensor.
      dim (int): the dimension that is kept, or -1.

    >>> norm_except_dim(torchlike.tensor([[3.0, 4.0], [6.0, 8.0]]), 0)
    tensor([[ 5.],
            [10.]])
    """
    if not hasattr(dim, "__index__") or isinstance(dim, bool):
        raise wrong_type("norm_except_dim", "dim", 3, "int", dim)
    if dim == -1:
        return v.norm()
    v.size(dim)  # raises if there is no such dimension
    dims = [d for d in range(v.dim()) if d != dim % v.dim()]
    return torchlike.sqrt((v * v).sum(dims, keepdim=True)) if dims else v.abs()


def weight_norm(v: Tensor, g: Tensor, dim: int) -> Tensor:
    """Return `v` rescaled to the norms `g`."""
    return v * (g / norm_except_dim(v, dim))


def as_matrix(weight: Tensor, dim: int) -> Tensor:
    """Return the weight as a matrix: `dim` becomes the rows, and the other dimensions are flattened to columns.

    Args:
      weight (Tensor): the weight, with at least one dimension.
      dim (int): the dimension of the rows, not negative.

    >>> as_matrix(torchlike.ones(2, 3, 4), 1).shape
    torch.Size([3, 8])
    """
    if dim != 0:
        weight = weight.permute(dim, *[d for d in range(weight.dim()) if d != dim])
    return weight.reshape(weight.size(0), -1)


def power_iterations(matrix: Tensor, u: Tensor, v: Tensor, count: int, eps: float, first: str) -> tuple[Any, Any]:
    """Refine estimates of the singular vectors of the largest singular value by power iterations.

    Args:
      matrix (Tensor): the matrix, (n, m).
      u (Tensor): the estimate of the left singular vector, (n,).
      v (Tensor): the estimate of the right singular vector, (m,).
      count (int): the number of iterations.
      eps (float): the least divisor when vectors are normalized.
      first (str): "u" or "v", the vector that each iteration updates before the other one.

    Returns:
      The new estimates of `u` and `v`, as unit vectors.

    >>> ones = torchlike.ones(2)
    >>> u, v = power_iterations(torchlike.diag(torchlike.tensor([3.0, 1.0])), ones, ones, 20, 1e-12, "u")
    >>> torchlike.allclose(u, torchlike.tensor([1.0, 0.0]))
    True
    """
    for _ in range(count):
        if first == "u":
            u = F.normalize(torchlike.mv(matrix, v), dim=0, eps=eps)
            v = F.normalize(torchlike.mv(matrix.t(), u), dim=0, eps=eps)
        else:
            v = F.normalize(torchlike.mv(matrix.t(), u), dim=0, eps=eps)
            u = F.normalize(torchlike.mv(matrix, v), dim=0, eps=eps)
    return u, v


def spectral_dim(module: Any) -> int:
    """Return the dimension of a layer's weight that holds the output channels.

    Args:
      module (Module): the layer. The result is 1 for transposed convolutions, and otherwise 0.

    >>> spectral_dim(torchlike.nn.Linear(2, 3)), spectral_dim(torchlike.nn.ConvTranspose1d(2, 3, 1))
    (0, 1)
    """
    from torchlike.nn.modules.conv import _ConvTransposeNd

    return 1 if isinstance(module, _ConvTransposeNd) else 0
