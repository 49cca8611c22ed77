"""Algorithms for a convolution over (N, d1, ..., C) with weights (k1, ..., C / groups, O), and the choice between them.

On accelerators XLA's own convolution is the fastest. On the CPU it is fast only for one group of float32. All other CPU
convolutions, and all convolutions in NumPy, use matrix products and sums of shifted copies
(docs/decisions/0050-convolutions.md has the figures).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache, reduce
from operator import add, iadd
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from torchlike._engine.interpreter.half import is_half
from torchlike._engine.interpreter.rules import Equation, rule
from torchlike._engine.xla.jax_private import is_symbolic
from torchlike._engine.xla.target import convolution_precision, for_cpu
from torchlike._ops.linalg.products import rows_times
from torchlike._ops.nn.depthwise import alone
from torchlike._ops.nn.windows import Ints, Pairs, gathered, padded, places, spans, windows
from torchlike._ops.schema.namespace import namespace

# Up to this many columns, a convolution is one matrix product with all shifted copies side by side.
_FEW_COLUMNS = 64
# With at most this many output positions, and at most as many as output channels, a convolution spends most of its
# time reading the weights. `by_rows` then reads them in memory order.
_FEW_POSITIONS = 512
# Up to this many groups are convolved one by one if the kernel has more than `_FEW_PLACES` elements.
_FEW_GROUPS = 32
# The maximum number of column elements in NumPy; the maximum in XLA is eight times as large. If it is exceeded, NumPy
# processes one example at a time, and other convolutions use `by_places` instead of `by_columns`.
_MANY_COLUMNS = 1 << 24
# A compiled program contains one shifted copy of the input for each kernel element. Kernels with more elements than
# this use XLA's convolution instead.
_FEW_PLACES = 64


def plain(x, w, stride: Ints, pads: Pairs, dilation: Ints, groups: int, stretch: Ints | None = None):
    """Return XLA's convolution; `stretch` inserts zeros between the elements of `x` (lhs dilation)."""
    d = "DHW"[3 - len(stride) :]
    spec = (f"N{d}C", f"{d}IO", f"N{d}C")
    return lax.conv_general_dilated(
        x,
        w,
        stride,
        pads,
        lhs_dilation=stretch,
        rhs_dilation=dilation,
        dimension_numbers=spec,
        feature_group_count=groups,
        precision=convolution_precision(),
    )


