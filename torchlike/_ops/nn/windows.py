"""Windows that slide over the middle dims of (N, d1, ..., C): how they are written, laid out and cut."""

from __future__ import annotations

from itertools import product

import jax.numpy as jnp
import numpy as np
from jax import lax

from torchlike._ops.schema.namespace import namespace

Ints = tuple[int, ...]
Pairs = tuple[tuple[int, int], ...]


def expand(value, count: int) -> Ints:
    """One number for each of `count` dims."""
    return tuple(value) * (count if len(value) == 1 else 1) if isinstance(value, tuple | list) else (value,) * count


def padding_pairs(padding, kernel: Ints, dilation: Ints) -> Pairs:
    """(before, after) for each dim; "same" keeps the size, with the odd one after."""
    if padding == "valid":
        return ((0, 0),) * len(kernel)
    if padding == "same":
        total = [d * (k - 1) for d, k in zip(dilation, kernel)]
        return tuple((t // 2, t - t // 2) for t in total)
    return tuple((p, p) for p in expand(padding, len(kernel)))


def channels_last(x):
    """(N, C, d1, ...) -> (N, d1, ..., C)."""
    return namespace(x).moveaxis(x, 1, -1)


def channels_second(x):
    """(N, d1, ..., C) -> (N, C, d1, ...)."""
    return namespace(x).moveaxis(x, -1, 1)


def places(kernel: Ints) -> list[Ints]:
    """Every place of a kernel, the last dim fastest."""
    return [*product(*map(range, kernel))]


def spans(sizes: Ints, kernel: Ints, stride: Ints, dilation: Ints) -> Ints:
    """How many windows lie along each dim."""
    return tuple((n - d * (k - 1) - 1) // s + 1 for n, k, s, d in zip(sizes, kernel, stride, dilation))


def windows(x, kernel: Ints, stride: Ints, dilation: Ints) -> list:
    """For each place in the kernel, the elements of `x` (padded already) that meet it: (N, o1, ..., C) each."""
    counts = spans(x.shape[1:-1], kernel, stride, dilation)
    found = []
    for place in places(kernel):
        cut = tuple(slice(i * d, i * d + (o - 1) * s + 1, s) for i, o, s, d in zip(place, counts, stride, dilation))
        found.append(x[(slice(None), *cut)])
    return found


def padded(x, pads: Pairs, fill: float = 0, stretch: Ints | None = None):
    """`x` with its middle dims padded, also by less than nothing; `stretch` puts elements apart by so many."""
    if stretch is None and all(p == (0, 0) for p in pads):
        return x
    between = [s - 1 for s in stretch or (1,) * len(pads)]
    middle = [(a, b, n) for (a, b), n in zip(pads, between)]
    if isinstance(x, np.ndarray):
        return _padded_by_numpy(x, middle, fill)
    return lax.pad(x, jnp.asarray(fill, x.dtype), [(0, 0, 0), *middle, (0, 0, 0)])


def _padded_by_numpy(x: np.ndarray, middle: list[Ints], fill: float) -> np.ndarray:
    """What `lax.pad` does: elements `n` apart, padded or (by less than nothing) cut at both ends."""
    whole = [(max(m - 1, 0) * (n + 1) + (m > 0), a, b) for m, (a, b, n) in zip(x.shape[1:-1], middle)]
    wide = [size + max(a, 0) + max(b, 0) for size, a, b in whole]
    out = np.full((x.shape[0], *wide, x.shape[-1]), fill, x.dtype)
    at = tuple(slice(max(a, 0), max(a, 0) + size, n + 1) for (size, a, _), (*_, n) in zip(whole, middle))
    out[(slice(None), *at)] = x
    return out[(slice(None), *[slice(max(-a, 0), w - max(-b, 0)) for w, (_, a, b) in zip(wide, whole)])]
