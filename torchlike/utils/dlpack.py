"""Exchange of tensors with other libraries through DLPack, without a copy if possible."""

from torchlike._internal import DLDeviceType as DLDeviceType
from torchlike._internal import from_dlpack as from_dlpack
from torchlike._internal import to_dlpack as to_dlpack
