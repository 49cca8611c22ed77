"""Scaled dot-product attention."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from torchlike import _dtypes, _errors
from torchlike._ops._casts import LOWER
from torchlike._ops._checks import REAL_FLOATS
from torchlike._ops._declare import Array, Scalar, namespace, operator
from torchlike._ops._products import rows_times
from torchlike._ops._rows import attention_weights, in_c, row_sums
from torchlike._ops._rules import Call, broadcast
from torchlike._ops._steps import stepwise, unchanged


def _check(call: Call) -> None:
    q, k, v, mask = call.query, call.key, call.value, call.attn_mask
    if min(q.ndim, k.ndim, v.ndim) < 2:
        raise _errors.sequences.attention_dims(q.ndim, k.ndim, v.ndim)
    if not q.dtype is k.dtype is v.dtype:
        raise _errors.sequences.attention_dtypes(q.dtype, k.dtype, v.dtype)
    if q.dtype.category < _dtypes.FLOATING:
        raise _errors.dtypes.expected_scalar_type(_dtypes.float32, q.dtype)
    if mask is not None and call.is_causal:
        raise _errors.sequences.attention_two_masks()
    if mask is not None and mask.dtype not in (_dtypes.bool_, _dtypes.float32, q.dtype):
        raise _errors.sequences.attention_mask_dtype(mask.dtype, q.dtype)


def _shape(call: Call) -> list:
    q, k, v = call.query.shape, call.key.shape, call.value.shape
    lead = q[:-2] if call.enable_gqa else broadcast([q[:-2], k[:-2], v[:-2]])
    if q[-1] != k[-1]:
        raise _errors.linalg.attention_shapes(tuple(lead), q[-2:], (k[-1], k[-2]))
    if k[-2] != v[-2]:
        raise _errors.linalg.attention_shapes(tuple(lead), (q[-2], k[-2]), v[-2:])
    return [(*lead, q[-2], v[-1])]


def _weights(scores):
    """Softmax over the last dim; zeros where every score is -inf."""
    if namespace(scores) is np:
        top = np.max(scores, axis=-1, keepdims=True)
        e = scores - np.where(np.isfinite(top), top, 0)
        np.exp(e, out=e)
        e /= np.maximum(np.sum(e, axis=-1, keepdims=True), np.finfo(e.dtype).tiny)
        return e
    return jax.nn.softmax(scores, axis=-1)


def _attended(scores, blocked, value):
    """softmax(scores) V for NumPy, whose maximum of each row costs more than the exponentials: with one for all rows of
    a matrix. None where that is not as exact: a row far below the others, or all blocked, or with NaN or infinities."""
    if scores.dtype not in (np.float32, np.float64) or 0 in scores.shape:
        return None
    top = scores.reshape(*scores.shape[:-2], -1).max(-1)[..., None, None]
    weights = np.subtract(scores, top)
    np.exp(weights, out=weights)
    if blocked is not None:
        weights *= ~blocked
    total = row_sums(weights)
    return rows_times(weights, value) / total if total.min() > _ENOUGH else None


_ENOUGH = 1e-6  # of a row's weights, which are at most 1 each: by then, score minus maximum is rounded as scores are


def _in_half(scores, value, step):
    """softmax(scores) V as PyTorch's CPU kernel rounds it: the exponentials before the product, the quotient after."""
    xp = namespace(scores)
    top = xp.max(scores, axis=-1, keepdims=True)
    weights = xp.exp(scores - xp.where(xp.isfinite(top), top, 0))
    total = weights.sum(-1, keepdims=True)
    return rows_times(step(weights), value) / xp.where(total == 0, 1, total)


def _product(a, b, form):
    """a @ b or a @ b.mT; of half-precision factors in float32."""
    if namespace(a) is np or a.dtype.itemsize > 2:
        return rows_times(a, b, form)
    return jnp.matmul(a, b.mT if form == "nt" else b, preferred_element_type=np.float32)


@operator(autocast=LOWER, where=(), shape=_shape, check=_check, keeps=("attn_mask", "noise"), out=False, opmath=False,
          name="_attention", node="ScaledDotProductFlashAttentionForCpuBackward0",
          loop="softmax_lastdim_kernel_impl", takes=REAL_FLOATS)  # fmt: skip
def _attention(query: Array, key: Array, value: Array, attn_mask: Array | None = None, noise: Array | None = None,
               is_causal: bool = False, scale: Scalar = 0.0, enable_gqa: bool = False):  # fmt: skip
    """softmax(Q Kᵀ scale + mask) V: (..., L, E), (..., S, E), (..., S, V) -> (..., L, V)."""
    xp, step = namespace(query), unchanged
    if jax.default_backend() == "cpu":
        step, query, key, value = stepwise(query, key, value)
    if enable_gqa:
        key, value = (xp.repeat(t, query.shape[-3] // t.shape[-3], axis=-3) for t in (key, value))
    scores = _product(query * scale.astype(query.dtype), key, "nt")  # (..., L, S)
    compiled = xp is np and step is unchanged and in_c(scores, scores.shape[-1])
    blocked = None
    if is_causal and not compiled:
        blocked = xp.arange(scores.shape[-2])[:, None] < xp.arange(scores.shape[-1])
    elif attn_mask is not None and attn_mask.dtype == bool:
        blocked = ~attn_mask
    elif attn_mask is not None:
        scores = scores + attn_mask.astype(scores.dtype)
    is_quick = xp is np and not compiled and noise is None and step is unchanged
    if is_quick and (out := _attended(scores, blocked, value)) is not None:
        return out
    if blocked is not None:
        scores = xp.where(blocked, xp.asarray(-np.inf, scores.dtype), scores)
    if step is not unchanged and noise is None:
        return _in_half(scores, value, step)
    weights = attention_weights(scores, is_causal) if compiled else _weights(scores)
    if attn_mask is not None and xp is jnp:
        dead = jnp.max(scores, axis=-1, keepdims=True) == -np.inf
        weights = jnp.where(dead, 0, weights)
    if noise is not None:
        weights = weights * noise.astype(weights.dtype)
    return _product(weights.astype(value.dtype, copy=False), value, "nn")
