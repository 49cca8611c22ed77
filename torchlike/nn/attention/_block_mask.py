"""`BlockMask`, a block-sparse attention mask, and its construction.

The score matrix is divided into blocks. For each row of blocks, the mask lists the blocks with unmasked elements.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import torchlike
from torchlike import Tensor
from torchlike._internal import _errors as _package_errors
from torchlike._internal import warn
from torchlike.nn import _errors_flex as _errors
from torchlike.nn.attention._mods import create_mask, is_score_mod, noop_mask

BLOCK = 128
_TENSORS = (
    "kv_num_blocks",
    "kv_indices",
    "full_kv_num_blocks",
    "full_kv_indices",
    "q_num_blocks",
    "q_indices",
    "full_q_num_blocks",
    "full_q_indices",
)
_WRITE_ORDERS = ("dq_write_order", "dq_write_order_full", "dq_kv_order", "dq_kv_order_spt")


class BlockMask:
    """A block-sparse attention mask. `create_block_mask` makes it from a mask function.

    Args:
      seq_lengths: the lengths of queries and keys.
      kv_num_blocks: (B, H, rows), the number of partially masked blocks in each row of blocks.
      kv_indices: (B, H, rows, columns), their column indices first, followed by the remaining columns.
      full_kv_num_blocks, full_kv_indices: describe the unmasked blocks in the same way.
      q_num_blocks, q_indices, full_q_num_blocks, full_q_indices: describe the columns of blocks in the same way.
      BLOCK_SIZE: the (rows, columns) of a block.
      mask_mod: the function that masks the elements within partially masked blocks.
      **write_orders: options of PyTorch's GPU kernels, which must be None.

    Raises:
      AssertionError: an argument is missing, or only one of a pair is given.
      NotImplementedError: a write order is given.

    >>> from torchlike.nn.attention.flex_attention import create_block_mask
    >>> mask = create_block_mask(lambda b, h, q, kv: q >= kv, None, None, 4, 4, BLOCK_SIZE=2)
    >>> mask.shape, mask.sparsity()
    ((1, 1, 4, 4), 25.0)
    """

    dq_write_order = dq_write_order_full = dq_kv_order = dq_kv_order_spt = None

    def __init__(
        self,
        seq_lengths: tuple[int, int],
        kv_num_blocks: Tensor,
        kv_indices: Tensor,
        full_kv_num_blocks: Tensor | None,
        full_kv_indices: Tensor | None,
        q_num_blocks: Tensor | None,
        q_indices: Tensor | None,
        full_q_num_blocks: Tensor | None,
        full_q_indices: Tensor | None,
        BLOCK_SIZE: tuple[int, int] = (BLOCK, BLOCK),
        mask_mod: Callable = noop_mask,
        **write_orders: Any,
    ) -> None:
        _refuse_write_orders(**write_orders)
        if kv_indices.dim() < 2:
            raise _errors.block_mask_dims()
        for name, given in (("kv_num_blocks", kv_num_blocks), ("kv_indices", kv_indices)):
            if given is None:
                raise AssertionError(f"{name} must be provided")
        _check_pair("kv", full_kv_num_blocks, full_kv_indices)
        _check_pair("q", full_q_num_blocks, full_q_indices)
        self.seq_lengths = seq_lengths
        self.kv_num_blocks, self.kv_indices = kv_num_blocks, kv_indices
        self.full_kv_num_blocks, self.full_kv_indices = full_kv_num_blocks, full_kv_indices
        self.q_num_blocks, self.q_indices = q_num_blocks, q_indices
        self.full_q_num_blocks, self.full_q_indices = full_q_num_blocks, full_q_indices
        self.BLOCK_SIZE = BLOCK_SIZE
        self.mask_mod = mask_mod

    @classmethod
    def from_kv_blocks(
        cls,
        kv_num_blocks: Tensor,
        kv_indices: Tensor,
        full_kv_num_blocks: Tensor | None = None,
        full_kv_indices: Tensor | None = None,
        BLOCK_SIZE: int | tuple[int, int] = BLOCK,
        mask_mod: Callable | None = None,
        seq_lengths: tuple[int, int] | None = None,
        compute_q_blocks: bool = True,
        **write_orders: Any,
    ) -> BlockMask:
        """Return a mask with the given block lists of the rows, from which those of the columns are derived.

        Args:
          kv_num_blocks: shape (..., rows).
          kv_indices: shape (..., rows, columns).
          full_kv_num_blocks, full_kv_indices: the lists of unmasked blocks, with the same shapes.
          BLOCK_SIZE: the size of a block, or its (rows, columns).
          mask_mod: the function that masks elements within partially masked blocks. The default masks nothing.
          seq_lengths: the lengths of queries and keys. The default is the total size of the blocks.
          compute_q_blocks: whether to derive the block lists of the columns. Otherwise they are None.
          **write_orders: options of PyTorch's GPU kernels, which must be None.
        """
        _refuse_write_orders(**write_orders)
        if kv_indices.dim() < 2:
            raise _errors.block_mask_dims()
        _check_pair("kv", full_kv_num_blocks, full_kv_indices)
        block = _pair(BLOCK_SIZE)
        rows, columns = kv_indices.shape[-2:]
        return cls(
            (rows * block[0], columns * block[1]) if seq_lengths is None else seq_lengths,
            kv_num_blocks,
            kv_indices,
            full_kv_num_blocks,
            full_kv_indices,
            *(_turned(kv_num_blocks, kv_indices) if compute_q_blocks else (None, None)),
            *(_turned(full_kv_num_blocks, full_kv_indices) if compute_q_blocks else (None, None)),
            BLOCK_SIZE=block,
            mask_mod=noop_mask if mask_mod is None else mask_mod,
        )

    def as_tuple(self, flatten: bool = True) -> tuple:
        """Return the constructor's arguments as a tuple. With `flatten`, each pair of numbers becomes two elements.

        Args:
          flatten: make two elements of each pair of numbers.
        """
        lengths, block = (
            ((*self.seq_lengths,), (*self.BLOCK_SIZE,)) if flatten else ((self.seq_lengths,), (self.BLOCK_SIZE,))
        )
        held = [getattr(self, name) for name in (*_TENSORS, *_WRITE_ORDERS)]
        return (*lengths, *held, *block, self.mask_mod)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the mask: (B, H, queries, keys)."""
        return (*self.kv_indices.shape[:-2], *self.seq_lengths)

    def numel(self) -> int:
        """Return the number of elements of the mask."""
        return math.prod(self.shape)

    def sparsity(self) -> float:
        """Return the percentage of elements that lie in no listed block."""
        blocks = self.kv_num_blocks.sum()
        if self.full_kv_num_blocks is not None:
            blocks = blocks + self.full_kv_num_blocks.sum()
        return 100 * (1 - int(blocks) * math.prod(self.BLOCK_SIZE) / self.numel())

    def to_dense(self) -> Tensor:
        """Return a tensor (B, H, rows, columns) with 1 for each block that is not fully masked, and 0 elsewhere."""
        dense = _dense(self.kv_num_blocks, self.kv_indices)
        if self.full_kv_num_blocks is None or self.full_kv_indices is None:
            return dense
        return dense | _dense(self.full_kv_num_blocks, self.full_kv_indices)

    def to(self, device: Any) -> BlockMask:
        """Return the mask with its tensors moved to a device.

        Args:
          device: the device.
        """
        return self._with({name: None if (x := getattr(self, name)) is None else x.to(device) for name in _TENSORS})

    def __getitem__(self, index: Any) -> BlockMask:
        """Return the mask of a slice of the batch, the heads and the rows of blocks.

        The `mask_mod` of the slice raises an error, so the caller must set another one.
        """
        index = index if isinstance(index, tuple) else (index,)
        index = (*index, slice(None), slice(None), slice(None))[: max(3, len(index))][:3]
        places = tuple(slice(i, i + 1 or None) if isinstance(i, int) else i for i in index)
        return self._of_rows(lambda x: x[places], self.seq_lengths, mask_of_a_slice)

    def _adjust(self, new_q_len: int, new_kv_len: int) -> BlockMask:
        """Return the upper left corner of the mask, for shorter sequence lengths."""
        rows, columns = (-(-n // size) for n, size in zip((new_q_len, new_kv_len), self.BLOCK_SIZE))

        def corner(x: Tensor) -> Tensor:
            return x[:, :, :rows].clamp(max=columns) if x.dim() == 3 else x[:, :, :rows, :columns]

        return self._of_rows(corner, (new_q_len, new_kv_len), self.mask_mod)

    def _of_rows(self, change: Callable, seq_lengths: tuple, mask_mod: Callable) -> BlockMask:
        blocks: list[Any] = [None if (x := getattr(self, name)) is None else change(x) for name in _TENSORS[:4]]
        rest = {"BLOCK_SIZE": self.BLOCK_SIZE, "mask_mod": mask_mod, "seq_lengths": seq_lengths}
        return BlockMask.from_kv_blocks(*blocks, **rest, compute_q_blocks=self.q_indices is not None)

    def _with(self, tensors: dict[str, Any]) -> BlockMask:
        return BlockMask(self.seq_lengths, **tensors, BLOCK_SIZE=self.BLOCK_SIZE, mask_mod=self.mask_mod)

    def to_string(self, grid_size: int | tuple[int, int] = (20, 20), limit: int = 4) -> str:
        """Return a picture of the blocks for each head.

        Each cell covers one or more blocks. It is filled if none of its blocks is fully masked, empty if all of them
        are, and shaded otherwise.

        Args:
          grid_size: the maximum number of rows and columns of cells, or -1 for one cell per block.
          limit: the maximum number of pictures.
        """
        dense = self.to_dense().numpy()
        down, across = dense.shape[-2:] if grid_size == -1 else _pair(grid_size)
        steps = -(-dense.shape[-2] // down), -(-dense.shape[-1] // across)
        pictures = []
        for place in itertools.product(*map(range, dense.shape[:-2])):
            if len(pictures) == limit:
                return "\n".join([*pictures, _MORE])
            pictures.append(f"{place}\n{_picture(dense[place], *steps)}")
        return "\n".join(pictures)

    def __str__(self) -> str:
        return f"BlockMask(shape={self.shape}, sparsity={self.sparsity():.2f}%, \n{self.to_string().strip()}\n)"

    def __repr__(self) -> str:
        of = lambda name: None if (x := getattr(self, name)) is None else x.shape
        lines = [f"{name}={of(name)}" for name in _TENSORS]
        lines += [f"BLOCK_SIZE={self.BLOCK_SIZE}", f"shape={self.shape}", f"sparsity={self.sparsity():.2f}%"]
        lines.append(f"mask_mod={getattr(self.mask_mod, '__name__', self.mask_mod)}")
        return "BlockMask(\n    " + ",\n    ".join(lines) + "\n)"


_MORE = (
    "...\nTo print out more, set BlockMask.to_string(limit=N)\n"
    "You can also index (BlockMask[batch, head]) to choose a specific batch or head"
)


def _picture(blocks: Any, down: int, across: int) -> str:
    cells = [
        [blocks[i : i + down, j : j + across].mean() for j in range(0, blocks.shape[1], across)]
        for i in range(0, blocks.shape[0], down)
    ]
    return "".join("".join("██" if x == 1 else "  " if x == 0 else "░░" for x in row) + "\n" for row in cells)


def mask_of_a_slice(batch: Tensor, head: Tensor, token_q: Tensor, token_kv: Tensor) -> Tensor:
    """Raise an error. This is the `mask_mod` of a sliced `BlockMask`, whose indices differ from the whole mask's."""
    raise RuntimeError(
        "Cannot use mask_mod from a sliced BlockMask. When you slice a BlockMask using [], the mask_mod attribute is "
        "reset. You must set it from the original BlockMask's mask_mod.\n\nIncorrect usage:\n"
        "  base_mask = create_block_mask(my_mask_fn, ...)\n"
        "  sliced_mask = base_mask[:, :, block_idx]\n"
        "  sliced_mask.mask_mod = apply_offset(sliced_mask.mask_mod, offset)  # WRONG!\n\nCorrect usage:\n"
        "  base_mask = create_block_mask(my_mask_fn, ...)\n"
        "  sliced_mask = base_mask[:, :, block_idx]\n"
        "  sliced_mask.mask_mod = apply_offset(base_mask.mask_mod, offset)  # Use base_mask!"
    )


mask_of_a_slice.__name__ = "_sliced_mask_mod_error"  # PyTorch's name


def _refuse_write_orders(**given: Any) -> None:
    for name, order in given.items():
        if name not in _WRITE_ORDERS:
            raise TypeError(f"BlockMask got an unexpected keyword argument '{name}'")
        if order is not None:
            raise _package_errors.arguments.unsupported("BlockMask", name)


def _check_pair(of: str, num_blocks: Tensor | None, indices: Tensor | None) -> None:
    if (num_blocks is None) != (indices is None):
        raise AssertionError(f"full_{of}_num_blocks and full_{of}_indices must be both provided or omitted")


def _pair(size: Any) -> tuple[int, int]:
    return (size, size) if isinstance(size, int) else tuple(size)


# -- block lists and dense matrices of 0 and 1 -------------------------------------------------------------------------


def _dense(num_blocks: Tensor, indices: Tensor) -> Tensor:
    """Return a 0/1 matrix with ones in the first `num_blocks` columns that each row of `indices` lists."""
    columns = indices.shape[-1]
    named = torchlike.arange(columns, device=indices.device) < num_blocks.unsqueeze(-1)
    # Entries that are not listed blocks write to an extra column, which is dropped.
    places = torchlike.where(named & (indices < columns), indices, columns).long()
    dense = torchlike.zeros((*indices.shape[:-1], columns + 1), dtype=torchlike.int32, device=indices.device)
    return dense.scatter(-1, places, 1)[..., :columns].contiguous()


def _ordered(dense: Tensor) -> tuple[Tensor, Tensor]:
    """Return the block lists of a 0/1 matrix: the number of ones in each row, and the columns with the ones first."""
    indices = torchlike.argsort(dense.int(), dim=-1, descending=True, stable=True)
    return dense.sum(-1).int().contiguous(), indices.int().contiguous()


def _turned(num_blocks: Tensor | None, indices: Tensor | None) -> tuple[Tensor | None, Tensor | None]:
    """Return the block lists of the columns, given the block lists of the rows."""
    if num_blocks is None or indices is None:
        return None, None
    return _ordered(_dense(num_blocks, indices).mT)


def create_block_mask(
    mask_mod: Callable,
    B: int | None,
    H: int | None,
    Q_LEN: int,
    KV_LEN: int,
    device: Any = None,
    BLOCK_SIZE: int | tuple[int, int] = BLOCK,
    _compile: bool = False,
    separate_full_blocks: bool = True,
    compute_dq_write_order: bool = False,
    dq_kv_order: bool = True,
) -> BlockMask:
    """Return the `BlockMask` of a mask function.

    Args:
      mask_mod: a function of scalars (batch, head, query, key) that returns a bool tensor, true for unmasked elements.
      B, H: the numbers of batch elements and heads. None means a mask that is the same for all of them.
      Q_LEN, KV_LEN: the lengths of queries and keys.
      device: the device of the mask. The default is the accelerator, or the CPU if there is no accelerator.
      BLOCK_SIZE: the size of a block, or its (rows, columns).
      _compile: deprecated, with a warning. It has no effect.
      separate_full_blocks: list unmasked blocks separately from partially masked ones.
      compute_dq_write_order: not supported. It sets the order of additions in PyTorch's GPU kernels.
      dq_kv_order: an option of `compute_dq_write_order`, without effect.

    Raises:
      AssertionError: `mask_mod` does not take 4 arguments, or does not return bools.

    >>> from torchlike.nn.attention.flex_attention import create_block_mask
    >>> mask = create_block_mask(lambda b, h, q, kv: q >= kv, None, None, 4, 4, BLOCK_SIZE=2)
    >>> mask.to_dense()
    tensor([[[[1, 0],
              [1, 1]]]], dtype=torch.int32)
    """
    if is_score_mod(mask_mod):
        raise AssertionError(f"create-block_mask requires a mask_mod function! Got {mask_mod}")
    if not isinstance(dq_kv_order, bool):
        raise ValueError("dq_kv_order must be a bool when using create_block_mask")
    if compute_dq_write_order:
        raise _package_errors.arguments.unsupported("create_block_mask", "compute_dq_write_order=True")
    if _compile:
        warn(_errors.COMPILE_FLAG, DeprecationWarning)
    block = _pair(BLOCK_SIZE)
    mask = create_mask(mask_mod, B, H, Q_LEN, KV_LEN, device)
    if mask.dtype != torchlike.bool:
        raise AssertionError(f"mask.dtype must be torch.bool, got {mask.dtype}")
    kept = _kept_in_blocks(mask, *block)
    full = kept == block[0] * block[1]
    partly = (kept > 0) & ~full if separate_full_blocks else kept > 0
    fulls = _ordered(full) if separate_full_blocks else (None, None)
    return BlockMask.from_kv_blocks(*_ordered(partly), *fulls, block, mask_mod, (Q_LEN, KV_LEN))


def _kept_in_blocks(mask: Tensor, down: int, across: int) -> Tensor:
    """Return the number of unmasked elements in each block. Elements beyond the end of the mask count as masked."""
    batch, heads, rows, columns = mask.shape
    mask = torchlike.nn.functional.pad(mask, (0, -columns % across, 0, -rows % down))
    blocks = mask.view(batch, heads, mask.shape[2] // down, down, mask.shape[3] // across, across)
    return blocks.sum((3, 5))
