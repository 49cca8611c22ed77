"""`torch.cuda.amp`: the deprecated CUDA-specific names of mixed precision."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torchlike import _errors
from torchlike._dtypes import float16 as _float16
from torchlike._errors.warned import warn
from torchlike.amp import _deprecated
from torchlike.amp import autocast_mode as _autocast_mode  # this package has a module of the same name

autocast, GradScaler = _deprecated.of("cuda", _float16)


def _warn_moved(name: str) -> None:
    new = f"amp.{name}(args..., device_type='cuda')"
    warn(_errors.autocast.moved(f"cuda.amp.{name}(args...)", new), FutureWarning)


def custom_fwd(fwd: Callable | None = None, *, cast_inputs: Any = None) -> Any:
    """Call `torch.amp.custom_fwd` for CUDA, with a deprecation warning."""
    _warn_moved("custom_fwd")
    return _autocast_mode.custom_fwd(fwd, device_type="cuda", cast_inputs=cast_inputs)


def custom_bwd(bwd: Callable) -> Any:
    """Call `torch.amp.custom_bwd` for CUDA, with a deprecation warning."""
    _warn_moved("custom_bwd")
    return _autocast_mode.custom_bwd(bwd, device_type="cuda")


from torchlike.cuda.amp import autocast_mode as autocast_mode  # noqa: E402 - they use the names above
from torchlike.cuda.amp import grad_scaler as grad_scaler  # noqa: E402
