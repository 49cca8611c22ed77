"""Experimental functions of distributed tensors."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from torchlike._internal import unsupported
from torchlike.distributed.tensor._dispatch import modes
from torchlike.distributed.tensor.experimental._local_map import local_map as local_map


@contextlib.contextmanager
def implicit_replication() -> Iterator[None]:
    """A context in which operators treat plain tensors as replicated tensors of the mesh."""
    before = modes.replicates_plain
    modes.replicates_plain = True
    try:
        yield
    finally:
        modes.replicates_plain = before


def context_parallel(*args: Any, **kwargs: Any) -> Any:
    """Raise an error: attention over a sharded sequence is not supported."""
    raise unsupported("torch.distributed.tensor.experimental", "context_parallel")


def register_sharding(*args: Any, **kwargs: Any) -> Any:
    """Raise an error: rules of operators cannot be registered."""
    raise unsupported("torch.distributed.tensor.experimental", "register_sharding")
