"""Scaled dot-product attention as a function."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from torchlike import _errors
from torchlike._composite.random import sampling
from torchlike._composite.random.samplers import Sampler, taken
from torchlike._dtypes import attention as settings
from torchlike._dtypes import modes
from torchlike._ops.nn.attention_forms import KERNELS, LONG, fits
from torchlike._ops.random.philox import offset_advance
from torchlike._ops.schema.typing_rules import broadcast
from torchlike._tensor import factories
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

    Raises:
      IndexError: PyTorch's fused kernel cannot take a mask of fewer than two dims.
      RuntimeError: both `attn_mask` and `is_causal` are given, which only the fused kernel accepts, or the dtypes or
        shapes do not fit.

    >>> import torchlike as torch
    >>> q, k, v = torch.zeros(1, 2), torch.ones(2, 2), torch.tensor([[1.0], [3.0]])
    >>> torch.nn.functional.scaled_dot_product_attention(q, k, v).tolist()
    [[2.0]]
    """
    try:
        _errors.activations.check_attention(query, key, value, dropout_p)
        if hasattr(attn_mask, "as_arguments"):  # a `CausalBias`
            attn_mask, is_causal = attn_mask.as_arguments(query, is_causal)  # type: ignore[union-attr]
        if scale is not None:  # the default is a static number, for kernels that need one
            scale = None if scale == 1.0 / float(query.shape[-1] or 1) ** 0.5 else float(scale)
        fused = _is_fused(query, key, value, attn_mask, dropout_p, enable_gqa)
        by_blocks = _is_by_blocks(query, key, value, attn_mask, enable_gqa)
        noise, more = None, {}
        if dropout_p > 0.0:
            noise, more = _noise(query, key, value, float(dropout_p), enable_gqa, by_blocks)
        given = query, key, value, attn_mask, noise, is_causal, scale, enable_gqa, fused
        return rows["_flash_attention"](*given, settings.permitted, **more) if by_blocks else rows["_attention"](*given)
    except Exception as error:
        raise shortened(error)


def _noise(
    query: Tensor, key: Tensor, value: Tensor, p: float, grouped: bool, by_blocks: bool
) -> tuple[Tensor, dict[str, Any]]:
    """Return the noise of dropout and further arguments of the operator.

    The noise consists of the factors of all weights or, for the operator that computes blocks on an accelerator, of the
    state of the generator.
    """
    lead = query.shape[:-2] if grouped else broadcast([tuple(x.shape[:-2]) for x in (query, key, value)])
    shape = (*lead, query.shape[-2], key.shape[-2])
    if p == 1.0:  # PyTorch takes no random number
        return factories.zeros(shape, dtype=query.dtype, device=query.device), {}
    if by_blocks and not sampling.is_on_host(query) and not sampling.is_batched():
        state, position = taken(None, query.device, offset_advance(math.prod(shape), 1))
        return state, {"position": position, "p": p}
    return sampling.of_shape(Sampler("dropout_noise", None, np.dtype(query.dtype.numpy), (p,)), shape, query.device), {}


def _is_fused(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, dropout_p: float, grouped: bool) -> bool:
    """Return whether PyTorch runs its fused CPU kernel, whose gradient rounds half precision differently.

    Raises:
      RuntimeError: no permitted backend supports this call.
    """
    fused = dropout_p == 0.0 and _can_be_fused(query, key, value, mask, grouped)
    if len(settings.permitted) < len(settings.DEFAULT_ORDER):
        _check_permitted(query, key, value, mask, dropout_p, grouped)
        return fused and settings.FLASH in settings.permitted
    return fused


def _can_be_fused(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, grouped: bool) -> bool:
    q, k, v = query.shape, key.shape, value.shape
    if not len(q) == len(k) == len(v) == 4 or not q[0] == k[0] == v[0] or k[1] != v[1]:
        return False
    if (not grouped and q[1] != k[1]) or 0 in q or 0 in k or (mask is not None and mask.requires_grad):
        return False
    if mask is not None and (dims := mask.dim()) != 4:
        if dims < 2:
            _errors.shapes.checked_dim("scaled_dot_product_attention", -2, dims)
        if dims == 3:
            return False
    if not q[3] == k[3] == v[3] or k[2] != v[2]:
        return False
    return all(x.stride(3) == 1 for x in (query, key, value))


def _check_permitted(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, dropout_p: float, grouped: bool
) -> None:
    """Raise PyTorch's error if no permitted backend supports this call."""
    if 0 in (*query.shape, *key.shape, *value.shape):
        return
    permitted, messages, kind = settings.permitted, _errors.attention, query.device.type
    usable = {settings.EFFICIENT, *KERNELS[kind]} if kind in KERNELS else {settings.FLASH, settings.MATH}
    if not usable.intersection(permitted):
        raise messages.no_viable_backend()
    if kind in KERNELS and {settings.MATH, settings.FLASH, settings.EFFICIENT}.isdisjoint(permitted):
        if not _suits_cudnn(query, key, value, dropout_p):
            raise messages.no_available_kernel()
        return
    if kind in KERNELS or settings.MATH in permitted:
        return
    reason = messages.why_not_fused(query, key, value, mask, dropout_p, grouped)
    if reason is not None:
        _errors.warned.warn(messages.NOT_FUSED)
        if reason:
            _errors.warned.warn(reason)
        raise messages.no_available_kernel()


def _suits_cudnn(query: Tensor, key: Tensor, value: Tensor, dropout_p: float) -> bool:
    """Return whether cuDNN may support a call. Autocasting changes the dtype later."""
    is_half = all(x.dtype.itemsize == 2 for x in (query, key, value)) or bool(modes.local.autocast)
    widths = {x.shape[-1] for x in (query, key, value)}
    return is_half and dropout_p == 0.0 and len(widths) == 1 and not widths.pop() % 8


def _is_by_blocks(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, grouped: bool) -> bool:
    """Return whether a call runs without the matrix of all scores. On accelerators, short calls may do so, too."""
    q, k = query.shape, key.shape
    on_accelerator = query.device.type in KERNELS
    if not on_accelerator and q[-2] * k[-2] < LONG:
        return False
    if not {settings.FLASH, settings.EFFICIENT, settings.CUDNN}.intersection(settings.permitted):
        return False
    return fits(q, k, value.shape, None if mask is None else mask.shape, grouped)
