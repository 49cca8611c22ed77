"""Optimizers for several processes. `DistributedOptimizer` and `PostLocalSGDOptimizer` are not supported."""

import sys

from torchlike.distributed import _absent
from torchlike.distributed.optim.zero_redundancy_optimizer import ZeroRedundancyOptimizer as ZeroRedundancyOptimizer

_absent.fill(sys.modules[__name__], "DistributedOptimizer PostLocalSGDOptimizer")
