"""`torch.cpu.amp.grad_scaler`: the deprecated `GradScaler`."""

from torchlike.cpu.amp import GradScaler as GradScaler

__all__ = ["GradScaler"]
