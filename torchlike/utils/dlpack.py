"""Memory shared with other libraries through DLPack."""

from torchlike._exchange import DLDeviceType as DLDeviceType
from torchlike._exchange import from_dlpack as from_dlpack
from torchlike._exchange import to_dlpack as to_dlpack
