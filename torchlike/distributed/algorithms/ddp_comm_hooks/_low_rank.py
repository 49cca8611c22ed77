"""Products of two narrow matrices that approximate gradients: `Factors`, and columns made orthonormal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import accumulate
from math import prod
from typing import Any

import torchlike
from torchlike import Tensor


def orthogonalize(matrices: Tensor, epsilon: float = 0) -> None:
    """Make the columns of a batch of matrices orthonormal, in place.

    One or two columns, and all columns in float16 and bfloat16, use the Gram-Schmidt process. More columns use a QR
    factorization.

    Args:
      matrices (Tensor): of shape (count, rows, columns), with at least as many rows as columns.
      epsilon (float, default 0): is added to the norm of each column in the Gram-Schmidt process.
    """
    columns = matrices.shape[2]
    if columns > 2 and matrices.dtype not in (torchlike.float16, torchlike.bfloat16):
        matrices.copy_(torchlike.linalg.qr(matrices)[0])
        return
    for i in range(columns):
        column = matrices[:, :, i : i + 1]
        norm = torchlike.norm(column, dim=1, keepdim=True)
        column /= norm if epsilon == 0 else norm + epsilon
        if i + 1 < columns:
            rest = matrices[:, :, i + 1 :]
            rest -= torchlike.sum(column * rest, dim=1, keepdim=True) * column


class Factors:
    """The factors P and Q of the matrices of a bucket. All P, and all Q, are views of one tensor each.

    Args:
      batches (list of Tensors): the batches of matrices, of shape (count, rows, columns).
      rank (int): the number of columns of P and Q. It is at most the number of rows and of columns of a matrix.
      memory (pair of Tensors, optional): the tensors of an earlier step. Default: new ones.
    """

    def __init__(self, batches: list[Tensor], rank: int, memory: tuple[Tensor, Tensor] | None = None) -> None:
        ranks = [min(*batch.shape[1:], rank) for batch in batches]
        tall = [(b.shape[0], b.shape[1], r) for b, r in zip(batches, ranks)]
        wide = [(b.shape[0], b.shape[2], r) for b, r in zip(batches, ranks)]
        options: Any = {"device": batches[0].device, "dtype": batches[0].dtype} if batches else {}
        self.batches = batches
        self.p, self.q = memory or [torchlike.empty(sum(map(prod, shapes)), **options) for shapes in (tall, wide)]
        self.ps, self.qs = list(_views(self.p, tall)), list(_views(self.q, wide))

    def draw(self, seed: int) -> None:
        """Fill Q with normal random numbers that are the same in all processes.

        Args:
          seed (int): the seed of the numbers.
        """
        with torchlike.random.fork_rng(devices=[]):
            torchlike.manual_seed(seed)
            for q in self.qs:
                q.copy_(torchlike.randn(*q.shape, device="cpu", dtype=q.dtype))

    def compute_p(self, epsilon: float) -> None:
        """Make the columns of Q orthonormal and compute P, the matrices times Q."""
        for batch, p, q in zip(self.batches, self.ps, self.qs):
            orthogonalize(q, epsilon)
            torchlike.bmm(batch, q, out=p)

    def compute_q(self, epsilon: float) -> None:
        """Make the columns of P orthonormal and compute Q, the transposed matrices times P."""
        for batch, p, q in zip(self.batches, self.ps, self.qs):
            orthogonalize(p, epsilon)
            torchlike.bmm(batch.transpose(1, 2), p, out=q)

    def multiply(self) -> None:
        """Replace the matrices by P times the transposed Q."""
        for batch, p, q in zip(self.batches, self.ps, self.qs):
            torchlike.bmm(p, q.transpose(1, 2), out=batch)


def _views(memory: Tensor, shapes: Iterable[tuple[int, ...]]) -> Iterator[Tensor]:
    shapes = list(shapes)
    for shape, end in zip(shapes, accumulate(map(prod, shapes))):
        yield memory[end - prod(shape) : end].view(shape)
