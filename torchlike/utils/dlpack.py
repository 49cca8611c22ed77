"""Memory shared with other libraries through DLPack."""

from torchlike._tensor.exchange import DLDeviceType as DLDeviceType
from torchlike._tensor.exchange import from_dlpack as from_dlpack
from torchlike._tensor.exchange import to_dlpack as to_dlpack
