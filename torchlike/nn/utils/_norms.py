"""The formulas of weight norm and spectral norm, shared by the hooks and the parametrizations."""

from __future__ import annotations

from typing import Any

import torchlike
from torchlike import Tensor
from torchlike.nn import functional as F


def norm_except_dim(v: Tensor, dim: int) -> Tensor:
    """Return the Euclidean norm over every dimension but `dim`, with reduced dimensions kept at size 1.

    If `dim` is -1, the norm is over all dimensions and the result is a 0-d tensor.
    """
    if dim == -1:
        return v.norm()
    dims = [d for d in range(v.dim()) if d != dim % v.dim()]
    return torchlike.sqrt((v * v).sum(dims, keepdim=True)) if dims else v.abs()


def weight_norm(v: Tensor, g: Tensor, dim: int) -> Tensor:
    """Return `v` rescaled to the norms `g`."""
    return v * (g / norm_except_dim(v, dim))


def as_matrix(weight: Tensor, dim: int) -> Tensor:
    """Return the weight as a matrix: `dim` becomes the rows, and the other dimensions are flattened to columns."""
    if dim != 0:
        weight = weight.permute(dim, *[d for d in range(weight.dim()) if d != dim])
    return weight.reshape(weight.size(0), -1)


def power_iterations(matrix: Tensor, u: Tensor, v: Tensor, count: int, eps: float, first: str) -> tuple[Any, Any]:
    """Refine estimates of the singular vectors of the largest singular value by `count` power iterations.

    Each iteration updates the vector `first` ("u" or "v") before the other one.
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
    """Return the dimension of a layer's weight that holds the output channels."""
    from torchlike.nn.modules.conv import _ConvTransposeNd

    return 1 if isinstance(module, _ConvTransposeNd) else 0
