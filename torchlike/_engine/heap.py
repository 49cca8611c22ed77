"""Settings of the C heap and of Python's garbage collector.

By default, glibc maps new memory for each large block. It also returns the free end of the heap to the kernel as soon
as that end is a little larger than the largest block so far. The kernel clears every page of new memory at its first
access.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import gc
import os
from collections.abc import Iterator

from torchlike import _native

LONG_COMPILE = 0.5  # seconds
YOUNG = 10_000  # the number of new objects after which Python's garbage collector scans them

_DEFAULTS = 700, 2000  # the thresholds with which the versions of Python start
# glibc's numbers for mallopt
_TRIM_THRESHOLD, _TOP_PAD, _MMAP_THRESHOLD, _MMAP_MAX, _ARENA_MAX = -1, -2, -3, -4, -8


def keep_freed_blocks() -> None:
    """Make glibc keep up to 128 MiB of free memory and serve blocks of up to 32 MiB (glibc's limit) from it.

    NumPy's temporaries have such sizes: inference over a hundred sequence lengths takes 0.70 s instead of 0.87 s. XLA's
    temporaries are larger. With `TORCHLIKE_MALLOC=keep` in the environment, glibc serves blocks of any size from one
    heap, which grows and keeps up to 2 GiB of free space. XLA's temporaries then cause no page faults, which saves a
    quarter of the time of a step of a GPT with six layers of width 384. There must be a single heap, because the heaps
    of other threads are bounded and are unmapped when empty. All threads then share one lock. This costs small models
    more than large models gain, so it is the user's choice. The function does nothing with another C library.
    """
    if not _is_glibc():
        return
    mallopt = _libc().mallopt
    mallopt(_MMAP_THRESHOLD, 32 << 20)
    mallopt(_TRIM_THRESHOLD, 128 << 20)
    if _keeps_everything():
        mallopt(_ARENA_MAX, 1)
        mallopt(_MMAP_MAX, 0)
        mallopt(_TRIM_THRESHOLD, 2**31 - 1)
        mallopt(_TOP_PAD, 16 << 20)


def use_huge_pages() -> bool:
    """Let XLA's large temporaries have huge pages. Return whether this call arranged it.

    XLA maps new memory for the temporaries of every run, and unmaps it at the end. By default many Linux systems give
    huge pages only to programs that ask for them. A training step of an EfficientNet then causes 23,000 page faults,
    which take a fifth of its time. glibc asks if `GLIBC_TUNABLES=glibc.malloc.hugetlb=1` was set when the process
    started. `_native.pages` does so later, for XLA's library alone. With `TORCHLIKE_MALLOC=plain` this function does
    nothing.
    """
    if os.environ.get("TORCHLIKE_MALLOC") == "plain" or _native.pages is None:
        return False
    return _native.pages.use_huge_pages("libjax_common.so")


def release_freed_blocks(compile_seconds: float) -> None:
    """Return the free memory of the C heap to the kernel beside a compile that takes this long, unless it is short.

    A compile and the interpreted steps before it leave free blocks all over the heap: half of the memory of a process
    that trains a ResNet-18. glibc returns only the free end of the heap by itself. The call takes 5 to 50 ms.
    """
    if compile_seconds >= LONG_COMPILE and _is_glibc() and not _keeps_everything():
        _libc().malloc_trim(0)


def age_imported_objects() -> None:
    """Move the 130,000 objects made by the import to the garbage collector's oldest generation.

    The collector scans the oldest generation less often. The first inference over a hundred sequence lengths spent a
    tenth of its time on scanning these objects.
    """
    if not gc.get_freeze_count():  # `unfreeze` would also release objects that other code has frozen
        gc.freeze()
        gc.unfreeze()


def collect_less_often() -> None:
    """Let a training step end before Python's garbage collector scans its objects.

    A recorded step of ResNet-50 holds 2,000 objects until its backward pass has ended. By default the collector scans
    new objects when there are 700, and moves those that it cannot free to the oldest generation. Every 30 steps it then
    scans the whole heap, which takes 110 ms, as long as six steps on a GPU. The step frees all of its objects itself,
    so with a larger threshold there are no scans. A threshold that the program has set is kept.
    """
    young, *older = gc.get_threshold()
    if young in _DEFAULTS:
        gc.set_threshold(YOUNG, *older)


@contextlib.contextmanager
def without_cycles() -> Iterator[None]:
    """Return a context manager for traces with symbolic dims. It frees the reference cycles of the block at its end.

    JAX raises and catches an exception for each symbolic dim, and keeps it in a cycle with its stack. The stack would
    keep the variables of the user's functions alive until the next scan.
    """
    collects = gc.isenabled()
    gc.disable()  # so that the cycles stay in the youngest generation
    try:
        yield
    finally:
        if collects:
            gc.enable()
        gc.collect(0)


def _keeps_everything() -> bool:
    return os.environ.get("TORCHLIKE_MALLOC") == "keep"


@functools.cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None)


@functools.cache
def _is_glibc() -> bool:
    try:
        return (os.confstr("CS_GNU_LIBC_VERSION") or "").startswith("glibc")
    except (AttributeError, ValueError, OSError):
        return False
