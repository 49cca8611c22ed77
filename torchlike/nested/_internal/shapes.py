"""Views, indices, concatenation and splits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torchlike
from torchlike import Tensor
from torchlike._internal import name_of, wrap_dim
from torchlike.nested._internal import structure as st
from torchlike.nested._internal.dispatch import inner, is_nested, mapped, on_rows, refused, rule
from torchlike.nested._internal.nested_int import NestedInt
from torchlike.nested._internal.nested_tensor import NestedTensor, plain
from torchlike.nested._internal.structure import Structure


def _sizes(sizes: tuple) -> tuple:
    return tuple(sizes[0]) if len(sizes) == 1 and isinstance(sizes[0], tuple | list) else sizes


# -- components --------------------------------------------------------------------------------------------------------


@rule("unbind")
def unbind(func: Callable, input: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Return the components, which are views."""
    if wrap_dim(dim, input.ndim):
        raise RuntimeError("unbind(): only supported for NestedTensor on dim=0")
    structure, at = input._structure, input._structure.dim - 1
    counts = structure.counts()
    if structure.lengths is None:
        return tuple(on_rows(Tensor.split, (input, counts), {"dim": at}))
    return tuple([_component(input, i) for i in range(len(counts))])


def _component(input: NestedTensor, index: int) -> Tensor:
    """Return one component, a view."""
    structure = input._structure
    start, count = structure.starts()[index], structure.counts()[index]
    return on_rows(Tensor.narrow, (input, structure.dim - 1, start, count), {})


@rule("select")
def select(func: Callable, input: Any, dim: int, index: int) -> Tensor:
    """Return a component, or one index of another dim."""
    dim = wrap_dim(dim, input.ndim)
    if dim == 0:
        return _component(input, index)
    at = inner("select", input, dim)
    structure = input._structure
    found = on_rows(Tensor.select, (input, at, index), {})
    return NestedTensor(found, structure.at(structure.dim - (dim < structure.dim)))


@rule("getitem")
def getitem(func: Callable, input: Any, index: Any) -> Any:
    """Return a component, a part of one, or a part of all components."""
    index = index if isinstance(index, tuple) else (index,)
    first, rest = index[0], index[1:]
    if isinstance(first, int) and not isinstance(first, bool):
        found = _component(input, first)
        return found[rest] if rest else found
    if first is None:
        raise RuntimeError("unsqueeze(): not supported for NestedTensor on dim=0")
    if first is not Ellipsis:
        name = "slice" if isinstance(first, slice) else "index"
        raise RuntimeError(f"{name}(): not supported for NestedTensor on dim=0")
    if any(not isinstance(i, int | slice | None) for i in rest):
        raise RuntimeError("index(): not supported for NestedTensor")
    if sum(i is not None for i in rest) >= input.ndim - input._structure.dim:
        raise RuntimeError("slice(): not supported for NestedTensor on ragged dim")
    return NestedTensor(on_rows(Tensor.__getitem__, (input, index), {}), input._structure)


@rule("setitem")
def setitem(func: Callable, input: Any, index: Any, value: Any) -> None:
    """Write to a component, or to a part of one."""
    first, *rest = index if isinstance(index, tuple) else (index,)
    if not isinstance(first, int) or isinstance(first, bool):
        raise refused("setitem with a first index other than an integer")
    _component(input, first)[tuple(rest) if rest else ...] = value


@rule("narrow")
def narrow(func: Callable, input: Any, dim: int, start: Any, length: int) -> NestedTensor:
    """Return a range of a dim that is neither the batch nor the ragged one."""
    return mapped(input, Tensor.narrow, inner("narrow", input, dim), start, length)


# -- order and number of the dims --------------------------------------------------------------------------------------


@rule("transpose", "swapaxes", "swapdims")
def transpose(func: Callable, input: Any, dim0: int, dim1: int) -> NestedTensor:
    """Swap two dims, which may include the ragged one."""
    a, b = wrap_dim(dim0, input.ndim), wrap_dim(dim1, input.ndim)
    if a == b:
        return input
    if 0 in (a, b):
        raise ValueError("Transpose is not supported on the batch dimension for jagged NT")
    dim = input._structure.dim
    found = on_rows(Tensor.transpose, (input, a - 1, b - 1), {})
    return NestedTensor(found, input._structure.at({a: b, b: a}.get(dim, dim)))


