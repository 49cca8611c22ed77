"""Functions and methods that choose among rows: conversions, shapes given as separate numbers, splits."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from torchlike import _bind, _device, _dtypes, _errors, _factories, _layout, _modes
from torchlike import _memory_format as mf
from torchlike._bind import CALLERS as rows
from torchlike._core import Value, aval, concrete
from torchlike._tensor import Tensor, wrap

Ints = tuple[int, ...]


def ints(given: tuple) -> Ints:
    """The ints of `f(2, 3)`, `f((2, 3))` or `f([2, 3])`."""
    if len(given) == 1 and not isinstance(given[0], int | Tensor | np.integer):
        given = tuple(given[0])
    return tuple([int(n) for n in given])


# -- shapes ------------------------------------------------------------------------------------------------------------


def view(self: Tensor, *size: Any) -> Tensor:
    """The same elements in another shape, sharing storage; with a dtype, the same bytes of that type."""
    if len(size) == 1 and isinstance(size[0], _dtypes.dtype):
        if size[0] is self.dtype:
            return rows["view"](self, tuple(self.shape))
        raise _errors.unsupported("view", "dtype")
    return rows["view"](self, ints(size))


def reshape(input: Tensor, *shape: Any) -> Tensor:
    """The elements in another shape: a view where strides allow, else a copy."""
    from torchlike._ops.view import infer_size

    size = infer_size(ints(shape), input.numel())
    if _layout.view_strides(tuple(input.shape), input.stride(), size) is not None:
        return rows["view"](input, size)
    return rows["view"](clone(input, memory_format=mf.contiguous_format), size)


def expand(self: Tensor, *size: Any) -> Tensor:
    """Dims of size one repeated without copying."""
    return rows["expand"](self, ints(size))


def permute(input: Tensor, *dims: Any) -> Tensor:
    """The dims in another order."""
    return rows["permute"](input, ints(dims))


def contiguous(self: Tensor, memory_format: Any = mf.contiguous_format) -> Tensor:
    """This tensor where it is in that memory order already, else a copy that is."""
    if self.is_contiguous(memory_format):
        return self
    return clone(self, memory_format=memory_format)


def clone(input: Tensor, *, memory_format: Any = mf.preserve_format) -> Tensor:
    """A copy with the same history."""
    made = rows["clone"](input)
    return _in_format(made, input, memory_format)


def _in_format(made: Tensor, source: Tensor, memory_format: Any) -> Tensor:
    """Set the memory order of a fresh tensor."""
    shape = tuple(made.shape)
    if memory_format is mf.preserve_format or memory_format is None:
        strides = source.stride()
        if not _layout.is_dense(shape, strides):
            strides = _layout.pointwise_strides(shape, [(shape, strides)])
    else:
        strides = mf.strides_for(shape, memory_format)
    made._strides = made._storage.strides = _layout.normal(shape, strides) if strides else None
    return made


# -- conversions -------------------------------------------------------------------------------------------------------


def to(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """This tensor with another dtype and/or device; itself where nothing changes (unless `copy`)."""
    device, dtype, copy, memory_format = _parse_to(args, kwargs)
    if isinstance(device, Tensor):
        device, dtype = device.device, device.dtype
    return convert(self, dtype or self.dtype, device, copy, memory_format)


def _parse_to(args: tuple, kwargs: dict) -> tuple:
    kwargs = dict(kwargs)
    kwargs.pop("non_blocking", None)  # a promise about time only: every copy here is safe to use at once
    device, dtype = kwargs.pop("device", None), kwargs.pop("dtype", None)
    other, copy = kwargs.pop("other", None), kwargs.pop("copy", False)
    memory_format = kwargs.pop("memory_format", mf.preserve_format)
    if kwargs:
        raise TypeError(f"to() received an invalid combination of arguments - got unrecognized keyword arguments: "
                        f"{', '.join(kwargs)}")  # fmt: skip
    flags = []
    for a in args:
        if isinstance(a, _dtypes.dtype):
            dtype = a
        elif isinstance(a, bool):
            flags.append(a)
        elif isinstance(a, Tensor):
            other = a
        elif a is not None:
            device = a
    if len(flags) == 2:
        copy = flags[1]
    return (other if other is not None else device), dtype, copy, memory_format


def convert(self: Tensor, dtype: Any, device: Any, copy: bool, memory_format: Any) -> Tensor:
    """The working part of `to`."""
    place = self.device if device is None else _device.canonical(device)
    if place is not self.device:
        self = _move(self, place)
        copy = False
    if dtype is not self.dtype:
        return rows["_to"](self, dtype)
    if copy or (memory_format is not mf.preserve_format and not self.is_contiguous(memory_format)):
        return clone(self, memory_format=memory_format)
    return self


def _move(self: Tensor, place: _device.device) -> Tensor:
    from torchlike._autograd.transfer import transfer_node

    value = self._value
    array = None if place.type == "meta" else _factories._place(np.asarray(concrete(value)), place)
    moved = Value(aval(value.aval.shape, value.aval.dtype, place), array)
    edge = transfer_node(self._edge, value.aval, moved.aval) if self._edge is not None and _modes.local.grad else None
    return wrap(moved, edge)


def cpu(self: Tensor, memory_format: Any = mf.preserve_format) -> Tensor:
    """This tensor on the CPU."""
    return convert(self, self.dtype, "cpu", False, memory_format)


def cuda(self: Tensor, device: Any = None, non_blocking: bool = False, memory_format: Any = mf.preserve_format) -> Tensor:
    """This tensor on a GPU."""
    return convert(self, self.dtype, "cuda" if device is None else device, False, memory_format)


def to_method(name: str, dtype: _dtypes.dtype) -> Any:
    def method(self: Tensor, memory_format: Any = mf.preserve_format) -> Tensor:
        return convert(self, dtype, None, False, memory_format)

    method.__name__ = method.__qualname__ = name
    method.__doc__ = f"This tensor as {dtype!r}."
    return method


def type_as(self: Tensor, other: Tensor) -> Tensor:
    """This tensor with the dtype and on the device of another."""
    return convert(self, other.dtype, other.device, False, mf.preserve_format)


def copy_(self: Tensor, src: Any, non_blocking: bool = False) -> Tensor:
    """Overwrite this tensor with `src`, broadcast and cast to it."""
    if not isinstance(src, Tensor):
        src = _factories.tensor(src, dtype=self.dtype, device=self.device)
    if src.device is not self.device:
        src = _move(src, self.device)
    if src.dtype is not self.dtype:
        src = rows["_to"](src, self.dtype)
    if src.shape != self.shape:
        src = rows["expand"](src, tuple(self.shape))
    if src._storage is not self._storage:
        src = rows["clone"](src) if src._edge is not None and _modes.local.grad else src
    self._write(*src._pair())
    return self


# -- splitting ---------------------------------------------------------------------------------------------------------


def unbind(input: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """Every index of a dim, as views."""
    dim = input._wrap(dim)
    return tuple(rows["_select"](input, dim, i) for i in range(input.shape[dim]))


def select(input: Tensor, dim: int, index: int) -> Tensor:
    """One index of a dim, as a view."""
    if not input.ndim:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    dim, n = input._wrap(dim), int(index)
    size = input.shape[dim]
    if not -size <= n < size:
        raise IndexError(f"select(): index {n} out of range for tensor of size {list(input.shape)} at dimension {dim}")
    return rows["_select"](input, dim, n % size)


def narrow(input: Tensor, dim: int, start: Any, length: int) -> Tensor:
    """`length` indices of a dim from `start`, as a view."""
    dim, start = input._wrap(dim), int(start)
    size = input.shape[dim]
    if not -size <= start <= size:
        raise IndexError(f"start out of range (expected to be in range of [{-size}, {size}], but got {start})")
    start = start + size if start < 0 else start
    if length < 0:
        raise RuntimeError("narrow(): length must be non-negative.")
    if start + length > size:
        raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({size}).")
    return rows["_slice"](input, dim, start, length, 1)


def split(tensor: Tensor, split_size_or_sections: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Views of consecutive pieces: of one size (the last may be smaller) or of the sizes given."""
    dim = tensor._wrap(dim)
    size = tensor.shape[dim]
    if isinstance(split_size_or_sections, int):
        step = split_size_or_sections
        if step < 0:
            raise RuntimeError(f"split expects split_size be non-negative, but got split_size={step}")
        if step == 0 and size:
            raise RuntimeError("split_size can only be 0 if dimension size is 0, "
                               f"but got dimension size of {size}")  # fmt: skip
        count = max(1, -(-size // step)) if step else 1
        sections = [min(step, size - i * step) for i in range(count)]
    else:
        sections = [int(n) for n in split_size_or_sections]
        if sum(sections) != size:
            raise RuntimeError(f"split_with_sizes expects split_sizes to sum exactly to {size} (input tensor's size at "
                               f"dimension {dim}), but got split_sizes={sections}")  # fmt: skip
    out, start = [], 0
    for n in sections:
        out.append(rows["_slice"](tensor, dim, start, n, 1))
        start += n
    return tuple(out)


def chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """At most `chunks` views of equal size (the last may be smaller)."""
    if chunks <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    size = input.shape[input._wrap(dim)]
    step = math.ceil(size / chunks)
    if step == 0:
        return split(input, [0] * chunks, dim)
    return split(input, step, dim)


FUNCTIONS = {f.__name__: f for f in (reshape, permute, clone, unbind, select, narrow, split, chunk)}
METHODS = {f.__name__: f for f in (view, reshape, expand, permute, contiguous, clone, to, cpu, cuda, type_as, copy_,
                                   unbind, select, narrow, split, chunk)}  # fmt: skip
