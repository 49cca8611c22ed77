"""The sparsifier that removes the blocks and elements with the smallest norm."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torchlike as torch
from torchlike.ao.pruning.sparsifier.base_sparsifier import BaseSparsifier
from torchlike.nn import functional as F

__all__ = ["WeightNormSparsifier"]


class WeightNormSparsifier(BaseSparsifier):
    """Set elements of the blocks with the smallest norm to zero.

    Args:
      sparsity_level: the share of blocks that lose elements.
      sparse_block_shape: the height and the width of a block.
      zeros_per_block: the number of elements that such a block loses, the smallest ones. None: all.
      norm: 1 for absolute values, 2 (the default) for squares, or a function of the weight.

    Raises:
      NotImplementedError: the norm is unknown.

    >>> import torchlike as torch
    >>> model = torch.nn.Sequential(torch.nn.Linear(8, 8))
    >>> sparsifier = torch.ao.pruning.WeightNormSparsifier(sparsity_level=0.75)
    >>> sparsifier.prepare(model, None)
    >>> sparsifier.step()
    >>> sparsifier.squash_mask()
    >>> int((model[0].weight == 0).sum())
    48
    """

    def __init__(
        self,
        sparsity_level: float = 0.5,
        sparse_block_shape: tuple[int, int] = (1, 4),
        zeros_per_block: int | None = None,
        norm: Callable | int | None = None,
    ) -> None:
        count = math.prod(sparse_block_shape) if zeros_per_block is None else zeros_per_block
        if norm is None:
            norm = 2
        if callable(norm):
            self.norm_fn: Any = norm
        elif norm in (1, 2):
            self.norm_fn = torch.abs if norm == 1 else torch.square
        else:
            raise NotImplementedError(f"L-{norm} is not yet implemented.")
        names = "sparsity_level", "sparse_block_shape", "zeros_per_block"
        super().__init__(dict(zip(names, (sparsity_level, sparse_block_shape, count), strict=True)))

    def _make_tensor_mask(
        self, data: Any, input_shape: Any, sparsity_level: float, sparse_block_shape: Any, mask: Any = None
    ) -> Any:
        """Return a mask whose blocks with the smallest mean are zero."""
        height, width = data.shape[-2:]
        tall, wide = sparse_block_shape
        padded = [_up(size, step) for size, step in zip((height, width), sparse_block_shape, strict=False)]
        if sparsity_level >= 1.0 or sparsity_level <= 0.0:
            return torch.full(padded, float(sparsity_level <= 0.0), device=data.device)
        if math.prod(sparse_block_shape) > 1:
            step = tuple(sparse_block_shape)
            data = F.avg_pool2d(data[None, None, :], kernel_size=step, stride=step, ceil_mode=True)
        data = data.flatten()
        count = max(0, min(len(data) - 1, round(sparsity_level * len(data))))
        blocks = torch.ones_like(data).scatter(0, torch.topk(data, count, largest=False)[1], 0.0)
        blocks = blocks.view(padded[0] // tall, padded[1] // wide)
        return blocks.repeat_interleave(tall, 0).repeat_interleave(wide, 1)[:height, :width].contiguous()

    def _make_block_mask(self, data: Any, sparse_block_shape: Any, zeros_per_block: int, mask: Any = None) -> Any:
        """Return a mask whose smallest elements of each block are zero. Its sizes are multiples of the block's."""
        height, width = data.shape[-2:]
        padded = [_up(size, step) for size, step in zip((height, width), sparse_block_shape, strict=False)]
        if math.prod(sparse_block_shape) == zeros_per_block:
            return torch.zeros(padded, device=data.device)
        full = torch.full(padded, math.nan, device=data.device)  # the largest number for `topk`
        full[:height, :width] = data
        step = tuple(sparse_block_shape)
        columns = F.unfold(full[None, None, :], kernel_size=step, stride=step)
        smallest = torch.topk(columns, zeros_per_block, dim=1, largest=False)[1]
        kept = torch.ones_like(columns).scatter(1, smallest, 0.0)
        return F.fold(kept, padded, kernel_size=step, stride=step)[0, 0]

    def update_mask(  # type: ignore[override]
        self,
        module: Any,
        tensor_name: str,
        sparsity_level: float,
        sparse_block_shape: Any,
        zeros_per_block: int,
        **kwargs: Any,
    ) -> None:
        """Set the mask of a matrix.

        Args:
          module: the module of the matrix.
          tensor_name: the name of the matrix in its module.
          sparsity_level: the share of blocks that lose elements.
          sparse_block_shape: the height and the width of a block.
          zeros_per_block: the number of elements that such a block loses.
          **kwargs: not used.

        Raises:
          ValueError: the number of zeros is negative, or exceeds that of the elements.
        """
        count = math.prod(sparse_block_shape)
        if zeros_per_block > count:
            raise ValueError(
                "Number of zeros per block cannot be more than the total number of elements in that block."
            )
        if zeros_per_block < 0:
            raise ValueError("Number of zeros per block should be positive.")
        mask = getattr(module.parametrizations, tensor_name)[0].mask
        if sparsity_level <= 0 or zeros_per_block == 0:
            mask.data = torch.ones_like(mask)
        elif sparsity_level >= 1.0 and zeros_per_block == count:
            mask.data = torch.zeros_like(mask)
        else:
            sizes = self.norm_fn(getattr(module, tensor_name))
            made = self._make_tensor_mask(sizes, sizes.shape, sparsity_level, sparse_block_shape)
            if count != zeros_per_block:
                made = torch.logical_or(made, self._make_block_mask(sizes, sparse_block_shape, zeros_per_block))
            mask.data = made


def _up(size: int, step: int) -> int:
    """Return the next multiple of `step`."""
    return -(-size // step) * step
