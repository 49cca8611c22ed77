"""Matrix products."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torchlike.nested._internal import structure as st
from torchlike.nested._internal.dispatch import is_nested, rule
from torchlike.nested._internal.nested_tensor import NestedTensor, of_padded, padded_components, plain


@rule("linear")
def linear(func: Callable, input: Any, weight: Any, bias: Any = None) -> NestedTensor:
    """Apply a linear layer to the last dim."""
    if not is_nested(input) or input._structure.dim == input.ndim - 1:
        raise _unsupported("linear", input, weight)
    return NestedTensor(func(plain(input), weight, bias), input._structure)


@rule("matmul", "bmm")
def matmul(func: Callable, input: Any, other: Any) -> Any:
    """Multiply by a matrix, by a batch of matrices, or multiply two nested tensors over their ragged dims."""
    if is_nested(input) and not is_nested(other):
        return _by_dense(input, other)
    both = is_nested(input) and is_nested(other) and input.ndim == other.ndim == 3
    a, b = (input._structure, other._structure) if both else (None, None)
    if a is not None and b is not None and a.dim == 2 and st.same(a, b.at(2)) and b.dim == 1:
        return padded_components(input, 0) @ padded_components(other, 0)
    raise _unsupported("matmul", input, other)


def _by_dense(input: NestedTensor, other: Any) -> NestedTensor:
    dim = input._structure.dim
    if dim < input.ndim - 1:
        if other.ndim == 2:
            return NestedTensor(plain(input) @ other, input._structure)
        if other.ndim == input.ndim and input.ndim > 2 and input._structure.lengths is None and dim == input.ndim - 2:
            return of_padded(padded_components(input, 0) @ other, input)
    raise _unsupported("matmul", input, other)


def _unsupported(name: str, a: Any, b: Any) -> RuntimeError:
    sizes = [tuple(x.shape) if is_nested(x) and x is a else x.shape for x in (a, b)]
    return RuntimeError(f"{name}(): not supported between inputs of shapes {sizes[0]} and {sizes[1]}")
