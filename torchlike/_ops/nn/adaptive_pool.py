"""Adaptive pooling: the output has a given size.

For a dim of size n and an output size of m, window i covers the elements from floor(i n / m) up to, but not including,
ceil((i + 1) n / m).
"""

from __future__ import annotations

import functools
import math

import jax
import jax.numpy as jnp
import numpy as np

from torchlike import _dtypes, _errors
from torchlike._ops.linalg import banded
from torchlike._ops.schema.autocast_policies import FULL_ON_CPU
from torchlike._ops.schema.checks import EMPTY, REALS
from torchlike._ops.schema.declare import Array, namespace, operator
from torchlike._ops.schema.node_names import row_node
from torchlike._ops.schema.rounding import stepwise, total_in_steps, unchanged
from torchlike._ops.schema.typing_rules import Call


def _bounds(size: int, count: int) -> tuple[np.ndarray, np.ndarray]:
    i = np.arange(count)
    return i * size // count, -(-(i + 1) * size // count)


def _averaging(size: int, count: int, dtype) -> np.ndarray:
    """Return a matrix of shape (count, size) whose row i averages window i."""
    start, end = _bounds(size, count)
    at = np.arange(size)
    inside = (at >= start[:, None]) & (at < end[:, None])
    return (inside / (end - start)[:, None]).astype(dtype)


def _dims(call: Call) -> int:
    return int(call.op.name[-2])


def _shape(call: Call) -> list:
    return [(*call.input.shape[: -_dims(call)], *call.output_size)]


def _check(call: Call) -> None:
    _errors.pooling.check_adaptive(call, _dims(call))
    # With an output of size 1, PyTorch takes a plain mean, which accepts complex numbers.
    if "avg" in call.op.name and call.input.dtype.is_complex and set(call.output_size) != {1}:
        raise _errors.dtypes.not_implemented(call.op.dtypes.loop, call.input.dtype)


def _adaptive_avg(dims: int):
    def kernel(input: Array, output_size: tuple):
        step, out = stepwise(input)
        if dims == 3 and step is not unchanged and 0 not in output_size and set(output_size) != {1}:
            return _means_in_steps(out, output_size, step)
        for axis, count in zip(range(input.ndim - dims, input.ndim), output_size):
            out = _mean_along(out, axis, count)
        return out

    kernel.__doc__ = f"Return the means of `output_size` windows of the last {dims} dims."
    kernel.__name__ = f"_adaptive_avg_pool{dims}d"
    names = {1: row_node("AdaptiveAvgPool2D"), 2: "AdaptiveAvgPool2DBackward0", 3: "AdaptiveAvgPool3DBackward0"}
    node = lambda call: "MeanBackward1" if dims > 1 and set(call.output_size) == {1} else names[dims]
    vanishing = lambda plan: () if plan.node == "MeanBackward1" else ("input",)
    return operator(
        where=(),
        shape=_shape,
        check=_check,
        saves=(),
        out=False,
        node=node,
        formats=int(dims < 3),
        vanishing=vanishing,
        opmath=False,
        loop="adaptive_avg_pool3d_cpu" if dims == 3 else "adaptive_avg_pool2d",
        autocast=FULL_ON_CPU if dims == 3 else None,
    )(kernel)


def _means_in_steps(x, output_size: tuple, step):
    """Average over the windows of the last dims with the rounding of PyTorch's loop.

    PyTorch adds the elements of a window one by one. It then divides the sum by the size of the window along each dim
    in turn.
    """
    xp, dims = namespace(x), len(output_size)
    sizes = []
    for axis, count in zip(range(-dims, 0), output_size):
        start, end = _bounds(x.shape[axis], count)
        at = start + np.arange((end - start).max())[:, None]  # (element of the window, window)
        terms = xp.take(x, np.minimum(at, end - 1), axis=axis)
        inside = (at < end).reshape(at.shape + (1,) * (-1 - axis))
        x = xp.moveaxis(xp.where(inside, terms, 0), axis - 1, 0)  # dim 0 holds the elements of a window
        sizes.append((end - start).reshape((count,) + (1,) * (-1 - axis)).astype(np.float32))
    x = xp.moveaxis(x, range(dims), range(dims - 1, -1, -1))  # elements along the last dim are adjacent
    total = total_in_steps(x.reshape(math.prod(x.shape[:dims]), *x.shape[dims:]), step)
    for size in sizes:
        total = step(total / size)
    return total


