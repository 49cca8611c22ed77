"""The rules of functions on nested tensors of the strided layout: those that PyTorch has.

Element-wise functions act on the buffer, and other functions on each component.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeGuard

import torchlike
from torchlike import Tensor
from torchlike._internal import name_of, wrap_dim
from torchlike.nested._base import on_rows, plain
from torchlike.nested._strided.tensor import (
    Parts,
    StridedNestedTensor,
    component,
    components,
    of_components,
    packed,
)
from torchlike.nested._table import Table

TABLE = Table(StridedNestedTensor, torchlike.strided)
rule, in_place, refused = TABLE.rule, TABLE.in_place, TABLE.refused

_UNARY = ("abs", "neg", "sgn", "sin", "cos", "sqrt", "tanh", "relu", "gelu", "silu", "isnan", "isinf", "isposinf")
_UNARY += ("isneginf", "logical_not", "dropout", "clone", "positive")
_BINARY = ("add", "sub", "mul", "div", "eq", "gt", "ge", "masked_fill", "rmul", "radd")
_OF_NUMBERS = ("eq", "gt", "ge")
_LIKE = ("zeros_like", "ones_like", "empty_like", "randn_like")
_CONVERSIONS = ("to", "double", "float", "half", "bfloat16", "int", "long", "bool", "cpu", "cuda")
_ABOUT = (
    "retain_grad",
    "element_size",
    "get_device",
    "is_floating_point",
    "is_complex",
    "untyped_storage",
    "is_pinned",
)


def is_nested(x: Any) -> TypeGuard[StridedNestedTensor]:
    """Return whether `x` is a nested tensor of the strided layout."""
    return isinstance(x, StridedNestedTensor)


def _each(func: Callable, input: Any, *args: Any, **kwargs: Any) -> StridedNestedTensor:
    return of_components([func(x, *args, **kwargs) for x in components(input)])


# -- element-wise ------------------------------------------------------------------------------------------------------


@rule(*_UNARY, *_CONVERSIONS, *_LIKE)
def of_elements(func: Callable, input: Any, *args: Any, **kwargs: Any) -> Any:
    """Call the function on the elements."""
    packed_ = contiguous(func, input)
    elements = plain(packed_)
    found = func(elements, *args, **kwargs)
    return input if found is elements else packed_._like(found)


@rule(*_BINARY)
def of_pairs(func: Callable, input: Any, other: Any, *args: Any, **kwargs: Any) -> StridedNestedTensor:
    """Call the function on the elements of two nested tensors of the same sizes, or of one and a number."""
    first, second, like = _pair(name_of(func)[0], input, other)
    return like._like(func(first, second, *args, **kwargs))


@in_place("add", "mul", "sub", "div", "relu", "gelu", "silu", "tanh", "neg", "abs", "fill", "zero", "copy", "dropout")
def write(func: Callable, input: Any, *args: Any, **kwargs: Any) -> Any:
    """Write the result to the elements."""
    if args and isinstance(args[0], Tensor):
        args = (_pair(name_of(func)[0], input, args[0])[1], *args[1:])
    if not input.is_contiguous():
        raise refused(f"{name_of(func)[0]}_ of a view")
    on_rows(func, (input, *args), kwargs)
    return input


def _pair(name: str, input: Any, other: Any) -> tuple[Any, Any, StridedNestedTensor]:
    """Return two operands as elements, and a contiguous nested tensor of their sizes."""
    like = contiguous(Tensor.contiguous, input if is_nested(input) else other)
    if not isinstance(input, Tensor):
        return input, plain(like), like
    if not isinstance(other, Tensor) or (not other.is_nested and other.ndim == 0):
        return plain(like), other, like
    if not (is_nested(input) and is_nested(other)):
        said = ["nested" if is_nested(x) else "non-nested" for x in (input, other)]
        raise RuntimeError(f"Expected both self and other to be nested, but got a {said[0]} self and {said[1]} other")
    if name in _OF_NUMBERS:
        raise RuntimeError(f"{name} does not support nested tensor as other value.")
    if input._parts.sizes != other._parts.sizes:
        raise RuntimeError(f"{name} does not support broadcasting when given a NestedTensor")
    return plain(like), plain(contiguous(Tensor.contiguous, other)), like


@rule(*_ABOUT)
def about(func: Callable, input: Any, *args: Any, **kwargs: Any) -> Any:
    """Call the function on the buffer. It returns no new tensor."""
    return on_rows(func, (input, *args), kwargs)


@rule("contiguous")
def contiguous(func: Callable, input: Any, *args: Any, **kwargs: Any) -> StridedNestedTensor:
    """Return the tensor itself, or one with copies of the components, one after the other."""
    return input if input.is_contiguous() else of_components(components(input))


# -- components and views ----------------------------------------------------------------------------------------------


@rule("unbind")
def unbind(func: Callable, input: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Return the components, which are views."""
    if (at := wrap_dim(dim, input.ndim)) != 0:
        raise RuntimeError(f"NestedTensor can only be unbound along dimension 0 got dimension {at} instead.")
    return tuple(components(input))


