"""Storages over memory that other code also writes to: a NumPy array, or the buffer of another library.

There is no notification of writes by other code, so the contents are never cached. `value` is a `Live`, which is copied
when an operator that reads it is recorded. A write goes to the memory immediately. Views read and write only their own
part of the memory. When no outside references to the memory remain, the storage becomes an ordinary one.
"""

from __future__ import annotations

from array import array as PythonArray
from collections.abc import Callable
from sys import getrefcount
from typing import Any
from weakref import ref

import numpy as np

from torchlike import _errors
from torchlike._autograd import versions
from torchlike._dtypes import modes
from torchlike._dtypes.recorder import current
from torchlike._dtypes.strides import contiguous_strides
from torchlike._engine import Aval, Live, Value, to_numpy
from torchlike._engine import segment as segments
from torchlike._engine.segment import Segment
from torchlike._engine.trace.ownership import ATTRIBUTE
from torchlike._tensor.storage import WRITE, Block, Step, Storage, extent, involution, read, strides_of

Part = tuple[Aval, tuple[int, ...], int]  # what a tensor shows of a memory: an aval, strides and an offset

_value = Storage.__dict__["value"]
_version = Storage.__dict__["version"]
_CHUNK = 1 << 17  # the number of words compared at a time: fits the cache and allows an early exit


class Mark(int):
    """A storage version that equals only itself, so that no cached view value is valid."""

    __hash__ = int.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other


class Lender:
    """Memory that another object owns, in the form of NumPy's array interface."""

    def __init__(self, address: int, nbytes: int, owner: Any) -> None:
        self.__array_interface__ = {"data": (address, False), "shape": (nbytes,), "typestr": "|u1", "version": 3}
        before = getrefcount(owner)
        self.owner = owner
        # A memoryview locks the buffer of its owner in place. An array with other references cannot be resized.
        self.lock = None if isinstance(owner, np.ndarray) else memoryview(owner) if _countable(owner) else owner
        self.ours = getrefcount(owner) - before

    def alone(self) -> bool:
        """Return whether only torchlike has references to the memory."""
        return _countable(self.owner) and getrefcount(self.owner) - ATTRIBUTE < self.ours


def _countable(owner: Any) -> bool:
    """Return whether the memory is reachable only through references to this object."""
    return isinstance(owner, bytearray | PythonArray) or (isinstance(owner, np.ndarray) and owner.flags.owndata)


def owner_of(array: Any) -> Any:
    """Return the last object in the chain of bases of an array, which owns the memory."""
    while True:
        below = array.obj if isinstance(array, memoryview) else array.base if isinstance(array, np.ndarray) else None
        if below is None:
            return array
        array = below


class Loan:
    """The state of a shared storage: its memory as bytes, the element layout, and the last copy of the contents."""

    __slots__ = ("aval", "block", "bytes", "kind", "lender", "settled", "stamp", "strides", "writable")

    def __init__(
        self,
        aval: Aval,
        strides: tuple[int, ...] | None,
        memory: np.ndarray,
        lender: Lender | Between | None,
        writable: bool = True,
    ) -> None:
        self.aval, self.bytes, self.lender, self.writable = aval, memory, lender, writable
        self.strides = contiguous_strides(aval.shape) if strides is None else strides
        self.block: Block | None = None  # the storage's block over the same memory, if its address was requested
        self.settled: Value | None = None
        self.stamp = versions.Stamp()
        self.kind: type[Storage] = Storage  # the class of the storage before and after sharing

    def alone(self) -> bool:
        """Return whether only torchlike has references to the memory."""
        blocks = 0 if self.block is None else 1
        return getrefcount(self.bytes) <= ATTRIBUTE + blocks and (self.lender is None or self.lender.alone())

    def look(self) -> np.ndarray:
        """Return the memory as an array."""
        return self.part(self.aval, self.strides, 0)

    def part(self, aval: Aval, strides: tuple[int, ...], offset: int) -> np.ndarray:
        """Return a part of the memory as an array with the given geometry."""
        item = aval.dtype.itemsize
        if not aval.numel:  # the offset may be outside of the memory
            return np.empty(aval.shape, aval.dtype.numpy)
        return np.ndarray(aval.shape, aval.dtype.numpy, self.bytes, offset * item, [s * item for s in strides])

    def settle(self) -> Value:
        """Return a private copy of the contents. The last copy is reused while the contents are unchanged."""
        now = self.look()
        if self.settled is None or not _same(now, np.asarray(self.settled.array), self.strides):
            self.settled = Value(self.aval, np.array(now, order="C"))
            self.settled.stamp = self.stamp
        return self.settled


