"""`MultiheadAttention`, the multi-head attention layer (Vaswani et al., 2017)."""

from __future__ import annotations

from typing import Any

import torchlike
from torchlike import Tensor
from torchlike.nn import _errors_sequence as _errors
from torchlike.nn import functional as F
from torchlike.nn import init
from torchlike.nn._attention import as_scores, multi_head_attention_forward
from torchlike.nn.modules.linear import NonDynamicallyQuantizableLinear
from torchlike.nn.modules.module import Module
from torchlike.nn.parameter import Parameter


class MultiheadAttention(Module):
    """Multi-head attention ("Attention is all you need", Vaswani et al., 2017).

    Each of `num_heads` heads computes softmax(Q Kᵀ / sqrt(d)) V. Linear projections precede and follow the heads.

    The inputs are queries (L, N, embed_dim), keys (S, N, kdim) and values (S, N, vdim). The results are
    the output (L, N, embed_dim) and the attention weights (N, L, S).

    `in_proj_weight` (3·embed_dim, embed_dim) stacks the three input projections. If `kdim` or `vdim` differs from
    `embed_dim`, the projections are `q_proj_weight`, `k_proj_weight` and `v_proj_weight` instead.

    Args:
      embed_dim: the size of queries and of the output.
      num_heads: the number of heads, which divides `embed_dim`.
      dropout: the dropout probability of the attention weights, in training mode.
      bias: give the projections biases.
      add_bias_kv: append a learnt key and value.
      add_zero_attn: append a key and a value of zeros.
      kdim, vdim: the sizes of keys and values, `embed_dim` by default.
      batch_first: the inputs and the output have the shape (N, L, embed_dim).
      device, dtype: of the parameters. The defaults are the current default device and dtype.

    Raises:
      ValueError: `embed_dim` or `num_heads` is not positive.
      AssertionError: `embed_dim` is not divisible by `num_heads`.

    >>> import torchlike as torch
    >>> x = torch.ones(5, 2, 8)
    >>> output, weights = torch.nn.MultiheadAttention(8, 4)(x, x, x)
    >>> output.shape, weights.shape
    (torch.Size([5, 2, 8]), torch.Size([2, 5, 5]))
    """

    __constants__ = ["batch_first"]

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        if embed_dim <= 0 or num_heads <= 0:
            raise _errors.attention_sizes(embed_dim, num_heads)
        super().__init__()
        self.embed_dim = embed_dim
        self.kdim = kdim if kdim is not None else embed_dim
        self.vdim = vdim if vdim is not None else embed_dim
        self._qkv_same_embed_dim = self.kdim == embed_dim and self.vdim == embed_dim
        self.num_heads = num_heads
        self.dropout = dropout
        self.batch_first = batch_first
        self.head_dim = embed_dim // num_heads
        if self.head_dim * num_heads != embed_dim:
            raise _errors.attention_heads()
        self._make_weights(bias, add_bias_kv, device, dtype)
        self.add_zero_attn = add_zero_attn
        self._reset_parameters()

    def _make_weights(self, bias: bool, add_bias_kv: bool, device: Any, dtype: Any) -> None:
        width, together = self.embed_dim, self._qkv_same_embed_dim
        shapes: dict[str, tuple[int, ...] | None] = {
            "q_proj_weight": None if together else (width, width),
            "k_proj_weight": None if together else (width, self.kdim),
            "v_proj_weight": None if together else (width, self.vdim),
            "in_proj_weight": (3 * width, width) if together else None,
            "in_proj_bias": (3 * width,) if bias else None,
        }
        self._register(shapes, device, dtype)
        self.out_proj = NonDynamicallyQuantizableLinear(width, width, bias=bias, device=device, dtype=dtype)
        extra = (1, 1, width) if add_bias_kv else None
        self._register({"bias_k": extra, "bias_v": extra}, device, dtype)

    def _register(self, shapes: dict[str, Any], device: Any, dtype: Any) -> None:
        for name, shape in shapes.items():
            empty = None if shape is None else Parameter(torchlike.empty(shape, device=device, dtype=dtype))
            self.register_parameter(name, empty)

    def _reset_parameters(self) -> None:
        for weight in (self.in_proj_weight, self.q_proj_weight, self.k_proj_weight, self.v_proj_weight):
            if weight is not None:
                init.xavier_uniform_(weight)
        if self.in_proj_bias is not None:
            init.constant_(self.in_proj_bias, 0.0)
            init.constant_(self.out_proj.bias, 0.0)
        for extra in (self.bias_k, self.bias_v):
            if extra is not None:
                init.xavier_normal_(extra)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Tensor, Tensor | None]:
        if query.is_nested or key.is_nested or value.is_nested:
            masked = key_padding_mask is not None or attn_mask is not None
            return self._of_components(query, key, value, masked, need_weights, average_attn_weights)
        masks = [mask for mask in (key_padding_mask, attn_mask) if mask is not None]
        of_bools = bool(masks) and all(mask.dtype == torchlike.bool for mask in masks)
        # PyTorch's inference fast path computes a plain softmax, which is NaN for a row with all keys masked.
        # `multi_head_attention_forward` also computes a plain softmax when it returns the weights, so request them.
        is_plain = of_bools and self._is_fast(query, key, value)
        mask_dtype = attn_mask.dtype if attn_mask is not None else None
        key_padding_mask = as_scores(key_padding_mask, "key_padding_mask", mask_dtype, "attn_mask", query.dtype)
        attn_mask = as_scores(attn_mask, "attn_mask", None, "", query.dtype)
        swap = self.batch_first and query.dim() == 3
        if swap:
            query, key, value = _swapped(query, key, value)
        output, weights = multi_head_attention_forward(
            query,
            key,
            value,
            **self._state(),
            key_padding_mask=key_padding_mask,
            need_weights=need_weights or is_plain,
            attn_mask=attn_mask,
            average_attn_weights=average_attn_weights,
            is_causal=is_causal,
        )
        return output.transpose(1, 0) if swap else output, weights if need_weights else None

    def _of_components(
        self, query: Tensor, key: Tensor, value: Tensor, masked: bool, need_weights: bool, average: bool
    ) -> tuple[Tensor, Tensor | None]:
        """Return the attention of each component of a nested tensor, and its padded weights: (components, L, L)."""
        reason = self._why_not_nested(query, query is key is value, masked)
        if reason:
            raise _errors.attention_nested(reason)
        found = [self.forward(x, x, x, need_weights=need_weights, average_attn_weights=average) for x in query.unbind()]
        output = torchlike.nested.as_nested_tensor([out for out, _ in found])
        if not need_weights:
            return output, None
        longest = max(out.shape[0] for out, _ in found)
        pad = lambda weights: F.pad(weights, [0, longest - weights.shape[-1]] * 2)
        return output, torchlike.stack([pad(weights) for _, weights in found])

    def _why_not_nested(self, query: Tensor, is_self: bool, masked: bool) -> str:
        """Return PyTorch's reason for not supporting nested inputs, or an empty string if it supports them."""
        reasons = {
            "non-self attention was used (query, key, and value are not the same Tensor)": not is_self,
            "training is enabled": self.training,
            "self.num_heads is not even": self.num_heads % 2,
            "batch_first was not True": not self.batch_first,
            "supplying both src_key_padding_mask and src_mask at the same time                                  "
            "is not supported with NestedTensor input": masked,
            "some Tensor argument has_torch_function": query.layout is not torchlike.strided,
            "grad is enabled and at least one of query or the input/output projection weights or biases "
            "requires_grad": not self._is_fast(query, query, query),
        }
        return next((reason for reason, holds in reasons.items() if holds), "")

    def _state(self) -> dict[str, Any]:
        """Return the arguments of `multi_head_attention_forward` that the layer holds."""
        return {
            "embed_dim_to_check": self.embed_dim,
            "num_heads": self.num_heads,
            "in_proj_weight": self.in_proj_weight,
            "in_proj_bias": self.in_proj_bias,
            "bias_k": self.bias_k,
            "bias_v": self.bias_v,
            "add_zero_attn": self.add_zero_attn,
            "dropout_p": self.dropout,
            "out_proj_weight": self.out_proj.weight,
            "out_proj_bias": self.out_proj.bias,
            "training": self.training,
            "use_separate_proj_weight": not self._qkv_same_embed_dim,
            "q_proj_weight": self.q_proj_weight,
            "k_proj_weight": self.k_proj_weight,
            "v_proj_weight": self.v_proj_weight,
        }

    def _is_fast(self, query: Tensor, key: Tensor, value: Tensor) -> bool:
        """Return whether PyTorch takes its inference fast path. The caller checks that the masks are boolean."""
        if self.training or not self.batch_first or query.dim() != 3 or not query is key is value:
            return False
        if self.num_heads % 2 or self.in_proj_bias is None or not self._qkv_same_embed_dim or self.add_zero_attn:
            return False
        if self.bias_k is not None or query.dtype != self.in_proj_bias.dtype or torchlike.is_autocast_enabled():
            return False
        inputs = (query, self.in_proj_weight, self.in_proj_bias, self.out_proj.weight, self.out_proj.bias)
        return not torchlike.is_grad_enabled() or not any(x.requires_grad for x in inputs)


def _swapped(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Swap the first two dimensions of the inputs. Inputs that are the same tensor remain the same tensor.

    `multi_head_attention_forward` projects inputs that are the same tensor with one matrix product.
    """
    swapped_query = query.transpose(1, 0)
    swapped_key = swapped_query if key is query else key.transpose(1, 0)
    return swapped_query, swapped_key, swapped_key if value is key else value.transpose(1, 0)
