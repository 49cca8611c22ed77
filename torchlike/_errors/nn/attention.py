"""PyTorch's messages about the backends of attention."""

from __future__ import annotations

from typing import Any


def no_viable_backend() -> RuntimeError:
    return RuntimeError(
        "No viable backend for scaled_dot_product_attention was found. This is likely due to turning off both the math "
        "kernel and the fused kernels."
    )


def no_available_kernel() -> RuntimeError:
    return RuntimeError("No available kernel.  Aborting execution.")


NOT_FUSED = "Flash attention kernel not used because:"
_BROADCAST = "To broadcast dense inputs, try using unsqueeze and expand_to before passing them into the kernel."


def why_not_fused(query: Any, key: Any, value: Any, mask: Any, dropout_p: float, grouped: bool) -> str | None:
    """Return the reason why PyTorch's fused CPU kernel does not support a call, "" for an unnamed reason, else None."""
    q, k, v = query.shape, key.shape, value.shape
    if dropout_p:
        return "Both fused kernels do not support non-zero dropout."
    if mask is not None and mask.requires_grad:
        return ""
    if not len(q) == len(k) == len(v) == 4:
        return (
            "All fused kernels requires query, key and value to be 4 dimensional, but got Query dim: "
            f"{len(q)}, Key dim: {len(k)}, Value dim: {len(v)} instead."
        )
    if not q[0] == k[0] == v[0]:
        return (
            "For dense inputs, both fused kernels require query, key and value to have the same batch_size. "
            f"Query.sizes(): {[*q]}, Key.sizes(): {[*k]}, Value.sizes(): {[*v]} instead. {_BROADCAST}"
        )
    if k[1] != v[1] or (q[1] != k[1] and not grouped):
        return (
            "For dense input, both fused kernels require query, key and value to have the same num_heads. "
            f"Query.sizes(): {[*q]}, Key sizes(): {[*k]}, Value sizes(): {[*v]} instead. {_BROADCAST}"
        )
    if mask is not None and not _fits(mask.shape, (*q[:3], k[2])):
        return (
            "Please use the following attn mask shapes: 2d - ({Q_seq_len, 1}  x {KV_seq_len, 1}); 4d - ({Batch, 1} x "
            "{Num_heads, 1} x {Q_seq_len, 1}  x {KV_seq_len, 1})"
        )
    return _why_not_by_layout(query, key, value)


def _fits(mask: Any, scores: tuple) -> bool:
    return len(mask) in (2, 4) and all(n in (1, size) for n, size in zip(mask[::-1], scores[::-1]))


def _why_not_by_layout(query: Any, key: Any, value: Any) -> str | None:
    width, of_key, of_value = (x.shape[-1] for x in (query, key, value))
    if not width == of_key == of_value:
        return (
            "Flash attention requires q,k,v to have the same last dimension. Got Query.size(-1): "
            f"{width}, Key.size(-1): {of_key}, Value.size(-1): {of_value} instead."
        )
    strides = [x.stride(-1) for x in (query, key, value)]
    if strides != [1, 1, 1]:
        return (
            "All fused kernels require the last dimension of the input to have stride 1. Got Query.stride(-1): "
            f"{strides[0]}, Key.stride(-1): {strides[1]}, Value.stride(-1): {strides[2]}"
        )
    return None
