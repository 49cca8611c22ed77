"""PyTorch's error messages about recurrent networks and attention."""

from __future__ import annotations

from typing import Any

from torchlike._errors.dtypes import c_name

Ints = tuple[int, ...]


def check_recurrent(call: Any) -> None:
    """Check that sizes match the weights of a recurrent layer."""
    x, w = call.input, call.w_ih
    dims = 3 if call.batch_sizes is None else 2
    if x.ndim != dims:
        raise RuntimeError(f"input must have {dims} dimensions, got {x.ndim}")
    if x.shape[-1] != w.shape[1]:
        raise RuntimeError(f"input.size(-1) must be equal to input_size. Expected {w.shape[1]}, got {x.shape[-1]}")
    if dims == 2:
        return
    for state in (call.h, call.c):
        if state is not None and state.shape[0] != x.shape[1]:
            raise RuntimeError(f"Expected hidden size {(1, x.shape[1], state.shape[1])}, got {[1, *state.shape]}")


def check_batch_sizes(sizes: list[int], batch: int, rows: int) -> None:
    """Check the batch sizes of a packed sequence against its rows and the batch size of the initial state."""
    start, before = 0, batch
    for size in sizes:
        if size < 0:
            raise RuntimeError("narrow(): length must be non-negative.")
        if start + size > rows:
            raise RuntimeError(f"start ({start}) + length ({size}) exceeds dimension size ({rows}).")
        if size > before:
            raise RuntimeError(
                f"The size of tensor a ({before}) must match the size of tensor b ({size}) at non-singleton dimension 0"
            )
        start, before = start + size, size


def check_cell(call: Any) -> None:
    """Check the sizes of one step of a recurrent network."""
    x, h, w_ih, w_hh = call.input, call.h, call.w_ih, call.w_hh
    if x.shape[1] != w_ih.shape[1]:
        raise RuntimeError(f"input has inconsistent input_size: got {x.shape[1]} expected {w_ih.shape[1]}")
    if x.shape[0] != h.shape[0]:
        raise RuntimeError(f"Input batch size {x.shape[0]} doesn't match hidden0 batch size {h.shape[0]}")
    if h.shape[1] != w_hh.shape[1]:
        raise RuntimeError(f"hidden0 has inconsistent hidden_size: got {h.shape[1]}, expected {w_hh.shape[1]}")


def attention_dtypes(q: Any, k: Any, v: Any) -> RuntimeError:
    return RuntimeError(
        "Expected query, key, and value to have the same dtype, but got query.dtype: "
        f"{c_name(q)} key.dtype: {c_name(k)} and value.dtype: {c_name(v)} instead."
    )


def attention_mask_dtype(mask: Any, query: Any) -> RuntimeError:
    return RuntimeError(
        "Expected attn_mask dtype to be bool or float or to match query dtype, but got attn_mask.dtype: "
        f"{c_name(mask)} and  query.dtype: {c_name(query)} instead."
    )
