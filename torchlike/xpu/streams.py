"""The streams of `torch.xpu`."""

from torchlike.xpu import Event as Event
from torchlike.xpu import Stream as Stream

__all__ = [
    "Stream",
    "Event",
]
