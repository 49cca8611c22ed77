"""Modules that spread their work over devices."""

from .data_parallel import DataParallel as DataParallel
from .distributed import DistributedDataParallel as DistributedDataParallel
from .scatter_gather import gather as gather
from .scatter_gather import scatter as scatter
