"""The wrappers in a module, under the names that libraries import."""

from __future__ import annotations

from torchlike.distributed.fsdp import FullyShardedDataParallel
from torchlike.nn import Module


def _get_fsdp_states(module: Module) -> list[FullyShardedDataParallel]:
    """Return the wrappers in a module. In torchlike, a wrapper is its own state."""
    return FullyShardedDataParallel.fsdp_modules(module)
