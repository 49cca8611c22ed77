"""`torch.cuda.amp.autocast_mode`: the deprecated `autocast`, and the decorators of custom functions."""

from torchlike.cuda.amp import autocast as autocast
from torchlike.cuda.amp import custom_bwd as custom_bwd
from torchlike.cuda.amp import custom_fwd as custom_fwd

__all__ = ["autocast", "custom_fwd", "custom_bwd"]
