"""`torch.cpu.amp.autocast_mode`: the deprecated `autocast`."""

from torchlike.cpu.amp import autocast as autocast

__all__ = ["autocast"]
