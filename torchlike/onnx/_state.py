"""Whether an export is running."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

_depth = 0


def is_in_onnx_export() -> bool:
    """Return whether an export to ONNX is running, for forward code that differs there.

    >>> import torchlike as torch
    >>> torch.onnx.is_in_onnx_export()
    False
    """
    return _depth > 0


@contextlib.contextmanager
def exporting() -> Iterator[None]:
    """Mark the block as part of an export."""
    global _depth
    _depth += 1
    try:
        yield
    finally:
        _depth -= 1
