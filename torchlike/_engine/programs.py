"""The cache of programs. It is looked up by key, bounded in size, and cleared as a whole."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any


class Programs:
    """Compiled and interpreted programs by key.

    At most `most` programs are kept, and the oldest is dropped first. The number is bounded because each compiled
    program maps memory, and the operating system limits the mappings of a process.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.when_cleared: list[Callable[[], None]] = []
        self._held: dict[tuple, Any] = {}
        self.get = self._held.get

    def __len__(self) -> int:
        return len(self._held)

    def __iter__(self) -> Iterator:
        return iter([*self._held.values()])

    def add(self, key: tuple, program: Any) -> None:
        """Store a program under a key. If there are more than `most` programs, drop the oldest."""
        self._held[key] = program
        if len(self._held) > self.most:
            del self._held[next(iter(self._held))]  # a disk cache, if enabled, still holds it

    def clear(self) -> None:
        """Drop all programs and call the functions in `when_cleared`."""
        self._held.clear()
        for also in self.when_cleared:
            also()


programs = Programs(most=2000)
