"""The attention kernels that ship with JAX: cuDNN's on CUDA, and a Pallas kernel on TPU.

Both are functions of (B, H, L, E) arrays with their own gradients. JAX's checks decide whether cuDNN supports a call.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import jax
import jax.numpy as jnp

from torchlike._dtypes import attention as settings
from torchlike._ops.nn.attention_blockwise import Blocks, together

Kernel = Callable[..., Any]


def passes(
    platform: str, backends: tuple[int, ...], o: Blocks, q: Any, k: Any, v: Any, mask: Any, noise: Any
) -> tuple[Callable, Callable] | None:
    """Return the two passes (see `Form`) of the platform's own kernel, or None if it does not support this call."""
    if noise is not None or q.shape[-1] != v.shape[-1]:
        return None
    if (
        platform == "cuda"
        and settings.CUDNN in backends
        and _cudnn_supports(o, *map(_shape_and_dtype, (q, k, v, mask)))
    ):
        return _CUDNN
    if platform == "tpu" and settings.FLASH in backends and _pallas_supports(q, k, mask):
        return _PALLAS
    return None


def _shape_and_dtype(x: Any) -> Any:
    return None if x is None else jax.ShapeDtypeStruct(x.shape, x.dtype)


# -- passes of a kernel ------------------------------------------------------------------------------------------------


def _forward(kernel: Kernel, o: Blocks, q: Any, k: Any, v: Any, mask: Any, noise: Any) -> tuple:
    out, pull = _result_and_vjp(kernel, o, q, k, v, mask)
    return (out, *jax.tree.leaves(pull))


def _backward(kernel: Kernel, o: Blocks, primals: tuple, results: tuple, change: Any, wants_mask: bool) -> tuple:
    *some, _ = primals
    structure: list[Any] = []
    jax.eval_shape(lambda *x: structure.append(jax.tree.structure(_result_and_vjp(kernel, o, *x)[1])), *some)
    with _kernel_context(some[0]):
        grads = jax.tree.unflatten(structure[0], results[1:])(change)
    return (*grads[:3], grads[3] if wants_mask else None)


def _result_and_vjp(kernel: Kernel, o: Blocks, q: Any, k: Any, v: Any, mask: Any) -> tuple:
    """Return the result, and the pullback to (q, k, v) or, with a floating mask, to (q, k, v, mask)."""
    with _kernel_context(q):
        if mask is None or mask.dtype == bool:
            return jax.vjp(lambda q, k, v: kernel(o, q, k, v, mask), q, k, v)
        return jax.vjp(functools.partial(kernel, o), q, k, v, mask)


def _kernel_context(q: Any) -> ExitStack:
    """Return a context for kernels: 32-bit indices and, in half precision, the default precision of products."""
    stack = ExitStack()
    stack.enter_context(jax.enable_x64(False))
    if q.dtype.itemsize <= 2:
        stack.enter_context(jax.default_matmul_precision("default"))
    return stack


def _by_heads(o: Blocks, q: Any, k: Any, v: Any) -> tuple:
    """Return q as (B, H, L, E), and k and v as (B, H / G, S, E)."""
    batch, heads = _batch(o)
    q = q.reshape(batch, heads, *q.shape[2:])
    return q, *[x.reshape(batch, -1, *x.shape[1:]) for x in (k, v)]


def _batch(o: Blocks) -> tuple[int, int]:
    return math.prod(o.lead[:-1]), o.lead[-1] if o.lead else 1


def _mask_by_heads(o: Blocks, mask: Any) -> Any:
    """Return the mask as (1 or B, 1 or H, 1 or L, 1 or S)."""
    lead = o.mask_lead[:-1]
    mask = mask.reshape(*lead, o.mask_lead[-1] if o.lead else 1, *mask.shape[1:])
    if any(n != 1 for n in lead):
        mask = jnp.broadcast_to(mask, (*o.lead[:-1], *mask.shape[len(lead) :]))
    return mask.reshape(-1, *mask.shape[len(lead) :])


