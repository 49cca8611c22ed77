"""`reinplace`, the replacement of operators by in-place ones, which is not supported."""

from __future__ import annotations

from typing import Any

from torchlike.fx._errors import cannot


def reinplace(gm: Any, *sample_args: Any) -> Any:
    """Raise NotImplementedError. XLA reuses the memory of values that are no longer used.

    Args:
      gm, sample_args: not used.
    """
    raise cannot("fx.passes.reinplace.reinplace", "torch.compile reuses memory")


__all__ = ["reinplace"]
