"""How `multiprocessing` sends tensors in shared memory to another process: by the descriptor of their memory."""

from __future__ import annotations

import os
from multiprocessing.reduction import DupFd, ForkingPickler
from typing import Any
from weakref import WeakValueDictionary, ref

from torchlike import _errors, nn
from torchlike._dtypes import devices
from torchlike._engine import Value, aval
from torchlike._engine.segment import Segment
from torchlike._tensor import copying, shared_storage, storage_io
from torchlike._tensor.hooks import warn_of_lost_hooks
from torchlike._tensor.shared_storage import Shared
from torchlike._tensor.tensor import Tensor, adopt, wrap
from torchlike.multiprocessing._tensors import reduce_view, whole_memory


class StorageWeakRef:
    """A weak reference to the memory of a storage. References to the same memory are equal.

    Args:
      storage: the storage.

    >>> import torchlike as torch
    >>> from torchlike.multiprocessing.reductions import StorageWeakRef
    >>> x = torch.ones(3)
    >>> StorageWeakRef(x.untyped_storage()) == StorageWeakRef(x[1:].untyped_storage())
    True
    """

    __slots__ = ("_memory", "cdata")

    def __init__(self, storage: Any) -> None:
        self.cdata = storage._cdata
        self._memory = ref(storage._tensor._storage.whole)

    def expired(self) -> bool:
        """Return whether the memory is freed."""
        return self._memory() is None

    def __hash__(self) -> int:
        return self.cdata

    def __eq__(self, other: Any) -> bool:
        return self is other or self.cdata == other.cdata


_received: WeakValueDictionary[tuple[int, int], Shared] = WeakValueDictionary()  # by the device and inode of the file


def reduce_tensor(tensor: Tensor) -> tuple:
    """Return the reduce value with which a pickler sends a tensor.

    A tensor that is not in shared memory is copied. Copies of tensors that share memory share it too if one message
    contains them.
    """
    if tensor.requires_grad and not tensor.is_leaf:
        raise _errors.memory.non_leaf_to_process()
    storage = tensor._storage.whole
    if tensor.device.type != "cpu":
        return copying.reduce(tensor)
    found = shared_storage.segment_of(storage)
    if found is None:
        held = whole_memory(tensor)
        if held is None:
            return copying.reduce(tensor)
        warn_of_lost_hooks(tensor)
        return reduce_view(tensor, held, tensor.storage_offset())
    kind = storage._loan.aval
    memory = (found, kind.dtype, tuple(kind.shape), storage.strides)  # the pickler sends a segment once
    place = (tuple(tensor.shape), tensor.stride(), tensor.storage_offset())
    return rebuild_tensor, (type(tensor), memory, place, tensor.requires_grad, copying.attributes(tensor))


def rebuild_tensor(cls: type, memory: tuple, place: tuple, requires_grad: bool, extra: dict) -> Any:
    """Return a tensor over the memory that another process has sent."""
    received, dtype, shape, strides = memory
    owner = wrap(Value(aval(shape, dtype, devices.cpu)), None, strides)
    owner._storage = _storage(received, owner._aval, strides)
    made: Any = storage_io.strided_view(owner, *place)
    if cls is not Tensor:
        made = adopt(cls, made)
    made.__dict__.update(extra)
    return made._require_grad(requires_grad)


def _storage(received: Segment, kind: Any, strides: tuple | None) -> Shared:
    """Return the storage over a segment, the same one for all tensors that share the memory."""
    status = os.fstat(received.handle)
    key = (status.st_dev, status.st_ino)
    found = _received.get(key)
    if found is None:
        found = _received[key] = shared_storage.over_segment(received, kind, strides)
    return found


def _reduce_segment(segment: Segment) -> tuple:
    return _rebuild_segment, (DupFd(segment.handle), segment.nbytes)


def _rebuild_segment(handle: Any, nbytes: int) -> Segment:
    return Segment(nbytes, handle.detach())


def init_reductions() -> None:
    """Register how `multiprocessing` sends tensors."""
    for kind in (Tensor, nn.Parameter):
        ForkingPickler.register(kind, reduce_tensor)
    ForkingPickler.register(Segment, _reduce_segment)
