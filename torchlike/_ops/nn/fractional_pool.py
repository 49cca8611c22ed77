"""Fractional max pooling (Graham, 2014): windows at random positions, as many as the output size requires."""

from __future__ import annotations

import math
from typing import Any

import jax.numpy as jnp
import numpy as np

from torchlike import _dtypes, _errors
from torchlike._ops.nn.pool import largest
from torchlike._ops.schema.autocast_policies import FULL_ON_CPU
from torchlike._ops.schema.declare import Array, operator
from torchlike._ops.schema.rounding import stepwise
from torchlike._ops.schema.typing_rules import Call

Ints = tuple[int, ...]


def _starts(sample, size: int, count: int, kernel: int):
    """Return the starts of `count` windows of one dim: random numbers (N, C) -> (N, C, count).

    The last window ends at the end of the dim.
    """
    step, sample = stepwise(sample)
    last = jnp.full((*sample.shape, 1), size - kernel)
    if count < 2:
        return last[..., :count]
    apart = step(jnp.asarray((size - kernel) / (count - 1), sample.dtype))
    at = step(jnp.arange(count - 1).astype(sample.dtype) + sample[..., None])
    first = step(sample[..., None] * apart).astype(int)
    return jnp.concatenate([step(at * apart).astype(int) - first, last], -1)


def _flat_places(starts: list, sizes: Ints, offset: Ints) -> Any:
    """Return the index in the flattened plane of each window's element at one offset: (N, C, o1, ...)."""
    place = 0
    for axis, (start, size, o) in enumerate(zip(starts, sizes, offset)):
        around = (slice(None), slice(None), *[slice(None) if d == axis else None for d in range(len(sizes))])
        place = place * size + (start + o)[around]
    return place


def _dims(call: Call) -> int:
    return int(call.op.name[-2])


def _check(call: Call) -> None:
    _errors.pooling.check_fractional(call, _dims(call))


def _shapes(call: Call) -> list:
    shape = (*call.input.shape[: -_dims(call)], *call.output_size)
    return [shape, (shape, _dtypes.int64)]


def _fractional_max(dims: int):
    def kernel_function(input: Array, samples: Array, kernel_size: tuple, output_size: tuple):
        x = input if input.ndim == dims + 2 else input[None]
        n, c, *sizes = x.shape
        order = range(dims) if dims == 3 else (1, 0)  # with two dims, the first random number is for the width
        starts = [_starts(samples[:n, :, place], *each) for place, *each in zip(order, sizes, output_size, kernel_size)]
        flat, count = x.reshape(n, c, math.prod(sizes)), math.prod(output_size)
        places = [_flat_places(starts, tuple(sizes), offset).reshape(n, c, count) for offset in np.ndindex(kernel_size)]
        parts = [jnp.take_along_axis(flat, p, -1) for p in places]
        best = largest(parts)
        where = places[0]
        for part, place in reversed(list(zip(parts, places))):
            where = jnp.where(part == best, place, where)
        for part, place in zip(parts, places):  # in a window with NaN, the index of the last NaN
            where = jnp.where(part != part, place, where)
        shape = (*input.shape[:-dims], *output_size)
        return best.reshape(shape), where.reshape(shape)

    kernel_function.__doc__ = (
        f"Return the largest elements of random windows of the last {dims} dims, and their indices."
    )
    kernel_function.__name__ = f"_fractional_max_pool{dims}d"
    return operator(
        autocast=FULL_ON_CPU,
        where=(),
        shape=_shapes,
        check=_check,
        keeps=("samples",),
        out=False,
        opmath=False,
        numpy=False,
        node=f"FractionalMaxPool{dims}DBackward0",
    )(kernel_function)


for _count in (2, 3):
    _fractional_max(_count)
