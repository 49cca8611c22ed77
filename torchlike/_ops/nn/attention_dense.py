"""Attention from the matrix of all scores, for short sequences, with the rounding of PyTorch's CPU kernels."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from torchlike._ops.linalg.products import rows_times
from torchlike._ops.reduce.row_sums import attention_weights, in_c, row_sums
from torchlike._ops.schema.declare import namespace
from torchlike._ops.schema.rounding import unchanged


def weights_of(scores):
    """Return the softmax over the last dim, or zeros where all scores are -inf."""
    return _by_numpy(scores) if namespace(scores) is np else _by_jax(scores)


def _by_numpy(scores):
    e = scores - _top(scores)
    np.exp(e, out=e)
    e /= np.maximum(np.sum(e, axis=-1, keepdims=True), np.finfo(e.dtype).tiny)
    return e


@jax.custom_jvp
def _by_jax(scores):
    e = jnp.exp(scores - _top(scores))
    total = jnp.sum(e, axis=-1, keepdims=True)
    return e / jnp.where(total == 0, 1, total)


@_by_jax.defjvp
def _by_jax_jvp(primals, changes):
    weights, (change,) = _by_jax(*primals), changes
    return weights, weights * (change - jnp.sum(weights * change, axis=-1, keepdims=True))


def _top(scores):
    """Return the maximum over the last dim, or 0 where all scores are -inf."""
    xp = namespace(scores)
    top = xp.max(scores, axis=-1, keepdims=True)
    return xp.where(top == -np.inf, xp.zeros_like(top), top)


def _attended(scores, blocked, value):
    """Return softmax(scores) V for NumPy arrays, or None if this method would be inexact.

    NumPy takes longer to find the maximum of each row than to compute the exponentials. This function therefore
    subtracts one maximum for the whole matrix. The result is inexact if a row lies far below the others, is blocked
    entirely, or contains NaN or infinity.
    """
    if scores.dtype not in (np.float32, np.float64) or 0 in scores.shape:
        return None
    top = scores.reshape(*scores.shape[:-2], -1).max(-1)[..., None, None]
    weights = np.subtract(scores, top)
    np.exp(weights, out=weights)
    if blocked is not None:
        weights *= ~blocked
    total = row_sums(weights)
    return rows_times(weights, value) / total if total.min() > _ENOUGH else None


# The smallest accepted sum of a row's weights. Each weight is at most 1. With a larger sum, the rounding error of
# `score - maximum` is no larger than that of the scores themselves.
_ENOUGH = 1e-6


def _in_half(scores, value, step):
    """Return softmax(scores) V with the rounding of PyTorch's fused CPU kernel.

    The exponentials are rounded before the product with V, but not for their sum. The result is rounded last.
    """
    weights = namespace(scores).exp(scores - _top(scores))
    total = weights.sum(-1, keepdims=True)
    return rows_times(step(weights), value) / namespace(scores).where(total == 0, 1, total)


# PyTorch's backward pass rounds the weights, the result and the gradient of the scores.
_in_half_by_jax = jax.custom_jvp(_in_half, nondiff_argnums=(2,))


@_in_half_by_jax.defjvp
def _in_half_jvp(step, primals, changes):
    (scores, value), (of_scores, of_value) = primals, changes
    out, weights = _in_half_by_jax(scores, value, step), _by_jax(scores)
    weighted = weights * step(of_scores)
    by_scores = rows_times(weighted, value) - step(out) * jnp.sum(weighted, axis=-1, keepdims=True)
    return out, rows_times(step(weights), of_value) + by_scores


def product(a, b, form):
    """Return a @ b or, for the form "nt", a @ b.mT. Half-precision factors accumulate in float32."""
    if namespace(a) is np or a.dtype.itemsize > 2:
        return rows_times(a, b, form)
    return jnp.matmul(a, b.mT if form == "nt" else b, preferred_element_type=np.float32)


def mixed(scores, value, attn_mask, noise, step, is_causal, fused):
    """Return softmax(scores + mask) V. `step` rounds intermediate results in half precision."""
    xp = namespace(scores)
    compiled = xp is np and step is unchanged and in_c(scores, scores.shape[-1])
    blocked = None
    if is_causal and not compiled:
        blocked = xp.arange(scores.shape[-2])[:, None] < xp.arange(scores.shape[-1])
    if attn_mask is not None:  # a bool mask is added as 0 and -inf, so that masked NaNs and infinities propagate
        mask = xp.where(attn_mask, 0, -np.inf) if attn_mask.dtype == bool else attn_mask
        scores = scores + mask.astype(scores.dtype)
    is_quick = xp is np and not compiled and noise is None and step is unchanged
    if is_quick and (out := _attended(scores, blocked, value)) is not None:
        return out
    if blocked is not None:
        scores = xp.where(blocked, xp.asarray(-np.inf, scores.dtype), scores)
    if step is not unchanged and fused:
        return (_in_half if xp is np else _in_half_by_jax)(scores, value, step)
    weights = attention_weights(scores, is_causal) if compiled else weights_of(scores)
    weights = weights if noise is None else weights * noise.astype(weights.dtype)
    return product(weights.astype(value.dtype, copy=False), value, "nn")
