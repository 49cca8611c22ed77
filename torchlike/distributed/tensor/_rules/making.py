"""Functions that make a new tensor with the dtype and device of another one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torchlike.distributed.tensor._layout import local_shape
from torchlike.distributed.tensor._rules.table import REPLICATE, Call, Way, row, way
from torchlike.distributed.tensor.placement_types import Placement, Shard


def _new(call: Call, now: Sequence[Placement], count: int) -> list[Way]:
    """A new tensor of the same shape is sharded in the same way. Any other new tensor is replicated."""
    same = call.out_shapes[0] == call.shapes[0]
    is_kept = same and isinstance(now[0], Shard)
    return [way(now[0] if is_kept else REPLICATE, now[0])]


def _local(call: Call, args: tuple, kwargs: dict, steps: Sequence[Way]) -> Any:
    shape = local_shape(call.out_shapes[0], call.mesh, [each.outputs[0] for each in steps])
    rest: tuple = ()
    if call.name == "new_full":
        rest = (kwargs.pop("fill_value"),) if "fill_value" in kwargs else (args[2],)
    kwargs.pop("size", None)
    return call.func(args[0], shape, *rest, **kwargs)


row("new_zeros", "new_ones", "new_empty", "new_full", ways=_new, local=_local, uneven=True)
