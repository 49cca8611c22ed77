"""Products of one dim with a matrix whose rows have few non-zero weights, as of interpolation and of pooling."""

from __future__ import annotations

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from torchlike._ops.schema.declare import namespace

TOUCHED = 1e-300  # a weight that float32 rounds to 0. As in PyTorch, NaN and infinity times this weight give NaN


def along(x: Any, weights: np.ndarray, axis: int) -> Any:
    """Return `x` with dim `axis` replaced by its weighted sums.

    The product with a dense matrix would spread NaN and infinity over all sums, as 0 times NaN. If its result is not
    finite, the sums are therefore taken over the non-zero weights alone.

    Args:
      x: floating-point or complex numbers.
      weights: (sums, size of the dim).
      axis: the dim, at least 0.
    """
    if namespace(x) is np:
        found = _dense(x, weights, axis)
        return found if np.isfinite(found).all() else _sparse(x, weights, axis)
    return _on_device(x, weights, axis)


@functools.partial(jax.custom_jvp, nondiff_argnums=(1, 2))
def _on_device(x, weights, axis):
    found = _dense(x, weights, axis)
    return jax.lax.cond(jnp.isfinite(found).all(), lambda: found, lambda: _sparse(x, weights, axis))


@_on_device.defjvp
def _tangent(weights, axis, primals, tangents):
    (x,), (change,) = primals, tangents
    return _on_device(x, weights, axis), _dense(change, weights, axis)


def _dense(x: Any, weights: np.ndarray, axis: int) -> Any:
    xp = namespace(x)
    return xp.moveaxis(xp.tensordot(x, xp.asarray(weights, x.dtype), ((axis,), (1,))), -1, axis)


def _sparse(x: Any, weights: np.ndarray, axis: int) -> Any:
    xp, places = namespace(x), np.arange(weights.shape[1])
    count = int((weights != 0).sum(1).max(initial=1))
    # The first `count` places of each row are those of its weights. Rows with fewer weights have other places too.
    order = np.argsort(np.where(weights != 0, places, weights.shape[1]), 1, kind="stable")[:, :count]
    chosen = np.take_along_axis(weights, order, 1)
    total, shape = 0, (-1, *[1] * (x.ndim - 1 - axis))
    for place, weight in zip(order.T, chosen.T.reshape(count, *shape)):
        total += xp.where(weight != 0, xp.take(x, place, axis) * xp.asarray(weight, x.dtype), 0)
    return total
