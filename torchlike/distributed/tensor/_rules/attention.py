"""Scaled dot-product attention: the batch or the heads are sharded."""

from __future__ import annotations

from collections.abc import Sequence

from torchlike.distributed.tensor._rules.table import REPLICATE, Call, Way, row
from torchlike.distributed.tensor.placement_types import Placement, Shard


def _ways(call: Call, now: Sequence[Placement], count: int) -> list[Way]:
    query, found = call.shapes[0], []
    for dim in (1, 0)[-(len(query) - 2) :] if len(query) > 2 else ():
        places: list[Placement] = [Shard(dim) for _ in range(3)]
        if any(shape[dim] % count for shape in call.shapes[:3]):
            continue
        for mask in call.shapes[3:]:
            own = dim - len(query) + len(mask)
            places.append(Shard(own) if own >= 0 and mask[own] == query[dim] else REPLICATE)
        found.append(Way((Shard(dim),), tuple(places)))
    return found


row("scaled_dot_product_attention", ways=_ways, always=True)
