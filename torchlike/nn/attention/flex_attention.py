"""`flex_attention`: attention with a user-defined score function and block mask."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple, TypedDict

import torchlike
from torchlike import Tensor
from torchlike._internal import _errors as _package_errors
from torchlike._internal import _safe_softmax
from torchlike.nn import _errors_flex as _errors
from torchlike.nn.attention._block_mask import BLOCK as _DEFAULT_SPARSE_BLOCK_SIZE  # noqa: F401 - libraries import it from here
from torchlike.nn.attention._block_mask import BlockMask as BlockMask
from torchlike.nn.attention._block_mask import create_block_mask as create_block_mask
from torchlike.nn.attention._block_mask import mask_of_a_slice
from torchlike.nn.attention._mods import and_masks as and_masks
from torchlike.nn.attention._mods import create_mask as create_mask
from torchlike.nn.attention._mods import evaluate_everywhere
from torchlike.nn.attention._mods import noop_mask as noop_mask
from torchlike.nn.attention._mods import or_masks as or_masks

__all__ = [
    "BlockMask",
    "flex_attention",
    "AuxOutput",
    "AuxRequest",
    "FlexKernelOptions",
    "create_block_mask",
    "create_mask",
    "or_masks",
    "and_masks",
    "noop_mask",
]


class AuxRequest(NamedTuple):
    """Flags for the auxiliary outputs that `flex_attention` returns in addition to its result.

    Args:
      lse: return the log-sum-exp of the scores.
      max_scores: not supported.

    >>> from torchlike.nn.attention.flex_attention import AuxRequest
    >>> AuxRequest(lse=True)
    AuxRequest(lse=True, max_scores=False)
    """

    lse: bool = False
    max_scores: bool = False


class AuxOutput(NamedTuple):
    """The auxiliary outputs of `flex_attention`. Outputs that were not requested are None.

    Args:
      lse: (B, Hq, L), the log-sum-exp of the scores of each query.
      max_scores: None, because it cannot be requested.

    >>> from torchlike.nn.attention.flex_attention import AuxOutput
    >>> AuxOutput().lse is None
    True
    """

    lse: Tensor | None = None
    max_scores: Tensor | None = None


class FlexKernelOptions(TypedDict, total=False):
    """Options of PyTorch's GPU kernels. They have no effect here.

    >>> from torchlike.nn.attention.flex_attention import FlexKernelOptions
    >>> FlexKernelOptions(BLOCK_M=64)
    {'BLOCK_M': 64}
    """

    num_warps: int
    num_stages: int
    BLOCK_M: int
    BLOCK_N: int
    BLOCK_M1: int
    BLOCK_N1: int
    BLOCK_M2: int
    BLOCK_N2: int
    PRESCALE_QK: bool
    ROWS_GUARANTEED_SAFE: bool
    BLOCKS_ARE_CONTIGUOUS: bool
    WRITE_DQ: bool
    FORCE_USE_FLEX_ATTENTION: bool
    USE_TMA: bool
    kpack: int
    matrix_instr_nonkdim: int
    waves_per_eu: int
    BACKEND: str


_BACKENDS = ("AUTO", "TRITON", "FLASH", "TRITON_DECODE")


def flex_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    score_mod: Callable | None = None,
    block_mask: BlockMask | None = None,
    scale: float | None = None,
    enable_gqa: bool = False,
    return_lse: bool = False,
    kernel_options: FlexKernelOptions | None = None,
    *,
    return_aux: AuxRequest | None = None,
) -> Any:
    """Compute softmax(score_mod(Q Kᵀ scale)) V.

    Args:
      query: shape (B, Hq, L, E).
      key: shape (B, Hkv, S, E).
      value: shape (B, Hkv, S, Ev).
      score_mod: a function of scalars (score, batch, head, query, key) that returns the modified score. Tensors in its
        closure, for example a bias, receive gradients.
      block_mask: the mask. Its `mask_mod` is applied to all scores, so the block structure has no effect. The result is
        zero for a query whose keys are all masked.
      scale: 1 / sqrt(E) by default.
      enable_gqa: allow key and value to have fewer heads than the query. Each of their heads serves several query
        heads.
      return_lse: the deprecated form of `return_aux=AuxRequest(lse=True)`. If True, the result is the pair
        (result, lse).
      kernel_options: options of PyTorch's kernels. They are checked and have no effect.
      return_aux: the auxiliary outputs to return. `max_scores` is not supported.

    Returns:
      The result of shape (B, Hq, L, Ev) in the query's dtype. With `return_aux`, a pair of the result and an
      `AuxOutput`, whose `lse` (B, Hq, L) is the log-sum-exp of the scores.

    >>> import torchlike as torch
    >>> from torchlike.nn.attention.flex_attention import flex_attention
    >>> x = torch.ones(1, 1, 2, 4)
    >>> flex_attention(x, x, x, score_mod=lambda s, b, h, q, kv: s + q - kv).shape
    torch.Size([1, 1, 2, 4])
    """
    _check_shapes(query, key, value, enable_gqa)
    _check_mask(query, key, block_mask)
    if return_lse and return_aux is not None:
        raise _errors.two_requests()
    if return_lse:
        _package_errors.warned.once(_errors.RETURN_LSE, category=FutureWarning)
    _check_options(kernel_options or {}, return_aux)
    if query.shape[0] != key.shape[0] and 1 not in (query.shape[0], key.shape[0]):
        raise _errors.batches_apart(query.shape[0], key.shape[0])
    scale = 1.0 / math.sqrt(query.shape[-1]) if scale is None else scale
    key, value = (_for_heads(x, query.shape[1]) if enable_gqa else x for x in (key, value))
    scores = _scores(query, key, scale, score_mod, block_mask)
    scores = scores if scores.is_floating_point() else scores.to(torchlike.float32)
    weights = _safe_softmax(scores, -1).to(query.dtype)
    result = _laid_out_as(query, weights @ value.to(query.dtype))
    if return_lse:
        return result, scores.logsumexp(-1)
    if return_aux is None:
        return result
    return result, AuxOutput(lse=scores.logsumexp(-1) if return_aux.lse else None)


def _scores(query: Tensor, key: Tensor, scale: float, score_mod: Callable | None, mask: BlockMask | None) -> Tensor:
    """Return the masked scores of shape (B, H, L, S), in float32 or wider."""
    work = torchlike.float64 if query.dtype == torchlike.float64 else torchlike.float32
    scores = (query.to(work) @ key.to(work).mT) * scale  # (B, H, L, S)
    size = tuple(scores.shape)
    if not scores.shape[3]:
        scores.max(3)  # raises PyTorch's error for an empty dim
    if score_mod is not None:
        scores = evaluate_everywhere(score_mod, size, query.device, scores)
    if mask is not None:
        kept = evaluate_everywhere(mask.mask_mod, size, query.device)
        scores = torchlike.where(kept, scores, -math.inf)
    return scores


def _for_heads(x: Tensor, heads: int) -> Tensor:
    return x.repeat_interleave(heads // x.shape[1], dim=1)


def _laid_out_as(query: Tensor, result: Tensor) -> Tensor:
    """Return `result` with the query's order of dimensions in memory. The last dimension stays innermost."""
    order = [*sorted(range(3), key=lambda dim: -query.stride(dim)), 3]
    return result.permute(order).contiguous().permute([order.index(dim) for dim in range(4)])


