"""Storages whose memory has grown: all tensors over it go on sharing it.

What tensors do with a storage hangs on the shape of its contents, so a larger one takes its place and the old one
becomes a window onto that: it reads from there and writes to there.
"""

from __future__ import annotations

from typing import Any

from torchlike._engine import Value
from torchlike._tensor.storage import WRITE, Step, Storage, read

_value = Storage.__dict__["value"]


class Grown(Storage):
    """The beginning of a larger storage, in its old shape; the slot `_loan` holds the larger one and the view."""

    __slots__ = ()

    @property
    def whole(self) -> Storage:
        return self._loan[0].whole

    @property
    def value(self) -> Value:
        """The contents, as the larger storage has them."""
        larger, window = self._loan
        return read(larger.value, window)

    @property
    def version(self) -> int:
        """The larger storage's count of the writes."""
        return self._loan[0].version

    @version.setter
    def version(self, count: int) -> None:
        self._loan[0].version = count

    @property
    def shared(self) -> bool:
        """Whether somebody else may write to the memory."""
        return self.whole.shared

    @property
    def inference(self) -> bool:
        """Whether its tensors were made in inference mode."""
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
    """Let a tensor over memory that has grown see it in the storage that took the place of its own."""
    while tensor._storage.__class__ is Grown:
        larger, window = tensor._storage._loan
        tensor._storage, tensor._chain = larger, (*window, *(tensor._chain or ()))


def grow(storage: Storage, larger: Storage, window: tuple[Step, ...]) -> None:
    """Let a larger storage, which begins with the same elements, take the place of one; `window` shows them in it."""
    if hasattr(storage, "_block"):
        del storage._block  # memory that grows moves
    larger.version = storage.version
    if hasattr(storage, "_seen_as"):
        larger._seen_as = storage._seen_as
    _value.__delete__(storage)
    storage._loan = (larger, window)
    storage.__class__ = Grown
