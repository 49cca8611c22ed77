"""Multi-head attention as a function."""

from __future__ import annotations

import math
from typing import Any

import torchlike
from torchlike import Tensor
from torchlike._internal import functional as F
from torchlike._internal import warn
from torchlike.nn import _errors_sequence as _errors


def multi_head_attention_forward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    embed_dim_to_check: int,
    num_heads: int,
    in_proj_weight: Tensor | None,
    in_proj_bias: Tensor | None,
    bias_k: Tensor | None,
    bias_v: Tensor | None,
    add_zero_attn: bool,
    dropout_p: float,
    out_proj_weight: Tensor,
    out_proj_bias: Tensor | None,
    training: bool = True,
    key_padding_mask: Tensor | None = None,
    need_weights: bool = True,
    attn_mask: Tensor | None = None,
    use_separate_proj_weight: bool = False,
    q_proj_weight: Tensor | None = None,
    k_proj_weight: Tensor | None = None,
    v_proj_weight: Tensor | None = None,
    static_k: Tensor | None = None,
    static_v: Tensor | None = None,
    average_attn_weights: bool = True,
    is_causal: bool = False,
) -> tuple[Tensor, Tensor | None]:
    """Compute multi-head attention: softmax(Q Kᵀ / sqrt(d)) V in each head, with input and output projections.

    A boolean mask is true at the positions to leave out. A floating-point mask is added to the scores.

    Args:
      query: shape (L, N, E), or (L, E) for a single sample.
      key, value: shape (S, N, E), or (S, E) for a single sample.
      embed_dim_to_check: E, which is compared with the width of `query`.
      num_heads: the number H of heads, which divides E.
      in_proj_weight: shape (3E, E), the weights of the projections of query, key and value.
      in_proj_bias: shape (3E,), their biases.
      bias_k, bias_v: shape (1, 1, E), a learnt key and value that are appended, or None.
      add_zero_attn: append a key and a value of zeros.
      dropout_p: the dropout probability of the weights.
      out_proj_weight, out_proj_bias: shapes (E, E) and (E,), the output projection.
      training: apply dropout.
      key_padding_mask: shape (N, S).
      need_weights: also return the attention weights.
      attn_mask: shape (L, S) or (N·H, L, S).
      use_separate_proj_weight: use the three following weights in place of `in_proj_weight`.
      q_proj_weight, k_proj_weight, v_proj_weight: shapes (E, E), (E, width of key) and (E, width of value).
      static_k, static_v: shape (N·H, S, E / H), projected keys and values that replace those of `key` and `value`.
      average_attn_weights: average the returned weights over the heads.
      is_causal: a hint that `attn_mask` is the causal mask, which must be given too.

    Returns:
      The pair of the output and the weights. The output has shape (L, N, E). The weights have shape (N, L, S), or
      (N, H, L, S) without averaging. They are None if `need_weights` is False.

    Raises:
      AssertionError: the shapes do not fit.
      RuntimeError: `attn_mask` has another shape, or is missing with `is_causal`.

    >>> import torchlike as torch
    >>> x, w, b = torch.ones(3, 1, 4), torch.ones(12, 4), torch.zeros(12)
    >>> out, weights = torch.nn.functional.multi_head_attention_forward(
    ...     x, x, x, 4, 2, w, b, None, None, False, 0.0, torch.ones(4, 4), torch.zeros(4)
    ... )
    >>> out.shape, weights.shape
    (torch.Size([3, 1, 4]), torch.Size([1, 3, 3]))
    """
    batched = _is_batched(query, key, value, key_padding_mask, attn_mask)
    if not batched:
        query, key, value = query.unsqueeze(1), key.unsqueeze(1), value.unsqueeze(1)
        key_padding_mask = None if key_padding_mask is None else key_padding_mask.unsqueeze(0)
    length, batch, width = query.shape
    attn_mask, key_padding_mask, causal = _masks(attn_mask, key_padding_mask, is_causal, need_weights, query.dtype)
    _check_shapes(query, key, value, embed_dim_to_check, num_heads, use_separate_proj_weight)
    weights = (q_proj_weight, k_proj_weight, v_proj_weight) if use_separate_proj_weight else in_proj_weight
    q, k, v = _projected((query, key, value), weights, in_proj_bias)
    attn_mask = _checked_mask(attn_mask, length, key.shape[0], batch * num_heads)
    if bias_k is not None and bias_v is not None:  # append a learnt key and value
        k = torchlike.cat([k, bias_k.repeat(1, batch, 1)])
        v = torchlike.cat([v, bias_v.repeat(1, batch, 1)])
        attn_mask, key_padding_mask = _with_one_more_key(attn_mask), _with_one_more_key(key_padding_mask)

    q = _in_heads(q, length, batch, num_heads)  # (N·H, L, d)
    k = _in_heads(k, k.shape[0], batch, num_heads) if static_k is None else static_k
    v = _in_heads(v, v.shape[0], batch, num_heads) if static_v is None else static_v
    if add_zero_attn:  # append a key and value of zeros
        k, v = (torchlike.cat([x, torchlike.zeros_like(x[:, :1])], 1) for x in (k, v))
        attn_mask, key_padding_mask = _with_one_more_key(attn_mask), _with_one_more_key(key_padding_mask)
    attn_mask = _merged(attn_mask, key_padding_mask, batch, num_heads, k.shape[1])
    dropout_p = dropout_p if training else 0.0

    scores = None
    if need_weights:
        mixed, scores = _with_weights(q, k, v, attn_mask, dropout_p)  # (N·H, L, d), (N·H, L, S)
        mixed = mixed.transpose(0, 1).contiguous().view(length * batch, width)
    else:
        mixed = _without_weights(q, k, v, attn_mask, dropout_p, causal, batch, num_heads)  # (N, H, L, d)
        mixed = mixed.permute(2, 0, 1, 3).contiguous().view(length * batch, width)
    output = F.linear(mixed, out_proj_weight, out_proj_bias).view(length, batch, out_proj_weight.shape[0])
    if scores is not None:
        scores = scores.view(batch, num_heads, length, k.shape[1])
        scores = scores.mean(dim=1) if average_attn_weights else scores
    if not batched:
        output, scores = output.squeeze(1), None if scores is None else scores.squeeze(0)
    return output, scores


