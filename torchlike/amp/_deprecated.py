"""The deprecated device-specific names of mixed precision. As in PyTorch, using them emits a warning."""

from __future__ import annotations

import functools
import sys
from typing import Any

from torchlike import _dtypes, _errors
from torchlike._errors.warned import warn
from torchlike.amp import autocast_mode, grad_scaler


def _deprecate(made: Any, kind: str, module: str) -> None:
    """Give a class its public names, and make it warn when it is called or subclassed.

    The warning precedes the check of the arguments.
    """
    name = made.__name__
    text = _errors.autocast.moved(f"{kind}.amp.{name}(args...)", f"amp.{name}('{kind}', args...)")
    allocate, initialize = made.__new__, made.__init__
    has_new = allocate is not object.__new__

    @functools.wraps(allocate if has_new else initialize)
    def __new__(cls: type, *args: Any, **kwargs: Any) -> Any:
        if cls is made:
            warn(text, FutureWarning)
        return allocate(cls, *args, **kwargs) if has_new else allocate(cls)

    def __init_subclass__(cls: type, **kwargs: Any) -> None:
        warn(text, FutureWarning)
        super(made, cls).__init_subclass__(**kwargs)

    for method in (allocate, initialize) if has_new else (initialize,):
        method.__qualname__ = f"{name}.{method.__name__}"
    made.__new__, made.__init_subclass__ = __new__, classmethod(__init_subclass__)
    made.__module__, made.__qualname__ = f"torchlike.{kind}.amp.{module}", name


def of(kind: str, dtype: _dtypes.dtype) -> tuple[type, type]:
    """Return the deprecated `autocast` and `GradScaler` classes of one device type."""

    class autocast(autocast_mode.autocast):
        __doc__ = f"`torch.amp.autocast` for {kind}."

        if sys.version_info < (3, 13):  # as in PyTorch, whose errors name the method that takes the arguments

            def __new__(cls, enabled: bool = True, dtype: Any = dtype, cache_enabled: bool = True) -> Any:
                return object.__new__(cls)

        def __init__(self, enabled: bool = True, dtype: Any = dtype, cache_enabled: bool = True) -> None:
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
            super().__init__(kind, init_scale, growth_factor, backoff_factor, growth_interval, enabled)

    _deprecate(autocast, kind, "autocast_mode")
    _deprecate(GradScaler, kind, "grad_scaler")
    return autocast, GradScaler
