"""Layers that compute distances and similarities of vectors."""

from __future__ import annotations

from torchlike import Tensor
from torchlike.nn import functional as F
from torchlike.nn.modules.module import Module

__all__ = ["PairwiseDistance", "CosineSimilarity"]


class PairwiseDistance(Module):
    """The p-norm of x1 - x2 + eps over the last dimension: (*, D), (*, D) -> (*).

    Args:
      p: the exponent of the norm.
      eps: is added to each difference.
      keepdim: keep the last dimension with size 1.

    >>> import torchlike as torch
    >>> torch.nn.PairwiseDistance(eps=0.0)(torch.tensor([3.0, 4.0]), torch.zeros(2))
    tensor(5.)
    """

    __constants__ = ["norm", "eps", "keepdim"]

    def __init__(self, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> None:
        super().__init__()
        self.norm = p
        self.eps = eps
        self.keepdim = keepdim

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        return F.pairwise_distance(x1, x2, self.norm, self.eps, self.keepdim)


class CosineSimilarity(Module):
    """The cosine similarity along `dim`: x1·x2 / (max(‖x1‖, eps) · max(‖x2‖, eps)).

    Args:
      dim: the dimension of the vectors. It is not part of the result.
      eps: the least norm.

    >>> import torchlike as torch
    >>> torch.nn.CosineSimilarity()(torch.tensor([[1.0, 0.0]]), torch.tensor([[2.0, 0.0]]))
    tensor([1.])
    """

    __constants__ = ["dim", "eps"]

    def __init__(self, dim: int = 1, eps: float = 1e-8) -> None:
        super().__init__()
        self.dim = dim
        self.eps = eps

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        return F.cosine_similarity(x1, x2, self.dim, self.eps)
