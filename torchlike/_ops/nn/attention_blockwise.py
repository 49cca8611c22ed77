"""Attention computed block by block, so that the matrix of all scores never exists in memory.

The forward pass is the online softmax of Milakov and Gimelshein (2018). The backward pass is that of FlashAttention
(Dao et al., 2022): it recomputes each block of weights from the row maxima and row sums. One `lax.scan` runs over all
blocks that contain a permitted score.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import lax

BLOCK = 512  # rows and columns of a block of scores
TOGETHER = 8  # matrices of scores whose blocks are computed together on the CPU: the blocks then stay in the caches
_ZERO = np.int32(0)


class Blocks(NamedTuple):
    """The static description of a call whose arrays are (N, G, L, E) queries, (N, S, E) keys and (N, S, F) values.

    Attributes:
      lead: the leading dims of the scores. Their product is N * G.
      mask_lead: the leading dims of the mask, as many as `lead`, each equal to 1 or to that of `lead`. Their product is
        the first dim of the mask (M, 1 or L, 1 or S).
      causal: whether row i attends only to the columns 0 to i.
      scale: the factor of the scores.
      step: rounds float32 to half precision where PyTorch's CPU kernel does.
      draw: `draw(noise, index)` returns the dropout factors of the scores at flat indices in (..., L, S). None means
        that `noise` is an array of the factors (N * G, L, S).
      rows, columns: the size of a block.
      together: the number of matrices, out of N, whose blocks are computed together.
    """

    lead: tuple[int, ...]
    mask_lead: tuple[int, ...]
    causal: bool
    scale: float
    step: Callable[[Any], Any]
    draw: Callable[[Any, Any], Any] | None
    rows: int
    columns: int
    together: int


def even(length: int, block: int) -> int:
    """Return the size of blocks of about equal size, at most `block`, that cover `length`."""
    return -(-length // -(-length // block))


def together(count: int, most: int) -> int:
    """Return the largest divisor of `count` that is at most `most`."""
    return next(n for n in range(min(count, max(most, 1)), 0, -1) if count % n == 0)


# -- blocks of arrays --------------------------------------------------------------------------------------------------


class _Grid:
    """The arrays of one call, padded to whole blocks, and the order of its blocks."""

    def __init__(self, o: Blocks, q: Any, k: Any, v: Any, mask: Any, noise: Any) -> None:
        self.o, self.sizes, self.kind = o, (q.shape[2], k.shape[1]), v.dtype
        self.padded = tuple(-(-n // size) * size for n, size in zip(self.sizes, (o.rows, o.columns)))
        self.groups = q.shape[:2]
        self.acc = np.promote_types(q.dtype, np.float32) if q.dtype.itemsize > 2 else np.dtype(np.float32)
        self.q, self.k, self.v = self.pad_rows(q), self.pad_columns(k), self.pad_columns(v)
        self.each = mask is not None and mask.shape[0] == math.prod(self.groups)
        self.mask = None if mask is None else self._grouped(self.pad_mask(mask))
        self.noise = (
            noise if noise is None or o.draw is not None else self.pad_mask(noise).reshape(*q.shape[:2], *self.padded)
        )

    def pad_rows(self, x: Any) -> Any:
        return _padded(x, -2, self.padded[0])

    def pad_columns(self, x: Any) -> Any:
        return _padded(x, -2, self.padded[1])

    def pad_mask(self, x: Any) -> Any:
        """Return an array of (M, 1 or L, 1 or S), padded in the dims that are not 1."""
        for axis, padded in zip((1, 2), self.padded):
            x = x if x.shape[axis] == 1 else _padded(x, axis, padded)
        return x

    def _grouped(self, mask: Any) -> Any:
        return mask.reshape(*self.groups, *mask.shape[1:]) if self.each else mask[:, None]

    def block_indices(self) -> tuple:
        """Return the indices of all blocks to compute: of the group of matrices, the row block and the column block."""
        o = self.o
        pad_rows, pad_columns = (n // size for n, size in zip(self.padded, (o.rows, o.columns)))
        seen = lambda i, j: not o.causal or j * o.columns < min(self.sizes[0], (i + 1) * o.rows)
        pairs = [(i, j) for i in range(pad_rows) for j in range(pad_columns) if seen(i, j)]
        whole = [(n, i, j) for n in range(self.groups[0] // o.together) for i, j in pairs]
        return tuple(np.array(whole, np.int32).reshape(-1, 3).T)


def _padded(x: Any, axis: int, size: int) -> Any:
    missing = size - x.shape[axis]
    widths = [(0, 0)] * x.ndim
    widths[axis] = (0, missing)
    return jnp.pad(x, widths) if missing else x


class _Block:
    """One block of the scores. Its methods read and update the parts of arrays that belong to the block."""

    def __init__(self, grid: _Grid, place: tuple) -> None:
        self.grid, self.o = grid, grid.o
        n, i, j = place
        self.n, self.i, self.j = n * self.o.together, i * self.o.rows, j * self.o.columns

    def rows(self, x: Any) -> Any:
        return _read(x, (self.n, self.o.together), (self.i, self.o.rows))

    def columns(self, x: Any) -> Any:
        return _read(x, (self.n, self.o.together), (self.j, self.o.columns))

    def put_rows(self, x: Any, part: Any) -> Any:
        return _write(x, part, self.n, self.i)

    def add_to_rows(self, x: Any, part: Any) -> Any:
        return _write(x, self.rows(x) + part, self.n, self.i)

    def add_to_columns(self, x: Any, part: Any) -> Any:
        return _write(x, self.columns(x) + part, self.n, self.j)

    def as_factor(self, x: Any) -> Any:
        """Round computed numbers to the dtype in which they are multiplied."""
        return self.o.step(x).astype(self.grid.kind)

    def dot(self, a: Any, b: Any, contracted: tuple) -> Any:
        return lax.dot_general(a, b, (contracted, ((0,), (0,))), preferred_element_type=self.grid.acc)

    def scores(self) -> Any:
        """Return the scores of the block, with -inf where they are not permitted."""
        grid, o = self.grid, self.o
        found = self.dot(self.rows(grid.q), self.columns(grid.k), ((3,), (2,)))
        found = found if o.scale == 1.0 else found * o.scale
        if grid.mask is not None:
            mask = self.mask_part(grid.mask)
            found = found + (jnp.where(mask, 0, -np.inf) if mask.dtype == bool else mask).astype(found.dtype)
        seen = self._permitted()
        return found if seen is None else jnp.where(seen, found, -np.inf)

    def _permitted(self) -> Any:
        """Return a mask of the scores that exist and that causality permits, or None if it contains all scores."""
        o, (_, length) = self.o, self.grid.sizes
        row, column = self.i + np.arange(o.rows, dtype=np.int32)[:, None], self.j + np.arange(o.columns, dtype=np.int32)
        seen = column <= row if o.causal else None
        if self.grid.padded[1] == length:
            return seen
        return column < length if seen is None else seen & (column < length)

    def mask_part(self, mask: Any) -> Any:
        """Return the part of the mask, or of its gradient, that broadcasts with the block."""
        part = self._whole(mask)
        return part if self.grid.each or mask.shape[0] == 1 else part[self._mask_indices(), 0]

    def add_to_mask(self, x: Any, change: Any) -> Any:
        """Add the gradient of the scores of the block to the gradient of the mask."""
        for axis in (2, 3):
            change = change.sum(axis, keepdims=True) if x.shape[axis] == 1 else change
        part = self._whole(x)
        if self.grid.each:
            part = part + change
        elif x.shape[0] == 1:
            part = part + change.sum((0, 1), keepdims=True)
        else:
            part = part.at[self._mask_indices(), 0].add(change)
        return lax.dynamic_update_slice(x, part, self._corner(x))

    def _corner(self, mask: Any) -> tuple:
        return (
            self.n if self.grid.each else _ZERO,
            _ZERO,
            *[start if n > 1 else _ZERO for start, n in zip((self.i, self.j), mask.shape[2:])],
        )

    def _whole(self, mask: Any) -> Any:
        o = self.o
        sizes = [min(n, size) for n, size in zip((o.rows, o.columns), mask.shape[2:])]
        return lax.dynamic_slice(
            mask, self._corner(mask), (o.together if self.grid.each else mask.shape[0], mask.shape[1], *sizes)
        )

    def _mask_indices(self) -> Any:
        """Return the index of the mask of each matrix of the block, (n, G)."""
        o = self.o
        table = np.arange(math.prod(o.mask_lead), dtype=np.int32).reshape(o.mask_lead)
        table = np.broadcast_to(table, o.lead).reshape(self.grid.groups)
        return lax.dynamic_slice_in_dim(jnp.asarray(table), self.n, o.together)

    def with_dropout(self, x: Any) -> Any:
        """Multiply the weights, or their gradients, by the dropout factors."""
        grid, o = self.grid, self.o
        if grid.noise is None:
            return x
        if o.draw is None:
            part = (o.together, grid.groups[1], o.rows, o.columns)
            return x * lax.dynamic_slice(grid.noise, (self.n, _ZERO, self.i, self.j), part).astype(x.dtype)
        return x * o.draw(grid.noise, self.index()).astype(x.dtype)

    def index(self) -> Any:
        """Return the flat indices of the scores of the block in (..., L, S)."""
        o, (length, keys), (_, group) = self.o, self.grid.sizes, self.grid.groups
        total = math.prod(o.lead) * length * keys
        kind = np.dtype(np.uint32 if total < 2**32 else np.uint64)
        iota = lambda axis: lax.broadcasted_iota(kind, (o.together, group, o.rows, o.columns), axis)
        start = [jnp.asarray(first).astype(kind) for first in (self.n, self.i, self.j)]
        matrix = (iota(0) + start[0]) * kind.type(group) + iota(1)
        return (matrix * kind.type(length) + iota(2) + start[1]) * kind.type(keys) + iota(3) + start[2]


def _read(x: Any, first: tuple, second: tuple) -> Any:
    """Return a slice of the first dim and of the dim before the last. Each is given as (start, size)."""
    middle = x.shape[1:-2]
    return lax.dynamic_slice(
        x, (first[0], *[_ZERO] * len(middle), second[0], _ZERO), (first[1], *middle, second[1], x.shape[-1])
    )


def _write(x: Any, part: Any, first: Any, second: Any) -> Any:
    return lax.dynamic_update_slice(x, part, (first, *[_ZERO] * (x.ndim - 3), second, _ZERO))


# -- the two passes ----------------------------------------------------------------------------------------------------


def forward(o: Blocks, q: Any, k: Any, v: Any, mask: Any, noise: Any) -> tuple:
    """Return the result (N, G, L, F), and the maximum and the sum of the exponentials of each row (N, G, L, 1).

    The maximum is 0 and the sum is 1 in rows without a permitted score. Their result is zero.
    """
    grid = _Grid(o, q, k, v, mask, noise)
    rows = (*q.shape[:2], grid.padded[0])

    def step(carried: tuple, place: tuple) -> tuple:
        block = _Block(grid, place)
        total, top, weight = map(block.rows, carried)
        scores = block.scores()
        new = jnp.maximum(top, scores.max(-1, keepdims=True))
        base = jnp.where(new == -np.inf, 0, new)
        e, kept = jnp.exp(scores - base), jnp.exp(top - base)
        mixed = block.dot(block.as_factor(block.with_dropout(e)), block.columns(grid.v), ((3,), (1,)))
        made = total * kept + mixed, new, weight * kept + e.sum(-1, keepdims=True)
        return tuple(map(block.put_rows, carried, made)), None

    zeros = lambda width: jnp.zeros((*rows, width), grid.acc)
    start = zeros(v.shape[-1]), zeros(1) - np.inf, zeros(1)
    (total, top, weight), _ = lax.scan(step, start, grid.block_indices())
    weight = jnp.where(weight == 0, 1, weight)
    top = jnp.where(top == -np.inf, 0, top)
    found = (total / weight).astype(v.dtype), top, weight
    return tuple([x[:, :, : q.shape[2]] for x in found])


def backward(o: Blocks, primals: tuple, results: tuple, change: Any, wants_mask: bool) -> tuple:
    """Return the gradients of q, k, v and, if wanted, of the mask, given the gradient of the result."""
    grid = _Grid(o, *primals)
    (q, k, v, mask, _), (out, top, weight) = primals, results
    delta = jnp.sum(change.astype(grid.acc) * o.step(out.astype(grid.acc)), axis=-1, keepdims=True)
    change, top, delta = map(grid.pad_rows, (change, top, delta))
    inverse = grid.pad_rows(1 / weight)

    def step(carried: tuple, place: tuple) -> tuple:
        block = _Block(grid, place)
        dq, dk, dv, dmask = carried
        back, value = block.rows(change), block.columns(grid.v)
        weights = jnp.exp(block.scores() - block.rows(top)) * block.rows(inverse)
        dv = block.add_to_columns(dv, block.dot(block.as_factor(block.with_dropout(weights)), back, ((1, 2), (1, 2))))
        by_weight = block.with_dropout(block.dot(back, value, ((3,), (2,))))
        by_score = weights * (by_weight - block.rows(delta))
        dmask = None if dmask is None else block.add_to_mask(dmask, by_score)
        factor = block.as_factor(by_score)
        dq = block.add_to_rows(dq, block.dot(factor, block.columns(grid.k), ((3,), (1,))))
        dk = block.add_to_columns(dk, block.dot(factor, block.rows(grid.q), ((1, 2), (1, 2))))
        return (dq, dk, dv, dmask), None

    zeros = lambda x: jnp.zeros(x.shape, grid.acc)
    start = *map(zeros, (grid.q, grid.k, grid.v)), zeros(grid.mask) if wants_mask else None
    (dq, dk, dv, dmask), _ = lax.scan(step, start, grid.block_indices())
    dq, dk, dv = (
        x[..., : of.shape[-2], :].astype(of.dtype) for x, of in ((dq * o.scale, q), (dk * o.scale, k), (dv, v))
    )
    if dmask is None:
        return dq, dk, dv, None
    dmask = dmask.reshape(-1, *dmask.shape[2:])[:, : mask.shape[1], : mask.shape[2]]
    return dq, dk, dv, dmask.astype(mask.dtype)
