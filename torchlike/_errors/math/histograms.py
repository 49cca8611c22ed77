"""PyTorch's error messages about histograms and sorted sequences."""

from __future__ import annotations

import math
from typing import Any

from torchlike._errors.dtypes import c_name, not_implemented, scalar_name


def check_points(input: Any, weight: Any) -> None:
    """Check the points of a multi-dimensional histogram and their weights."""
    if input.ndim < 2:
        raise RuntimeError("torch.histogramdd: input tensor should have at least 2 dimensions")
    if weight is not None:
        if weight.dtype is not input.dtype:
            raise RuntimeError(
                "torch.histogramdd: if weight tensor is provided, input tensor and weight tensor should have the same "
                f"dtype, but got input({c_name(input.dtype)}), and weight({c_name(weight.dtype)})"
            )
        if weight.shape != input.shape[:-1]:
            raise RuntimeError(
                "torch.histogramdd: if weight tensor is provided it should have the same shape as the input tensor "
                f"excluding its innermost dimension, but got input with shape {list(input.shape)} and weight with "
                f"shape {list(weight.shape)}"
            )
    if input.dtype.name not in ("float32", "float64"):
        raise not_implemented("histogramdd", input.dtype)


def check_edges(input: Any, bins: list, tensors: bool) -> None:
    """Check the bins of each dim: the bin edges if `tensors` is True, otherwise the numbers of bins."""
    size = input.shape[-1]
    if len(bins) != size:
        raise RuntimeError(
            f"torch.histogramdd: expected {size} sequences of bin edges for a {size}-dimensional histogram but got "
            f"{len(bins)}"
            if tensors
            else "histogramdd: The size of bins must be equal to the innermost dimension of the input."
        )
    for dim, each in enumerate(bins):
        if tensors and each.dtype is not input.dtype:
            raise RuntimeError(
                "torch.histogramdd: input tensor and bins tensors should have the same dtype, but got input with dtype "
                f"{c_name(input.dtype)} and bins for dimension {dim} with dtype {c_name(each.dtype)}"
            )
        if tensors and each.ndim != 1:
            raise RuntimeError(
                "torch.histogramdd: bins tensor should have one dimension, but got "
                f"{each.ndim} dimensions in the bins tensor for dimension {dim}"
            )
        count = each.numel() - 1 if tensors else each
        if count <= 0:
            raise RuntimeError(f"torch.histogram(): bins must be > 0, but got {count} for dimension {dim}")


def check_range(given: Any, size: int) -> None:
    """Check that the range has a minimum and a maximum for each dim."""
    if len(given) != 2 * size:
        raise RuntimeError(
            f"torch.histogramdd: for a {size}-dimensional histogram range should have {2 * size} "
            f"elements, but got {len(given)}"
        )


def check_span(low: float, high: float, dim: int) -> None:
    """Check that the range of one dim is finite and not reversed."""
    if not (math.isfinite(low) and math.isfinite(high)):
        raise RuntimeError(f"torch.histogramdd: dimension {dim}'s range [{low:g}, {high:g}] is not finite")
    if low > high:
        raise RuntimeError(
            f"torch.histogramdd: min should not exceed max, but got min {low:g} max {high:g} for dimension {dim}"
        )


def histogram_out(result: Any, out: Any) -> RuntimeError:
    return RuntimeError(
        "torch.histogram: input tensor and hist tensor should have the same dtype, but got input "
        f"{c_name(result)} and hist {c_name(out)}"
    )


def check_side(side: str, right: bool) -> None:
    """Check that `side` of `searchsorted` is valid and does not contradict `right`."""
    if side not in ("left", "right"):
        raise RuntimeError("torch.searchsorted(): side can only be 'left' or 'right' but got " + side)
    if side == "left" and right:
        raise RuntimeError(
            "torch.searchsorted(): side and right can't be set to opposites, got side of left while right was True"
        )


def check_sorter(sequence: Any, sorter: Any) -> None:
    """Check the sorter, the indices that sort an unsorted sequence."""
    if sorter.shape != sequence.shape:
        raise RuntimeError(
            "torch.searchsorted(): boundary and sorter must have the same size, but got boundary tensor "
            f"{list(sequence.shape)}and got sorter tensor {list(sorter.shape)}"
        )
    if sorter.dtype.name != "int64":
        raise RuntimeError(
            f"torch.searchsorted(): sorter must be a tensor of long dtype but got dtype {scalar_name(sorter.dtype)}"
        )


def not_contiguous(name: str) -> str:
    return (
        f"torch.searchsorted(): {name} tensor is non-contiguous, this will lower the performance due to extra data "
        f"copy when converting non-contiguous tensor to contiguous, please use contiguous {name} tensor if possible. "
        "This message will only appear once per program."
    )


def sorter_out_of_range(index: int) -> RuntimeError:
    return RuntimeError("torch.searchsorted(): sorter index out of range")


def edges_out(result: Any, out: Any) -> RuntimeError:
    return RuntimeError(
        "torch.histogram: input tensor and bin_edges tensor should have the same dtype, but got input "
        f"{c_name(result)} and bin_edges {c_name(out)} for dimension 0"
    )


def places_out(result: Any, out: Any) -> RuntimeError:
    """Return the error of `searchsorted` for an `out=` of another dtype."""
    return RuntimeError(
        "torch.searchsorted(): output tensor's dtype is wrong, it can only be Int(int32) or Long(int64) depending on "
        f"whether out_int32 flag is True, but we got output tensor's dtype {scalar_name(out)} and out_int32 flag is "
        f"{result.name == 'int32'}"
    )
