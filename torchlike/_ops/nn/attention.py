"""Scaled dot-product attention: the operators, their checks, and the choice between their forms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from torchlike import _dtypes, _errors
from torchlike._dtypes import attention as settings
from torchlike._engine.xla.target import for_cpu
from torchlike._ops.nn.attention_blockwise import BLOCK
from torchlike._ops.nn.attention_dense import mixed, product
from torchlike._ops.nn.attention_forms import attention_without_scores, by_numpy, dropout_factors, dropout_state
from torchlike._ops.schema import flops
from torchlike._ops.schema.autocast_policies import LOWER
from torchlike._ops.schema.checks import REAL_FLOATS
from torchlike._ops.schema.declare import Array, Kept, Scalar, namespace, operator
from torchlike._ops.schema.rounding import stepwise, unchanged
from torchlike._ops.schema.typing_rules import Call, broadcast


def _check(call: Call) -> None:
    q, k, v, mask = call.query, call.key, call.value, call.attn_mask
    if min(q.ndim, k.ndim, v.ndim) < 2:
        raise RuntimeError(
            "Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: "
            f"{q.ndim} key.dim: {k.ndim} and value.dim: {v.ndim} instead."
        )
    if not q.dtype is k.dtype is v.dtype:
        raise _errors.sequences.attention_dtypes(q.dtype, k.dtype, v.dtype)
    if q.dtype.category < _dtypes.FLOATING:
        raise _errors.dtypes.expected_scalar_type(_dtypes.float32, q.dtype)
    if mask is not None and call.is_causal and not call.fused:
        raise RuntimeError("_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True")
    if mask is not None and mask.dtype not in (_dtypes.bool_, _dtypes.float32, q.dtype):
        raise _errors.sequences.attention_mask_dtype(mask.dtype, q.dtype)


def _shape(call: Call) -> list:
    q, k, v = call.query.shape, call.key.shape, call.value.shape
    lead = q[:-2] if call.enable_gqa else broadcast([q[:-2], k[:-2], v[:-2]])
    if q[-1] != k[-1]:
        raise _errors.linalg.attention_shapes(tuple(lead), q[-2:], (k[-1], k[-2]))
    if k[-2] != v[-2]:
        raise _errors.linalg.attention_shapes(tuple(lead), (q[-2], k[-2]), v[-2:])
    if call.attn_mask is not None:
        scores, mask = (*lead, q[-2], k[-2]), call.attn_mask.shape
        if (wanted := broadcast([scores, mask])) != scores:
            raise _errors.shapes.in_place_shape(scores, wanted)
    return [(*lead, q[-2], v[-1])]


def _node(call: Call) -> str:
    if call.fused:
        return "ScaledDotProductFlashAttentionForCpuBackward0"
    return "ToCopyBackward0" if call.query.dtype.itemsize < 4 else "UnsafeViewBackward0"


_LAST_FACTOR = Kept("value", "matrices", "query"), Kept("value", "matrices", "key")


def _saved(call: Call) -> tuple[str | Kept, ...]:
    """Return what PyTorch saves for backward: its fused kernel all inputs and the result, else its last product."""
    return ("query", "key", "value", "attn_mask", "result") if call.fused else _LAST_FACTOR


_DECLARED: dict[str, Any] = {
    "autocast": LOWER,
    "where": (),
    "shape": _shape,
    "check": _check,
    "keeps": ("attn_mask", "noise"),
    "out": False,
    "opmath": False,
    "node": _node,
    "loop": "softmax_lastdim_kernel_impl",
    "takes": REAL_FLOATS,
    "flops": flops.attention,
}


@operator(name="_attention", remembers=_saved, **_DECLARED)
def _attention(
    query: Array,
    key: Array,
    value: Array,
    attn_mask: Array | None = None,
    noise: Array | None = None,
    is_causal: bool = False,
    scale: Scalar | None = None,
    enable_gqa: bool = False,
    fused: bool = False,
):
    """Compute scaled dot-product attention, softmax(Q Kᵀ scale + mask) V.

    L is the number of queries, S the number of keys and values, E the width of a query or key, and V the width of a
    value.

    Args:
      query: (..., L, E).
      key: (..., S, E).
      value: (..., S, V).
      attn_mask: a bool mask, True where a query may attend to a key, or numbers that are added to the scores.
      noise: factors of the weights, used for dropout.
      is_causal: if True, query i attends only to the keys 0 to i.
      scale: the factor of the scores, 1 / sqrt(E) if it is omitted.
      enable_gqa: if True, several query heads share one head of `key` and `value`.
      fused: if True, PyTorch computes this call by its fused kernel, which rounds half precision at intermediate steps.

    Returns:
      (..., L, V).
    """
    xp, step = namespace(query), unchanged
    if query.dtype.itemsize <= 2 and for_cpu():
        step, query, key, value = stepwise(query, key, value)
    if enable_gqa:
        key, value = (xp.repeat(t, query.shape[-3] // t.shape[-3], axis=-3) for t in (key, value))
    scores = product(query * _factor(query, scale).astype(query.dtype), key, "nt")  # (..., L, S)
    if not scores.shape[-1]:  # there are no keys
        return product(scores.astype(value.dtype), value, "nn")
    return mixed(scores, value, attn_mask, noise, step, is_causal, fused)


def _factor(query: Any, scale: Any) -> Any:
    return np.asarray(1.0 / math.sqrt(query.shape[-1] or 1)) if scale is None else scale


@operator(name="_flash_attention", residuals=True, remembers=_saved, **_DECLARED)
def _flash_attention(
    query: Array,
    key: Array,
    value: Array,
    attn_mask: Array | None = None,
    noise: Array | None = None,
    is_causal: bool = False,
    scale: Scalar | None = None,
    enable_gqa: bool = False,
    fused: bool = False,
    backends: tuple = settings.DEFAULT_ORDER,
    block: int = BLOCK,
    position: Scalar | None = None,
    p: Scalar | None = None,
):
    """Compute the function of `_attention` without the matrix of all scores.

    Args:
      backends: the permitted backends of PyTorch, as numbers of `SDPBackend`, the preferred ones first.
      block: the number of rows and columns of a block of scores.
      position, p: if given, `noise` is the state of a Philox generator, `position` the position of its next number, and
        `p` the probability of dropout. The factors of the weights are generated block by block.
      others: as in `_attention`. There is at least one query and one key, and the mask broadcasts to the scores.

    Returns:
      (..., L, V).
    """
    if namespace(query) is np:
        return by_numpy(_attention.kernel, query, key, value, attn_mask, noise, is_causal, scale, enable_gqa, fused)
    draw = None
    if p is not None:
        noise, draw = dropout_state(noise, position, p), dropout_factors
    return attention_without_scores(
        query, key, value, attn_mask, noise, is_causal, scale, enable_gqa, fused, block, backends, draw
    )
