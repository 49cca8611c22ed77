"""Access to the memory of tensors for checkpoints, and views with arbitrary strides."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from torchlike._dtypes import devices
from torchlike._dtypes import strides as _layout
from torchlike._engine import Aval, Value, to_numpy
from torchlike._ops.schema.declare import REGISTRY, namespace
from torchlike._ops.schema.plan import OpPlan
from torchlike._tensor.storage import WRITE, geometry
from torchlike._tensor.tensor import Tensor, same_memory, wrap

Ints = tuple[int, ...]


def storage_of(tensor: Tensor) -> tuple[object, np.ndarray]:
    """Return the identity of a tensor's storage, and its elements in memory order in the tensor's dtype."""
    storage = tensor._storage.whole
    array, strides = to_numpy(storage.value), storage.strides
    if strides is None or not array.size:
        flat = array.reshape(-1)
    else:
        flat = np.zeros(_layout.span(array.shape, strides), array.dtype)
        _strided(flat, array.shape, strides)[...] = array
    return storage, flat.view(tensor.dtype.numpy)


def from_storage(
    flat: np.ndarray, dtype: Any, size: Ints, stride: Ints, offset: int, device: Any, owner: Tensor | None
) -> tuple[Tensor, Tensor]:
    """Return a tensor over `flat`, and the owner of the memory: a tensor over the whole storage.

    Pass the owner to the next call for the same memory. If the first tensor covers the whole storage, the owner has its
    shape, so that an ordinary parameter needs no view operator. The owner itself is never returned to users and never
    requires grad.
    """
    if owner is None:
        owner = _covering(flat, dtype, size, stride, offset)
        owner = owner if device is devices.cpu else owner.to(device)
    return strided_view(owner, size, stride, offset), owner


def count_rebuilt(made: Tensor) -> None:
    """Set the version of a tensor that was read from a file or a pickle to 1. PyTorch counts the making as a write."""
    if not made._storage.version:
        made._storage.version = WRITE


def _covering(flat: np.ndarray, dtype: Any, size: Ints, stride: Ints, offset: int) -> Tensor:
    if offset or math.prod(size) != flat.size or not _layout.is_dense(size, stride):
        size, stride = flat.shape, (1,)
    strides = _layout.normal(size, stride)
    array = flat.reshape(size) if strides is None else _strided(flat, size, stride)
    return wrap(Value(aval(size, dtype), array), None, strides)


def meta_tensor(dtype: Any, size: Ints, stride: Ints) -> Tensor:
    """Return a tensor without data, on the meta device."""
    return wrap(Value(aval(size, dtype, devices.meta)), None, _layout.normal(size, stride))


def aval(size: Ints, dtype: Any, device: Any = devices.cpu) -> Aval:
    from torchlike._engine import aval as intern

    return intern(tuple(size), dtype, device)


def strided_view(owner: Tensor, size: Ints, stride: Ints, offset: int) -> Tensor:
    """Return a detached tensor over the storage of `owner`, with any strides.

    `owner` must cover the whole storage.
    """
    size, stride = tuple(size), tuple(stride)
    seen = same_memory(owner)
    if geometry(owner) == (size, stride) and not offset:
        return seen
    storage = owner._storage
    seen._chain = ((_plan(storage.value.aval, storage.strides, size, stride, offset), ()),)
    seen._strides, seen._offset = _layout.normal(size, stride), offset
    return seen


@functools.cache
def _plan(whole: Aval, memory: Ints | None, size: Ints, stride: Ints, offset: int) -> OpPlan:
    def look(array: Any) -> tuple:
        flat = _in_memory_order(array, memory)
        return (_unfold(flat[offset:], size, stride),)

    name, out = "as_strided", whole.like(size)
    plan = OpPlan(name, (whole,), (), (out,), look)
    return plan.complete(REGISTRY["view"], (), (True,), (_layout.normal(size, stride),), "AsStridedBackward0")


def _in_memory_order(array: Any, memory: Ints | None) -> Any:
    if memory is None:
        return array.reshape(-1)
    order = sorted(range(array.ndim), key=lambda d: (memory[d], array.shape[d]), reverse=True)
    return namespace(array).transpose(array, order).reshape(-1)


def _unfold(flat: Any, size: Ints, stride: Ints) -> Any:
    """Return the elements of `flat` at `sum(index * stride)`.

    If the dims do not overlap, the elements are cut dim after dim, from the widest stride inward. Slices and reshapes
    are cheap in forward and backward. Otherwise, one gather is used.
    """
    xp = namespace(flat)
    dims = sorted((d for d in range(len(size)) if stride[d]), key=lambda d: (stride[d], size[d]), reverse=True)
    if 0 in size:
        return xp.zeros(size, flat.dtype)
    if not _nested([size[d] for d in dims], [stride[d] for d in dims]):
        return flat[_layout.places(size, stride)]
    cut = flat
    for k, d in enumerate(dims):
        rest = dims[k + 1 :]
        cut = _split(cut, size[d], stride[d], _layout.span([size[e] for e in rest], [stride[e] for e in rest]))
    cut = cut[..., 0]
    order = sorted(range(len(dims)), key=lambda k: dims[k])
    kept = [size[d] if stride[d] else 1 for d in range(len(size))]
    return xp.broadcast_to(xp.transpose(cut, order).reshape(kept), size)


def _split(x: Any, count: int, step: int, keep: int) -> Any:
    """Reshape the last dim to (count, keep): the first `keep` elements of every `step`."""
    xp, length = namespace(x), x.shape[-1]
    if length < count * step:
        x = xp.concatenate([x, xp.zeros((*x.shape[:-1], count * step - length), x.dtype)], -1)
    return x[..., : count * step].reshape(*x.shape[:-1], count, step)[..., :keep]


def _nested(size: list[int], stride: list[int]) -> bool:
    return all(stride[k] >= _layout.span(size[k + 1 :], stride[k + 1 :]) for k in range(len(size)))


def _strided(flat: np.ndarray, size: Ints, stride: Ints) -> np.ndarray:
    # NumPy's `as_strided` supports only built-in dtypes.
    seen = flat if flat.dtype.isbuiltin == 1 else flat.view(f"u{flat.itemsize}")
    found = np.lib.stride_tricks.as_strided(seen, size, [s * flat.itemsize for s in stride])
    return found if seen is flat else found.view(flat.dtype)