# -- checks ------------------------------------------------------------------------------------------------------------


def _check_shapes(query: Tensor, key: Tensor, value: Tensor, enable_gqa: bool) -> None:
    if not query.device.type == key.device.type == value.device.type:
        raise _errors.devices(query.device, key.device, value.device)
    if query.shape[-1] != key.shape[-1]:
        raise _errors.embedding(query.shape[-1], key.shape[-1])
    if not query.dim() == key.dim() == value.dim() == 4:
        raise _errors.dimensions()
    of_query, of_key = query.shape[1], key.shape[1]
    if not enable_gqa and of_query != of_key:
        raise _errors.heads(of_query, of_key)
    if enable_gqa and of_query % of_key:
        raise _errors.grouped_heads(of_query, of_key)


def _check_mask(query: Tensor, key: Tensor, mask: BlockMask | None) -> None:
    of_query, of_key = query.shape[0], key.shape[0]
    if mask is None:
        if of_query != of_key:
            raise _errors.batches(of_query, of_key)
        return
    if of_query not in (of_key, mask.kv_num_blocks.shape[0]):
        raise _errors.batches_of_mask(of_query, of_key, mask.kv_num_blocks.shape[0])
    if mask.mask_mod is mask_of_a_slice:
        raise _errors.sliced_mask()
    lengths = query.shape[2], key.shape[2]
    if any(length > made_for for length, made_for in zip(lengths, mask.seq_lengths)):
        raise _errors.small_mask(mask.shape, *lengths)
    if lengths != tuple(mask.seq_lengths):
        raise _errors.large_mask(mask.shape, *lengths)
    if query.device != mask.kv_num_blocks.device:
        raise _errors.mask_device(query.device, mask.kv_num_blocks.device)


def _check_options(options: Any, aux: AuxRequest | None) -> None:
    if "BACKEND" in options and options.get("FORCE_USE_FLEX_ATTENTION"):
        raise _errors.two_backends()
    if options.get("BACKEND", "AUTO") not in _BACKENDS:
        raise _errors.backend(options["BACKEND"], _BACKENDS)
    for name in ("OUTPUT_LOGSUMEXP", "OUTPUT_MAX"):
        if name in options:
            raise _errors.reserved_option(name)
    if aux is not None and aux.max_scores:
        raise _errors.max_scores()
