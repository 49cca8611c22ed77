"""`torch.signal`: windows of signal processing."""

from torchlike.signal import windows as windows
