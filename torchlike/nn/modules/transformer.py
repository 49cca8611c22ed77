"""Transformer layers, encoders and decoders ("Attention is all you need", Vaswani et al., 2017)."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import torchlike
from torchlike import Tensor
from torchlike._internal import current, warn
from torchlike.nn import _errors_sequence as _errors
from torchlike.nn import functional as F
from torchlike.nn import init
from torchlike.nn._attention import as_scores
from torchlike.nn.modules.attention import MultiheadAttention
from torchlike.nn.modules.container import ModuleList
from torchlike.nn.modules.dropout import Dropout
from torchlike.nn.modules.linear import Linear
from torchlike.nn.modules.module import Module
from torchlike.nn.modules.normalization import LayerNorm

__all__ = [
    "Transformer",
    "TransformerEncoder",
    "TransformerDecoder",
    "TransformerEncoderLayer",
    "TransformerDecoderLayer",
]


def _get_activation_fn(name: str) -> Callable[[Tensor], Tensor]:
    if name not in ("relu", "gelu"):
        raise RuntimeError(f"activation should be relu/gelu, not {name}")
    return F.relu if name == "relu" else F.gelu


def _activation(given: str | Callable[[Tensor], Tensor]) -> Callable[[Tensor], Tensor]:
    return _get_activation_fn(given) if isinstance(given, str) else given


def _generate_square_subsequent_mask(sz: int, device: Any = None, dtype: Any = None) -> Tensor:
    """Return the causal mask: 0 on and below the diagonal, -inf above it."""
    return torchlike.triu(torchlike.full((sz, sz), float("-inf"), dtype=dtype, device=device), diagonal=1)


def _detect_is_causal_mask(mask: Tensor | None, is_causal: bool | None = None, size: int | None = None) -> bool:
    """Return whether `mask` is the causal mask. The values are compared only if `is_causal` is None."""
    if is_causal is not None or mask is None or size is None:
        return is_causal is True
    causal = _generate_square_subsequent_mask(size, mask.device, mask.dtype)
    return mask.shape == causal.shape and bool((mask == causal).all())


def _causal_hint(layers: Any, mask: Tensor | None, is_causal: bool | None, size: int | None) -> bool:
    """Return whether the layers are told that `mask` is the causal mask.

    A captured call does not compare the values of the mask, since the layers of this module add the mask in any case.
    """
    plain = (TransformerEncoderLayer, TransformerDecoderLayer)
    is_plain = lambda layer: type(layer) in plain and type(layer.self_attn) is MultiheadAttention
    if is_causal is None and current().capture is not None and all(map(is_plain, layers)):
        return False
    return _detect_is_causal_mask(mask, is_causal, size)


def _get_seq_len(src: Tensor, batch_first: bool) -> int | None:
    if src.dim() == 2:
        return src.size(0)
    return src.size()[1 if batch_first else 0]


class TransformerEncoderLayer(Module):
    """A self-attention block followed by a feed-forward block of two linear layers.

    Each block has dropout, a residual connection and a layer norm. The input and the output have the shape (L, N,
    d_model), or (L, d_model) for a single sample.

    Args:
      d_model: the size of a position.
      nhead: the number of attention heads, which divides `d_model`.
      dim_feedforward: the hidden size of the feed-forward block.
      dropout: the dropout probability, in training mode.
      activation: 'relu', 'gelu' or a function, of the feed-forward block.
      layer_norm_eps: is added to the variance in the layer norms.
      batch_first: the input has the shape (N, L, d_model).
      norm_first: the layer norm precedes its block instead of following it.
      bias: give the linear layers and the layer norms biases.
      device, dtype: of the parameters. The defaults are the current default device and dtype.

    Raises:
      RuntimeError: `activation` is another string.

    >>> import torchlike as torch
    >>> torch.nn.TransformerEncoderLayer(8, 2, 16)(torch.ones(5, 3, 8)).shape
    torch.Size([5, 3, 8])
    """

    __constants__ = ["norm_first"]

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: str | Callable[[Tensor], Tensor] = F.relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        place = {"device": device, "dtype": dtype}
        super().__init__()
        self.self_attn = MultiheadAttention(d_model, nhead, dropout, bias=bias, batch_first=batch_first, **place)
        self.linear1 = Linear(d_model, dim_feedforward, bias=bias, **place)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias=bias, **place)
        self.norm_first = norm_first
        self.norm1 = LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **place)
        self.norm2 = LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **place)
        self.dropout1 = Dropout(dropout)
        self.dropout2 = Dropout(dropout)
        self.activation = _activation(activation)
        self.activation_relu_or_gelu = 1 if self.activation == F.relu else 2 if self.activation == F.gelu else 0

    def forward(
        self,
        src: Tensor,
        src_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool = False,
    ) -> Tensor:
        mask_dtype = src_mask.dtype if src_mask is not None else None
        padding = as_scores(src_key_padding_mask, "src_key_padding_mask", mask_dtype, "src_mask", src.dtype)
        mask = as_scores(src_mask, "src_mask", None, "", src.dtype)
        if self.norm_first:
            src = src + self._sa_block(self.norm1(src), mask, padding, is_causal)
            return src + self._ff_block(self.norm2(src))
        src = self.norm1(src + self._sa_block(src, mask, padding, is_causal))
        return self.norm2(src + self._ff_block(src))

    def _sa_block(self, x: Tensor, mask: Tensor | None, padding: Tensor | None, is_causal: bool = False) -> Tensor:
        options = {"attn_mask": mask, "key_padding_mask": padding, "is_causal": is_causal}
        # PyTorch's inference fast path computes a plain softmax. So does the attention layer if `need_weights` is True.
        is_plain = (mask is not None or padding is not None) and self._is_fast(x)
        return self.dropout1(self.self_attn(x, x, x, need_weights=is_plain, **options)[0])

    def _is_fast(self, x: Tensor) -> bool:
        """Return whether PyTorch takes its inference fast path."""
        alike = self.activation_relu_or_gelu and self.norm1.eps == self.norm2.eps
        if self.training or not alike or not self.self_attn._is_fast(x, x, x):
            return False
        return not torchlike.is_grad_enabled() or not any(p.requires_grad for p in self.parameters())

    def _ff_block(self, x: Tensor) -> Tensor:
        return self.dropout2(self.linear2(self.dropout(self.activation(self.linear1(x)))))


class TransformerDecoderLayer(Module):
    """A self-attention block, a block of attention to the encoder output, and a feed-forward block.

    Each block has dropout, a residual connection and a layer norm. A call receives the target (T, N, d_model) and the
    encoder output (S, N, d_model), and returns (T, N, d_model).

    Args:
      d_model: the size of a position.
      nhead: the number of attention heads, which divides `d_model`.
      dim_feedforward: the hidden size of the feed-forward block.
      dropout: the dropout probability, in training mode.
      activation: 'relu', 'gelu' or a function, of the feed-forward block.
      layer_norm_eps: is added to the variance in the layer norms.
      batch_first: the input has the shape (N, L, d_model).
      norm_first: the layer norm precedes its block instead of following it.
      bias: give the linear layers and the layer norms biases.
      device, dtype: of the parameters. The defaults are the current default device and dtype.

    Raises:
      RuntimeError: `activation` is another string.

    >>> import torchlike as torch
    >>> torch.nn.TransformerDecoderLayer(8, 2, 16)(torch.ones(5, 3, 8), torch.ones(4, 3, 8)).shape
    torch.Size([5, 3, 8])
    """

    __constants__ = ["norm_first"]

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: str | Callable[[Tensor], Tensor] = F.relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        place = {"device": device, "dtype": dtype}
        attention = {"dropout": dropout, "batch_first": batch_first, "bias": bias, **place}
        super().__init__()
        self.self_attn = MultiheadAttention(d_model, nhead, **attention)
        self.multihead_attn = MultiheadAttention(d_model, nhead, **attention)
        self.linear1 = Linear(d_model, dim_feedforward, bias=bias, **place)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias=bias, **place)
        self.norm_first = norm_first
        self.norm1 = LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **place)
        self.norm2 = LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **place)
        self.norm3 = LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **place)
        self.dropout1 = Dropout(dropout)
        self.dropout2 = Dropout(dropout)
        self.dropout3 = Dropout(dropout)
        self.activation = _activation(activation)

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool = False,
        memory_is_causal: bool = False,
    ) -> Tensor:
        own = (tgt_mask, tgt_key_padding_mask, tgt_is_causal)
        other = (memory_mask, memory_key_padding_mask, memory_is_causal)
        if self.norm_first:
            x = tgt + self._sa_block(self.norm1(tgt), *own)
            x = x + self._mha_block(self.norm2(x), memory, *other)
            return x + self._ff_block(self.norm3(x))
        x = self.norm1(tgt + self._sa_block(tgt, *own))
        x = self.norm2(x + self._mha_block(x, memory, *other))
        return self.norm3(x + self._ff_block(x))

    def _sa_block(self, x: Tensor, mask: Tensor | None, padding: Tensor | None, is_causal: bool = False) -> Tensor:
        options = {"attn_mask": mask, "key_padding_mask": padding, "is_causal": is_causal}
        return self.dropout1(self.self_attn(x, x, x, need_weights=False, **options)[0])

    def _mha_block(
        self, x: Tensor, mem: Tensor, mask: Tensor | None, padding: Tensor | None, is_causal: bool = False
    ) -> Tensor:
        options = {"attn_mask": mask, "key_padding_mask": padding, "is_causal": is_causal}
        return self.dropout2(self.multihead_attn(x, mem, mem, need_weights=False, **options)[0])

    def _ff_block(self, x: Tensor) -> Tensor:
        return self.dropout3(self.linear2(self.dropout(self.activation(self.linear1(x)))))


class TransformerEncoder(Module):
    """A stack of copies of an encoder layer and an optional final norm.

    Args:
      encoder_layer: a `TransformerEncoderLayer`, which is copied.
      num_layers: the number of copies.
      norm: a layer that is applied to the result.
      enable_nested_tensor: PyTorch skips padding in inference, so the padded positions of the output are zero before
        the final norm. Here the padded positions are computed and then set to zero.
      mask_check: do this only for masks with all padding at the end.

    >>> import torchlike as torch
    >>> layer = torch.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    >>> torch.nn.TransformerEncoder(layer, num_layers=2)(torch.ones(3, 5, 8)).shape
    torch.Size([3, 5, 8])
    """

    __constants__ = ["norm"]

    def __init__(
        self,
        encoder_layer: Module,
        num_layers: int,
        norm: Module | None = None,
        enable_nested_tensor: bool = True,
        mask_check: bool = True,
    ) -> None:
        super().__init__()
        self.layers = _get_clones(encoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm
        self.enable_nested_tensor = enable_nested_tensor
        obstacle = _why_not_nested(encoder_layer)
        if enable_nested_tensor and obstacle:
            warn(_errors.transformer_nested(obstacle))
        self.use_nested_tensor = enable_nested_tensor and not obstacle
        self.mask_check = mask_check

    def forward(
        self,
        src: Tensor,
        mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool | None = None,
    ) -> Tensor:
        mask_dtype = mask.dtype if mask is not None else None
        padding = as_scores(src_key_padding_mask, "src_key_padding_mask", mask_dtype, "mask", src.dtype)
        mask = as_scores(mask, "mask", None, "", src.dtype)
        batch_first = self.layers[0].self_attn.batch_first
        length = None if src.is_nested else _get_seq_len(src, batch_first)
        causal = _causal_hint(self.layers, mask, is_causal, length)
        output = src
        for layer in self.layers:
            output = layer(output, src_mask=mask, is_causal=causal, src_key_padding_mask=padding)
        if padding is not None and mask is None and self._leaves_padding_zero(src):
            padded = padding < 0
            if not self.mask_check or _only_at_the_end(padded):
                output = output.masked_fill(padded.unsqueeze(-1), 0.0)
        return output if self.norm is None else self.norm(output)

    def _leaves_padding_zero(self, src: Tensor) -> bool:
        first = self.layers[0]
        if not self.use_nested_tensor or first.training or src.dim() != 3 or torchlike.is_autocast_enabled():
            return False
        if not torchlike.is_grad_enabled():
            return True
        return not src.requires_grad and not any(p.requires_grad for p in first.parameters())


def _only_at_the_end(padded: Tensor) -> bool:
    return not bool((padded[:, :-1] & ~padded[:, 1:]).any())


def _why_not_nested(layer: Any) -> str:
    """Return PyTorch's reason for not skipping padding with nested tensors, or an empty string if there is none."""
    if not isinstance(layer, TransformerEncoderLayer):
        return "encoder_layer was not TransformerEncoderLayer"
    attention = layer.self_attn
    if layer.norm_first:
        return "encoder_layer.norm_first was True"
    if not attention.batch_first:
        return "encoder_layer.self_attn.batch_first was not True(use batch_first for better inference performance)"
    if not attention._qkv_same_embed_dim:
        return "encoder_layer.self_attn._qkv_same_embed_dim was not True"
    if attention.in_proj_bias is None:
        return "encoder_layer.self_attn was passed bias=False"
    if not layer.activation_relu_or_gelu:
        return "encoder_layer.activation_relu_or_gelu was not True"
    if layer.norm1.eps != layer.norm2.eps:
        return "encoder_layer.norm1.eps was not equal to encoder_layer.norm2.eps"
    return "encoder_layer.self_attn.num_heads is odd" if attention.num_heads % 2 else ""


