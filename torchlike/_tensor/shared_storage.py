"""Storages over memory that others write to as well: a NumPy array, the buffer of another library.

Nothing tells when the other side writes, so nothing of the contents is kept from one use to the next: `value` is a
`Live`, copied when work is recorded that reads it, and a write goes into the memory at once. Views read and write their
own part of the memory only. When nobody outside holds the memory any more, the storage becomes an ordinary one.
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
from torchlike._engine.trace.ownership import ATTRIBUTE
from torchlike._tensor.storage import WRITE, Block, Step, Storage, extent, involution, read

_value = Storage.__dict__["value"]
_version = Storage.__dict__["version"]
_CHUNK = 1 << 17  # words compared at a time: stays in the cache, and stops early


class Mark(int):
    """A storage's version that only itself equals: what a view saw under another one does not stand."""

    __hash__ = int.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other


class Lender:
    """Somebody else's memory as NumPy takes it up, and whom it belongs to."""

    def __init__(self, address: int, nbytes: int, owner: Any) -> None:
        self.__array_interface__ = {"data": (address, False), "shape": (nbytes,), "typestr": "|u1", "version": 3}
        before = getrefcount(owner)
        self.owner = owner
        # Who holds a view of a buffer keeps it where it is; an array that others refer to cannot be resized.
        self.lock = None if isinstance(owner, np.ndarray) else memoryview(owner) if _countable(owner) else owner
        self.ours = getrefcount(owner) - before

    def alone(self) -> bool:
        """Whether nobody but us can reach the memory any more."""
        return _countable(self.owner) and getrefcount(self.owner) - ATTRIBUTE < self.ours


def _countable(owner: Any) -> bool:
    """Whether every way to the memory leads through references to this object."""
    return isinstance(owner, bytearray | PythonArray) or (isinstance(owner, np.ndarray) and owner.flags.owndata)


def owner_of(array: Any) -> Any:
    """The object at the end of an array's chain of bases: what the memory belongs to."""
    while True:
        below = array.obj if isinstance(array, memoryview) else array.base if isinstance(array, np.ndarray) else None
        if below is None:
            return array
        array = below


class Loan:
    """What a shared storage knows: its memory as bytes, how the elements lie in it, and the last copy that was made."""

    __slots__ = ("aval", "block", "bytes", "kind", "lender", "settled", "stamp", "strides", "writable")

    def __init__(
        self,
        aval: Aval,
        strides: tuple[int, ...] | None,
        memory: np.ndarray,
        lender: Lender | None,
        writable: bool = True,
    ) -> None:
        self.aval, self.bytes, self.lender, self.writable = aval, memory, lender, writable
        self.strides = contiguous_strides(aval.shape) if strides is None else strides
        self.block: Block | None = None  # the storage's, where its address has been asked for: the same memory
        self.settled: Value | None = None
        self.stamp = versions.Stamp()
        self.kind: type[Storage] = Storage  # what the storage was, and will be again

    def alone(self) -> bool:
        """Whether nobody but us can reach the memory any more."""
        blocks = 0 if self.block is None else 1
        return getrefcount(self.bytes) <= ATTRIBUTE + blocks and (self.lender is None or self.lender.alone())

    def look(self) -> np.ndarray:
        """The memory as an array."""
        return self.part(self.aval, self.strides, 0)

    def part(self, aval: Aval, strides: tuple[int, ...], offset: int) -> np.ndarray:
        """A part of the memory, found by its geometry."""
        item = aval.dtype.itemsize
        return np.ndarray(aval.shape, aval.dtype.numpy, self.bytes, offset * item, [s * item for s in strides])

    def settle(self) -> Value:
        """A private copy of the contents; the last one while it still agrees."""
        now = self.look()
        if self.settled is None or not _same(now, np.asarray(self.settled.array), self.strides):
            self.settled = Value(self.aval, np.array(now, order="C"))
            self.settled.stamp = self.stamp
        return self.settled


