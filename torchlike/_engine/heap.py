"""What the C heap and Python's garbage collector do meanwhile.

glibc maps large blocks anew each time, or gives the end of the heap back once little more than the largest block so far
is free there, and the kernel then clears every page at its first touch.
"""

from __future__ import annotations

import ctypes
import gc
import os

# glibc's numbers for mallopt
_TRIM_THRESHOLD, _TOP_PAD, _MMAP_THRESHOLD, _MMAP_MAX, _ARENA_MAX = -1, -2, -3, -4, -8


def keep_freed_blocks() -> None:
    """Let glibc keep up to 128 MiB of free memory, and take blocks of up to 32 MiB (it allows no more) from there.

    NumPy's temporaries are of such sizes: inference over a hundred lengths takes 0.70 s instead of 0.87. XLA's are
    larger. With `TORCHLIKE_MALLOC=keep` in the environment blocks of any size are served from one heap that grows and
    does not shrink below 2 GiB of free space: no page faults for XLA's temporaries, a quarter of the time of a step of
    a GPT with six layers of width 384. The heap must then be one: those of other threads are bounded, and unmapped when
    empty. All threads wait for one lock, which costs small models more than large ones gain, so it is the user's
    choice. Does nothing under another C library.
    """
    if not _is_glibc():
        return
    mallopt = ctypes.CDLL(None).mallopt
    mallopt(_MMAP_THRESHOLD, 32 << 20)
    mallopt(_TRIM_THRESHOLD, 128 << 20)
    if os.environ.get("TORCHLIKE_MALLOC") == "keep":
        mallopt(_ARENA_MAX, 1)
        mallopt(_MMAP_MAX, 0)
        mallopt(_TRIM_THRESHOLD, 2**31 - 1)
        mallopt(_TOP_PAD, 16 << 20)


def age_imported_objects() -> None:
    """Put what the import has made, 130,000 objects, with the oldest at once, which the collector looks through less
    often: the first inference over a hundred lengths spent a tenth of its time on that."""
    if not gc.get_freeze_count():  # what somebody has frozen stays so
        gc.freeze()
        gc.unfreeze()


def _is_glibc() -> bool:
    try:
        return (os.confstr("CS_GNU_LIBC_VERSION") or "").startswith("glibc")
    except (AttributeError, ValueError, OSError):
        return False
