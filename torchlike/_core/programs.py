"""The one cache of programs: found by key, bounded, and forgotten together."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any


class Programs:
    """What was compiled or is interpreted. The oldest make room: each compiled one maps some memory, and an operating
    system bounds the mappings of a process."""

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
        """Keep a program, in place of the one with this key."""
        self._held[key] = program
        if len(self._held) > self.most:
            del self._held[next(iter(self._held))]  # the disk cache still has it

    def clear(self) -> None:
        """Forget all."""
        self._held.clear()
        for also in self.when_cleared:
            also()


programs = Programs(most=2000)
