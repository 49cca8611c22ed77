"""The states of processes on Linux."""

from __future__ import annotations

from pathlib import Path


def read_proc_state(pid: int) -> str | None:
    """Return the letter of the state of a process, such as "R" or "S", or None if it is unknown.

    Args:
      pid (int): the number of the process.
    """
    try:
        words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return words[0] if words else None


def is_uninterruptible_state(state: str | None) -> bool:
    """Return whether a state is an uninterruptible sleep.

    Args:
      state (str or None): the letter of the state.
    """
    return state is not None and state.startswith("D")
