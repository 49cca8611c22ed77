"""Max and average pooling over windows of the last dims of (N, C, d1, ...) or (C, d1, ...)."""

from __future__ import annotations

import functools
import math
from operator import add
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from torchlike import _dtypes, _errors
from torchlike._dtypes import FLOATING, INTEGER, int64
from torchlike._engine.xla.jax_private import is_symbolic
from torchlike._ops.nn.windows import channels_last, channels_second, expand, padded, windows
from torchlike._ops.schema.autocast_policies import FULL_ON_CPU
from torchlike._ops.schema.checks import REAL_FLOATS
from torchlike._ops.schema.declare import Array, namespace, operator
from torchlike._ops.schema.node_names import row_node
from torchlike._ops.schema.typing_rules import Call

Ints = tuple[int, ...]
_FEW_WINDOWS = 32  # largest window whose elements are read by slices, one slice per element


def pooled_size(size: int, kernel: int, stride: int, pad: int, dilation: int, ceil_mode: bool) -> int:
    """Return the number of windows that fit into a dim.

    With `ceil_mode`, the last window may extend beyond the padding, but must start before its end.
    """
    span = size + 2 * pad - dilation * (kernel - 1) - 1
    count = -(-span // stride) + 1 if ceil_mode else span // stride + 1
    return count - 1 if ceil_mode and (count - 1) * stride >= size + pad else count


def _options(call: Call, dims: int) -> list[Ints]:
    kernel = expand(call.kernel_size, dims)
    stride = expand(call.stride, dims) if call.stride not in (None, ()) else kernel
    dilation = expand(call.arguments.get("dilation", 1), dims)
    return [kernel, stride, expand(call.padding, dims), dilation]


def _dims(call: Call) -> int:
    return int(call.op.name[-2])


def _sizes(call: Call) -> Ints:
    dims = _dims(call)
    each = zip(call.input.shape[-dims:], *_options(call, dims))
    return tuple(pooled_size(n, k, s, p, d, call.ceil_mode) for n, k, s, p, d in each)


def _shape(call: Call) -> list:
    return [(*call.input.shape[: -_dims(call)], *_sizes(call))]


def _check(call: Call) -> None:
    dims = _dims(call)
    _errors.pooling.check_pooling(call, dims, *_options(call, dims), sizes=lambda: _sizes(call))


def _end_pads(sizes: Ints, counts: Ints, kernel: Ints, stride: Ints, pad: Ints, dilation: Ints) -> tuple:
    """Return the padding (before, after) of each dim that fits exactly `counts` windows. A negative number crops."""
    return tuple(
        (p, (o - 1) * s + d * (k - 1) + 1 - n - p)
        for n, o, k, s, p, d in zip(sizes, counts, kernel, stride, pad, dilation)
    )


# -- maximum -----------------------------------------------------------------------------------------------------------


def _first(parts: list, largest) -> list:
    """Return a mask for each part. It is True where the part is the first one that equals `largest`.

    As in PyTorch, only the first part with the maximum receives the gradient.
    """
    masks, free = [], None
    for part in parts[:-1]:
        hit = part == largest
        masks.append(hit if free is None else hit & free)
        free = ~hit if free is None else free & ~hit
    return [*masks, free] if free is not None else [jnp.ones_like(largest, bool)]


@jax.custom_jvp
def _largest_of(parts: list):
    return functools.reduce(jnp.maximum, parts)


@_largest_of.defjvp
def _largest_jvp(primals, tangents):
    (parts,), (changes,) = primals, tangents
    largest = _largest_of(parts)
    zero = jnp.zeros_like(largest)
    chosen = [jnp.where(mask, change, zero) for mask, change in zip(_first(parts, largest), changes)]
    return largest, functools.reduce(jnp.add, chosen)


def largest(parts: list):
    """Return the element-wise maximum of the parts."""
    return functools.reduce(np.maximum, parts) if isinstance(parts[0], np.ndarray) else _largest_of(parts)


@functools.partial(jax.custom_jvp, nondiff_argnums=(1,))
def _largest_over(x, axes: Ints):
    return jnp.max(x, axes)


@_largest_over.defjvp
def _largest_over_jvp(axes, primals, tangents):
    (x,), (change,) = primals, tangents
    largest = jnp.max(x, axes)
    kernel = tuple(x.shape[a] for a in axes)
    parts = [
        x[tuple(place[axes.index(a)] if a in axes else slice(None) for a in range(x.ndim))]
        for place in np.ndindex(kernel)
    ]
    which = jnp.full(largest.shape, len(parts) - 1, jnp.int8)
    for i, part in reversed(list(enumerate(parts[:-1]))):
        which = jnp.where(part == largest, jnp.int8(i), which)
    numbers = np.arange(len(parts), dtype=np.int8).reshape([n if a in axes else 1 for a, n in enumerate(x.shape)])
    return largest, jnp.sum(jnp.where(jnp.expand_dims(which, axes) == numbers, change, 0), axes)


def _max_pooled(x, kernel: Ints, stride: Ints, pads: tuple, dilation: Ints):
    """Return the maximum of each window of (N, d1, ..., C)."""
    low = -np.inf if x.dtype.kind not in "iu" else np.iinfo(x.dtype).min
    sizes = x.shape[1:-1]
    if math.prod(kernel) <= _FEW_WINDOWS:
        tiles = all(p == (0, 0) for p in pads) and all(n % k == 0 for n, k in zip(sizes, kernel))
        if tiles and kernel == stride and max(dilation) == 1 and not isinstance(x, np.ndarray):
            split = [m for n, k in zip(sizes, kernel) for m in (n // k, k)]
            return _largest_over(x.reshape(x.shape[0], *split, x.shape[-1]), tuple(range(2, 2 + 2 * len(kernel), 2)))
        return largest(windows(padded(x, pads, low), kernel, stride, dilation))
    if isinstance(x, np.ndarray):
        return _sliding(padded(x, pads, low), kernel, stride, dilation).max(_last(kernel))
    whole = lambda each, fill: (fill, *each, fill)
    return lax.reduce_window(
        padded(x, pads, low),
        x.dtype.type(low),
        lax.max,
        whole(kernel, 1),
        whole(stride, 1),
        "VALID",
        window_dilation=whole(dilation, 1),
    )


def _last(kernel: Ints) -> Ints:
    return tuple(range(-len(kernel), 0))


def _sliding(x, kernel: Ints, stride: Ints, dilation: Ints) -> np.ndarray:
    """Return all windows of a NumPy array as a view, with the elements of a window in additional last dims."""
    spans, axes = [d * (k - 1) + 1 for d, k in zip(dilation, kernel)], range(1, 1 + len(kernel))
    found = np.lib.stride_tricks.sliding_window_view(x, spans, tuple(axes))
    return found[(slice(None), *[slice(None, None, s) for s in stride], ..., *[slice(None, None, d) for d in dilation])]


def _max_positions(x, kernel: Ints, stride: Ints, pads: tuple, dilation: Ints):
    """Return the index of the maximum of each window in the flattened plane."""
    xp = namespace(x)
    low = -np.inf if x.dtype.kind not in "iu" else np.iinfo(x.dtype).min
    places = xp.arange(math.prod(x.shape[1:-1])).reshape((1, *x.shape[1:-1], 1))
    parts = windows(padded(x, pads, low), kernel, stride, dilation)
    numbers = windows(padded(places, pads, -1), kernel, stride, dilation)
    # Padding may precede equal elements of a window, but its index (-1) must never be the result.
    best = xp.full_like(parts[0], low)
    where = xp.full(parts[0].shape, -1)
    for part, number in zip(parts, numbers):
        better = ((part > best) | (part != part) | (where < 0)) & (number >= 0)
        best, where = xp.where(better, part, best), xp.where(better, number, where)
    return where


def _max_pool(dims: int, with_positions: bool):
    def kernel_function(
        input: Array,
        kernel_size: tuple | int,
        stride: tuple | int | None = None,
        padding: tuple | int = 0,
        dilation: tuple | int = 1,
        ceil_mode: bool = False,
    ):
        kernel = expand(kernel_size, dims)
        strides = expand(stride, dims) if stride not in (None, ()) else kernel
        pad, dilations = expand(padding, dims), expand(dilation, dims)
        x = channels_last(input if input.ndim == dims + 2 else input[None])
        counts = tuple(
            pooled_size(n, k, s, p, d, ceil_mode)
            for n, k, s, p, d in zip(x.shape[1:-1], kernel, strides, pad, dilations)
        )
        pads = _end_pads(x.shape[1:-1], counts, kernel, strides, pad, dilations)
        out = [_max_pooled(x, kernel, strides, pads, dilations)]
        if with_positions:
            out.append(_max_positions(x, kernel, strides, pads, dilations))
        back = [channels_second(o) if input.ndim == dims + 2 else channels_second(o)[0] for o in out]
        return back if with_positions else back[0]

    kernel_function.__doc__ = f"Return the largest element of each window of the last {dims} dims."
    kernel_function.__name__ = f"_max_pool{dims}d" if not with_positions else f"_max_pool_at{dims}d"
    shape = (lambda call: [_shape(call)[0], (_shape(call)[0], _dtypes.int64)]) if with_positions else _shape
    node = {
        1: row_node("MaxPool2DWithIndices"),
        2: "MaxPool2DWithIndicesBackward0",
        3: "MaxPool3DWithIndicesBackward0",
    }[dims]
    remembers = ("inputs", "others") if with_positions else ("inputs", "positions")
    return operator(
        where=(),
        shape=shape,
        check=_check,
        out=False,
        node=node,
        opmath=False,
        formats=lambda call: int(call.input.ndim == dims + 2),
        autocast=FULL_ON_CPU if dims == 3 and not with_positions else None,
        loop="max_pool3d" if dims == 3 else "max_pool2d",
        takes=(INTEGER, FLOATING),
        remembers=remembers,
        in_errors=f"max_pool{dims}d" + "_with_indices" * with_positions,
    )(kernel_function)


for _count in (1, 2, 3):
    _max_pool(_count, False)
    _max_pool(_count, True)


# -- mean --------------------------------------------------------------------------------------------------------------


def _window_sums(x, kernel: Ints, stride: Ints, pads: tuple):
    if math.prod(kernel) <= _FEW_WINDOWS:
        return functools.reduce(add, windows(padded(x, pads), kernel, stride, (1,) * len(kernel)))
    if isinstance(x, np.ndarray):
        return _sliding(padded(x, pads), kernel, stride, (1,) * len(kernel)).sum(_last(kernel), dtype=x.dtype)
    whole = lambda each, fill: (fill, *each, fill)
    return lax.reduce_window(padded(x, pads), x.dtype.type(0), lax.add, whole(kernel, 1), whole(stride, 1), "VALID")


def _divisors(sizes: Ints, counts: Ints, kernel: Ints, stride: Ints, pad: Ints, include_pad: bool) -> Any:
    """Return the number of elements of each window, including the padding if `include_pad` is True."""
    xp: Any = jnp if any(map(is_symbolic, sizes)) else np
    total = xp.ones(())
    for n, o, k, s, p in zip(sizes, counts, kernel, stride, pad):
        start = xp.arange(o) * s - p
        end = xp.minimum(start + k, n + p)
        length = end - start if include_pad else xp.minimum(end, n) - xp.maximum(start, 0)
        total = total[..., None] * length
    return total[..., None]


def _avg_pool(dims: int):
    def kernel_function(
        input: Array,
        kernel_size: tuple | int,
        stride: tuple | int | None = None,
        padding: tuple | int = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ):
        kernel, pad = expand(kernel_size, dims), expand(padding, dims)
        strides = expand(stride, dims) if stride not in (None, ()) else kernel
        x = channels_last(input if input.ndim == dims + 2 else input[None])
        sizes, ones = x.shape[1:-1], (1,) * dims
        counts = tuple(pooled_size(n, k, s, p, 1, ceil_mode) for n, k, s, p in zip(sizes, kernel, strides, pad))
        sums = _window_sums(x, kernel, strides, _end_pads(sizes, counts, kernel, strides, pad, ones))
        divisor = divisor_override or _divisors(sizes, counts, kernel, strides, pad, count_include_pad)
        if x.dtype.kind in "iu":
            out = channels_second(namespace(x).trunc(sums / divisor).astype(x.dtype))
        else:
            divisor = divisor.astype(x.dtype) if isinstance(divisor, jax.Array) else np.asarray(divisor, x.dtype)
            out = channels_second(sums / divisor)
        return out if input.ndim == dims + 2 else out[0]

    kernel_function.__doc__ = f"""Return the mean of each window of the last {dims} dims.

    Padding counts as zeros, unless `count_include_pad` is False. `divisor_override` replaces the window size as the
    divisor.
    """
    kernel_function.__name__ = f"_avg_pool{dims}d"
    node = {1: row_node("AvgPool2D"), 2: "AvgPool2DBackward0", 3: "AvgPool3DBackward0"}[dims]
    return operator(
        where=(),
        shape=_shape,
        check=_check,
        saves=(),
        out=False,
        node=node,
        in_errors=f"avg_pool{dims}d",
        formats=int(dims < 3),
        vanishing=("input",),
        loop="avg_pool3d_out_frame" if dims == 3 else "avg_pool2d",
        takes=(FLOATING, int64),
        autocast=FULL_ON_CPU if dims == 3 else None,
    )(kernel_function)


for _count in (1, 2, 3):
    _avg_pool(_count)


def _unpooled_shape(call: Call) -> list:
    return [(*call.input.shape[: -len(call.size)], *call.size)]


@operator(
    autocast=FULL_ON_CPU,
    where=(),
    shape=_unpooled_shape,
    keeps=("indices",),
    saves=("indices",),
    out=False,
    name="_max_unpool",
    node="MaxUnpool2DBackward0",
    numpy=False,
    loop="max_unpool2d",
    takes=REAL_FLOATS,
)
def _max_unpool(input: Array, indices: Array, size: tuple):
    """Invert max pooling: place each element at its index in a plane of zeros of the given size."""
    lead = input.shape[: input.ndim - len(size)]
    rows = math.prod(lead)
    count = math.prod(input.shape[len(lead) :])
    return _put(input.reshape(rows, count), indices.reshape(rows, count), math.prod(size)).reshape(*lead, *size)


@functools.partial(jax.custom_jvp, nondiff_argnums=(2,))
def _put(x, places, size: int):
    """Write each element at its index in a plane of zeros.

    If several elements have the same index, the last one is written. All of them get the gradient of the result at that
    index.
    """
    return jnp.zeros((x.shape[0], size), x.dtype).at[jnp.arange(x.shape[0])[:, None], places].set(x)


@_put.defjvp
def _put_jvp(size, primals, tangents):
    (x, places), change = primals, tangents[0]
    moved = jnp.zeros((x.shape[0], size), x.dtype).at[jnp.arange(x.shape[0])[:, None], places].add(change)
    return _put(x, places, size), moved
