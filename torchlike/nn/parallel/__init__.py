"""Data-parallel modules and helpers."""

from torchlike.nn.parallel import comm as comm
from torchlike.nn.parallel.data_parallel import DataParallel as DataParallel
from torchlike.nn.parallel.data_parallel import data_parallel as _data_parallel
from torchlike.nn.parallel.distributed import DistributedDataParallel as DistributedDataParallel
from torchlike.nn.parallel.parallel_apply import parallel_apply as parallel_apply
from torchlike.nn.parallel.replicate import replicate as replicate
from torchlike.nn.parallel.scatter_gather import gather as gather
from torchlike.nn.parallel.scatter_gather import scatter as scatter

data_parallel = _data_parallel  # like in PyTorch, the function hides the module
