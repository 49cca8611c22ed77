"""The choice among the ways to run an operator: the one with the least communication.

The costs are PyTorch's estimates, so that results have the same placements.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from torchlike.distributed.device_mesh import DeviceMesh
from torchlike.distributed.tensor._layout import Sharded
from torchlike.distributed.tensor._rules.table import Call, Rule, Way
from torchlike.distributed.tensor.placement_types import Partial, Placement, Replicate, Shard, _StridedShard

_START = 6.6  # microseconds that each collective takes
_HOP, _HOP_OUTSIDE = 0.6, 2.7  # microseconds for each hop, within a host and between hosts
_BANDWIDTH = 87.7  # GB/s within a host
_OUTSIDE = 0.22  # the factor of the bandwidth between hosts
_PER_HOST = {"cpu": 1}  # the number of devices of one host
_GB = 1024**3
_BLOCKED = 1000.0  # the cost of a change that must first gather later mesh dims


def moved(before: Placement, after: Placement, size: float, count: int, outside: bool) -> float:
    """Return the microseconds of a change of placement along a mesh dim of `count` processes. `size` is in GB."""
    if before == after or isinstance(before, _StridedShard):
        return 0.0
    if isinstance(before, Sharded):
        if isinstance(after, Sharded):
            return _ring(size, count, 1, outside) + 1.0
        return _ring(size * count, count, 1, outside) if isinstance(after, Replicate) else math.inf
    if isinstance(before, Partial):
        if isinstance(after, Partial):
            return math.inf
        return _ring(size, count, 1 if isinstance(after, Sharded) else 2, outside)
    return 0.0


def _ring(size: float, count: int, rounds: int, outside: bool) -> float:
    hops = rounds * (count - 1)
    bandwidth = _BANDWIDTH * (_OUTSIDE if outside else 1)
    return _START + hops * (_HOP_OUTSIDE if outside else _HOP) + size * hops / count / bandwidth * 1e6


def sizes_of(call: Call, placements: Sequence[Sequence[Placement]]) -> list[float]:
    """Return the size of each local tensor in GB."""
    found = []
    for tensor, shape, placed in zip(call.tensors, call.shapes, placements):
        parts = math.prod(n for n, each in zip(call.mesh.shape, placed) if isinstance(each, Sharded))
        found.append(math.prod(shape) * tensor.dtype.itemsize / parts / _GB)
    return found


def is_outside(mesh: DeviceMesh, dim: int) -> bool:
    """Return whether a mesh dim connects several hosts."""
    return math.prod(mesh.shape[dim:]) > _PER_HOST.get(mesh.device_type, 8)


def expanded(ways: Sequence[Way], placements: Sequence[Sequence[Placement]]) -> list[Way]:
    """Shard tensors only as an input is sharded: in plain or strided parts."""
    given = [each for placed in placements for each in placed]
    strided = {each.split_factor: None for each in given if isinstance(each, _StridedShard)}
    is_plain = any(isinstance(each, Shard) for each in given)
    found = []
    for each in ways:
        if not any(isinstance(placement, Shard) for placement in (*each.outputs, *each.inputs)):
            found.append(each)
            continue
        if is_plain:
            found.append(each)
        for factor in strided:
            found.append(Way(*[tuple(_strided(placement, factor) for placement in side) for side in each]))
    return found


def _strided(placement: Placement, factor: int) -> Placement:
    return _StridedShard(placement.dim, split_factor=factor) if isinstance(placement, Shard) else placement


def choose_all(call: Call, rule: Rule, placements: Sequence[Sequence[Placement]]) -> list[Way | None]:
    """Return the cheapest way along each dim of the mesh. Among equals, the tensors that have moved move again."""
    found: list[Way | None] = []
    moving: set[int] = set()
    for dim in range(call.mesh.ndim):
        found.append(_choose(call, rule, dim, placements, moving))
        last = found[-1]
        for i, placed in enumerate(placements if last is not None else ()):
            if last is not None and last.inputs[i] != placed[dim]:
                moving.add(i)
    return found


def _choose(
    call: Call, rule: Rule, dim: int, placements: Sequence[Sequence[Placement]], moving: set[int]
) -> Way | None:
    """Return the cheapest way along one mesh dim, or None if an in-place call has none."""
    now, count = [placed[dim] for placed in placements], call.mesh.shape[dim]
    found = rule.ways(call, now, count) if rule.ways is not None else []
    ways = [call.replicated, *(found if rule.always else expanded(found, placements))]
    sizes, outside = sizes_of(call, placements), is_outside(call.mesh, dim)
    best, least = None, (math.inf, 0, 0)
    for each in ways:
        if call.in_place and (each.inputs[0] != now[0] or (each.outputs[0] != now[0] and not rule.moves)):
            continue
        if not _is_possible(call, rule, each, now, count):
            continue
        cost = 0.0
        for i, (before, after, size) in enumerate(zip(now, each.inputs, sizes)):
            cost += moved(before, after, size, count, outside) if i not in call.free else 0.0
            cost += _BLOCKED if before != after and _is_blocked(placements[i][dim + 1 :], before, after) else 0.0
        changes = [i for i, (before, after) in enumerate(zip(now, each.inputs)) if before != after]
        rank = (cost, len([i for i in changes if i not in moving]), len(changes))
        if cost < math.inf and rank < least:
            best, least = each, rank
    return best


def _is_blocked(later: Sequence[Placement], before: Placement, after: Placement) -> bool:
    """Return whether a later mesh dim shards a dim of the tensor that this change shards or gathers."""
    dims = {each.dim for each in (before, after) if isinstance(each, Sharded)}
    return any(isinstance(each, Sharded) and each.dim in dims for each in later)


def _is_possible(call: Call, rule: Rule, each: Way, now: Sequence[Placement], count: int) -> bool:
    """Return whether the dims that a way shards are long enough. An input that is not redistributed may be shorter."""
    for shape, before, after in zip(call.shapes, now, each.inputs):
        if not isinstance(after, Sharded) or (rule.uneven and before == after):
            continue
        if after.dim >= len(shape) or shape[after.dim] < count:
            return False
    return True
