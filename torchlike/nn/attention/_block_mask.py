"""Masks by blocks: which blocks of the matrix of scores have a place that is kept, in each row of blocks."""

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
    """A mask with the blocks in which it keeps something.

    `kv_num_blocks` (B, H, rows) says how many blocks of a row are kept in part, `kv_indices` (B, H, rows, columns)
    which, the others behind them; `full_kv_...` the same of blocks that are kept whole. `q_...` are those of columns.
    `mask_mod` says which places within are kept.
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
                raise _errors.missing_blocks(name)
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
        """A mask of the blocks of its rows; those of its columns follow from them.

        Args:
          kv_num_blocks: (..., rows).
          kv_indices: (..., rows, columns).
          full_kv_num_blocks, full_kv_indices: the same of blocks kept whole.
          BLOCK_SIZE: of a block, or (rows, columns) of it.
          mask_mod: which places of the blocks kept in part are kept; all by default.
          seq_lengths: of queries and keys; as many as there are places in the blocks by default.
          compute_q_blocks: False leaves the blocks of columns out.
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
        """Everything that it holds, in the order of its arguments; pairs of numbers one by one if `flatten`."""
        lengths, block = (
            ((*self.seq_lengths,), (*self.BLOCK_SIZE,)) if flatten else ((self.seq_lengths,), (self.BLOCK_SIZE,))
        )
        held = [getattr(self, name) for name in (*_TENSORS, *_WRITE_ORDERS)]
        return (*lengths, *held, *block, self.mask_mod)

    @property
    def shape(self) -> tuple[int, ...]:
        """(B, H, queries, keys)."""
        return (*self.kv_indices.shape[:-2], *self.seq_lengths)

    def numel(self) -> int:
        """The number of places."""
        return math.prod(self.shape)

    def sparsity(self) -> float:
        """The part of the places, in percent, that lies in no block."""
        blocks = self.kv_num_blocks.sum()
        if self.full_kv_num_blocks is not None:
            blocks = blocks + self.full_kv_num_blocks.sum()
        return 100 * (1 - int(blocks) * math.prod(self.BLOCK_SIZE) / self.numel())

    def to_dense(self) -> Tensor:
        """1 for each block that is kept, whole or in part: (B, H, rows, columns)."""
        dense = _dense(self.kv_num_blocks, self.kv_indices)
        if self.full_kv_num_blocks is None or self.full_kv_indices is None:
            return dense
        return dense | _dense(self.full_kv_num_blocks, self.full_kv_indices)

    def to(self, device: Any) -> BlockMask:
        """The same mask with its tensors on a device."""
        return self._with({name: None if (x := getattr(self, name)) is None else x.to(device) for name in _TENSORS})

    def __getitem__(self, index: Any) -> BlockMask:
        """The part for some of the batch, of the heads and of the rows of blocks. It has no `mask_mod`: set one."""
        index = index if isinstance(index, tuple) else (index,)
        index = (*index, slice(None), slice(None), slice(None))[: max(3, len(index))][:3]
        places = tuple(slice(i, i + 1 or None) if isinstance(i, int) else i for i in index)
        return self._of_rows(lambda x: x[places], self.seq_lengths, mask_of_a_slice)

    def _adjust(self, new_q_len: int, new_kv_len: int) -> BlockMask:
        """Its upper left corner for other lengths."""
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
        """A picture for each head: blocks kept, left out, or (in a picture of fewer places) some of several.

        Args:
          grid_size: the most places down and across; -1 for as many as there are blocks.
          limit: the most pictures.
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
    """Stands for the `mask_mod` of a part of a mask: places in it are others."""
    raise _errors.mask_mod_of_a_slice()


mask_of_a_slice.__name__ = "_sliced_mask_mod_error"  # as PyTorch shows it


def _refuse_write_orders(**given: Any) -> None:
    for name, order in given.items():
        if name not in _WRITE_ORDERS:
            raise TypeError(f"BlockMask got an unexpected keyword argument '{name}'")
        if order is not None:
            raise _package_errors.arguments.unsupported("BlockMask", name)


def _check_pair(of: str, num_blocks: Tensor | None, indices: Tensor | None) -> None:
    if (num_blocks is None) != (indices is None):
        raise _errors.half_of_full_blocks(of)


def _pair(size: Any) -> tuple[int, int]:
    return (size, size) if isinstance(size, int) else tuple(size)


# -- blocks of rows, and as a matrix of 0 and 1 ------------------------------------------------------------------------


def _dense(num_blocks: Tensor, indices: Tensor) -> Tensor:
    """1 in the first `num_blocks` columns that each row names."""
    columns = indices.shape[-1]
    named = torchlike.arange(columns, device=indices.device) < num_blocks.unsqueeze(-1)
    places = torchlike.where(named & (indices < columns), indices, columns).long()  # what is not named goes beyond
    dense = torchlike.zeros((*indices.shape[:-1], columns + 1), dtype=torchlike.int32, device=indices.device)
    return dense.scatter(-1, places, 1)[..., :columns].contiguous()


def _ordered(dense: Tensor) -> tuple[Tensor, Tensor]:
    """How many columns of each row are 1, and all columns, those in front."""
    indices = torchlike.argsort(dense.int(), dim=-1, descending=True, stable=True)
    return dense.sum(-1).int().contiguous(), indices.int().contiguous()


def _turned(num_blocks: Tensor | None, indices: Tensor | None) -> tuple[Tensor | None, Tensor | None]:
    """The blocks of columns of those of rows."""
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
    """The blocks of a mask.

    Args:
      mask_mod: called with scalars (batch, head, query, key), gives a bool tensor: whether the place is kept.
      B, H: how many there are; None for a mask that is the same for all of them.
      device: the accelerator by default, if there is one.
      separate_full_blocks: whether blocks that are kept whole are told apart from those kept in part.
      compute_dq_write_order: refused, and `dq_kv_order` with it: the order of additions in a kernel for GPUs.
    """
    if is_score_mod(mask_mod):
        raise _errors.not_a_mask_mod(mask_mod)
    if not isinstance(dq_kv_order, bool):
        raise _errors.write_order_not_bool()
    if compute_dq_write_order:
        raise _package_errors.arguments.unsupported("create_block_mask", "compute_dq_write_order=True")
    if _compile:
        warn(_errors.COMPILE_FLAG, DeprecationWarning)
    block = _pair(BLOCK_SIZE)
    mask = create_mask(mask_mod, B, H, Q_LEN, KV_LEN, device)
    if mask.dtype != torchlike.bool:
        raise _errors.mask_not_bool(mask.dtype)
    kept = _kept_in_blocks(mask, *block)
    full = kept == block[0] * block[1]
    partly = (kept > 0) & ~full if separate_full_blocks else kept > 0
    fulls = _ordered(full) if separate_full_blocks else (None, None)
    return BlockMask.from_kv_blocks(*_ordered(partly), *fulls, block, mask_mod, (Q_LEN, KV_LEN))


def _kept_in_blocks(mask: Tensor, down: int, across: int) -> Tensor:
    """The number of places kept in each block; beyond its end a mask keeps none."""
    batch, heads, rows, columns = mask.shape
    mask = torchlike.nn.functional.pad(mask, (0, -columns % across, 0, -rows % down))
    blocks = mask.view(batch, heads, mask.shape[2] // down, down, mask.shape[3] // across, across)
    return blocks.sum((3, 5))
