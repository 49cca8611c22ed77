"""Reductions."""

from __future__ import annotations

from torchlike import _errors
from torchlike._ops._declare import Array, namespace, reduction
from torchlike._ops._rules import reduced_dims, sum_like


def axes(input: Array, dim: object) -> tuple[int, ...]:
    """NumPy's axis argument for a `dim` argument."""
    return reduced_dims(input.ndim, dim)  # type: ignore[arg-type]


@reduction(promote=sum_like, saves=())
def sum(input: Array, dim: tuple | int | None = None, keepdim: bool = False, *, dtype=None):
    """The sum over `dim` (every dim by default); integers are summed in int64."""
    return namespace(input).sum(input, axis=axes(input, dim), keepdims=keepdim)


@reduction(saves=(), check=_errors.check_mean)
def mean(input: Array, dim: tuple | int | None = None, keepdim: bool = False, *, dtype=None):
    """The mean over `dim` (every dim by default); of floating-point or complex tensors."""
    return namespace(input).mean(input, axis=axes(input, dim), keepdims=keepdim)