@rule("select")
def select(func: Callable, input: Any, dim: int, index: int) -> Any:
    """Return a component, or one index of another dim."""
    at, count = wrap_dim(dim, input.ndim), len(input._parts.sizes)
    if at == 0:
        if not -count <= index < count:
            raise IndexError(f"index {index} is out of bounds for dimension 0 with size {count}")
        return component(input, index)
    return _view_of(input, lambda x: x.select(at - 1, index))


@rule("getitem")
def getitem(func: Callable, input: Any, index: Any) -> Any:
    """Return a component, or a part of one."""
    first, *rest = index if isinstance(index, tuple) else (index,)
    if first is Ellipsis and len(rest) < input.ndim and all(isinstance(i, int) for i in rest):
        return _view_of(input, lambda x: x[index])
    if not isinstance(first, int) or isinstance(first, bool):
        return input.shape  # raises
    found = select(func, input, 0, first)
    return found[tuple(rest)] if rest else found


def _view_of(input: StridedNestedTensor, function: Callable) -> StridedNestedTensor:
    """Return a view of each component, over the same buffer. `function` makes a view of a tensor."""
    parts = input._parts
    seen = [
        function(torchlike.empty_strided(size, stride, device="meta"))
        for size, stride in zip(parts.sizes, parts.strides)
    ]
    moved = Parts(
        tuple([tuple(x.shape) for x in seen]),
        tuple([x.stride() for x in seen]),
        tuple([start + x.storage_offset() for start, x in zip(parts.starts, seen)]),
    )
    return StridedNestedTensor(on_rows(Tensor.view, (input, input._aval.shape), {}), moved)


@rule("transpose")
def transpose(func: Callable, input: Any, dim0: int, dim1: int) -> StridedNestedTensor:
    """Swap two dims of each component."""
    a, b = wrap_dim(dim0, input.ndim), wrap_dim(dim1, input.ndim)
    if a == b:
        return input
    if 0 in (a, b):
        raise RuntimeError("Nested tensor dimension 0 cannot be transposed")
    return _view_of(input, lambda x: x.transpose(a - 1, b - 1))


@rule("unsqueeze")
def unsqueeze(func: Callable, input: Any, dim: int) -> StridedNestedTensor:
    """Insert a dim of size 1."""
    at = wrap_dim(dim, input.ndim + 1)
    if at == 0:
        raise RuntimeError(
            "unsqueeze(): For nested tensors, unsqueezing dimension 0 is not supported at the moment if you need this "
            "feature, please open an issue on github describing your use case."
        )
    return _view_of(input, lambda x: x.unsqueeze(at - 1))


@rule("squeeze")
def squeeze(func: Callable, input: Any, dim: int) -> StridedNestedTensor:
    """Remove a dim of size 1."""
    at = wrap_dim(dim, input.ndim)
    if at == 0:
        raise RuntimeError("squeeze(): For nested tensors, squeezing dimension 0 is not supported at the moment.")
    return _view_of(input, lambda x: x.squeeze(at - 1))


@rule("embedding")
def embedding(func: Callable, input: Any, weight: Any, *args: Any, **kwargs: Any) -> StridedNestedTensor:
    """Look up the rows of a table."""
    return _each(func, input, weight, *args, **kwargs)


