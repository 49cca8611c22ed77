"""The arguments of attention in the canonical layout of its forms, and the choice of a form."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from torchlike._dtypes import attention as settings
from torchlike._engine.xla.target import for_cpu, platform
from torchlike._ops.nn import attention_blockwise as blockwise
from torchlike._ops.nn import attention_kernels as kernels
from torchlike._ops.nn.attention_blockwise import BLOCK, TOGETHER, Blocks
from torchlike._ops.nn.attention_rules import Form, attend, whole
from torchlike._ops.random.fills import limit
from torchlike._ops.random.philox import MANY, after, bits, selected_word
from torchlike._ops.schema.rounding import stepwise, unchanged

# From this number of scores per matrix, computing them by blocks is faster (docs/decisions has the figures).
LONG = 1 << 18

PART = 1 << 22  # the number of scores that NumPy computes at a time


Shape = Sequence[int]

# PyTorch's backends that each type of accelerator supports, besides `EFFICIENT`, which is the blockwise form.
KERNELS = {"cuda": (settings.MATH, settings.FLASH, settings.CUDNN), "tpu": (settings.MATH, settings.FLASH)}


def fits(query: Shape, key: Shape, value: Shape, mask: Shape | None, grouped: bool) -> bool:
    """Return whether `attention_without_scores` supports these shapes."""
    if 0 in (*query, *key, *value):
        return False
    if mask is None:
        return True
    lead = query[:-2]
    if not grouped:
        try:
            lead = np.broadcast_shapes(lead, key[:-2], value[:-2])
        except ValueError:
            return False
    scores = (*lead, query[-2], key[-2])
    return len(mask) <= len(scores) and all(n in (1, size) for n, size in zip(mask[::-1], scores[::-1]))


def attention_without_scores(
    query: Any,
    key: Any,
    value: Any,
    mask: Any,
    noise: Any,
    causal: bool,
    scale: Any,
    grouped: bool,
    fused: bool,
    block: int = BLOCK,
    backends: tuple[int, ...] = settings.DEFAULT_ORDER,
    draw: Callable[[Any, Any], Any] | None = None,
) -> Any:
    """Return attention without the matrix of all scores, with the arguments of the operator `_flash_attention`.

    If `draw` is given, `noise` is the state of a generator, and `draw(noise, index)` returns the dropout factors of the
    scores at these flat indices in (..., L, S). The indices are uint32, or uint64 if uint32 is too small.
    """
    step, width = unchanged, query.shape[-1]
    if query.dtype.itemsize <= 2 and for_cpu():
        step, query, key, value = stepwise(query, key, value)
    lead, (q, k, v) = _fold_heads(query, key, value, grouped)
    if scale is not None:
        q = q * scale.astype(q.dtype)
    mask_lead = () if mask is None else (1,) * (len(lead) + 2 - mask.ndim) + mask.shape[:-2]
    if mask is not None:
        mask = mask.reshape(math.prod(mask_lead), *((1, 1) + mask.shape)[-2:])
    exact = step is not unchanged and fused  # PyTorch's kernel rounds weights relative to the maxima of whole blocks
    blocks = Blocks(
        lead,
        mask_lead,
        causal,
        1.0 / math.sqrt(width) if scale is None else 1.0,
        step if exact else unchanged,
        draw,
        *_block(q.shape[2], k.shape[1], block, exact),
        blockwise.together(len(q), TOGETHER // q.shape[1] if for_cpu() else len(q)),
    )
    noise = noise if noise is None or draw is not None else noise.reshape(-1, *noise.shape[-2:])
    out = _by_form(blocks, backends, q, k, v, mask, noise)
    return out.reshape(*lead, *out.shape[2:])


def _block(length: int, keys: int, block: int, exact: bool) -> tuple[int, int]:
    """Return the numbers of rows and columns of a block. With few rows a block has more columns, and vice versa."""
    area = block * block
    columns = min(block, keys) if exact else blockwise.even(keys, area // min(length, block))
    return blockwise.even(length, max(block, area // columns)), columns


def _by_form(o: Blocks, backends: tuple[int, ...], *arrays: Any) -> Any:
    """Compute attention in the best permitted form for the platform of the current trace."""
    passes = kernels.passes(platform(), backends, o, *arrays)
    scores = arrays[0].shape[2] * arrays[1].shape[1]
    if passes is None and scores < LONG and settings.MATH in backends and not for_cpu():
        return whole(o, *arrays)
    return attend(Form(o, *(passes or (blockwise.forward, blockwise.backward))), *arrays)[0]


def _fold_heads(query: Any, key: Any, value: Any, grouped: bool) -> tuple:
    """Return the leading dims of the scores, and queries (N, G, L, E), keys (N, S, E) and values (N, S, F)."""
    if grouped and key.shape[-3] != value.shape[-3]:
        key, value = (jnp.repeat(t, query.shape[-3] // t.shape[-3], axis=-3) for t in (key, value))
    lead = query.shape[:-2] if grouped else jnp.broadcast_shapes(query.shape[:-2], key.shape[:-2], value.shape[:-2])
    shared = (*lead[:-1], key.shape[-3]) if grouped else lead
    count = math.prod(shared)
    fold = lambda x, lead: jnp.broadcast_to(x, (*lead, *x.shape[-2:])).reshape(count, -1, *x.shape[-2:])
    return lead, (fold(query, lead), fold(key, shared)[:, 0], fold(value, shared)[:, 0])


def dropout_state(state: Any, position: Any, p: Any) -> Any:
    """Return the state of a generator after `position`, and the parameters of dropout, as six 32-bit words."""
    p = jnp.asarray(p).astype(np.float64)
    scale = jax.lax.bitcast_convert_type((1 / (1 - p)).astype(np.float32), np.uint32)
    return jnp.stack([*after(state, position), limit(1 - p), scale])


def dropout_factors(state: Any, index: Any) -> Any:
    """Return the dropout factors of the scores at these flat indices: 0, or 1 / (1 - p)."""
    words, lane = bits(state[:4], 0, index, MANY, 1)
    scale = jax.lax.bitcast_convert_type(state[5], np.float32)
    return jnp.where(selected_word(lane, words) < state[4], scale, 0)


def by_numpy(
    kernel: Callable, query: Any, key: Any, value: Any, mask: Any, noise: Any, causal: bool, *options: Any
) -> Any:
    """Apply `kernel` to NumPy arrays, a few rows of all matrices at a time.

    With causal attention, each step computes only the keys to which its rows may attend.
    """
    length, keys = query.shape[-2], key.shape[-2]
    size = max(1, PART // (keys * math.prod(query.shape[:-2])))
    parts = []
    for start in range(0, length, size):
        rows = slice(start, min(length, start + size))
        last = min(keys, rows.stop) if causal else keys
        part = _rows(mask, rows)
        if causal:
            seen = np.arange(start, rows.stop)[:, None] >= np.arange(last)
            part = seen if part is None else _with_causal_mask(seen, part[..., :last])
        factors = None if noise is None else noise[..., rows, :last]
        some = query[..., rows, :], key[..., :last, :], value[..., :last, :]
        parts.append(kernel(*some, part, factors, False, *options))
    return np.concatenate(parts, axis=-2)


def _with_causal_mask(seen: Any, mask: Any) -> Any:
    """Return the mask, restricted to the positions that the causal mask `seen` permits."""
    return seen & mask if mask.dtype == bool else np.where(seen, mask, np.asarray(-np.inf, mask.dtype))


def _rows(mask: Any, rows: slice) -> Any:
    return mask if mask is None or mask.ndim < 2 or mask.shape[-2] == 1 else mask[..., rows, :]
