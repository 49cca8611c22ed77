"""Collating and worker information, importable from the same path as in PyTorch."""

from torchlike.utils.data._utils import collate as collate
from torchlike.utils.data._utils import pin_memory as pin_memory
from torchlike.utils.data._utils import worker as worker
