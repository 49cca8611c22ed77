"""Attention over a sharded sequence, which is not supported."""

from __future__ import annotations

from typing import Any

from torchlike._internal import unsupported
from torchlike.distributed.tensor.experimental import context_parallel as context_parallel


def set_rotate_method(rotate_method: str) -> Any:
    """Raise an error: attention over a sharded sequence is not supported."""
    raise unsupported("torch.distributed.tensor.experimental._attention", "set_rotate_method")
