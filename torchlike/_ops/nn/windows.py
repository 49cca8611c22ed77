"""Windows that slide over the middle dims of (N, d1, ..., C): their arguments, counts, slices and padding."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from torchlike import _native

Ints = tuple[int, ...]
Pairs = tuple[tuple[int, int], ...]


def expand(value, count: int) -> Ints:
    """Return a tuple of `count` numbers, repeating a single number."""
    return tuple(value) * (count if len(value) == 1 else 1) if isinstance(value, tuple | list) else (value,) * count


def padding_pairs(padding, kernel: Ints, dilation: Ints) -> Pairs:
    """Return the padding (before, after) of each dim. For "same", an odd element comes after."""
    if padding == "valid":
        return ((0, 0),) * len(kernel)
    if padding == "same":
        total = [d * (k - 1) for d, k in zip(dilation, kernel)]
        return tuple((t // 2, t - t // 2) for t in total)
    return tuple((p, p) for p in expand(padding, len(kernel)))


def channels_last(x):
    """Move the channels last: (N, C, d1, ...) -> (N, d1, ..., C)."""
    return x.transpose(0, *range(2, x.ndim), 1)


def channels_second(x):
    """Move the channels to dim 1: (N, d1, ..., C) -> (N, C, d1, ...)."""
    return x.transpose(0, x.ndim - 1, *range(1, x.ndim - 1))


def places(kernel: Ints) -> list[Ints]:
    """Return the index of every kernel element, with the last dim varying fastest."""
    return [*product(*map(range, kernel))]


def spans(sizes: Ints, kernel: Ints, stride: Ints, dilation: Ints) -> Ints:
    """Return the number of windows along each dim."""
    return tuple((n - d * (k - 1) - 1) // s + 1 for n, k, s, d in zip(sizes, kernel, stride, dilation))


def windows(x, kernel: Ints, stride: Ints, dilation: Ints) -> list:
    """Return one array (N, o1, ..., C) for each kernel element: the elements of the padded `x` that it multiplies."""
    counts = spans(x.shape[1:-1], kernel, stride, dilation)
    found = []
    for place in places(kernel):
        begins = [i * d for i, d in zip(place, dilation)]
        ends = [begin + (o - 1) * s + 1 for begin, o, s in zip(begins, counts, stride)]
        found.append(_cut(x, begins, ends, stride))
    return found


def is_native(x: Any, kernel: Ints, counts: Ints) -> bool:
    """Return whether the kernels in C take this array (N, d1, ..., C) and this kernel."""
    is_plain = _native.convolutions is not None and isinstance(x, np.ndarray) and x.dtype == np.float32
    return is_plain and len(kernel) < 3 and x.size > 0 and min(*kernel, *counts, 1) > 0


def native_sizes(x: np.ndarray, kernel: Ints, counts: Ints, stride: Ints, dilation: Ints, *pads: Ints) -> Ints:
    """Return the sizes that the kernels in C expect: those of two dims. For a kernel of one dim, the first is 1."""
    flat = lambda sizes, fill=1: (*[fill] * (2 - len(sizes)), *sizes)
    middle = (*flat(x.shape[1:-1]), *flat(counts), x.shape[-1], *flat(kernel), *flat(stride), *flat(dilation))
    return (len(x), *middle, *[n for each in pads for n in flat(each, 0)])


def gathered(x: np.ndarray, kernel: Ints, stride: Ints, pads: Pairs, dilation: Ints) -> np.ndarray:
    """Return an array (N, o1, ..., k1 ... C) whose rows are the windows of `x` (N, d1, ..., C), padded with zeros."""
    wide = tuple(n + a + b for n, (a, b) in zip(x.shape[1:-1], pads))
    counts = spans(wide, kernel, stride, dilation)
    if is_native(x, kernel, counts) and min(map(min, pads), default=0) >= 0:
        out = np.empty((len(x), *counts, math.prod(kernel) * x.shape[-1]), np.float32)
        first = tuple(before for before, _ in pads)
        _native.convolutions.gather(
            np.ascontiguousarray(x), out, native_sizes(x, kernel, counts, stride, dilation, first)
        )
        return out
    return np.concatenate(windows(padded(x, pads), kernel, stride, dilation), -1)


def _cut(x, begins: list[int], ends: list[int], steps: Ints):
    """Return a slice of the middle dims."""
    if isinstance(x, np.ndarray):
        return x[(slice(None), *map(slice, begins, ends, steps))]
    # An index expression with steps would be a gather if another dim is symbolic.
    return lax.slice(x, (0, *begins, 0), (x.shape[0], *ends, x.shape[-1]), (1, *steps, 1))


def padded(x, pads: Pairs, fill: float = 0, stretch: Ints | None = None):
    """Pad the middle dims of `x`; negative padding crops.

    `stretch` is the distance between elements of `x` in the result, with `fill` between them.
    """
    if stretch is None and all(p == (0, 0) for p in pads):
        return x
    between = [s - 1 for s in stretch or (1,) * len(pads)]
    middle = [(a, b, n) for (a, b), n in zip(pads, between)]
    if isinstance(x, np.ndarray):
        return _padded_by_numpy(x, middle, fill)
    return lax.pad(x, jnp.asarray(fill, x.dtype), [(0, 0, 0), *middle, (0, 0, 0)])


def _padded_by_numpy(x: np.ndarray, middle: list[Ints], fill: float) -> np.ndarray:
    """Pad like `lax.pad`: insert n elements between neighbors, then pad or crop both ends."""
    whole = [(max(m - 1, 0) * (n + 1) + (m > 0), a, b) for m, (a, b, n) in zip(x.shape[1:-1], middle)]
    wide = [size + max(a, 0) + max(b, 0) for size, a, b in whole]
    out = np.full((x.shape[0], *wide, x.shape[-1]), fill, x.dtype)
    at = tuple(slice(max(a, 0), max(a, 0) + size, n + 1) for (size, a, _), (*_, n) in zip(whole, middle))
    out[(slice(None), *at)] = x
    return out[(slice(None), *[slice(max(-a, 0), w - max(-b, 0)) for w, (_, a, b) in zip(wide, whole)])]
