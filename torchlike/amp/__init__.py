"""Automatic mixed precision: `autocast` and `GradScaler`."""

from torchlike.amp.autocast_mode import autocast as autocast
from torchlike.amp.autocast_mode import custom_bwd as custom_bwd
from torchlike.amp.autocast_mode import custom_fwd as custom_fwd
from torchlike.amp.autocast_mode import is_autocast_available as is_autocast_available
from torchlike.amp.grad_scaler import GradScaler as GradScaler
