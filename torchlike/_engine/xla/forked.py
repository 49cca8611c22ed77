"""The state of a process that must not use XLA: a child of `os.fork`, or a worker of a `DataLoader`.

A fork copies only the thread that calls it, so the threads of XLA's clients do not exist in the child, and a program
that waits for them never ends. Such a process computes with NumPy.
"""

from __future__ import annotations

from typing import Any
from weakref import WeakValueDictionary

from torchlike import _errors


class _Forked:
    """Whether this process must not use XLA, and why."""

    __slots__ = ("is_child", "is_closed")

    def __init__(self) -> None:
        self.is_closed = False  # XLA must not run
        self.is_child = False  # the arrays of the accelerators belong to the parent process

    def check(self, what: str) -> None:
        """Raise RuntimeError if this process must not use XLA. `what` names what needs it."""
        if self.is_closed:
            raise self.refusal(what)

    def refusal(self, what: str) -> RuntimeError:
        """Return the error for something that needs XLA."""
        return _errors.engine.no_xla_here(what, self.is_child)


forked = _Forked()
_held: WeakValueDictionary[int, Any] = WeakValueDictionary()


def held_in_forks(lock: Any) -> Any:
    """Return a lock that no other thread will hold during a fork, because that thread would not exist in the child."""
    _held[id(lock)] = lock
    return lock


def locks_held_in_forks() -> list[Any]:
    """Return the locks that `held_in_forks` was given and that still exist."""
    return [lock for reference in _held.valuerefs() if (lock := reference()) is not None]
