"""Reductions over consecutive segments of a dim."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from torchlike import _dtypes, _errors
from torchlike._ops.reduce.scatter_reduce import _extreme, _highest, _lowest, _product
from torchlike._ops.schema.declare import ONCE, Array, operator
from torchlike._ops.schema.typing_rules import Call


def _check(call: Call) -> None:
    if call.bounds.dtype.category != _dtypes.INTEGER:
        kind = "lengths" if call.by_length else "offsets"
        raise _errors.dtypes.not_implemented(f"_segment_reduce_{kind}_cpu_kernel1", call.bounds.dtype)
    if not call.data.dtype.is_floating_point:
        raise _errors.dtypes.not_implemented("_segment_reduce_cpu", call.data.dtype)


def _shape(call: Call) -> list:
    bounds, data = tuple(call.bounds.shape), tuple(call.data.shape)
    segments = bounds[-1] if call.by_length else bounds[-1] - 1
    return [((*bounds[:-1], segments, *data[len(bounds) :]), call.data.dtype)]


@operator(
    promote=None,
    shape=_shape,
    check=_check,
    opmath=False,
    where=(),
    node="SegmentReduceBackward0",
    numpy=False,
    remembers=("data", "bounds", "result", ONCE),
)
def _segment_reduce(data: Array, bounds: Array, reduce: str, by_length: bool, initial: float | None):
    """Return `data` with each segment of a dim reduced to one element: (..., N, *rest) -> (..., S, *rest).

    `bounds` holds the segments' lengths, of shape (..., S), or their offsets, of shape (..., S + 1).
    """
    lead, rest = data.shape[: bounds.ndim - 1], data.shape[bounds.ndim :]
    rows, size = int(np.prod(lead)), data.shape[bounds.ndim - 1]
    offsets = bounds.astype(jnp.int64).reshape(rows, bounds.shape[-1])
    if by_length:
        offsets = jnp.pad(jnp.cumsum(offsets, 1), ((0, 0), (1, 0)))
    count = offsets.shape[1] - 1
    place = jax.vmap(lambda o: jnp.searchsorted(o, jnp.arange(size), side="right"))(offsets) - 1  # (rows, N)
    inside = (place >= 0) & (place < count)
    nowhere = rows * count  # an additional position for elements outside all segments
    place = jnp.where(inside, place + count * jnp.arange(rows)[:, None], nowhere).reshape(-1)
    made = _reduced(data.reshape(rows * size, *rest), place, nowhere + 1, reduce, initial)
    return made[:nowhere].reshape(*lead, count, *rest)


def _reduced(data: Any, place: Any, count: int, reduce: str, initial: float | None) -> Any:
    """Reduce the rows of `data` to `count` rows. `place` is the position of each row's result.

    A reduction starts from `initial`. If `initial` is None, it starts from the identity of the reduction, and the mean
    of no rows is NaN.
    """
    shape, where = (count, *data.shape[1:]), (place,)
    none, own = jnp.zeros(shape, data.dtype), jnp.zeros(shape, bool)
    if reduce == "prod":
        return _product(jnp.full(shape, 1 if initial is None else initial, data.dtype), data, where, ~own)
    if reduce in ("max", "min"):
        found = (_largest if reduce == "max" else _smallest)(none, data, where, own)
        if initial is None:
            return found
        return jnp.where(
            found < initial if reduce == "max" else found > initial, jnp.asarray(initial, found.dtype), found
        )
    total = jnp.full(shape, initial or 0, data.dtype).at[where].add(data)
    if reduce == "sum":
        return total
    length = jnp.zeros(count, data.dtype).at[where].add(1).reshape(-1, *[1] * (data.ndim - 1))
    empty = jnp.nan if initial is None else initial
    return jnp.where(length == 0, jnp.asarray(empty, data.dtype), total / jnp.maximum(length, 1))


_largest, _smallest = _extreme("max", _lowest, nan=True), _extreme("min", _highest, nan=True)
