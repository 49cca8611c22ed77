"""The deprecated device-specific names of mixed precision. As in PyTorch, using them emits a warning."""

from __future__ import annotations

from typing import Any

from torchlike import _dtypes, _errors
from torchlike._errors.warned import warn
from torchlike.amp import autocast_mode, grad_scaler


def _told(kind: str, name: str) -> None:
    warn(_errors.autocast.moved(f"{kind}.amp.{name}(args...)", f"amp.{name}('{kind}', args...)"), FutureWarning)


def of(kind: str, dtype: _dtypes.dtype) -> tuple[type, type]:
    """Return the deprecated `autocast` and `GradScaler` classes of one device type."""

    class autocast(autocast_mode.autocast):
        __doc__ = f"`torch.amp.autocast` for {kind}."

        def __init__(self, enabled: bool = True, dtype: Any = dtype, cache_enabled: bool = True) -> None:
            _told(kind, "autocast")
            super().__init__(kind, dtype, enabled, cache_enabled)

    class GradScaler(grad_scaler.GradScaler):
        __doc__ = f"`torch.amp.GradScaler` for {kind}."

        def __init__(
            self,
            init_scale: float = 2.0**16,
            growth_factor: float = 2.0,
            backoff_factor: float = 0.5,
            growth_interval: int = 2000,
            enabled: bool = True,
        ) -> None:
            _told(kind, "GradScaler")
            super().__init__(kind, init_scale, growth_factor, backoff_factor, growth_interval, enabled)

    for made in (autocast, GradScaler):
        made.__module__, made.__qualname__ = f"torchlike.{kind}.amp", made.__name__
    return autocast, GradScaler
