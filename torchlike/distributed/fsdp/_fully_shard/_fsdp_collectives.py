"""The collectives of a parameter group. The tensors of a group are concatenated, with one collective per dtype."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torchlike
from torchlike import Tensor
from torchlike._internal import collectives as operators
from torchlike.distributed import _functional_collectives as collectives
from torchlike.distributed import _tensors as t
from torchlike.distributed._group import ProcessGroup


def all_gather(shards: Sequence[Tensor], group: ProcessGroup) -> list[Tensor]:
    """Return the shards of all members: for each one-dimensional shard of length n, a tensor of shape (members, n).

    A shard must have the same length in all members.
    """
    if group.size() == 1:
        return [shard.reshape(1, -1) for shard in shards]
    return _by_dtype(
        shards,
        lambda found: t.tensor(operators.all_gather(group.mesh(found[0].device), t.value(torchlike.cat(found)))).split(
            [shard.numel() for shard in found], 1
        ),
    )


def reduce_scatter(rows: Sequence[Tensor], group: ProcessGroup) -> list[Tensor]:
    """Return this member's part of the sums: for each tensor of shape (members, n), a tensor of shape (n,)."""
    if group.size() == 1:
        return [each[0] for each in rows]
    return _by_dtype(
        rows,
        lambda found: t.tensor(
            operators.reduce_scatter(group.mesh(found[0].device), t.value(torchlike.cat(found, 1)), "SUM")
        ).split([each.shape[1] for each in found]),
    )


def all_reduce(parts: Sequence[Tensor], group: ProcessGroup) -> list[Tensor]:
    """Return the sums over the members of one-dimensional tensors."""
    if group.size() == 1:
        return list(parts)
    return _by_dtype(
        parts,
        lambda found: collectives.all_reduce(torchlike.cat(found), "sum", group).split(
            [each.numel() for each in found]
        ),
    )


def _by_dtype(tensors: Sequence[Tensor], run: Callable[[list[Tensor]], Sequence[Tensor]]) -> list[Tensor]:
    """Call `run` with the tensors of each dtype, and return its results in the order of the tensors."""
    results: dict[int, Tensor] = {}
    for dtype in dict.fromkeys(each.dtype for each in tensors):
        places = [i for i, each in enumerate(tensors) if each.dtype == dtype]
        results.update(zip(places, run([tensors[i] for i in places])))
    return [results[i] for i in range(len(tensors))]
