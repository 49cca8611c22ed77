"""Rules for normalization, embeddings and other functions of layers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torchlike._internal import name_of
from torchlike.nested._internal.dispatch import is_nested, refused, rule
from torchlike.nested._internal.nested_tensor import NestedTensor, of_components, padded_components, plain
from torchlike.nested._internal.structure import component_of_each


@rule("layer_norm", "rms_norm")
def norm(func: Callable, input: Any, normalized_shape: Any, *args: Any, **kwargs: Any) -> NestedTensor:
    """Normalize over the last dims. Only `layer_norm` may normalize over the ragged dim too."""
    sizes = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
    if len(sizes) >= input.ndim - input._structure.dim:
        name = name_of(func)[0]
        if name == "rms_norm":
            raise ValueError("rms_norm(): Normalization over the ragged dim not supported for nested tensors")
        return _layer_norm_of_components(input, sizes, *args, **kwargs)
    return NestedTensor(func(plain(input), sizes, *args, **kwargs), input._structure)


def _layer_norm_of_components(
    input: NestedTensor, sizes: tuple, weight: Any = None, bias: Any = None, eps: float = 1e-5
) -> NestedTensor:
    """Normalize each component over the ragged dim and all dims after it."""
    structure, rows = input._structure, plain(input)
    if structure.dim != 1 or len(sizes) != input.ndim - 1 or structure.lengths is not None:
        raise refused("layer_norm over the ragged dim and others")
    component, _ = component_of_each(structure, rows.shape[0])
    axes = (*range(1, rows.ndim),)
    count = structure.rows() * (rows.numel() // max(rows.shape[0], 1))
    count = count.reshape(-1, *[1] * len(axes)).to(rows.dtype)

    def mean(x: Any) -> Any:
        total = padded_components(NestedTensor(x, structure), 0).sum((1, *[d + 1 for d in axes]))
        return (total.reshape(count.shape) / count).index_select(0, component)

    centered = rows - mean(rows)
    found = centered / (mean(centered * centered) + eps).sqrt()
    found = found if weight is None else found * weight
    return NestedTensor(found if bias is None else found + bias, structure)


@rule("embedding")
def embedding(func: Callable, input: Any, weight: Any, *args: Any, **kwargs: Any) -> NestedTensor:
    """Look up the rows of a table."""
    if is_nested(weight):
        raise refused("embedding with a nested weight")
    return NestedTensor(func(plain(input), weight, *args, **kwargs), input._structure)


@rule("one_hot")
def one_hot(func: Callable, input: Any, num_classes: int = -1) -> NestedTensor:
    """Append a dim with a 1 at each class."""
    return NestedTensor(func(plain(input), num_classes), input._structure)


@rule("embedding_bag")
def embedding_bag(func: Callable, input: Any, weight: Any, *args: Any, **kwargs: Any) -> Any:
    """Reduce the embeddings of each component."""
    if input.ndim != 2 or args or kwargs.get("offsets") is not None or input._structure.lengths is not None:
        raise refused("embedding_bag with these arguments")
    kwargs["offsets"] = input._structure.offsets[:-1]
    return func(plain(input), weight, **kwargs)


@rule("is_same_size")
def is_same_size(func: Callable, input: Any, other: Any) -> bool:
    """Return whether two tensors have equal shapes."""
    return tuple(input.shape) == tuple(other.shape)


@rule("contiguous")
def contiguous(func: Callable, input: Any, *args: Any, **kwargs: Any) -> NestedTensor:
    """Return the tensor with contiguous rows and without gaps."""
    if input._structure.lengths is not None:
        return of_components(input.unbind(), input._structure.dim)
    rows = plain(input)
    return input if rows.is_contiguous() else NestedTensor(rows.contiguous(), input._structure)
