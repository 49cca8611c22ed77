"""Distances of vectors from their differences."""

from __future__ import annotations

import functools
import math
from typing import Any

import jax
import jax.numpy as jnp

from torchlike._ops.elementwise.partial_derivatives import with_slopes
from torchlike._ops.reduce.vector_norm import vector_norm
from torchlike._ops.schema.declare import constant, namespace

_size = with_slopes(abs, lambda size, x: jnp.sign(x))  # the gradient at NaN is NaN


def distance(x: Any, p: float, ignores_nan: bool = False) -> Any:
    """Return the p-norm of differences over the last dim, with the gradient of PyTorch's distances.

    A distance is NaN if a difference is. With `ignores_nan`, the largest magnitude (p = inf) is taken over the other
    differences, and is 0 if there are none.
    """
    xp = namespace(x)
    if p == 0:
        return xp.sum(xp.where(x != x, constant(x), (x != 0).astype(x.dtype)), axis=-1)
    if p == 1:
        return xp.sum(_size(x), axis=-1)
    if p == math.inf and x.size:
        return _farthest(x, ignores_nan) if xp is jnp else _largest(x, ignores_nan)
    return vector_norm.kernel(x, p, -1)


def _largest(x: Any, ignores_nan: bool) -> Any:
    xp = namespace(x)
    return xp.max(xp.where(x == x, xp.abs(x), 0) if ignores_nan else xp.abs(x), axis=-1)


@functools.partial(jax.custom_jvp, nondiff_argnums=(1,))
def _farthest(x: Any, ignores_nan: bool) -> Any:
    """Return the largest magnitude over the last dim. Each of several equal maxima gets the whole gradient."""
    return _largest(x, ignores_nan)


@_farthest.defjvp
def _farthest_jvp(ignores_nan: bool, primals: Any, changes: Any) -> tuple:
    (x,), (change,) = primals, changes
    found = _farthest(x, ignores_nan)
    gap = jnp.abs(x) - found[..., None]  # NaN also for two infinities
    slope = jnp.where(gap == 0, jnp.sign(x), jnp.where(gap == gap, 0, gap))
    return found, jnp.sum(slope * change, axis=-1)
