"""The two formulas that weight norm and spectral norm share with their parametrizations."""

from __future__ import annotations

from typing import Any

import torchlike
from torchlike import Tensor
from torchlike.nn import functional as F


def norm_except_dim(v: Tensor, dim: int) -> Tensor:
    """The Euclidean norm over every dimension but `dim`, kept as size 1; over all of them for dim -1."""
    if dim == -1:
        return v.norm()
    dims = [d for d in range(v.dim()) if d != dim % v.dim()]
    return torchlike.sqrt((v * v).sum(dims, keepdim=True)) if dims else v.abs()


def weight_norm(v: Tensor, g: Tensor, dim: int) -> Tensor:
    """v scaled to the norms g."""
    return v * (g / norm_except_dim(v, dim))


def as_matrix(weight: Tensor, dim: int) -> Tensor:
    """The weight with `dim` as rows and everything else as columns."""
    if dim != 0:
        weight = weight.permute(dim, *[d for d in range(weight.dim()) if d != dim])
    return weight.reshape(weight.size(0), -1)


def power_iterations(matrix: Tensor, u: Tensor, v: Tensor, count: int, eps: float, first: str) -> tuple[Any, Any]:
    """Singular vectors of the largest singular value, better by `count` steps that begin with `first`."""
    for _ in range(count):
        if first == "u":
            u = F.normalize(torchlike.mv(matrix, v), dim=0, eps=eps)
            v = F.normalize(torchlike.mv(matrix.t(), u), dim=0, eps=eps)
        else:
            v = F.normalize(torchlike.mv(matrix.t(), u), dim=0, eps=eps)
            u = F.normalize(torchlike.mv(matrix, v), dim=0, eps=eps)
    return u, v


def spectral_dim(module: Any) -> int:
    """The output channels' dimension of a layer's weight."""
    from torchlike.nn.modules.conv import _ConvTransposeNd

    return 1 if isinstance(module, _ConvTransposeNd) else 0
