"""Embeddings: the table is divided by columns or by rows, or the indices are divided."""

from __future__ import annotations

from collections.abc import Sequence

import torchlike
from torchlike import Tensor
from torchlike.distributed.tensor._layout import lengths
from torchlike.distributed.tensor._rules.table import REPLICATE, Call, Way, row, way
from torchlike.distributed.tensor.placement_types import Placement, Shard, _MaskPartial


def _ways(call: Call, now: Sequence[Placement], count: int) -> list[Way]:
    """The tensors are the indices and the table (`F.embedding`), or the table and the indices (`torch.embedding`)."""
    table_first = _table_first(call)
    indices, table = call.shapes[::-1] if table_first else call.shapes

    def both(output: Placement, of_indices: Placement, of_table: Placement) -> Way:
        return way(output, of_table, of_indices) if table_first else way(output, of_indices, of_table)

    by_row = _MaskPartial(offset_shape=torchlike.Size(table), offset_dim=0)
    found = [both(Shard(len(indices)), REPLICATE, Shard(1)), both(by_row, REPLICATE, Shard(0))]
    return found + [both(Shard(dim), Shard(dim), REPLICATE) for dim in range(len(indices))]


def _table_first(call: Call) -> bool:
    return not call.tensors[1].is_floating_point()


def _local(call: Call, args: tuple, kwargs: dict, steps: Sequence[Way]) -> Tensor:
    """Look up the rows of the local part of the table. The rows of other parts are zeros."""
    table_first = _table_first(call)
    indices, table = (args[1], args[0]) if table_first else (args[0], args[1])
    begin, length, found = 0, call.shapes[0 if table_first else 1][0], []
    for dim, each in enumerate(steps):
        if isinstance(each.outputs[0], _MaskPartial):
            parts, rank = lengths(length, call.mesh.size(dim)), call.mesh.get_local_rank(dim)
            begin, length = begin + sum(parts[:rank]), parts[rank]
            found.append(dim)
    if not found:
        return call.func(*args, **kwargs)
    is_outside = (indices < begin) | (indices >= begin + length)
    own = (indices - begin).masked_fill(is_outside, 0)
    padding = call.given(2, "padding_idx", -1 if table_first else None)
    if padding is not None:
        if padding < 0 and not table_first:
            padding += call.shapes[1][0]
        is_own = begin <= padding < begin + length
        padding = padding - begin if is_own else -1 if table_first else None
    rest = {name: value for name, value in kwargs.items() if name not in ("input", "weight", "indices", "padding_idx")}
    both = (table, own) if table_first else (own, table)
    made = call.func(*both, padding, *args[3:], **rest)
    return made.masked_fill(is_outside.unsqueeze(-1), 0)


row("embedding", ways=_ways, always=True, local=_local)
