"""Errors of programs that several processes run together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class DistError(RuntimeError):
    """The base class of errors of the distributed package."""


class DistBackendError(DistError):
    """A failure of the communication between processes."""


class _Proposal(Protocol):
    @property
    def collective(self) -> str: ...
    @property
    def place(self) -> str: ...


def _call(said: _Proposal) -> str:
    collective = said.collective or "a collective"  # a grid is not told which one
    return f"{collective} at {said.place}" if said.place else collective


def other_collective(own: int, mine: _Proposal, rank: int, theirs: _Proposal) -> DistBackendError:
    return DistBackendError(
        f"Rank {own} calls {_call(mine)}, but rank {rank} calls {_call(theirs)}. All members of a process group must "
        "call the same collectives in the same order, with the same shapes and dtypes."
    )


def ended(rank: int, mine: _Proposal) -> DistBackendError:
    return DistBackendError(
        f"Connection closed by peer: the process of rank {rank} has ended, or left the group, so {_call(mine)} "
        "cannot run"
    )


def missing(rank: int, seconds: float, mine: _Proposal) -> DistBackendError:
    return DistBackendError(
        f"Timed out after {seconds * 1e3:.0f}ms: rank {rank} has not reached {_call(mine)}. Check that all processes "
        "make the same calls in the same order."
    )


def no_service(why: str, mine: _Proposal) -> DistBackendError:
    return DistBackendError(f"The coordination service of rank 0 cannot be reached, so {_call(mine)} cannot run: {why}")


def broken(ended: Sequence[int], called: Sequence[str], why: str) -> DistBackendError:
    """The connection to other ranks broke while a program ran. `called` are its collectives."""
    who = f"the process of rank {', '.join(map(str, ended))} has ended, or left the group" if ended else why
    return DistBackendError(f"Connection closed by peer in {', '.join(called)}: {who}")


def stuck(seconds: float, stopped: Sequence[int], called: Sequence[str]) -> str:
    """The message of a process that ends because its program does not."""
    who = f" The process of rank {', '.join(map(str, stopped))} has ended." if stopped else ""
    return (
        f"Timed out after {seconds * 1e3:.0f}ms in a program with {', '.join(called)}: another rank does not respond."
        f"{who} This process ends, because a running program cannot be interrupted."
    )


def inside(name: str) -> NotImplementedError:
    return NotImplementedError(f"{name} is not supported inside scan, cond, while_loop or torchlike.jax functions")


def under_vmap(name: str) -> NotImplementedError:
    return NotImplementedError(f"{name} is not supported under vmap")
