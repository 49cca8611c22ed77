"""`replicate`, which is not supported: use `nn.parallel.DistributedDataParallel`."""

import sys

from torchlike.distributed import _absent

_absent.fill(sys.modules[__name__], "replicate")