@rule("permute")
def permute(func: Callable, input: Any, *dims: Any, **kwargs: Any) -> NestedTensor:
    """Reorder the dims. The batch must stay first."""
    order = [wrap_dim(d, input.ndim) for d in _sizes(dims or (kwargs["dims"],))]
    if len(order) != input.ndim:
        raise RuntimeError(
            "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired "
            f"ordering of dimensions i.e. input.dim() = {input.ndim} is not equal to len(dims) = {len(order)}"
        )
    if order[0] != 0:
        raise ValueError("Permute is not supported on the batch dimension for jagged NT")
    found = on_rows(Tensor.permute, (input, [d - 1 for d in order[1:]]), {})
    return NestedTensor(found, input._structure.at(order.index(input._structure.dim)))


@rule("unsqueeze")
def unsqueeze(func: Callable, input: Any, dim: int) -> NestedTensor:
    """Insert a dim of size 1."""
    dim = wrap_dim(dim, input.ndim + 1)
    if dim == 0:
        raise RuntimeError("unsqueeze(): not supported for NestedTensor on dim=0")
    at = input._structure.dim
    return NestedTensor(on_rows(Tensor.unsqueeze, (input, dim - 1), {}), input._structure.at(at + (dim <= at)))


@rule("squeeze")
def squeeze(func: Callable, input: Any, dim: Any = None) -> NestedTensor:
    """Remove a dim of size 1."""
    if not isinstance(dim, int):
        raise refused("squeeze of several dims")
    at, ragged = inner("squeeze", input, dim), input._structure.dim
    found = on_rows(Tensor.squeeze, (input, at), {})
    return NestedTensor(found, input._structure.at(ragged - (found.ndim < input.ndim - 1 and at < ragged - 1)))


# -- sizes -------------------------------------------------------------------------------------------------------------


@rule("view", "reshape")
def view(func: Callable, input: Any, *shape: Any) -> NestedTensor:
    """Change the dims after the ragged one."""
    name, sizes, size = name_of(func)[0], _sizes(shape), input._size
    if len(sizes) == 1 and isinstance(sizes[0], torchlike.dtype):
        raise NotImplementedError("aten.view.dtype")
    if input._structure.dim != 1 and tuple(sizes) != size:
        raise RuntimeError(
            f"view(): does not support ragged_idx != 1 except when inp._size == size. inp._size is ({size}) and "
            f"size is ({[*sizes]})."
        )
    if (
        len(sizes) < 3
        or sizes[0] != size[0]
        or not (sizes[1] == size[1] or (sizes[1].__class__ is int and sizes[1] == -1))
    ):
        raise RuntimeError(f"view(): cannot view shape {size} as {[*sizes]}")
    if any(isinstance(n, NestedInt) for n in sizes[2:]) and tuple(sizes) != size:
        raise RuntimeError(f"view(): cannot view shape {size} as {[*sizes]}")
    kept = input._aval.shape
    inside = [kept[i] if isinstance(n, NestedInt) else n for i, n in enumerate(sizes[1:])]
    inside[input._structure.dim - 1] = kept[input._structure.dim - 1]
    if -1 in inside[1:] and not kept[0]:
        inside = [n if n != -1 else _missing(kept, inside) for n in inside]
    return mapped(input, getattr(Tensor, name), inside)


def _missing(kept: Any, inside: list[int]) -> int:
    """Return the size that -1 stands for, if there are no rows."""
    whole = torchlike.empty(1, *kept[1:], device="meta").numel()
    return whole // max(torchlike.empty([abs(n) for n in inside[1:]], device="meta").numel(), 1)


@rule("view_as", "reshape_as")
def view_as(func: Callable, input: Any, other: Any) -> NestedTensor:
    """Return a view with the shape of another tensor."""
    return view(Tensor.view if name_of(func)[0] == "view_as" else Tensor.reshape, input, *other.shape)