def by_columns(x, w, stride: Ints, pads: Pairs, dilation: Ints, groups: int):
    """Convolve by one matrix product per group, with each window as a row (im2col)."""
    *kernel, _, outputs = w.shape
    xp, x = namespace(x), _apart(x, groups)  # (groups N, ..., C / groups)
    if xp is np:
        columns = gathered(x, tuple(kernel), stride, pads, dilation)
    else:
        columns = jnp.concatenate(windows(padded(x, pads), tuple(kernel), stride, dilation), -1)
    factors = w.reshape(columns.shape[-1], groups, outputs // groups)
    return _together(_times(columns, factors.transpose(1, 0, 2)), groups)


def by_places(x, w, stride: Ints, pads: Pairs, dilation: Ints, groups: int):
    """Convolve by a sum of matrix products, one for each kernel element.

    It is used if the columns of `by_columns` would need too much memory.
    """
    *kernel, each, outputs = w.shape
    copies = windows(padded(_apart(x, groups), pads), tuple(kernel), stride, dilation)
    factors = namespace(x).moveaxis(w.reshape(len(copies), each, groups, outputs // groups), 2, 1)
    return _together(reduce(iadd, map(_times, copies, factors)), groups)


def by_rows(x, w, stride: Ints, pads: Pairs, dilation: Ints):
    """Convolve one group by one matrix product that reads the weights in PyTorch's memory order, (O, C, k1, ...)."""
    *kernel, _, outputs = w.shape
    xp, copies = namespace(x), windows(padded(x, pads), tuple(kernel), stride, dilation)
    columns = xp.stack(copies, -1).reshape(*copies[0].shape[:-1], len(copies) * x.shape[-1])
    weights = xp.moveaxis(w, (-1, -2), (0, 1)).reshape(outputs, columns.shape[-1])
    return rows_times(columns, weights, "nt")


def by_channel(x, w, stride: Ints, pads: Pairs, dilation: Ints, stretch: Ints | None = None):
    """Convolve each channel separately (depthwise)."""
    *kernel, _, outputs = w.shape
    x = padded(x, pads, stretch=stretch)
    x = x if outputs == x.shape[-1] else namespace(x).repeat(x, outputs // x.shape[-1], -1)
    return alone(x, w.reshape(*kernel, outputs), stride, dilation)


def by_parts(x, w, stride: Ints, pads: Pairs, dilation: Ints, groups: int):
    """Convolve each group by a separate XLA convolution."""
    xs, ws = jnp.split(x, groups, -1), jnp.split(w, groups, -1)
    return jnp.concatenate([plain(a, b, stride, pads, dilation, 1) for a, b in zip(xs, ws)], -1)


def by_slices(x, w, stride: Ints, pads: Pairs, dilation: Ints, groups: int):
    """Convolve over three dims by a sum of two-dim convolutions, one for each kernel element of the first dim."""
    x = padded(x, (pads[0], (0, 0), (0, 0)))
    (count,) = spans(x.shape[1:2], w.shape[:1], stride[:1], dilation[:1])
    found = []
    for place, weights in enumerate(w):
        first = place * dilation[0]
        cut = x[:, first : first + (count - 1) * stride[0] + 1 : stride[0]]
        flat = cut.reshape(-1, *cut.shape[2:])
        found.append(convolve(flat, weights, stride[1:], pads[1:], dilation[1:], groups))
    return reduce(add, found).reshape(x.shape[0], count, *found[0].shape[1:])


def convolve(x, w, stride: Ints, pads: Pairs, dilation: Ints, groups: int):
    """Convolve by the fastest algorithm for this target, dtype and shape."""
    *kernel, each, outputs = w.shape
    count = math.prod(kernel)
    if not _is_chosen(x, w):
        return plain(x, w, stride, pads, dilation, groups)
    if count > _FEW_PLACES and not isinstance(x, np.ndarray):
        return (by_parts if 1 < groups <= _FEW_GROUPS else plain)(x, w, stride, pads, dilation, groups)
    if each == 1 < groups:
        return by_channel(x, w, stride, pads, dilation)
    sizes = tuple(n + sum(p) for n, p in zip(x.shape[1:-1], pads))
    positions = x.shape[0] * math.prod(spans(sizes, tuple(kernel), stride, dilation))
    on_host, columns = isinstance(x, np.ndarray), positions * count * each * groups
    is_small = _at_most(columns, _MANY_COLUMNS if on_host else 8 * _MANY_COLUMNS)
    has_few_rows = groups == 1 and _at_most(positions, min(outputs, _FEW_POSITIONS))
    if on_host and not is_small and not has_few_rows and len(x) > 1:
        return np.concatenate([convolve(one, w, stride, pads, dilation, groups) for one in np.split(x, len(x))])
    # The cases in which XLA's convolution is slow.
    is_slow = x.dtype == jnp.float64 and (max(stride) > 1 or count == 1 or len(kernel) == 1)
    by = lambda form, *rest: lambda x, w: form(x, w, stride, pads, dilation, *rest)
    others = by(by_slices if len(kernel) == 3 else plain, groups)
    if on_host or groups > 1 or is_slow:
        others = _either(is_small, by(by_columns, groups), by(by_places, groups))
    elif count * each <= _FEW_COLUMNS:
        others = _either(is_small, by(by_columns, groups), others)
    return _either(has_few_rows, by(by_rows), others)(x, w)


def _at_most(size, limit: int):
    """Return whether a size is at most `limit`: a bool, or an array if the size is symbolic."""
    return jnp.asarray(size) <= limit if is_symbolic(size) else size <= limit


def _either(condition, first: Callable, second: Callable) -> Callable:
    """Return `first` if a condition holds, else `second`.

    If the condition depends on a symbolic size, the program contains both. XLA keeps one when the size is known.
    """
    if isinstance(condition, bool):
        return first if condition else second
    return lambda x, w: lax.cond(condition, first, second, x, w)


def transposed(x, w, stride: Ints, pads: Pairs, dilation: Ints, groups: int):
    """Return the transposed convolution for weights of shape (k1, ..., C, O / groups).

    `pads` are added to the full, unpadded result; negative numbers crop it.
    """
    *kernel, channels, _ = w.shape
    is_chosen = _is_chosen(x, w) and (math.prod(kernel) <= _FEW_PLACES or isinstance(x, np.ndarray))
    if is_chosen and channels > groups:
        return by_shares(x, w, stride, pads, dilation, groups)
    ones = (1,) * len(kernel)
    whole = tuple((d * (k - 1) + a, d * (k - 1) + b) for d, k, (a, b) in zip(dilation, kernel, pads))
    if is_chosen:
        return by_channel(x, _flipped(w, groups), ones, whole, dilation, stride)
    return plain(x, _flipped(w, groups), ones, whole, dilation, groups, stride)


def by_shares(x, w, stride: Ints, pads: Pairs, dilation: Ints, groups: int):
    """Split the kernel into blocks of the stride's size, multiply each input element by them, and sum the overlaps.

    The sums of the blocks are then placed side by side.
    """
    is_weight = _places_of_weights(w.shape[: len(stride)], stride, dilation)
    w, after = _in_blocks(w, stride, dilation)  # (blocks, C, elements of a block, O / groups)
    blocks, (channels, outputs) = w.shape[: len(stride)], (w.shape[len(stride)], w.shape[-1])
    xp, count, block = namespace(x), math.prod(blocks), math.prod(stride) * outputs
    factors = xp.moveaxis(w.reshape(count, channels, block), 0, 1)
    found = _times(_apart(x, groups), factors.reshape(groups, channels // groups, count * block))
    if not is_weight.all() and (xp is jnp or not np.isfinite(x).all()):
        found = xp.where(np.repeat(is_weight, outputs), found, 0)  # 0, not NaN, where infinity meets an inserted zero
    shares = [
        padded(share, tuple((i, n - 1 - i) for i, n in zip(place, blocks)))
        for place, share in zip(places(blocks), xp.split(found, count, -1))
    ]
    sums = reduce(add, shares)
    apart = sums.reshape(*sums.shape[:-1], *stride, outputs)  # (groups N, d1, d2, ..., s1, s2, ..., O / groups)
    dims = range(1, 1 + len(stride))
    apart = xp.transpose(apart, (0, *[axis for d in dims for axis in (d, d + len(stride))], apart.ndim - 1))
    sizes = [n * s for n, s in zip(sums.shape[1:-1], stride)]
    side_by_side = apart.reshape(sums.shape[0], *sizes, outputs)
    return _together(padded(side_by_side, tuple((a, b - n) for (a, b), n in zip(pads, after))), groups)


@lru_cache(256)
def _places_of_weights(kernel: Ints, stride: Ints, dilation: Ints) -> np.ndarray:
    """Return a mask of the elements of a kernel's blocks that are weights. The others are inserted zeros."""
    return _in_blocks(np.ones((*kernel, 1, 1), bool), stride, dilation)[0]


def _in_blocks(w, stride: Ints, dilation: Ints):
    """Split a kernel into blocks: (k1, ..., C, O) -> (k1 / s1, ..., C, s1 ..., O).

    Zeros are inserted for the dilation and appended to complete the last block of each dim.

    Returns:
      The blocks, and the number of zeros appended to each dim.
    """
    xp, dims = namespace(w), len(stride)
    w = xp.moveaxis(w, -2, 0)
    w = padded(w, ((0, 0),) * dims, stretch=dilation)
    after = [-n % s for n, s in zip(w.shape[1:-1], stride)]
    w = padded(w, tuple((0, n) for n in after))
    split = [m for n, s in zip(w.shape[1:-1], stride) for m in (n // s, s)]
    w = w.reshape(len(w), *split, w.shape[-1])
    w = xp.transpose(w, (*range(1, 2 * dims, 2), 0, *range(2, 2 * dims + 1, 2), 2 * dims + 1))
    return w.reshape(*w.shape[: dims + 1], math.prod(stride), w.shape[-1]), after


def _is_chosen(x, w) -> bool:
    """Return whether `convolve` may use the algorithms of this module rather than XLA's convolution."""
    is_float = bool(x.size and w.size) and x.dtype.kind == "f"
    return isinstance(x, np.ndarray) or (is_float and for_cpu())


def _apart(x, groups: int):
    """Split the channels into groups: (N, ..., C) -> (groups N, ..., C / groups)."""
    if groups == 1:
        return x
    x = namespace(x).moveaxis(x.reshape(*x.shape[:-1], groups, x.shape[-1] // groups), -2, 0)
    return x.reshape(groups * x.shape[1], *x.shape[2:])


def _together(x, groups: int):
    """Join the groups' channels: (groups N, ..., O / groups) -> (N, ..., O)."""
    if groups == 1:
        return x
    x = namespace(x).moveaxis(x.reshape(groups, x.shape[0] // groups, *x.shape[1:]), 0, -2)
    return x.reshape(*x.shape[:-2], groups * x.shape[-1])


def _times(x, w):
    """Multiply (groups N, ..., A) by (groups, A, B), group by group."""
    groups, inner, width = w.shape
    rows = x if groups == 1 else x.reshape(groups, math.prod(x.shape[:-1]) // groups, inner)
    return rows_times(rows, w[0] if groups == 1 else w).reshape(*x.shape[:-1], width)


def _flipped(w, groups: int):
    """Return the weights flipped along every kernel dim: (k1, ..., C, O / groups) -> (k1, ..., C / groups, O)."""
    *kernel, channels, outputs = w.shape
    xp = namespace(w)
    w = xp.flip(w, tuple(range(len(kernel)))).reshape(*kernel, groups, channels // groups, outputs)
    return xp.swapaxes(w, -3, -2).reshape(*kernel, channels // groups, groups * outputs)


@rule("conv_general_dilated")
def _convolution(e: Equation) -> Callable:
    """Interpret a convolution of a gradient, which would otherwise be compiled separately."""
    (x, w), out = e.inputs, e.outputs[0]
    numbers, groups = e.params["dimension_numbers"], e.params["feature_group_count"]
    if e.params["batch_group_count"] != 1:
        raise e.refuse("with groups of batches")
    if not (out.dtype.kind == "f" or is_half(out.dtype)) or 0 in (*x.shape, *w.shape, *out.shape):
        raise e.refuse("of these dtypes or sizes")
    (batch, channel, *middle), (outputs, inputs, *kernel) = numbers.lhs_spec, numbers.rhs_spec
    turn_x, turn_w = (batch, *middle, channel), (*kernel, inputs, outputs)
    first, last, *between = numbers.out_spec
    turn_back = tuple(np.argsort((first, *between, last)))
    stride, pads = tuple(e.params["window_strides"]), tuple(map(tuple, e.params["padding"]))
    stretch, dilation = tuple(e.params["lhs_dilation"]), tuple(e.params["rhs_dilation"])
    stretch = None if max(stretch, default=1) == 1 else stretch
    wide = np.dtype(np.float32) if is_half(out.dtype) else out.dtype
    is_of_weights = groups == 1 and math.prod(out.shape[d] for d in between) < math.prod(w.shape[d] for d in kernel)
    none = ((0, 0),) * len(stride)

    def convolution(x: Any, w: Any) -> np.ndarray:
        x, w = (a.astype(wide, copy=False) for a in (x.transpose(turn_x), w.transpose(turn_w)))
        x = padded(x, pads, stretch=stretch)
        found: Any
        if is_of_weights:
            found = by_outputs(x, w, stride, dilation)
        else:
            found = convolve(x, w, stride, none, dilation, groups)
        return found.transpose(turn_back).astype(out.dtype, copy=False)

    return convolution


def by_outputs(x: np.ndarray, w: np.ndarray, stride: Ints, dilation: Ints) -> np.ndarray:
    """Convolve one group by one matrix product for each output position.

    The gradient of a convolution's weights is such a convolution: its kernel is the gradient of the result, and its few
    output positions are the elements of the weights.
    """
    *kernel, _, outputs = w.shape
    counts = spans(x.shape[1:-1], tuple(kernel), stride, dilation)
    turn = (x.ndim - 1, *range(1, x.ndim - 1), 0)  # the order in memory: a gradient of weights swaps N and C
    rows = w.transpose(w.ndim - 2, *range(w.ndim - 2), w.ndim - 1).reshape(-1, outputs)
    found = np.empty((x.shape[0], *counts, outputs), x.dtype)
    for place in places(counts):
        cut = tuple(slice(p * s, p * s + (k - 1) * d + 1, d) for p, s, k, d in zip(place, stride, kernel, dilation))
        columns = x[(slice(None), *cut)].transpose(turn).reshape(len(rows), len(x))
        found[(slice(None), *place)] = columns.T @ rows
    return found