@rule("chunk", "split", "split_with_sizes")
def split(func: Callable, input: Any, parts: Any, dim: int = 0) -> tuple[StridedNestedTensor, ...]:
    """Return the parts of the last dim, which are views."""
    name, size = name_of(func)[0], input._parts.sizes[0][-1]
    is_chunk = name == "chunk"
    if not is_chunk and isinstance(parts, int):
        raise refused("split into parts of one size")
    if wrap_dim(dim, input.ndim) != input.ndim - 1:
        what = "Chunk for nested tensors" if is_chunk else "split_with_sizes for nested tensors"
        raise RuntimeError(f"{what} is currently only supported for the last dimension.")
    if is_chunk and size % parts:
        raise RuntimeError(
            "Chunk for nested tensors is only supported for nested tensors with trailing dimension "
            f"divisible by chunks, got: {size} % {parts} != 0"
        )
    sizes = [size // parts] * parts if is_chunk else parts
    starts = [sum(sizes[:i]) for i in range(len(sizes))]
    return tuple([_view_of(input, lambda x, a=a, n=n: x.narrow(-1, a, n)) for a, n in zip(starts, sizes)])


@rule("view", "reshape")
def view(func: Callable, input: Any, *shape: Any) -> StridedNestedTensor:
    """Change the sizes of each component. -1 stands for a size that is kept."""
    sizes = tuple(shape[0]) if len(shape) == 1 and not isinstance(shape[0], int) else shape
    if not sizes or sizes[0] not in (-1, len(input._parts.sizes)):
        raise RuntimeError("For now nested reshape can only change the dims after the first one.")
    source = input if input.is_contiguous() or name_of(func)[0] == "view" else contiguous(func, input)
    wanted = [_kept(sizes[1:], size) for size in source._parts.sizes]
    turned = iter(wanted)
    return _view_of(source, lambda x: x.view(next(turned)))


def _kept(sizes: Sequence[int], old: tuple[int, ...]) -> tuple[int, ...]:
    """Return the sizes of a component: PyTorch keeps the sizes that are -1 and exist, and infers one other."""
    return tuple([old[i] if n == -1 and i < len(old) else n for i, n in enumerate(sizes)])


# -- functions of components -------------------------------------------------------------------------------------------


@rule("linear")
def linear(func: Callable, input: Any, weight: Any, bias: Any = None) -> StridedNestedTensor:
    """Apply a linear layer to the last dim."""
    source = contiguous(func, input)
    found = func(plain(source).view(-1, input.size(-1)), weight, bias)
    return StridedNestedTensor(
        found.reshape(-1), packed([(*size[:-1], found.shape[-1]) for size in source._parts.sizes])
    )


@rule("layer_norm")
def layer_norm(
    func: Callable, input: Any, normalized_shape: Any, weight: Any = None, bias: Any = None, eps: float = 1e-5
) -> StridedNestedTensor:
    """Normalize over the last dims."""
    if weight is None or bias is None:
        raise ValueError("NestedTensor layer_norm requires weight and bias")
    return _each(func, input, normalized_shape, weight, bias, eps)


@rule("softmax")
def softmax(func: Callable, input: Any, dim: Any = None, *args: Any, **kwargs: Any) -> StridedNestedTensor:
    """Apply softmax over a dim of each component."""
    at = wrap_dim(dim, input.ndim)
    if at == 0:
        raise RuntimeError("Cannot apply softmax across nested dimension 0")
    return _each(func, input, at - 1, *args, **kwargs)


@rule("sum")
def sum_(func: Callable, input: Any, dim: Any = None, keepdim: bool = False, **kwargs: Any) -> StridedNestedTensor:
    """Sum the last dim."""
    dims = [dim] if isinstance(dim, int) else [*(dim or ())]
    if not dims:
        raise refused("sum of all elements")
    at = wrap_dim(dims[0], input.ndim)
    if len(dims) > 1 or at != input.ndim - 1:
        raise RuntimeError(
            f"NestedTensor can only be reduced across the last dimension for now got dimension {at} instead."
        )
    if not keepdim:
        raise RuntimeError("NestedTensor always requires keepdim=True for now.")
    return _each(func, input, -1, True, **kwargs)


@rule("matmul", "bmm")
def matmul(func: Callable, input: Any, other: Any) -> StridedNestedTensor:
    """Multiply the components of two nested tensors."""
    if not (is_nested(input) and is_nested(other)):
        said = ["nested" if is_nested(x) else "non-nested" for x in (input, other)]
        raise RuntimeError(f"Expected both to be nested, but got a {said[0]} self and {said[1]} other")
    return of_components([a @ b for a, b in zip(components(input), components(other))])


@rule("scaled_dot_product_attention")
def scaled_dot_product_attention(
    func: Callable,
    query: Any,
    key: Any,
    value: Any,
    attn_mask: Any = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    **kwargs: Any,
) -> StridedNestedTensor:
    """Return the attention of each component."""
    if is_causal:
        raise RuntimeError(
            "_scaled_dot_product_attention: Nested tensors for query / key are not supported when is_causal=True"
        )
    if attn_mask is not None or dropout_p or not all(map(is_nested, (query, key, value))):
        raise refused("scaled_dot_product_attention with these arguments")
    parts = zip(components(query), components(key), components(value))
    return of_components([func(q, k, v, **kwargs) for q, k, v in parts])
