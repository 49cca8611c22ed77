"""Normalization over the last dims, which must be whole."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torchlike
from torchlike import Tensor
from torchlike.distributed.tensor._rules.table import REPLICATE, Call, Way, composed, row
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


@composed("rms_norm")
def rms_norm(input: Tensor, normalized_shape: Any, weight: Tensor | None = None, eps: float | None = None) -> Tensor:
    """Compute `rms_norm` by distributed operators, so that any dim may be sharded."""
    dims = [-1 - i for i in range(1 if isinstance(normalized_shape, int) else len(normalized_shape))]
    x = input.float() if input.dtype.itemsize < 4 else input
    eps = torchlike.finfo(x.dtype).eps if eps is None else eps
    normal = (x * (x.pow(2).mean(dims, keepdim=True) + eps).rsqrt()).to(input.dtype)
    return normal if weight is None else normal * weight


row("layer_norm", ways=_over_last)
row("group_norm", ways=batches())
