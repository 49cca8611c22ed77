"""Collectives that run together at the end of a `with` block."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from torchlike.distributed._group import Work


class _CoalescingManager:
    """The collectives of a block. `wait` writes their results."""

    def __init__(self) -> None:
        self.works: list[Work] = []

    def append(self, work: Work | None = None) -> None:
        """Add a handle that `wait` waits for."""
        if work:
            self.works.append(work)

    def wait(self) -> None:
        """Wait for all collectives of the block."""
        for work in self.works:
            work.wait()


class _Current(threading.local):
    manager: _CoalescingManager | None = None


current = _Current()


@contextmanager
def _coalescing_manager(group: Any = None, device: Any = None, async_ops: bool = False) -> Iterator[_CoalescingManager]:
    """Let the collectives of the block run together. They return None.

    Args:
      group: has no effect: collectives of all groups are deferred.
      device: has no effect: the tensors determine the device.
      async_ops: return from the block without waiting; call `wait` of the manager.

    Differences from PyTorch: all collectives may be used, also with Gloo.
    """
    before, manager = current.manager, _CoalescingManager()
    current.manager = manager
    try:
        yield manager
    finally:
        current.manager = before
    if not async_ops:
        manager.wait()