# -- cuDNN -------------------------------------------------------------------------------------------------------------


def _cudnn(o: Blocks, q: Any, k: Any, v: Any, mask: Any, implementation: str = "cudnn") -> Any:
    q4, *kv = _by_heads(o, q, k, v)
    given: dict[str, Any] = {"implementation": implementation}
    seen = None
    if mask is not None:
        whole = _mask_by_heads(o, mask)
        whole = jnp.broadcast_to(whole, (*whole.shape[:2], q4.shape[2], kv[0].shape[2]))
        is_bool = mask.dtype == bool
        seen = jnp.any(whole if is_bool else whole > -jnp.inf, axis=-1, keepdims=True)  # (B, H, L, 1)
        # Infinities would give NaN in cuDNN.
        given |= {"mask": whole} if is_bool else {"bias": jnp.maximum(whole, _LOWEST[q.dtype.name]).astype(q.dtype)}
    turned = [jnp.swapaxes(x, 1, 2) for x in (q4, *kv)]
    out = jax.nn.dot_product_attention(*turned, scale=o.scale, is_causal=o.causal, **given)
    out = jnp.swapaxes(out, 1, 2)
    return (out if seen is None else jnp.where(seen, out, 0)).reshape(q.shape)


_LOWEST = {"bfloat16": -(2.0**41), "float16": -(2.0**15)}


@functools.lru_cache(256)
def _cudnn_supports(o: Blocks, q: Any, k: Any, v: Any, mask: Any) -> bool:
    if q.dtype.name not in _LOWEST:
        return False
    primals = q, k, v, mask
    try:
        results = jax.eval_shape(functools.partial(_forward, _cudnn, o), *primals, None)
        jax.eval_shape(lambda p, r: _backward(_cudnn, o, (*p, None), r, r[0], False), primals, results)
    except (ValueError, NotImplementedError, RuntimeError):
        return False
    return True


# -- Pallas ------------------------------------------------------------------------------------------------------------

LANES = 128  # the kernel's blocks are multiples of this size
LARGEST = 512


def _pallas_supports(q: Any, k: Any, mask: Any) -> bool:
    """Return whether the kernel supports this call. It supports only masks of keys: bool, of shape (M, 1, S)."""
    by_keys = mask is None or (mask.dtype == bool and mask.shape[1] == 1)
    return by_keys and q.dtype.name in ("float32", "bfloat16") and not q.shape[2] % LANES and not k.shape[1] % LANES


def _pallas(o: Blocks, q: Any, k: Any, v: Any, mask: Any) -> Any:
    from jax.experimental.pallas.ops.tpu import flash_attention as flash

    q4, *kv = _by_heads(o, q, k, v)
    kv = [jnp.repeat(x, q.shape[1], axis=1) for x in kv]
    segments = seen = None
    if mask is not None:  # the masked keys form a segment to which no query belongs
        keys = _mask_by_heads(o, mask)
        keys = jnp.broadcast_to(keys, (*q4.shape[:2], 1, k.shape[1]))
        q4, *kv = (x.reshape(-1, 1, *x.shape[2:]) for x in (q4, *kv))
        keys = keys.reshape(len(q4), -1)
        seen = jnp.any(keys, axis=-1)[:, None, None, None]
        segments = flash.SegmentIds(jnp.ones(q4.shape[::2], jnp.int32), keys.astype(jnp.int32))
    rows, columns = (LANES * together(n // LANES, LARGEST // LANES) for n in (q.shape[2], k.shape[1]))
    sizes = flash.BlockSizes(rows, columns, columns, 1, rows, columns, columns, rows, columns, columns, rows)
    out = flash.flash_attention(q4, *kv, None, segments, causal=o.causal, sm_scale=o.scale, block_sizes=sizes)
    return (out if seen is None else jnp.where(seen, out, 0)).reshape(q.shape)


_CUDNN, _PALLAS = [
    (functools.partial(_forward, kernel), functools.partial(_backward, kernel)) for kernel in (_cudnn, _pallas)
]
