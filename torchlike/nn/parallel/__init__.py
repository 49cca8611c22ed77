"""Data-parallel modules and helpers."""

from torchlike.nn.parallel.data_parallel import DataParallel as DataParallel
from torchlike.nn.parallel.distributed import DistributedDataParallel as DistributedDataParallel
from torchlike.nn.parallel.scatter_gather import gather as gather
from torchlike.nn.parallel.scatter_gather import scatter as scatter
