"""Synchronization of processes by a store."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta

from torchlike.distributed import DistStoreError, Store

_MOST_MISSING = 16  # how many missing ranks are named


@contextmanager
def store_timeout(store: Store, timeout: float) -> Iterator[None]:
    """Set the timeout of a store in a block.

    Args:
      store (Store): the store.
      timeout (float): the timeout in seconds.
    """
    before = store.timeout
    store.set_timeout(timedelta(seconds=timeout))
    yield
    store.set_timeout(before)


def get_all(store: Store, rank: int, prefix: str, world_size: int) -> list[bytes]:
    """Return the values of the keys `{prefix}0` to `{prefix}{world_size - 1}`. Rank 0 waits for the other ranks.

    Args:
      store (Store): the store.
      rank (int): the rank of this process.
      prefix (str): the start of the keys.
      world_size (int): the number of processes.
    """
    values = store.multi_get([f"{prefix}{i}" for i in range(world_size)])
    last = _arrive(store, world_size, f"{prefix}/finished")
    if rank == 0:
        store.wait([last])
    return values


def synchronize(
    store: Store, data: bytes, rank: int, world_size: int, key_prefix: str, timeout: float = 300
) -> list[bytes]:
    """Return the data of all processes.

    Args:
      store (Store): the store.
      data (bytes): the data of this process.
      rank (int): the rank of this process.
      world_size (int): the number of processes.
      key_prefix (str): the start of the keys. It must not have been used before.
      timeout (float): the time to wait in seconds.

    >>> from torchlike.distributed import HashStore
    >>> synchronize(HashStore(), b"here", rank=0, world_size=1, key_prefix="data")
    [b'here']
    """
    with store_timeout(store, timeout):
        store.set(f"{key_prefix}{rank}", data)
        return get_all(store, rank, key_prefix, world_size)


def _arrive(store: Store, world_size: int, key_prefix: str) -> str:
    """Count this process, and return the key that the last process sets."""
    last = f"{key_prefix}/last_member"
    if store.add(f"{key_prefix}/num_members", 1) == world_size:
        store.set(last, "<val_ignored>")
    return last


def barrier(
    store: Store,
    world_size: int,
    key_prefix: str,
    barrier_timeout: float = 300,
    rank: int | None = None,
    rank_tracing_decoder: Callable[[int], str] | None = None,
    trace_timeout: float = 10,
) -> None:
    """Wait for all processes.

    Args:
      store (Store): the store.
      world_size (int): the number of processes.
      key_prefix (str): the start of the keys. It must not have been used before.
      barrier_timeout (float): the time to wait in seconds.
      rank (int, optional): the rank of this process. If it is given, the error of a timeout names missing ranks.
      rank_tracing_decoder (function, optional): returns the name of a rank.
      trace_timeout (float): the time in seconds in which missing ranks are looked for.

    Raises:
      DistStoreError: a process does not arrive in time.
      AssertionError: there is a decoder, but no rank.
    """
    if rank is None and rank_tracing_decoder is not None:
        raise AssertionError("Tracing requires rank information")
    with store_timeout(store, barrier_timeout):
        last = _arrive(store, world_size, key_prefix)
        try:
            store.wait([last])
        except DistStoreError:
            if rank is None:
                raise
            named = rank_tracing_decoder or str
            missing = _missing(store, world_size, key_prefix, rank, named, trace_timeout)
            if missing is None:
                raise
            raise DistStoreError(
                f"Timed out waiting on barrier on rank {rank}, for key prefix: {key_prefix} (world_size={world_size}, "
                f"missing_ranks=[{', '.join(missing)}], timeout={barrier_timeout})"
            ) from None


def _missing(
    store: Store, world_size: int, key_prefix: str, rank: int, named: Callable[[int], str], seconds: float
) -> list[str] | None:
    """Return the names of the ranks that rank 0 misses. Other ranks refer to rank 0."""
    store.set(f"{key_prefix}{rank}/TRACE", "<val_ignored>")
    gate = f"{key_prefix}/TRACING_GATE"
    if rank != 0:
        try:
            store.wait([gate])
        except DistStoreError:
            return None
        return [f"[<check rank 0 ({named(0)}) for missing rank info>]"]
    found: list[str] = []
    for i in range(1, world_size):
        if len(found) < _MOST_MISSING:
            try:
                store.wait([f"{key_prefix}{i}/TRACE"], timedelta(seconds=0.001 if found else seconds))
            except DistStoreError:
                found.append(named(i))
    store.set(gate, "<val_ignored>")
    return found
