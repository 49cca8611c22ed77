"""Sums, means, extrema and softmax. Over the ragged dim, the components are padded with a neutral number first."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torchlike
from torchlike import Tensor
from torchlike._internal import name_of, wrap_dim
from torchlike.nested._internal.dispatch import rule
from torchlike.nested._internal.nested_tensor import NestedTensor, of_padded, padded_components, plain
from torchlike.nested._internal.pointwise import pointwise


def _least(dtype: Any) -> Any:
    if dtype is torchlike.bool:
        return False
    return (torchlike.finfo if dtype.is_floating_point else torchlike.iinfo)(dtype).min


def _greatest(dtype: Any) -> Any:
    if dtype is torchlike.bool:
        return True
    return (torchlike.finfo if dtype.is_floating_point else torchlike.iinfo)(dtype).max


# The number that leaves a reduction unchanged, by the dtype.
_NEUTRAL: dict[str, Callable] = {
    **dict.fromkeys(("sum", "mean", "any"), lambda dtype: 0),
    **dict.fromkeys(("prod", "all"), lambda dtype: 1),
    **dict.fromkeys(("amax", "max", "argmax"), _least),
    **dict.fromkeys(("amin", "min", "argmin"), _greatest),
}


@rule(*_NEUTRAL)
def reduce(func: Callable, input: Any, dim: Any = None, keepdim: bool = False, **kwargs: Any) -> Any:
    """Reduce some dims, or all."""
    name = name_of(func)[0]
    if isinstance(dim, Tensor):
        return pointwise(torchlike.maximum if name == "max" else torchlike.minimum, input, dim)
    if "axis" in kwargs:
        dim = kwargs.pop("axis")
    if dim is None or dim == ():
        return func(plain(input), **kwargs)
    dims = sorted({wrap_dim(d, input.ndim) for d in (dim if isinstance(dim, tuple | list) else (dim,))})
    ragged = input._structure.dim
    if 0 in dims:
        if ragged not in dims:
            raise RuntimeError(
                f"{name}(): reducing along the batch dimension but not the ragged dimension is not supported for "
                "nested tensors"
            )
        found = func(plain(input), [d - 1 for d in dims[1:]], keepdim, **kwargs)
        return found.unsqueeze(0) if keepdim else found
    given = dim if isinstance(dim, int) else dims
    if ragged in dims:
        _check_ragged(name, input, dims)
        return _over_components(func, name, input, given, keepdim, kwargs)
    inside = given - 1 if isinstance(given, int) and given > 0 else given
    inside = [d - 1 for d in given] if isinstance(given, list) else inside
    found = func(plain(input), inside, keepdim, **kwargs)
    at = ragged if keepdim else ragged - sum(d < ragged for d in dims)
    if isinstance(found, Tensor):
        return NestedTensor(found, input._structure.at(at))
    return type(found)([NestedTensor(each, input._structure.at(at)) for each in found])


def _check_ragged(name: str, input: NestedTensor, dims: list[int]) -> None:
    if len(dims) > 1:
        raise RuntimeError(
            f"{name}(): reducing along a ragged and non-batch dimension is not supported for nested tensors"
        )
    if input._structure.lengths is not None:
        raise RuntimeError(
            f"{name}(): reducing across the ragged dimension is not supported for non-contiguous nested tensors with "
            "holes"
        )


def _over_components(func: Callable, name: str, input: NestedTensor, dim: Any, keepdim: bool, kwargs: dict) -> Any:
    dense = padded_components(input, _NEUTRAL[name](input.dtype))
    if name != "mean":
        return func(dense, dim, keepdim, **kwargs)
    total = dense.sum(dim, keepdim, **kwargs)
    counts = input._structure.rows()
    return total / counts.reshape(-1, *[1] * (total.ndim - 1)).to(total.dtype)


@rule("softmax", "log_softmax")
def softmax(func: Callable, input: Any, dim: Any = None, *args: Any, **kwargs: Any) -> NestedTensor:
    """Apply softmax over a dim."""
    name = name_of(func)[0]
    if dim is None:
        raise RuntimeError(f"{name}(): dim must be given for NestedTensor")
    dim, ragged = wrap_dim(dim, input.ndim), input._structure.dim
    if dim == 0:
        raise RuntimeError(f"{name}(): not supported when reducing across the batch dimension for NestedTensor")
    if dim != ragged:
        return NestedTensor(func(plain(input), dim - 1, *args, **kwargs), input._structure)
    if name != "softmax":
        raise RuntimeError(f"{name}(): not supported when reducing along the ragged dimension for NestedTensor")
    if ragged > 1:
        raise RuntimeError(
            "softmax(): not supported when reducing along the ragged dimension for ragged_idx > 1 for NestedTensor"
        )
    if input._structure.lengths is not None:
        raise RuntimeError(
            "softmax(): not supported where lengths is not None if reducing across the ragged dimension for "
            "NestedTensor"
        )
    return of_padded(func(padded_components(input, -math.inf), 1, *args, **kwargs), input)
