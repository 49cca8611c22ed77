"""`torch.cuda.amp.grad_scaler`: the deprecated `GradScaler`."""

from torchlike.cuda.amp import GradScaler as GradScaler

__all__ = ["GradScaler"]
