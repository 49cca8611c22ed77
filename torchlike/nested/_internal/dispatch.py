"""The table of the functions on nested tensors of the jagged layout, and helpers of its rules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeGuard

import torchlike
from torchlike._internal import wrap_dim
from torchlike.nested._base import on_rows as on_rows
from torchlike.nested._internal.nested_tensor import NestedTensor
from torchlike.nested._table import Table

TABLE = Table(NestedTensor, torchlike.jagged)
rule, in_place, refused = TABLE.rule, TABLE.in_place, TABLE.refused


def mapped(like: NestedTensor, func: Callable, *args: Any, **kwargs: Any) -> NestedTensor:
    """Return the result of a function on the rows of `like` as a nested tensor with the same structure."""
    return NestedTensor(on_rows(func, (like, *args), kwargs), like._structure)


def inner(name: str, nested: NestedTensor, dim: int) -> int:
    """Return the dim of the rows for a dim of the nested tensor that is neither the batch nor the ragged one."""
    dim = wrap_dim(dim, nested.ndim)
    if dim == 0:
        raise RuntimeError(f"{name}(): not supported for NestedTensor on dim=0")
    if dim == nested._structure.dim:
        raise RuntimeError(f"{name}(): not supported for NestedTensor on ragged dim")
    return dim - 1


def is_nested(x: Any) -> TypeGuard[NestedTensor]:
    """Return whether `x` is a nested tensor."""
    return isinstance(x, NestedTensor)