def _same(a: np.ndarray, b: np.ndarray, strides: tuple[int, ...]) -> bool:
    """Return whether two arrays hold the same bytes. NaNs with equal bits are equal, and 0.0 and -0.0 differ."""
    order = sorted(range(a.ndim), key=lambda d: (strides[d], a.shape[d]), reverse=True)
    x, y = (np.ascontiguousarray(z.transpose(order)).reshape(-1).view(np.uint8) for z in (a, b))
    whole = x.size // 8 * 8
    if not np.array_equal(x[whole:], y[whole:]):
        return False
    x, y = x[:whole].view(np.uint64), y[:whole].view(np.uint64)
    return all(np.array_equal(x[i : i + _CHUNK], y[i : i + _CHUNK]) for i in range(0, x.size, _CHUNK))


class Shared(Storage):
    """A storage whose memory is shared with other code."""

    __slots__ = ()
    _loan: Loan | Any

    shared = True

    @property
    def inference(self) -> bool:
        """Return whether the tensors of this storage are inference tensors."""
        return self._loan.kind.inference

    @property
    def value(self) -> Value:
        """The contents. They are read from the memory at the time of use or, in a capture, copied now."""
        loan = self._loan
        if loan.alone():
            return self.take_back()
        capture = current().capture
        if capture is not None:  # later calls identify the captured value by its storage
            value = loan.settle()
            capture.known.add(id(value))
            return value
        return Live(loan.aval, loan.look, loan.settle, loan.stamp)

    @property
    def version(self) -> int:
        """The version. It never equals an earlier one, because the contents may have changed."""
        return Mark(_version.__get__(self))

    @version.setter
    def version(self, count: int) -> None:
        _version.__set__(self, count)

    @property
    def address(self) -> int:
        """The address of the memory."""
        if self._loan.block is None:
            self._block = self._loan.block = Block(self._loan.bytes)
        return self._block.address

    def take_back(self) -> Value:
        """Turn this into an ordinary storage, and return its contents."""
        if self._loan.block is not None and not self._loan.writable:
            del self._block
        value, version = self._loan.settle(), self.version
        borrowed = self._loan.lender is not None
        self.__class__ = self._loan.kind  # type: ignore[assignment]
        del self._loan
        if borrowed:
            self._loan = None  # another object owns the memory, so it cannot be resized
        self.value, self.version = value, version  # type: ignore[misc]
        return value

    def seen(self, tensor: Any) -> Value:
        if self._loan.alone():
            self.take_back()
            return self.seen(tensor)
        if current().capture is not None:
            return read(self._loan.settle(), tensor._chain or ())
        loan, part, turn = self._loan, geometry(tensor), involution(tensor)
        look = (lambda: loan.part(*part)) if turn is None else (lambda: turn(loan.part(*part)))
        return Live(part[0], look, None, loan.stamp)

    def put(self, value: Value, since: int | None = None, owner: Any = None, step: int = WRITE) -> None:
        if self._is_private():
            self.put(value.settle(), since, owner, step)
        else:
            self._overwrite(self._loan.look(), value, since, owner, step)

    def put_seen(self, chain: tuple[Step, ...], value: Value, since: int | None, owner: Any, step: int = WRITE) -> None:
        if self._is_private():
            self.put_seen(chain, value, since, owner, step)
        else:
            place = self._loan.part(*geometry(owner))
            self._overwrite(place, value, since, owner, step, involution(owner))

    def _is_private(self) -> bool:
        """Turn this into an ordinary storage if the memory is read-only or has no references from other code.

        Return whether it was turned into one.
        """
        if self.inference and not modes.local.inference:
            raise _errors.autograd.write_to_inference()
        private = not self._loan.writable or self._loan.alone()
        if private:
            self.take_back()
        return private

    def _overwrite(
        self,
        place: np.ndarray,
        value: Value,
        since: int | None,
        owner: Any,
        step: int,
        turn: Callable[[np.ndarray], np.ndarray] | None = None,
    ) -> None:
        loan, array = self._loan, to_numpy(value)
        if loan.stamp.since is None:
            loan.stamp.set(self, since, owner)
        place[...] = array if turn is None else turn(array)
        loan.stamp, loan.settled = versions.Stamp(), None
        self.version += step