@rule("flatten")
def flatten(func: Callable, input: Any, start_dim: int = 0, end_dim: int = -1) -> NestedTensor:
    """Merge dims after the ragged one."""
    start, end = wrap_dim(start_dim, input.ndim), wrap_dim(end_dim, input.ndim)
    if start == end:
        return input
    for dim in range(start, end + 1):
        inner("flatten", input, dim)
    at = input._structure.dim
    found = on_rows(Tensor.flatten, (input, start - 1, end - 1), {})
    return NestedTensor(found, input._structure.at(at - (end - start if end < at else 0)))


@rule("unflatten")
def unflatten(func: Callable, input: Any, dim: int, sizes: Any) -> NestedTensor:
    """Split a dim into several."""
    at, ragged = inner("unflatten", input, dim), input._structure.dim
    found = on_rows(Tensor.unflatten, (input, at, tuple(sizes)), {})
    return NestedTensor(found, input._structure.at(ragged + (len(sizes) - 1 if at < ragged - 1 else 0)))


@rule("expand")
def expand(func: Callable, input: Any, *sizes: Any) -> NestedTensor:
    """Repeat dims of size 1."""
    wanted, at = list(_sizes(sizes)), input._structure.dim
    is_ragged = len(wanted) > at and (
        wanted[at] == input._size[at] or (wanted[at].__class__ is int and wanted[at] == -1)
    )
    if len(wanted) != input.ndim or wanted[0] not in (-1, input._size[0]) or not is_ragged:
        raise RuntimeError(f"expand(): cannot expand shape {input._size} -> {wanted}")
    wanted[at] = -1
    return mapped(input, Tensor.expand, wanted[1:])


@rule("expand_as")
def expand_as(func: Callable, input: Any, other: Any) -> NestedTensor:
    """Repeat dims of size 1 to the shape of another tensor."""
    return expand(func, input, *other.shape)


# -- joins and parts ---------------------------------------------------------------------------------------------------


@rule("cat", "stack")
def join(func: Callable, tensors: Any, dim: int = 0) -> NestedTensor:
    """Join nested tensors of the same structure along a dim after the batch."""
    name = name_of(func)[0]
    first = next(filter(is_nested, tensors))
    if not all(is_nested(x) and st.alike(x._structure, first._structure) for x in tensors):
        raise RuntimeError(f"{name}(): expected all nested tensors to have the same nested structure")
    is_new = name == "stack"
    dim = wrap_dim(dim, first.ndim + is_new)
    if dim == 0:
        raise RuntimeError(f"{name}(): not supported for NestedTensor on dim=0")
    if dim == first._structure.dim:
        raise RuntimeError(f"{name}(): not supported for NestedTensor on ragged dim")
    at = first._structure.dim + (is_new and dim < first._structure.dim)
    return NestedTensor(func([plain(x) for x in tensors], dim - 1), first._structure.at(at))


@rule("split", "split_with_sizes", "chunk")
def split(func: Callable, input: Any, parts: Any, dim: int = 0) -> tuple[NestedTensor, ...]:
    """Return the parts of a dim, which are views."""
    called = name_of(func)[0]
    name = "split_with_sizes" if isinstance(parts, list | tuple) else called
    if isinstance(parts, int) and name == "chunk" and wrap_dim(dim, input.ndim) == 0:
        return _chunked(input, parts)
    at = inner(name, input, dim)
    found = on_rows(getattr(Tensor, called), (input, parts, at), {})
    return tuple([NestedTensor(each, input._structure) for each in found])


def _chunked(input: NestedTensor, parts: int) -> tuple[NestedTensor, ...]:
    """Return nested tensors of some components each."""
    structure = input._structure
    if structure.lengths is not None:
        raise RuntimeError("chunk(): not supported for NestedTensor with lengths on dim=0")
    counts, size = structure.counts(), -(-structure.count // parts)
    starts, at = [*structure.starts(), input._aval.shape[structure.dim - 1]], structure.dim - 1
    found = []
    for first in range(0, len(counts), size):
        own = counts[first : first + size]
        rows = on_rows(Tensor.narrow, (input, at, starts[first], sum(own)), {})
        ends = structure.offsets[first : first + len(own) + 1]
        found.append(NestedTensor(rows, Structure(ends - ends[0], None, structure.dim, {"lengths": own})))
    return tuple(found)
