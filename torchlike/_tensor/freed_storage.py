"""Storages without memory: `resize_(0)` frees the contents, and a later `resize_` allocates memory again."""

from __future__ import annotations

from typing import Any, NamedTuple

from torchlike import _errors
from torchlike._engine import Aval, Live, Value
from torchlike._tensor.storage import WRITE, Step, Storage

_value = Storage.__dict__["value"]


class Remains(NamedTuple):
    """The record of a storage whose contents were freed: their aval and the class of the storage."""

    aval: Aval
    kind: type[Storage]


class Freed(Storage):
    """A storage whose contents were freed. Reading or writing them raises. `_loan` holds the `Remains`."""

    __slots__ = ()

    resizable = True  # type: ignore[assignment]
    nbytes = 0  # type: ignore[assignment]

    @property
    def value(self) -> Value:
        """A value that raises an error when it is read."""
        return Live(self._loan.aval, _refuse, _refuse, None)

    @property
    def inference(self) -> bool:
        """Return whether the tensors of this storage are inference tensors."""
        return self._loan.kind.inference

    @property
    def address(self) -> int:
        return 0

    def put(self, value: Value, since: int | None = None, owner: Any = None, step: int = WRITE) -> None:
        _refuse()

    def put_seen(self, chain: tuple[Step, ...], value: Value, since: int | None, owner: Any, step: int = WRITE) -> None:
        _refuse()


def _refuse() -> Any:
    raise _errors.memory.unallocated()


def free(storage: Storage) -> None:
    """Free the contents of a storage."""
    if not storage.resizable or storage.shared:
        raise _errors.memory.not_resizable()
    if hasattr(storage, "_block"):
        del storage._block
    remains = Remains(storage.value.aval, storage.__class__)
    _value.__delete__(storage)
    storage._loan = remains
    storage.__class__ = Freed
    storage.version += 1  # not a write for autograd, but it invalidates the caches of views


def allocate(storage: Storage, value: Value) -> None:
    """Give a freed storage new contents of its former type, and restore its class."""
    storage.__class__ = storage._loan.kind
    del storage._loan
    storage.value = value
    storage.version += 1