class TransformerDecoder(Module):
    """A stack of copies of a decoder layer and an optional final norm.

    Args:
      decoder_layer: a `TransformerDecoderLayer`, which is copied.
      num_layers: the number of copies.
      norm: a layer that is applied to the result.

    >>> import torchlike as torch
    >>> layer = torch.nn.TransformerDecoderLayer(8, 2, 16)
    >>> torch.nn.TransformerDecoder(layer, num_layers=2)(torch.ones(5, 3, 8), torch.ones(4, 3, 8)).shape
    torch.Size([5, 3, 8])
    """

    __constants__ = ["norm"]

    def __init__(self, decoder_layer: Module, num_layers: int, norm: Module | None = None) -> None:
        super().__init__()
        self.layers = _get_clones(decoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        length = _get_seq_len(tgt, self.layers[0].self_attn.batch_first)
        causal = _causal_hint(self.layers, tgt_mask, tgt_is_causal, length)
        masks = (tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask)
        output = tgt
        for layer in self.layers:
            output = layer(output, memory, *masks, tgt_is_causal=causal, memory_is_causal=memory_is_causal)
        return output if self.norm is None else self.norm(output)


class Transformer(Module):
    """An encoder-decoder transformer: sources (S, N, d_model) and targets (T, N, d_model) -> (T, N, d_model).

    Args:
      d_model: the size of a position.
      nhead: the number of attention heads, which divides `d_model`.
      num_encoder_layers, num_decoder_layers: the numbers of layers.
      dim_feedforward: the hidden size of the feed-forward blocks.
      dropout: the dropout probability, in training mode.
      activation: 'relu', 'gelu' or a function, of the feed-forward blocks.
      custom_encoder, custom_decoder: modules that replace the standard ones.
      layer_norm_eps: is added to the variance in the layer norms.
      batch_first: the inputs and the output have the shape (N, L, d_model).
      norm_first: the layer norm precedes its block instead of following it.
      bias: give the linear layers and the layer norms biases.
      device, dtype: of the parameters. The defaults are the current default device and dtype.

    Raises:
      RuntimeError: the batch sizes of sources and targets differ, or their last size is not `d_model`. The call raises
        this.

    >>> import torchlike as torch
    >>> model = torch.nn.Transformer(8, 2, 1, 1, 16, batch_first=True)
    >>> model(torch.ones(3, 4, 8), torch.ones(3, 5, 8)).shape
    torch.Size([3, 5, 8])
    """

    def __init__(
        self,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: str | Callable[[Tensor], Tensor] = F.relu,
        custom_encoder: Any = None,
        custom_decoder: Any = None,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        place = {"device": device, "dtype": dtype}
        shape = (d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias)
        super().__init__()
        self.encoder = custom_encoder
        self.decoder = custom_decoder
        if custom_encoder is None:
            layer = TransformerEncoderLayer(*shape, **place)
            norm = LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **place)
            self.encoder = TransformerEncoder(layer, num_encoder_layers, norm)
        if custom_decoder is None:
            layer = TransformerDecoderLayer(*shape, **place)
            norm = LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **place)
            self.decoder = TransformerDecoder(layer, num_decoder_layers, norm)
        self._reset_parameters()
        self.d_model = d_model
        self.nhead = nhead
        self.batch_first = batch_first

    def _reset_parameters(self) -> None:
        for parameter in self.parameters():
            if parameter.dim() > 1:
                init.xavier_uniform_(parameter)

    def forward(
        self,
        src: Tensor,
        tgt: Tensor,
        src_mask: Tensor | None = None,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        src_is_causal: bool | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        batch_dim = 0 if self.batch_first else 1
        if src.size(batch_dim) != tgt.size(batch_dim) and src.dim() == 3:
            raise RuntimeError("the batch number of src and tgt must be equal")
        if src.size(-1) != self.d_model or tgt.size(-1) != self.d_model:
            raise RuntimeError("the feature number of src and tgt must be equal to d_model")
        memory = self.encoder(src, mask=src_mask, src_key_padding_mask=src_key_padding_mask, is_causal=src_is_causal)
        masks = (tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask)
        return self.decoder(tgt, memory, *masks, tgt_is_causal=tgt_is_causal, memory_is_causal=memory_is_causal)

    @staticmethod
    def generate_square_subsequent_mask(sz: int, device: Any = None, dtype: Any = None) -> Tensor:
        """Return the causal mask: 0 on and below the diagonal, -inf above it.

        Args:
          sz: the length of the sequence.
          device, dtype: of the mask. The defaults are the current default device and dtype.

        Returns:
          (sz, sz).
        """
        return _generate_square_subsequent_mask(sz, device, dtype)


def _get_clones(module: Module, N: int) -> ModuleList:
    return ModuleList([copy.deepcopy(module) for _ in range(N)])
