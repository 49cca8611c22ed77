"""Searches in sorted sequences, counts, covariances and correlations."""

from __future__ import annotations

from typing import Any

from torchlike import _dtypes, _errors
from torchlike._composite.index import check_bounds
from torchlike._engine import to_numpy
from torchlike._errors.warned import once, warn
from torchlike._ops.schema.out_rules import Into
from torchlike._tensor import public_calls
from torchlike._tensor.binding import CALLERS as rows
from torchlike._tensor.tensor import Tensor
from torchlike._transforms.underived import refused


def searchsorted(
    sorted_sequence: Tensor,
    input: Any,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: Tensor | None = None,
) -> Tensor:
    """Return the index at which each element of `input` would be inserted into the last dim of a sorted tensor.

    If `right` is true, the index comes after equal elements of the sorted tensor, else before them. `side` is another
    way to choose: "right" or "left". `sorter` contains the indices that sort an unsorted `sorted_sequence`.

    Args:
      sorted_sequence: numbers that ascend along the last dim.
      input: the numbers to look up, a tensor or one number. Its leading dims equal those of a multidimensional
        `sorted_sequence`.
      out_int32: return int32, else int64.
      right: choose the index after equal elements.
      side: "left" or "right", the same choice by name.
      sorter: int64 indices that sort `sorted_sequence`, of its shape.

    >>> torchlike.searchsorted(torchlike.tensor([1, 3, 5]), torchlike.tensor([3, 6]))
    tensor([1, 3])
    """
    if side is not None:
        _errors.histograms.check_side(side, right)
        right = side == "right"
    if sorter is not None:
        _errors.histograms.check_sorter(sorted_sequence, sorter)
        check_bounds(sorter, 0, max(sorted_sequence.shape[-1:], default=1), _errors.histograms.sorter_out_of_range)
    _warn_of_copies({"input value": input, "boundary": sorted_sequence, "sorter": sorter})
    if sorter is not None:
        sorted_sequence = sorted_sequence.gather(-1, sorter)
    return rows["searchsorted"](sorted_sequence, input, right, out_int32)


def _warn_of_copies(operands: dict[str, Any]) -> None:
    for name, operand in operands.items():
        if isinstance(operand, Tensor) and not operand.is_contiguous():
            once(_errors.histograms.not_contiguous(name))


def bucketize(input: Any, boundaries: Tensor, *, out_int32: bool = False, right: bool = False) -> Tensor:
    """Return the index of the bucket of each element; the buckets are bounded by the sorted `boundaries`.

    Args:
      boundaries: ascending numbers in one dim.
      out_int32: return int32, else int64.
      right: an element that equals a boundary belongs to the bucket after it, else before it.

    >>> torchlike.bucketize(torchlike.tensor([0.5, 1.0, 2.5]), torchlike.tensor([1.0, 2.0]))
    tensor([0, 0, 2])
    """
    if boundaries.ndim != 1:
        raise RuntimeError(f"boundaries tensor must be 1 dimension, but got dim({boundaries.ndim})")
    return searchsorted(boundaries, input, out_int32=out_int32, right=right)


def bincount(input: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
    """Count the occurrences of each number from 0 to the largest one, or sum the `weights` of each number.

    The length of the result depends on the data, so the call flushes the pending trace.

    Args:
      weights: a weight for each element. The result then has their sums.
      minlength: the least length of the result.

    >>> torchlike.bincount(torchlike.tensor([0, 2, 2]))
    tensor([1, 0, 2])
    """
    if minlength < 0:
        raise RuntimeError("minlength should be >= 0")
    if input.dtype.category != _dtypes.INTEGER:
        raise _errors.dtypes.not_implemented("bincount_cpu", input.dtype)
    if input.ndim != 1 or (input.numel() and int(to_numpy(input._value).min()) < 0):
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    if weights is not None and weights.shape != input.shape:
        raise RuntimeError("weights should be 1-d and have the same length as input")
    largest = int(to_numpy(input._value).max()) if input.numel() else -1
    length = max(largest + 1, minlength)
    if weights is None:
        return rows["_counts"](input, length)
    exact = weights if weights.dtype in (_dtypes.float32, _dtypes.float64) else weights.double()
    return refused(rows["_weighted_counts"](input, exact, length), weights, name="aten::bincount")


def cov(
    input: Tensor, *, correction: int = 1, fweights: Tensor | None = None, aweights: Tensor | None = None
) -> Tensor:
    """Estimate the covariance matrix of variables. Each row of `input` is a variable, each column an observation.

    Args:
      input: a matrix, or a vector for a single variable.
      correction: the number that is subtracted from the sample size, such as 1 for an unbiased estimate.
      fweights: the number of times that each observation was made.
      aweights: the relative weight of each observation.

    With weights, the call flushes the pending trace.
    """
    say = _errors.arithmetic
    say.check_cov(input)
    x = input.reshape(1, -1) if input.ndim < 2 else input
    count = x.shape[1]
    for name, given in (("fweights", fweights), ("aweights", aweights)):
        if given is not None:
            say.check_cov_weights(name, given, count)
            if _is(given < 0):
                raise RuntimeError(f"cov(): {name} cannot be negative")
    weights = fweights if aweights is None else aweights if fweights is None else fweights * aweights
    weighted = lambda x: x if weights is None else x * weights
    total = count if weights is None else weights.sum()
    if weights is not None and _is(total == 0):
        raise RuntimeError("cov(): weights sum to zero, can't be normalized")
    freedom = total - correction
    if aweights is not None and correction:
        freedom = total - correction * (weights * aweights).sum() / total
    if _is(freedom <= 0):
        warn(say.no_freedom_left())
        freedom = 0
    gap = x - rows["true_divide"](weighted(x).sum(1), total).unsqueeze(1)
    return rows["true_divide"](gap @ weighted(gap).mH, freedom).squeeze()


def _is(condition: Any) -> bool:
    """Return whether a number is true, or whether any element of a tensor is true. A meta tensor counts as false."""
    if isinstance(condition, Tensor):
        return not condition.is_meta and bool(condition.any())
    return condition


def corrcoef(input: Tensor) -> Tensor:
    """Return the matrix of correlation coefficients. Each row of `input` is a variable, each column an observation."""
    if input.ndim > 2:
        raise _errors.arithmetic.too_many_dims("corrcoef", input.ndim)
    c = cov(input)
    if not c.ndim:
        return c / c
    variance = c.diagonal()
    deviation = rows["sqrt"](variance.real if c.is_complex() else variance)
    c = c / deviation.unsqueeze(1) / deviation.unsqueeze(0)
    if c.is_complex():
        return rows["complex"](rows["clamp"](c.real, -1, 1), rows["clamp"](c.imag, -1, 1))
    return rows["clamp"](c, -1, 1)


def is_nonzero(input: Tensor) -> bool:
    """Return whether the only element of a tensor is not zero. The call flushes the pending trace."""
    if input.numel() != 1:
        what = "no values" if not input.numel() else "more than one value"
        raise RuntimeError(f"Boolean value of Tensor with {what} is ambiguous")
    return bool(input.item())


_INTO = Into(_errors.histograms.places_out, called="aten::")
FUNCTIONS = public_calls.functions(
    bincount, cov, corrcoef, is_nonzero, out={public_calls.overloaded(searchsorted): _INTO, bucketize: _INTO}
)
METHODS = public_calls.methods(bincount, cov, corrcoef, is_nonzero)
