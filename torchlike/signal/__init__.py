"""`torch.signal`: window functions for signal processing."""

from torchlike.signal import windows as windows
