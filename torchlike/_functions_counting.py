"""Counting, looking up in sorted sequences, and statistics put together from other functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from torchlike import _bind, _errors
from torchlike._bind import CALLERS as rows
from torchlike._core import concrete
from torchlike._ops import REGISTRY
from torchlike._tensor import Tensor


def searchsorted(sorted_sequence: Tensor, input: Any, *, out_int32: bool = False, right: bool = False,
                 side: str | None = None, out: Tensor | None = None,
                 sorter: Tensor | None = None) -> Tensor:  # fmt: skip
    """The index in a sorted last dim at which each element would be put in, after equal ones if `right`."""
    if side is not None:
        if side not in ("left", "right"):
            raise RuntimeError("torch.searchsorted(): side can only be 'left' or 'right' but got " + side)
        right = side == "right"
    if sorter is not None:
        sorted_sequence = sorted_sequence.gather(-1, sorter)
    result = rows["searchsorted"](sorted_sequence, input, right, out_int32)
    return result if out is None else _bind.write_out(REGISTRY["searchsorted"], result, out)


def bucketize(input: Any, boundaries: Tensor, *, out_int32: bool = False, right: bool = False,
              out: Tensor | None = None) -> Tensor:  # fmt: skip
    """The index of the bucket, between two of the sorted boundaries, that holds each element."""
    if boundaries.ndim != 1:
        raise _errors.arithmetic.boundaries_dims(boundaries.ndim)
    return searchsorted(boundaries, input, out_int32=out_int32, right=right, out=out)


def bincount(input: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
    """How often each number from 0 up to the largest occurs, or the sum of the weights at it.

    The length of the result depends on the data: an observation, pending work runs.
    """
    if input.ndim != 1 or (input.numel() and int(np.asarray(concrete(input._value)).min()) < 0):
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    if weights is not None and weights.shape != input.shape:
        raise RuntimeError("weights should be 1-d and have the same length as input")
    largest = int(np.asarray(concrete(input._value)).max()) if input.numel() else -1
    length = max(largest + 1, minlength)
    if weights is None:
        return rows["_counts"](input, length)
    if weights.dtype.is_floating_point:
        return rows["_weighted_counts"](input, weights, length)
    return rows["_weighted_counts"](input, weights.double(), length)


def cov(input: Tensor, *, correction: int = 1, fweights: Tensor | None = None,
        aweights: Tensor | None = None) -> Tensor:  # fmt: skip
    """The covariances of variables, one a row, from observations, one a column."""
    from torchlike import _errors

    for name, given in (("fweights", fweights), ("aweights", aweights)):
        if given is not None:
            raise _errors.arguments.unsupported("cov", name)
    x = input.reshape(1, -1) if input.ndim < 2 else input
    count = x.shape[1]
    gap = x - rows["mean"](x, 1, True)
    out = rows["matmul"](gap, gap.T.conj() if x.is_complex() else gap.T) / max(count - correction, 0)
    return out.squeeze() if input.ndim < 2 else out


def corrcoef(input: Tensor) -> Tensor:
    """The correlation coefficients of variables, one a row."""
    c = cov(input)
    if not c.ndim:
        return c / c
    scale = rows["sqrt"](c.diagonal())
    return rows["clamp"](c / scale.unsqueeze(1) / scale.unsqueeze(0), -1, 1)


def is_nonzero(input: Tensor) -> bool:
    """Whether the one element of a tensor is not zero (an observation)."""
    if input.numel() != 1:
        what = "no values" if not input.numel() else "more than one value"
        raise RuntimeError(f"Boolean value of Tensor with {what} is ambiguous")
    return bool(input.item())


FUNCTIONS = {f.__name__: f for f in (searchsorted, bucketize, bincount, cov, corrcoef, is_nonzero)}
METHODS = {f.__name__: f for f in (bincount, cov, corrcoef, is_nonzero)}
