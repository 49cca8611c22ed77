"""PyTorch's error messages about segments and chunks."""

from __future__ import annotations

from typing import Any

from torchlike._errors.shapes import dim_out_of_range


def check_segments(reduce: str, lengths: Any, indices: Any, offsets: Any, axis: int) -> None:
    """Check the arguments of `segment_reduce`."""
    if reduce not in ("sum", "prod", "mean", "max", "min", "amax", "amin"):
        raise RuntimeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}")
    if indices is not None:
        raise RuntimeError("segment_reduce(): indices based reduction is not supported yet.")
    if lengths is None and offsets is None:
        raise RuntimeError("segment_reduce(): Either lengths or offsets must be defined.")
    name, bounds = ("offsets", offsets) if lengths is None else ("lengths", lengths)
    if axis != bounds.ndim - 1:
        raise RuntimeError(f"segment_reduce(): Expected axis to be the last dimension of {name} but got {axis}.")


def check_lengths(lengths: Any, size: int) -> None:
    """Check that the lengths of segments are not negative and add up to the size of a dim."""
    if lengths.size and lengths.min() < 0:
        raise RuntimeError("lengths contains negative value!")
    if (lengths.sum(-1) != size).any():
        raise RuntimeError(
            "segment_reduce(): Expected all rows of lengths along axis to sum to "
            "data.size(lengths.dim()-1) when !unsafe."
        )


def check_chunks(tensors: Any, dim: int, num_chunks: int) -> int:
    """Check the arguments of `_chunk_cat`, and return the dim, counted from the front."""
    if not tensors:
        raise RuntimeError("_chunk_cat expects a non-empty input tensor list")
    if num_chunks < 1:
        raise RuntimeError("_chunk_cat expects positive num_chunks")
    first = tensors[0]
    if any(t.dtype is not first.dtype for t in tensors):
        raise RuntimeError("_chunk_cat expects all input tensors with the same dtype")
    if any(not t.numel() for t in tensors):
        raise RuntimeError("_chunk_cat expects non-empty tensor")
    if all(t.ndim == first.ndim for t in tensors):
        if not -first.ndim <= dim < first.ndim:
            raise dim_out_of_range(dim, first.ndim)
        dim %= first.ndim
    elif dim < 0:
        raise RuntimeError("_chunk_cat expects non-negative dim when input tensors have different ndims")
    if any(dim >= t.ndim for t in tensors):
        raise RuntimeError("_chunk_cat expects dim < ndim for all input tensors")
    if any(t.shape[:dim] != first.shape[:dim] for t in tensors):
        raise RuntimeError("_chunk_cat expects same sizes of 0,...,dim-1 dimensions for all tensors")
    return dim