def lend(tensor: Any, part: Part) -> np.ndarray:
    """Return the memory of a tensor as a writable array. `part` is the tensor's geometry."""
    storage = tensor._storage.whole
    if not storage.shared:
        _share(storage)
    elif current().capture is not None:
        current().capture.settles()
    return storage._loan.part(*part)


def _share(storage: Storage) -> None:
    """Move the contents of a storage to memory that NumPy may write to."""
    value = storage.value
    array = to_numpy(value)
    block = getattr(storage, "_block", None)
    memory = np.zeros(extent(value.aval, storage.strides), np.uint8) if block is None else block.memory
    loan = Loan(value.aval, storage.strides, memory, None)
    loan.block, loan.look()[...] = block, array
    loan.settled, loan.stamp = value, versions.stamp_of(value)
    _lend(storage, loan)


class Between:
    """The lender of memory that other processes may write to: a segment."""

    def __init__(self, segment: Segment) -> None:
        self.segment = segment

    def alone(self) -> bool:
        """Return False: other processes may have the memory."""
        return False


def share_between_processes(storage: Storage) -> Segment:
    """Move a storage to a segment, unless it is in one already. Return the segment."""
    found = segment_of(storage)
    if found is not None:
        return found
    if storage.shared:
        storage.take_back()  # type: ignore[attr-defined]
    value, strides = storage.value, storage.strides
    array, made = to_numpy(value), segments.new(max(extent(value.aval, strides), 1))
    loan = Loan(value.aval, strides, np.asarray(made), Between(made))
    loan.look()[...] = array
    if hasattr(storage, "_block"):
        del storage._block  # the address changes, as in PyTorch
    _lend(storage, loan)
    return made


def segment_of(storage: Storage) -> Segment | None:
    """Return the segment that a storage is in, or None."""
    lender = storage._loan.lender if storage.shared else None
    return lender.segment if isinstance(lender, Between) else None


def over_segment(segment: Segment, aval: Aval, strides: tuple[int, ...] | None) -> Shared:
    """Return a storage over a segment of another process."""
    loan = Loan(aval, strides, np.asarray(segment), Between(segment))
    return _lend(Storage(Value(aval), strides), loan)


def show(storage: Storage) -> int:
    """Return the address of a storage. On the CPU, copy its current contents there for code that reads memory directly.

    Unless the memory is shared, writes to it have no effect on the storage. Each call updates the copy if the contents
    have changed.
    """
    address, value = storage.address, storage.value
    if storage.shared or current().capture is not None or value.aval.device.type != "cpu":
        return address
    block = storage._block
    if block.shown() is not value:
        Loan(value.aval, storage.strides, block.memory, None).look()[...] = to_numpy(value)
        block.shown = ref(value)
    return address


def borrow(aval: Aval, strides: tuple[int, ...] | None, array: np.ndarray, nbytes: int, writable: bool) -> Shared:
    """Return a storage over the memory of an array: `nbytes` bytes from its first element on."""
    owner, address = owner_of(array), array.__array_interface__["data"][0]
    lender = Lender(address, nbytes, owner if _countable(owner) else array)
    return _lend(Storage(Value(aval), strides), Loan(aval, strides, np.asarray(lender), lender, writable))


def _lend(storage: Any, loan: Loan) -> Shared:
    storage._loan = loan
    loan.kind = storage.__class__
    _value.__delete__(storage)
    storage.__class__ = Shared
    return storage


def geometry(tensor: Any) -> Part:
    """Return the part of the memory that a tensor shows: its aval, strides and offset.

    The storage is not read. A read of a shared storage to whose memory no array refers would turn it into an ordinary
    one.
    """
    storage = tensor._storage
    shown = storage._loan.aval if storage.shared and not tensor._chain else tensor._aval
    return shown, strides_of(shown.shape, tensor._strides), tensor._offset
