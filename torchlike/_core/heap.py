"""The C heap: blocks that XLA frees are kept for the next step.

XLA's CPU client takes the temporaries of a program from `malloc` and gives them back after every run. glibc maps
large blocks anew each time, and the kernel then clears every page at first touch: 30,000 page faults and a quarter of
the time of a step of a GPT with six layers of width 384.
"""

from __future__ import annotations

import ctypes
import os

# glibc's numbers for mallopt
_TRIM_THRESHOLD, _TOP_PAD, _MMAP_MAX, _ARENA_MAX = -1, -2, -4, -8


def keep_freed_blocks() -> None:
    """With `TORCHLIKE_MALLOC=keep` in the environment, let glibc serve blocks of any size from one heap that grows and
    does not shrink below 2 GiB of free space.

    The heap must be one: those of other threads are bounded, and unmapped when empty. All threads then wait for one
    lock, which costs small models more than large ones gain, so it is the user's choice. Does nothing under another C
    library.
    """
    if os.environ.get("TORCHLIKE_MALLOC") != "keep" or not _is_glibc():
        return
    mallopt = ctypes.CDLL(None).mallopt
    mallopt(_ARENA_MAX, 1)
    mallopt(_MMAP_MAX, 0)
    mallopt(_TRIM_THRESHOLD, 2**31 - 1)
    mallopt(_TOP_PAD, 16 << 20)


def _is_glibc() -> bool:
    try:
        return (os.confstr("CS_GNU_LIBC_VERSION") or "").startswith("glibc")
    except (AttributeError, ValueError, OSError):
        return False