def _masks(
    attn_mask: Tensor | None, padding: Tensor | None, is_causal: bool, need_weights: bool, dtype: Any
) -> tuple[Tensor | None, Tensor | None, bool]:
    """Return both masks as floating-point scores, and whether to use causal attention in place of `attn_mask`."""
    if is_causal and attn_mask is None:
        raise RuntimeError(
            "Need attn_mask if specifying the is_causal hint. You may use the Transformer module method "
            "`generate_square_subsequent_mask` to create this mask."
        )
    mask_dtype = attn_mask.dtype if attn_mask is not None else None
    padding = as_scores(padding, "key_padding_mask", mask_dtype, "attn_mask", dtype)
    causal = is_causal and padding is None and not need_weights
    return None if causal else as_scores(attn_mask, "attn_mask", None, "", dtype), padding, causal


def _projected(inputs: tuple[Tensor, Tensor, Tensor], weights: Any, bias: Tensor | None) -> Any:
    """Return the projected query, key and value. `weights` is a stacked matrix, or a tuple of a matrix for each."""
    if isinstance(weights, tuple):
        biases = (None,) * 3 if bias is None else bias.chunk(3)
        return [F.linear(x, w, b) for x, w, b in zip(inputs, weights, biases)]
    assert weights is not None
    return _projected_together(*inputs, weights, bias)


def _with_weights(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, dropout_p: float) -> tuple[Tensor, Tensor]:
    q = q * math.sqrt(1.0 / float(q.shape[-1]))
    keys = k.transpose(-2, -1)
    scores = torchlike.bmm(q, keys) if mask is None else torchlike.baddbmm(mask, q, keys)
    scores = F.softmax(scores, dim=-1)
    if dropout_p > 0.0:
        scores = F.dropout(scores, p=dropout_p)
    return torchlike.bmm(scores, v), scores


def _without_weights(
    q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, dropout_p: float, causal: bool, batch: int, heads: int
) -> Tensor:
    if mask is not None:
        if mask.shape[0] == 1 and mask.dim() == 3:
            mask = mask.unsqueeze(0)
        else:
            mask = mask.view(batch, heads, -1, k.shape[1])
    q, k, v = (x.view(batch, heads, x.shape[1], x.shape[2]) for x in (q, k, v))
    return F.scaled_dot_product_attention(q, k, v, mask, dropout_p, causal)


# --- projections ------------------------------------------------------------------------------------------------------


def _projected_together(query: Tensor, key: Tensor, value: Tensor, weight: Any, bias: Tensor | None) -> tuple:
    """Project queries, keys and values by one stacked weight. Inputs that are the same tensor share a matmul."""
    width = query.shape[-1]
    if query is key and key is value:
        return F.linear(query, weight, bias).chunk(3, -1)
    if key is value:
        w_q, w_kv = weight.split([width, 2 * width])
        b_q, b_kv = (None, None) if bias is None else bias.split([width, 2 * width])
        return F.linear(query, w_q, b_q), *F.linear(key, w_kv, b_kv).chunk(2, -1)
    biases = (None,) * 3 if bias is None else bias.chunk(3)
    return tuple(F.linear(x, w, b) for x, w, b in zip((query, key, value), weight.chunk(3), biases))


