"""Normalization over the last dims, which must be whole."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from torchlike.distributed.tensor._rules.table import REPLICATE, Call, Way, row
from torchlike.distributed.tensor.placement_types import Placement, Shard


def _over_last(call: Call, now: Sequence[Placement], count: int) -> list[Way]:
    shape = call.given(1, "normalized_shape")
    free = len(call.shapes[0]) - (1 if isinstance(shape, int) else len(shape))
    return [Way((Shard(d),), (Shard(d), *[REPLICATE] * (len(now) - 1))) for d in range(free)]


def batches(dims: int = 1) -> Callable:
    """Return the ways of a function that treats the items of a batch alone."""

    def ways(call: Call, now: Sequence[Placement], count: int) -> list[Way]:
        return [Way((Shard(d),), (Shard(d), *[REPLICATE] * (len(now) - 1))) for d in range(dims)]

    return ways


row("layer_norm", "rms_norm", ways=_over_last)
row("group_norm", ways=batches())
