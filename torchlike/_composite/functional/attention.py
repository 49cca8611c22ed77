"""Scaled dot-product attention as a function."""

from __future__ import annotations

from typing import Any

import numpy as np

from torchlike import _errors, _random
from torchlike._composite.random import sampling
from torchlike._ops.nn.attention_forms import is_long
from torchlike._ops.schema.typing_rules import broadcast
from torchlike._tensor.binding import CALLERS as rows
from torchlike._tensor.tensor import Tensor
from torchlike._tensor.tracebacks import shortened


def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    """Compute softmax(Q Kᵀ scale + mask) V.

    A query that may not attend to any key gives zeros.

    Args:
      query: (..., L, E).
      key: (..., S, E).
      value: (..., S, V).
      attn_mask: (..., L, S), bool (True where a query attends to a key) or numbers that are added to the scores.
      dropout_p: the dropout probability of the weights. It always applies: pass 0 in evaluation.
      is_causal: if True, position i attends only to positions up to i.
      scale: the factor of the scores, 1 / sqrt(E) by default.
      enable_gqa: if True, `key` and `value` may have fewer heads (dim -3) than `query`, each shared by several query
        heads.

    Returns:
      (..., L, V).
    """
    try:
        _errors.activations.check_attention(query, key, value, dropout_p)
        if hasattr(attn_mask, "as_arguments"):  # a `CausalBias`
            attn_mask, is_causal = attn_mask.as_arguments(query, is_causal)  # type: ignore[union-attr]
        noise = None
        if dropout_p > 0.0:
            lead = query.shape[:-2] if enable_gqa else broadcast([tuple(x.shape[:-2]) for x in (query, key, value)])
            shape = (*lead, query.shape[-2], key.shape[-2])
            kind = np.dtype(query.dtype.numpy)
            noise = sampling.of_shape(
                lambda shape: _random.dropout_noise(None, shape, kind, dropout_p), shape, query.device
            )
        fused = dropout_p == 0.0 and _is_fused(query, key, value, attn_mask, enable_gqa)
        shape = None if attn_mask is None else tuple(attn_mask.shape)
        name = "_flash_attention" if is_long(query.shape, key.shape, value.shape, shape, enable_gqa) else "_attention"
        options: dict[str, Any] = {} if scale is None else {"scale": float(scale)}
        options |= {"enable_gqa": enable_gqa, "fused": fused}
        return rows[name](query, key, value, attn_mask, noise, is_causal, **options)
    except Exception as error:
        raise shortened(error) from error.__cause__


def _is_fused(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, grouped: bool) -> bool:
    """Return whether PyTorch runs its fused CPU kernel, whose gradient rounds half precision differently."""
    q, k, v = query.shape, key.shape, value.shape
    if not len(q) == len(k) == len(v) == 4 or not q[3] == k[3] == v[3] or q[0] != k[0]:
        return False
    if (not grouped and q[1] != k[1]) or k[:3] != v[:3] or 0 in q or 0 in k:
        return False
    if mask is not None and (mask.dim() == 3 or mask.requires_grad):
        return False
    return all(x.stride(3) == 1 for x in (query, key, value))
