"""Attention within the components."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torchlike
from torchlike import Tensor
from torchlike.nested._internal import structure as st
from torchlike.nested._internal.dispatch import is_nested, refused, rule
from torchlike.nested._internal.nested_tensor import NestedTensor, padded_components, rows_of_padded


@rule("scaled_dot_product_attention")
def scaled_dot_product_attention(
    func: Callable,
    query: Any,
    key: Any,
    value: Any,
    attn_mask: Any = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> NestedTensor:
    """Compute attention within each component: a query attends only to the keys of its own component.

    The components are padded, and the padded keys are masked.
    """
    _check(query, key, value, attn_mask)
    keys, queries = key._structure, query._structure
    if is_causal and not st.same(queries, keys):
        raise refused("scaled_dot_product_attention with is_causal and other offsets of the keys")
    dense = [padded_components(x, 0) for x in (query, key, value)]
    mask = None if is_causal else _mask_of(keys)
    if dropout_p:
        found = _with_dropout(dense, mask, dropout_p, scale, enable_gqa, query, keys)
    else:
        found = func(*dense, attn_mask=mask, is_causal=is_causal, scale=scale, enable_gqa=enable_gqa)
    # PyTorch's result has the memory of (N, heads, width), seen as (heads, N, width).
    rows = rows_of_padded(found, query).transpose(0, 1).contiguous().transpose(0, 1)
    return NestedTensor(rows, queries)


def _check(query: Any, key: Any, value: Any, attn_mask: Any) -> None:
    given = (query, key, value)
    if not all(map(is_nested, given)):
        of = lambda x: is_nested(x)
        raise ValueError(
            "Expected query, key, and value to be nested tensors, but got query.is_nested: "
            f"{of(query)}, key.is_nested: {of(key)}, and value.is_nested: {of(value)} instead."
        )
    if attn_mask is not None:
        raise ValueError("Masks are not yet supported!")
    if any(x.ndim != 4 or x._structure.dim != 2 or x._structure.lengths is not None for x in given):
        raise refused("scaled_dot_product_attention of operands other than (batch, heads, ragged, width)")
    if not st.same(key._structure, value._structure) or query._structure.count != key._structure.count:
        raise refused("scaled_dot_product_attention of keys and values with different offsets")


def _mask_of(keys: st.Structure) -> Tensor:
    """Return the mask of the keys that are not padding: (components, 1, 1, longest)."""
    place = torchlike.arange(keys.longest(), device=keys.offsets.device)
    return (place < keys.rows()[:, None])[:, None, None, :]


def _with_dropout(
    dense: list[Tensor],
    mask: Tensor | None,
    p: float,
    scale: float | None,
    enable_gqa: bool,
    query: NestedTensor,
    keys: st.Structure,
) -> Tensor:
    """Return padded attention with dropout. The random numbers are in the order of the weights without padding."""
    q, k, v = dense
    if enable_gqa:
        k, v = [x.repeat_interleave(q.shape[1] // x.shape[1], 1) for x in (k, v)]
    if mask is None:
        mask = torchlike.ones(q.shape[-2], k.shape[-2], dtype=torchlike.bool, device=q.device).tril()
    scores = q @ k.transpose(-1, -2) * (q.shape[-1] ** -0.5 if scale is None else scale)
    weights = scores.masked_fill(~mask, -math.inf).softmax(-1)
    return (weights * _dropout_factors(weights, p, query._structure, keys)) @ v


def _dropout_factors(weights: Tensor, p: float, queries: st.Structure, keys: st.Structure) -> Tensor:
    """Return the factors of dropout for padded weights (components, heads, queries, keys)."""
    heads, rows, columns = weights.shape[1:]
    count = heads * sum(a * b for a, b in zip(queries.counts(), keys.counts()))
    factors = torchlike.nn.functional.dropout(torchlike.ones(count, dtype=weights.dtype, device=weights.device), p)
    n, m = queries.rows()[:, None, None, None], keys.rows()[:, None, None, None]
    first = heads * (n * m).flatten().cumsum(0)[:, None, None, None] - heads * n * m
    of = lambda size, dim: torchlike.arange(size, device=n.device).reshape([-1 if d == dim else 1 for d in range(4)])
    index = first + of(heads, 1) * n * m + of(rows, 2) * m + of(columns, 3)
    return factors.index_select(0, index.clamp(max=count - 1).flatten()).reshape(weights.shape)
