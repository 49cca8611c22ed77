"""`torch.cuda.amp.common`."""

from __future__ import annotations

from importlib.util import find_spec

from torchlike.cuda._devices import is_available

__all__ = ["amp_definitely_not_available"]


def amp_definitely_not_available() -> bool:
    """Return whether there is neither a GPU nor the package `torch_xla`."""
    return not (is_available() or find_spec("torch_xla"))
