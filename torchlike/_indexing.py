"""`x[...]` and `x[...] = y`: basic indices are views, tensors as indices gather and scatter."""

from __future__ import annotations

from typing import Any

import numpy as np

from torchlike import _dtypes, _factories
from torchlike._bind import CALLERS as rows
from torchlike._tensor import Tensor


def get(t: Tensor, index: Any) -> Tensor:
    """`t[index]`."""
    if index.__class__ is int:  # the most common case, taken without ceremony
        return _select(t, 0, index, 0)
    viewed, advanced = _basic(t, index)
    if not advanced:
        return viewed if viewed is not t else rows["view_as_self"](t)
    return _gather(viewed, advanced)


def put(t: Tensor, index: Any, value: Any) -> None:
    """`t[index] = value`."""
    viewed, advanced = _basic(t, index)
    if not isinstance(value, Tensor):
        value = _factories.tensor(value, dtype=t.dtype if not isinstance(value, complex) else None, device=t.device)
    if not advanced:
        target = viewed
        while value.ndim > target.ndim and value.shape[0] == 1:
            value = value.squeeze(0)
        if value.shape != target.shape:
            value = rows["expand"](value, tuple(target.shape))
        target.copy_(value)
        return
    _scatter(viewed, advanced, value)


def _select(t: Tensor, dim: int, index: int, position: int) -> Tensor:
    if dim >= t.ndim:
        if not t.ndim:
            raise IndexError("invalid index of a 0-dim tensor. Use `tensor.item()` in Python or "
                             "`tensor.item<T>()` in C++ to convert a 0-dim tensor to a number")  # fmt: skip
        raise IndexError(f"too many indices for tensor of dimension {t.ndim}")
    size = t.shape[dim]
    if not -size <= index < size:
        raise IndexError(f"index {index} is out of bounds for dimension {position} with size {size}")
    return rows["_select"](t, dim, index % size)


