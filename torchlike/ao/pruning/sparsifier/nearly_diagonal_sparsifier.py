"""The sparsifier that keeps the elements near the diagonal."""

from __future__ import annotations

from typing import Any

import torchlike as torch
from torchlike.ao.pruning.sparsifier.base_sparsifier import BaseSparsifier


class NearlyDiagonalSparsifier(BaseSparsifier):
    """Keep the elements near the diagonal of a matrix.

    Args:
      nearliness: the number of diagonals that are kept, an odd number. 1 keeps the main diagonal only.

    >>> import torchlike as torch
    >>> model = torch.nn.Sequential(torch.nn.Linear(3, 3))
    >>> sparsifier = torch.ao.pruning.NearlyDiagonalSparsifier(nearliness=1)
    >>> sparsifier.prepare(model, None)
    >>> sparsifier.step()
    >>> model[0].parametrizations.weight[0].mask
    tensor([[1., 0., 0.],
            [0., 1., 0.],
            [0., 0., 1.]])
    """

    def __init__(self, nearliness: int = 1) -> None:
        super().__init__(defaults={"nearliness": nearliness})

    def update_mask(  # type: ignore[override]
        self, module: Any, tensor_name: str, nearliness: int, **kwargs: Any
    ) -> None:
        """Set the mask of a matrix.

        Args:
          module: the module of the matrix.
          tensor_name: the name of the matrix in its module.
          nearliness: the number of diagonals that are kept.
          **kwargs: not used.

        Raises:
          ValueError: the number is even, or exceeds the size of the matrix.
        """
        mask = getattr(module.parametrizations, tensor_name)[0].mask
        mask.data = torch.zeros_like(mask)
        if nearliness <= 0:
            return
        height, width = getattr(module, tensor_name).shape
        if nearliness % 2 == 0:
            raise ValueError("nearliness can only be an odd number")
        distance = nearliness // 2
        if distance >= min(height, width):
            raise ValueError("nearliness cannot be larger than the dimensions of tensor.")
        ones = torch.ones(height, width, dtype=mask.dtype, device=mask.device)
        mask.data = ones.triu(-distance).tril(distance)