def _in_heads(x: Tensor, length: int, batch: int, heads: int) -> Tensor:
    return x.contiguous().view(length, batch * heads, x.shape[-1] // heads).transpose(0, 1)


def _in_projection_packed(q: Tensor, k: Tensor, v: Tensor, w: Tensor, b: Tensor | None = None) -> tuple:
    """Project queries, keys and values by one stacked weight. Other projects import this function."""
    return tuple(x.contiguous() for x in _projected_together(q, k, v, w, b))


def _in_projection(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    w_q: Tensor,
    w_k: Tensor,
    w_v: Tensor,
    b_q: Tensor | None = None,
    b_k: Tensor | None = None,
    b_v: Tensor | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """Project queries, keys and values, each by its own weight. Other projects import this function."""
    return F.linear(q, w_q, b_q), F.linear(k, w_k, b_k), F.linear(v, w_v, b_v)


# --- masks ------------------------------------------------------------------------------------------------------------


def as_scores(mask: Tensor | None, name: str, other: Any, other_name: str, dtype: Any) -> Tensor | None:
    """Return a mask as numbers to add to the scores. A boolean mask becomes -inf where true and 0 where false."""
    if mask is None:
        return None
    if mask.dtype != torchlike.bool and not mask.is_floating_point():
        raise AssertionError(f"only bool and floating types of {name} are supported")
    if other is not None and other != mask.dtype:
        warn(_errors.attention_mask_types_differ(name, other_name))
    if mask.is_floating_point():
        return mask
    return torchlike.zeros_like(mask, dtype=dtype).masked_fill_(mask, float("-inf"))


def _canonical_mask(
    mask: Tensor | None, mask_name: str, other_type: Any, other_name: str, target_type: Any, check_other: bool = True
) -> Tensor | None:
    """Call `as_scores`. Other projects import the function under this name, which is PyTorch's."""
    return as_scores(mask, mask_name, other_type if check_other else None, other_name, target_type)


def _none_or_dtype(input: Tensor | None) -> Any:
    """Return the dtype of a tensor, or None for None. Other projects import this function."""
    if input is None:
        return None
    if isinstance(input, Tensor):
        return input.dtype
    raise RuntimeError("input to _none_or_dtype() must be None or torch.Tensor")


def _with_one_more_key(mask: Tensor | None) -> Tensor | None:
    return None if mask is None else F.pad(mask, (0, 1))


def _checked_mask(mask: Tensor | None, length: int, keys: int, batch_heads: int) -> Tensor | None:
    if mask is None:
        return None
    wanted = (length, keys) if mask.dim() == 2 else (batch_heads, length, keys)
    if tuple(mask.shape) != wanted:
        raise RuntimeError(f"The shape of the {len(mask.shape)}D attn_mask is {mask.shape}, but should be {wanted}.")
    return mask.unsqueeze(0) if mask.dim() == 2 else mask


def _merged(mask: Tensor | None, padding: Tensor | None, batch: int, heads: int, keys: int) -> Tensor | None:
    """Return the sum of the attention mask and the padding mask, or None if both are None.

    The shape is (1, L, S) or (N·H, L or 1, S).
    """
    if padding is None:
        return mask
    if padding.shape[0] != batch:
        raise AssertionError(f"Expected key_padded_mask.shape[0] to be {batch}, but got {padding.shape[0]}")
    if padding.shape[1] != keys:
        raise AssertionError(f"Expected key_padded_mask.shape[1] to be {keys}, but got {padding.shape[1]}")
    padding = padding.view(batch, 1, 1, keys).expand(-1, heads, -1, -1).reshape(batch * heads, 1, keys)
    return padding if mask is None else mask + padding


# --- checks -----------------------------------------------------------------------------------------------------------


def _is_batched(query: Tensor, key: Tensor, value: Tensor, padding: Tensor | None, mask: Tensor | None) -> bool:
    ndim = query.dim()
    if ndim not in (2, 3):
        raise AssertionError(f"query should be unbatched 2D or batched 3D tensor but received {ndim}-D query tensor")
    if key.dim() != ndim or value.dim() != ndim:
        raise _errors.attention_key_dimensions(ndim, key.dim(), value.dim())
    if padding is not None and padding.dim() != ndim - 1:
        raise _errors.attention_padding_dimensions(ndim, padding.dim())
    if mask is not None and mask.dim() not in (2, 3):
        raise _errors.attention_mask_dimensions(ndim, mask.dim())
    return ndim == 3


def _check_shapes(query: Tensor, key: Tensor, value: Tensor, embed_dim: int, heads: int, separate: bool) -> None:
    width = query.shape[-1]
    if width != embed_dim:
        raise AssertionError(f"was expecting embedding dimension of {embed_dim}, but got {width}")
    if width % heads:
        raise _errors.attention_heads()
    if separate and key.shape[:2] != value.shape[:2]:
        raise _errors.attention_key_value_separate(key.shape[:2], value.shape[:2])
    if not separate and key.shape != value.shape:
        raise AssertionError(f"key shape {key.shape} does not match value shape {value.shape}")