def _slice(t: Tensor, dim: int, part: slice) -> Tensor:
    size = t.shape[dim]
    step = 1 if part.step is None else int(part.step)
    if step <= 0:
        raise ValueError("step must be greater than zero")
    start, stop, _ = slice(part.start, part.stop, step).indices(size)
    length = max(0, -(-(stop - start) // step))
    if length == size and step == 1:
        return t if start == 0 and (part.start is None and part.stop is None) else rows["_slice"](t, dim, 0, size, 1)
    return rows["_slice"](t, dim, start, length, step)


def _basic(t: Tensor, index: Any) -> tuple[Tensor, dict[int, Tensor]]:
    """Apply the ints, slices, None and Ellipsis; what is left are tensor indices by dim of the resulting view."""
    items = _unpack(index)
    used = sum(_consumes(i) for i in items)
    if used > t.ndim:
        if not t.ndim:
            raise IndexError("invalid index of a 0-dim tensor. Use `tensor.item()` in Python or "
                             "`tensor.item<T>()` in C++ to convert a 0-dim tensor to a number")  # fmt: skip
        raise IndexError(f"too many indices for tensor of dimension {t.ndim}")
    dim, position, rank, advanced = 0, 0, t.ndim, {}
    for item in items:
        if item is Ellipsis:
            skip = rank - used
            dim, position = dim + skip, position + skip
        elif item is None:
            t = rows["unsqueeze"](t, dim)
            dim += 1
        elif isinstance(item, bool | np.bool_):
            t = rows["unsqueeze"](t, dim)
            advanced[dim] = _factories.tensor([0] if item else [], dtype=_dtypes.int64, device=t.device)
            dim += 1
        elif isinstance(item, slice):
            t = _slice(t, dim, item)
            dim, position = dim + 1, position + 1
        elif isinstance(item, Tensor):
            t, dim, position = _take_tensor(t, item, dim, position, advanced)
        else:
            t = _select(t, dim, item, position)
            position += 1
    return t, advanced


def _take_tensor(t: Tensor, item: Tensor, dim: int, position: int, advanced: dict) -> tuple[Tensor, int, int]:
    if item.dtype in (_dtypes.bool_, _dtypes.uint8):
        for i, n in enumerate(item.shape):
            if t.shape[dim + i] != n:
                raise IndexError(f"The shape of the mask {list(item.shape)} at index {i} does not match the shape of "
                                 f"the indexed tensor {list(t.shape)} at index {dim + i}")  # fmt: skip
        where = np.nonzero(item._host())
        if not item.ndim:
            t = rows["unsqueeze"](t, dim)
            where = (np.zeros(len(where[0]) if where else int(bool(item)), np.int64),)
        for i, w in enumerate(where):
            advanced[dim + i] = _factories.of_array(w.astype(np.int64), t.device)
        step = max(item.ndim, 1)
        return t, dim + step, position + step
    if item.dtype.category != _dtypes.INTEGER:
        raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
    if not item.ndim and not item.requires_grad and item._value.array is not None:
        return _select(t, dim, int(item), position), dim, position + 1
    advanced[dim] = item
    return t, dim + 1, position + 1


def _unpack(index: Any) -> list:
    items = list(index) if isinstance(index, tuple) else [index]
    return [_normal(i) for i in items]


def _normal(item: Any) -> Any:
    if item is None or item is Ellipsis or isinstance(item, int | slice | Tensor | np.bool_):
        return item
    if isinstance(item, np.integer):
        return int(item)
    if isinstance(item, list | tuple | range | np.ndarray):
        made = _factories.tensor(list(item) if not isinstance(item, np.ndarray) else item)
        return made.long() if made.numel() == 0 else made
    if hasattr(item, "__index__"):
        return item.__index__()
    if isinstance(item, str | bytes):
        raise TypeError(f"new(): invalid data type '{type(item).__name__}'")
    raise IndexError("only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices "
                     f"(got {type(item).__name__})")  # fmt: skip


def _consumes(item: Any) -> int:
    if item is None or item is Ellipsis or isinstance(item, bool | np.bool_):
        return 0
    return item.ndim if isinstance(item, Tensor) and item.dtype in (_dtypes.bool_, _dtypes.uint8) else 1


def put_at(t: Tensor, indices: tuple, values: Tensor, accumulate: bool) -> None:
    """`t[indices] = values`, or += with repeated indices counted each time."""
    viewed, advanced = _basic(t, indices)
    if advanced:
        _scatter(viewed, advanced, values, accumulate)
    else:
        viewed.copy_(viewed + values if accumulate else values)


def _check_bounds(t: Tensor, advanced: dict[int, Tensor]) -> None:
    """PyTorch's error for an index out of range, where the indices are known already (pending ones read as NaN)."""
    for dim, index in advanced.items():
        array = index._value.array
        if array is None or not index.numel() or index.device.type != "cpu":
            continue
        host, size = np.asarray(array), t.shape[dim]
        for bad in (host.min(), host.max()):
            if not -size <= bad < size:
                raise IndexError(f"index {bad} is out of bounds for dimension {dim} with size {size}")


def _gather(t: Tensor, advanced: dict[int, Tensor]) -> Tensor:
    _check_bounds(t, advanced)
    dims = tuple(advanced)
    return rows["_index"](t, [_on(i, t) for i in advanced.values()], dims)


def _scatter(t: Tensor, advanced: dict[int, Tensor], value: Tensor, accumulate: bool = False) -> None:
    _check_bounds(t, advanced)
    if value.dtype is not t.dtype:
        value = rows["_to"](value, t.dtype)
    new = rows["_index_put"](t, [_on(i, t) for i in advanced.values()], value, tuple(advanced), accumulate)
    t._write(*new._pair())


def _on(index: Tensor, t: Tensor) -> Tensor:
    if index.dtype is not _dtypes.int64:
        index = rows["_to"](index, _dtypes.int64)
    return index if index.device is t.device else index.to(t.device)