def _mean_along(x, axis: int, count: int):
    xp, size = namespace(x), x.shape[axis]
    if count and size % count == 0:
        return xp.mean(x.reshape((*x.shape[:axis], count, size // count, *x.shape[axis + 1 :])), axis=axis + 1)
    return banded.along(x, _averaging(size, count, x.dtype), axis)


def _adaptive_max(dims: int):
    def kernel(input: Array, output_size: tuple):
        xp, first = namespace(input), input.ndim - dims
        x, places = input, xp.arange(math.prod(input.shape[first:])).reshape(input.shape[first:])
        places = xp.broadcast_to(places, input.shape)
        for axis, count in reversed([*zip(range(first, input.ndim), output_size)]):
            x, places = _largest_along(x, places, axis, count)
        return x, places

    kernel.__doc__ = f"Return the largest elements of `output_size` windows of the last {dims} dims, and their indices."
    kernel.__name__ = f"_adaptive_max_pool{dims}d"
    names = {1: row_node("AdaptiveMaxPool2D"), 2: "AdaptiveMaxPool2DBackward0", 3: "AdaptiveMaxPool3DBackward0"}
    both = lambda call: [_shape(call)[0], (_shape(call)[0], _dtypes.int64)]
    return operator(
        where=(),
        shape=both,
        check=_check,
        out=False,
        node=names[dims],
        opmath=False,
        formats=int(dims < 3),
        remembers=("inputs", "others"),
        autocast=FULL_ON_CPU if dims == 3 else None,
        takes=(*REALS, EMPTY),
        loop="adaptive_max_pool3d_cpu" if dims == 3 else "adaptive_max_pool2d",
    )(kernel)


def _largest_along(x, places, axis: int, count: int):
    """Return the maximum of each window along one dim, and its index in the flattened input.

    The index is that of the first of several equal maxima. If a window contains NaN, it is that of the last NaN.
    """
    xp = namespace(x)
    best, where = [], []
    for start, end in zip(*_bounds(x.shape[axis], count)):
        cut = (slice(None),) * axis + (slice(start, end),)
        which = _which(x[cut], axis)
        best.append(_at(x[cut], which, axis))
        where.append(xp.take_along_axis(places[cut], which, axis))
    if not count:
        none = (slice(None),) * axis + (slice(0),)
        return x[none], places[none]
    return xp.concatenate(best, axis), xp.concatenate(where, axis)


def _which(x, axis: int):
    xp = namespace(x)
    which = xp.argmax(x, axis, keepdims=True)
    if x.dtype.kind in "iu":
        return which
    hole = xp.isnan(x)
    last = x.shape[axis] - 1 - xp.argmax(xp.flip(hole, axis), axis, keepdims=True)
    return xp.where(hole.any(axis, keepdims=True), last, which)


def _at(x, which, axis: int):
    return x.max(axis, keepdims=True) if isinstance(x, np.ndarray) else _largest_at(x, which, axis)


@functools.partial(jax.custom_jvp, nondiff_argnums=(2,))
def _largest_at(x, which, axis: int):
    """Return the maximum; its gradient goes to the index `which`.

    The derivative compares indices, which is faster than a scatter.
    """
    return jnp.max(x, axis, keepdims=True)


@_largest_at.defjvp
def _largest_at_jvp(axis, primals, tangents):
    (x, which), (change, _) = primals, tangents
    here = jax.lax.broadcasted_iota(which.dtype, x.shape, axis) == which
    return _largest_at(x, which, axis), jnp.sum(jnp.where(here, change, 0), axis, keepdims=True)


for _count in (1, 2, 3):
    _adaptive_avg(_count)
    _adaptive_max(_count)
