"""Pickling of the tensors in a message to another process. The arrays are pickled without a copy."""

from __future__ import annotations

import threading
from collections import defaultdict
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from torchlike import _errors
from torchlike._dtypes import devices
from torchlike._dtypes.strides import is_dense, span
from torchlike._tensor import copying, storage, storage_io
from torchlike._tensor.copying import attributes
from torchlike._tensor.tensor import Tensor, adopt

_MAX_SPAN_RATIO = 16  # a tensor is sent with its gaps if it spans at most this many times its number of elements
_MAX_STORAGE_RATIO = 4  # a storage is sent as a whole if it has at most this many times the elements of the tensor
_ALWAYS_WHOLE = 1 << 10  # a storage of at most this many elements is always sent as a whole
_memories: WeakValueDictionary[tuple[int, int, Any], Memory] = WeakValueDictionary()  # by thread, storage and dtype


class Memory:
    """Memory that several tensors of a message share.

    Attributes:
      flat: the elements, as an array of one dim.
      state: in the sending process, the storage and its version if the memory has all its elements, else None.
    """

    def __init__(self, flat: np.ndarray) -> None:
        self.flat = flat
        self.state: tuple[storage.Storage, int] | None = None
        self._owner: Tensor | None = None  # a tensor over all of the memory, in the receiving process

    def __reduce__(self) -> tuple:
        return Memory, (self.flat,)

    def tensor(self, size: tuple, stride: tuple, offset: int, dtype: Any) -> Tensor:
        """Return a tensor over a part of the memory."""
        made, self._owner = storage_io.from_storage(self.flat, dtype, size, stride, offset, devices.cpu, self._owner)
        return made


class Aliases:
    """The tensors of a message by storage, to find those that overlap in memory.

    A tensor is sent without the rest of its storage. Tensors that overlap are sent with the part of the storage that
    they cover together, so that a write to one of them is still visible in the others.
    """

    def __init__(self) -> None:
        self._seen: dict[int, list[Tensor]] = defaultdict(list)  # by the identity of the storage
        self.shared: dict[int, tuple[Memory, int]] = {}  # by the identity of the tensor: the memory, the offset in it

    def add(self, tensor: Tensor) -> None:
        """Add a tensor of the message."""
        self._seen[id(tensor._storage.whole)].append(tensor)

    def group(self) -> bool:
        """Find the tensors that overlap, and return whether there are any."""
        for tensors in self._seen.values():
            if len(tensors) > 1:
                self._group(tensors)
        return bool(self.shared)

    def _group(self, tensors: list[Tensor]) -> None:
        by_position = sorted(((*_ends(t), t) for t in tensors if t.numel()), key=lambda item: item[:2])
        group: list[tuple[int, int, Tensor]] = []
        last = 0
        for begin, end, tensor in by_position:
            if begin >= last:
                self._share(group)
                group = []
            group.append((begin, end, tensor))
            last = max(last, end)
        self._share(group)

    def _share(self, group: list[tuple[int, int, Tensor]]) -> None:
        first = group[0][2] if group else None
        if len(group) < 2 or first is None or any(t.dtype is not first.dtype for _, _, t in group):
            return
        item, begin, end = first.itemsize, group[0][0], max(end for _, end, _ in group)
        memory = Memory(storage_io.storage_of(first)[1][begin // item : end // item])
        for _, _, tensor in group:
            self.shared[id(tensor)] = memory, tensor.storage_offset() - begin // item


def _ends(tensor: Tensor) -> tuple[int, int]:
    """Return the byte offsets in the storage at which a tensor begins and ends."""
    begin = tensor.storage_offset()
    return begin * tensor.itemsize, (begin + span(tensor.shape, tensor.stride())) * tensor.itemsize


def reduce_tensor(obj: Any, aliases: Aliases) -> Any:
    """Return the reduce value with which a pickler writes a CPU tensor, or NotImplemented for any other object.

    A tensor whose elements are far apart in memory is sent without the gaps, so its strides change.
    """
    if not isinstance(obj, Tensor) or type(obj).__reduce_ex__ is not Tensor.__reduce_ex__:
        return NotImplemented
    if obj.requires_grad and not obj.is_leaf:
        raise _errors.memory.non_leaf_to_process()
    if obj.device.type != "cpu":
        return NotImplemented
    held = aliases.shared.get(id(obj))
    if held is None:
        aliases.add(obj)
        held = _with_gaps(obj)
    if held is None:
        return copying.reduce(obj, copies=False)
    return reduce_view(obj, *held)


def reduce_view(tensor: Tensor, memory: Memory, offset: int) -> tuple:
    """Return the reduce value with which a pickler writes a tensor as a view of `memory`."""
    place = (tuple(tensor.shape), tensor.stride(), offset, tensor.dtype)
    return _rebuilt, (type(tensor), memory, place, tensor.requires_grad, attributes(tensor))


def whole_memory(tensor: Tensor) -> Memory | None:
    """Return the memory of a tensor's whole storage. All tensors with this storage in a message get the same object.

    The pickler holds the memory until the message is written. Return None for a small part of a large storage, unless
    the message contains the storage already, and for an empty tensor or a storage that is not plain memory.
    """
    held = tensor._storage.whole
    if type(held) is not storage.Storage or storage.marks(tensor) or not tensor.numel():
        return None
    key = (threading.get_ident(), id(held), tensor.dtype)
    found = _memories.get(key)
    if found is not None and found.state == (held, held.version):
        return found
    flat = storage_io.storage_of(tensor)[1]
    if flat.size > max(_MAX_STORAGE_RATIO * tensor.numel(), _ALWAYS_WHOLE):
        return None
    found = _memories[key] = Memory(np.array(flat))
    found.state = (held, held.version)
    return found


def _with_gaps(tensor: Tensor) -> tuple[Memory, int] | None:
    """Return the memory that a tensor spans. Return None if the tensor is dense, or if its gaps are too large."""
    count = tensor.numel()
    if not count or is_dense(tuple(tensor.shape), tensor.stride()) or storage.marks(tensor):
        return None
    begin, length = tensor.storage_offset(), span(tensor.shape, tensor.stride())
    if length > _MAX_SPAN_RATIO * count:
        return None
    return Memory(storage_io.storage_of(tensor)[1][begin : begin + length]), 0


def _rebuilt(cls: type, memory: Memory, place: tuple, requires_grad: bool, extra: dict) -> Any:
    made: Any = memory.tensor(*place)
    if cls is not Tensor:
        made = adopt(cls, made)
    made.__dict__.update(extra)
    return made._require_grad(requires_grad)
