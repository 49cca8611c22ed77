"""Storages whose memory has grown. All tensors over the old storage keep sharing the memory.

The geometry of a tensor refers to the shape of its storage's contents. A larger storage therefore replaces the old one,
and the old one becomes a window onto it that forwards reads and writes.
"""

from __future__ import annotations

from typing import Any

from torchlike._engine import Value
from torchlike._tensor.storage import WRITE, Step, Storage, read

_value = Storage.__dict__["value"]


class Grown(Storage):
    """The beginning of a larger storage, in its old shape. `_loan` holds the larger storage and the view onto it."""

    __slots__ = ()

    @property
    def whole(self) -> Storage:
        return self._loan[0].whole

    @property
    def value(self) -> Value:
        """The contents, read from the larger storage."""
        larger, window = self._loan
        return read(larger.value, window)

    @property
    def version(self) -> int:
        """The version of the larger storage."""
        return self._loan[0].version

    @version.setter
    def version(self, count: int) -> None:
        self._loan[0].version = count

    @property
    def shared(self) -> bool:
        """Return whether other code may write to the memory."""
        return self.whole.shared

    @property
    def inference(self) -> bool:
        """Return whether the tensors of this storage are inference tensors."""
        return self.whole.inference

    @property
    def resizable(self) -> bool:
        return self.whole.resizable

    @property
    def address(self) -> int:
        return self.whole.address

    def seen(self, tensor: Any) -> Value:
        return self.whole.seen(tensor) if self.shared else Storage.seen(self, tensor)

    def put(self, value: Value, since: int | None = None, owner: Any = None, step: int = WRITE) -> None:
        larger, window = self._loan
        larger.put_seen(window, value, since, owner, step)

    def put_seen(self, chain: tuple[Step, ...], value: Value, since: int | None, owner: Any, step: int = WRITE) -> None:
        larger, window = self._loan
        larger.put_seen(window + chain, value, since, owner, step)


def follow(tensor: Any) -> None:
    """Redirect a tensor over grown memory to the storage that replaced its own."""
    while tensor._storage.__class__ is Grown:
        larger, window = tensor._storage._loan
        tensor._storage, tensor._chain = larger, (*window, *(tensor._chain or ()))


def grow(storage: Storage, larger: Storage, window: tuple[Step, ...]) -> None:
    """Replace a storage by a larger one that begins with the same elements.

    `window` is the view of the larger storage that shows the old contents.
    """
    if hasattr(storage, "_block"):
        del storage._block  # the grown memory has a new address
    larger.version = storage.version
    if hasattr(storage, "_seen_as"):
        larger._seen_as = storage._seen_as
    _value.__delete__(storage)
    storage._loan = (larger, window)
    storage.__class__ = Grown
