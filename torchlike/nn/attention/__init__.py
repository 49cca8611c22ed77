"""Selection of the backend of `scaled_dot_product_attention`."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from contextlib import contextmanager

from torchlike.nn import _errors_sequence as _errors


class SDPBackend(enum.IntEnum):
    """The attention backends of PyTorch."""

    ERROR = -1
    MATH = 0
    FLASH_ATTENTION = 1
    EFFICIENT_ATTENTION = 2
    CUDNN_ATTENTION = 3
    OVERRIDEABLE = 4


@contextmanager
def sdpa_kernel(backends: list[SDPBackend] | SDPBackend, set_priority: bool = False) -> Iterator[None]:
    """Check the given backends and run the block.

    There is only one implementation of attention here, so the choice has no effect.
    """
    chosen = [backends] if isinstance(backends, SDPBackend) else backends
    if not isinstance(chosen, list) or not all(isinstance(backend, SDPBackend) for backend in chosen):
        raise _errors.attention_backend(type(backends).__name__)
    yield
