"""The forms of a convolution over (N, d1, ..., C) with weights (k1, ..., C / groups, O), and which is run where.

XLA's own is right for accelerators. On the CPU it is fast for one group of float32; the others are made of matrix
products and of sums of shifted copies (docs/design.md has the figures).
"""

from __future__ import annotations

import math
from functools import reduce
from operator import add

import jax
import jax.numpy as jnp
from jax import lax

from torchlike._ops._alone import alone
from torchlike._ops._products import rows_times
from torchlike._ops._windows import Ints, Pairs, padded, places, windows

_FEW_COLUMNS = 64  # up to here a convolution is one product with all shifted copies side by side
_FEW_PLACES = 64  # of a kernel, up to which the copies for each place are written out


def plain(x, w, stride: Ints, pads: Pairs, dilation: Ints, groups: int, stretch: Ints | None = None):
    """XLA's convolution; `stretch` puts zeros between the elements of x."""
    d = "DHW"[3 - len(stride) :]
    spec = (f"N{d}C", f"{d}IO", f"N{d}C")
    return lax.conv_general_dilated(x, w, stride, pads, lhs_dilation=stretch, rhs_dilation=dilation,
                                    dimension_numbers=spec, feature_group_count=groups)  # fmt: skip


def by_columns(x, w, stride: Ints, pads: Pairs, dilation: Ints, groups: int):
    """One matrix product (for each group): every window as a row."""
    *kernel, each, outputs = w.shape
    copies = windows(padded(_apart(x, groups), pads), tuple(kernel), stride, dilation)  # (groups N, ..., C / groups)
    factors = w.reshape(len(copies) * each, groups, outputs // groups)
    return _together(_times(jnp.concatenate(copies, -1), jnp.moveaxis(factors, 1, 0)), groups)


def by_channel(x, w, stride: Ints, pads: Pairs, dilation: Ints, stretch: Ints | None = None):
    """Every channel by itself."""
    *kernel, _, outputs = w.shape
    x = padded(x, pads, stretch=stretch)
    x = x if outputs == x.shape[-1] else jnp.repeat(x, outputs // x.shape[-1], -1)
    return alone(x, w.reshape(*kernel, outputs), stride, dilation)


def convolve(x, w, stride: Ints, pads: Pairs, dilation: Ints, groups: int):
    """The convolution in whichever form is fastest here."""
    *kernel, each, _ = w.shape
    count = math.prod(kernel)
    if _is_chosen(x, w, count):
        if each == 1 < groups:
            return by_channel(x, w, stride, pads, dilation)
        is_slow = x.dtype == jnp.float64 and (max(stride) > 1 or count == 1)  # XLA's gradient for the weights
        if groups > 1 or is_slow or count * each <= _FEW_COLUMNS:
            return by_columns(x, w, stride, pads, dilation, groups)
    return plain(x, w, stride, pads, dilation, groups)


def transposed(x, w, stride: Ints, pads: Pairs, dilation: Ints, groups: int):
    """The convolution's transpose, with weights (k1, ..., C, O / groups); `pads` are added to what comes out whole."""
    *kernel, channels, _ = w.shape
    is_chosen, ones = _is_chosen(x, w, math.prod(kernel)), (1,) * len(kernel)
    if is_chosen and channels > groups:
        return by_shifts(x, w, stride, pads, dilation, groups)
    whole = tuple((d * (k - 1) + a, d * (k - 1) + b) for d, k, (a, b) in zip(dilation, kernel, pads))
    if is_chosen:
        return by_channel(x, _flipped(w, groups), ones, whole, dilation, stride)
    return plain(x, _flipped(w, groups), ones, whole, dilation, groups, stride)


def by_shifts(x, w, stride: Ints, pads: Pairs, dilation: Ints, groups: int):
    """Every element times the kernel, and what falls to each place of it added up where it belongs."""
    *kernel, channels, outputs = w.shape
    factors = jnp.moveaxis(w.reshape(-1, channels, outputs), 0, -2)  # (C, places, O / groups)
    found = _times(_apart(x, groups), factors.reshape(groups, channels // groups, -1))
    shares = [padded(share, _shifts(place, kernel, pads, dilation), stretch=stride)
              for place, share in zip(places(tuple(kernel)), jnp.split(found, math.prod(kernel), -1))]  # fmt: skip
    return _together(reduce(add, shares), groups)


def _shifts(place: Ints, kernel: list[int], pads: Pairs, dilation: Ints) -> Pairs:
    return tuple((i * d + a, (k - 1 - i) * d + b) for i, k, (a, b), d in zip(place, kernel, pads, dilation))


def _is_chosen(x, w, count: int) -> bool:
    """Whether the forms of this module may be taken for a kernel of so many places."""
    return (count <= _FEW_PLACES and bool(x.size and w.size) and x.dtype.kind == "f"
            and jax.default_backend() == "cpu")  # fmt: skip


def _apart(x, groups: int):
    """(N, ..., C) -> (groups N, ..., C / groups)."""
    if groups == 1:
        return x
    x = jnp.moveaxis(x.reshape(*x.shape[:-1], groups, -1), -2, 0)
    return x.reshape(-1, *x.shape[2:])


def _together(x, groups: int):
    """(groups N, ..., O / groups) -> (N, ..., O)."""
    if groups == 1:
        return x
    x = jnp.moveaxis(x.reshape(groups, -1, *x.shape[1:]), 0, -2)
    return x.reshape(*x.shape[:-2], -1)


def _times(x, w):
    """(groups N, ..., A) times (groups, A, B), group by group."""
    groups, _, width = w.shape
    found = rows_times(x, w[0]) if groups == 1 else rows_times(x.reshape(groups, -1, x.shape[-1]), w)
    return found.reshape(*x.shape[:-1], width)


def _flipped(w, groups: int):
    """(k1, ..., C, O / groups) -> (k1, ..., C / groups, O), turned round along every kernel dim."""
    *kernel, channels, outputs = w.shape
    w = jnp.flip(w, tuple(range(len(kernel)))).reshape(*kernel, groups, channels // groups, outputs)
    return jnp.swapaxes(w, -3, -2).reshape(*kernel, channels // groups, groups * outputs)
