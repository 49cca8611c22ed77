"""`torch.cpu.amp`: the deprecated CPU-specific names of mixed precision."""

from torchlike._dtypes import bfloat16 as _bfloat16
from torchlike.amp import _deprecated

autocast, GradScaler = _deprecated.of("cpu", _bfloat16)

from torchlike.cpu.amp import autocast_mode as autocast_mode  # noqa: E402 - they use the names above
from torchlike.cpu.amp import grad_scaler as grad_scaler  # noqa: E402