def _same(a: np.ndarray, b: np.ndarray, strides: tuple[int, ...]) -> bool:
    """Whether two arrays hold the same bytes (which NaNs do not hinder, and signs of zero do)."""
    order = sorted(range(a.ndim), key=lambda d: (strides[d], a.shape[d]), reverse=True)
    x, y = (np.ascontiguousarray(z.transpose(order)).reshape(-1).view(np.uint8) for z in (a, b))
    whole = x.size // 8 * 8
    if not np.array_equal(x[whole:], y[whole:]):
        return False
    x, y = x[:whole].view(np.uint64), y[:whole].view(np.uint64)
    return all(np.array_equal(x[i : i + _CHUNK], y[i : i + _CHUNK]) for i in range(0, x.size, _CHUNK))


class Shared(Storage):
    """A storage whose memory is on loan to, or from, somebody else."""

    __slots__ = ()
    _loan: Loan | Any

    shared = True

    @property
    def inference(self) -> bool:
        """Whether its tensors were made in inference mode."""
        return self._loan.kind.inference

    @property
    def value(self) -> Value:
        """The contents at the moment of their use."""
        loan = self._loan
        if loan.alone():
            return self.take_back()
        capture = current().capture
        if capture is not None:  # read as one value, that is found again by whose it is
            value = loan.settle()
            capture.known.add(id(value))
            return value
        return Live(loan.aval, loan.look, loan.settle, loan.stamp)

    @property
    def version(self) -> int:
        """The count of the writes, equal to none asked for before: the contents may have changed since."""
        return Mark(_version.__get__(self))

    @version.setter
    def version(self, count: int) -> None:
        _version.__set__(self, count)

    @property
    def address(self) -> int:
        """Where the memory begins."""
        if self._loan.block is None:
            self._block = self._loan.block = Block(self._loan.bytes)
        return self._block.address

    def take_back(self) -> Value:
        """Become an ordinary storage."""
        if self._loan.block is not None and not self._loan.writable:
            del self._block
        value, version = self._loan.settle(), self.version
        borrowed = self._loan.lender is not None
        self.__class__ = self._loan.kind  # type: ignore[assignment]
        del self._loan
        if borrowed:
            self._loan = None  # a trace of where it came from: it cannot be resized
        self.value, self.version = value, version  # type: ignore[misc]
        return value

    def seen(self, tensor: Any) -> Value:
        if self._loan.alone():
            self.take_back()
            return self.seen(tensor)
        if current().capture is not None:
            return read(self._loan.settle(), tensor._chain or ())
        loan, part, turn = self._loan, _geometry(tensor), involution(tensor)
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
            place = self._loan.part(*_geometry(owner))
            self._overwrite(place, value, since, owner, step, involution(owner))

    def _is_private(self) -> bool:
        """Become an ordinary storage where a write will not be, or may not be, seen by anybody else."""
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


def lend(tensor: Any) -> np.ndarray:
    """The memory that a tensor shows, as an array of its shape and strides that anybody may write to."""
    part = _geometry(tensor)  # first: asking a storage that nobody shares yet would take it back
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
    loan.settled, loan.stamp = value, versions.of(value)
    _lend(storage, loan)


def show(storage: Storage) -> int:
    """The address of a storage; on the CPU its contents lie there as they are now, for whoever reads memory directly.

    What is written there is not seen, unless the memory is on loan; later contents are there when it is asked again.
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
    """A storage over the memory of an array, `nbytes` from its first element on."""
    owner, address = owner_of(array), array.__array_interface__["data"][0]
    lender = Lender(address, nbytes, owner if _countable(owner) else array)
    return _lend(Storage(Value(aval), strides), Loan(aval, strides, np.asarray(lender), lender, writable))


def _lend(storage: Any, loan: Loan) -> Shared:
    storage._loan = loan
    loan.kind = storage.__class__
    _value.__delete__(storage)
    storage.__class__ = Shared
    return storage


def _geometry(tensor: Any) -> tuple[Aval, tuple[int, ...], int]:
    """Which part of the memory a tensor shows."""
    return tensor._aval, tensor.stride(), tensor._offset
