"""Recording of collectives. The functions take and return Values."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

from torchlike._engine.ranks.collective import Collective, record_collective
from torchlike._engine.ranks.mesh import RankMesh
from torchlike._engine.trace.value import Aval, Value, aval
from torchlike._ops.collectives import kernels

Values = Sequence[Value]


@functools.lru_cache(4096)
def _plan(
    name: str, mesh: RankMesh, inputs: tuple[Aval, ...], outputs: tuple[Aval, ...], function: Callable, statics: tuple
) -> Collective:
    details = ", ".join(map(str, statics))
    return Collective(name, mesh, inputs, outputs, functools.partial(function, mesh, *statics), details)


def _record(
    mesh: RankMesh, function: Callable, values: Values, outputs: tuple[Aval, ...], *statics: object
) -> tuple[Value, ...]:
    plan = _plan(function.__name__, mesh, tuple([v.aval for v in values]), outputs, function, statics)
    return record_collective(plan, values)


def _with_rows(of: Aval, rows: tuple[int, ...], dims: int = 0) -> Aval:
    return aval((*rows, *of.shape[dims:]), of.dtype, of.device)


def all_reduce(mesh: RankMesh, values: Values, op: str) -> tuple[Value, ...]:
    """Return the reductions of the members' values. `op` is the name of a `ReduceOp`."""
    return _record(mesh, kernels.all_reduce, values, tuple([v.aval for v in values]), op)


def all_gather(mesh: RankMesh, value: Value) -> Value:
    """Return the members' values, stacked along a new first dim."""
    return _record(mesh, kernels.all_gather, [value], (_with_rows(value.aval, (mesh.size,)),))[0]


def reduce_scatter(mesh: RankMesh, value: Value, op: str) -> Value:
    """Reduce the members' values, which have a row for each member, and return the row of this rank."""
    return _record(mesh, kernels.reduce_scatter, [value], (_with_rows(value.aval, (), 1),), op)[0]


def all_to_all(mesh: RankMesh, value: Value) -> Value:
    """Send row i of the value to member i, and return the received rows."""
    return _record(mesh, kernels.all_to_all, [value], (value.aval,))[0]


def broadcast(mesh: RankMesh, values: Values, source: int) -> tuple[Value, ...]:
    """Return the values of the member `source`."""
    return _record(mesh, kernels.broadcast, values, tuple([v.aval for v in values]), source)
