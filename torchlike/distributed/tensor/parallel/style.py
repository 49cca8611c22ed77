"""The styles of `parallelize_module`."""

from torchlike.distributed.tensor.parallel._styles import ColwiseParallel as ColwiseParallel
from torchlike.distributed.tensor.parallel._styles import ParallelStyle as ParallelStyle
from torchlike.distributed.tensor.parallel._styles import RowwiseParallel as RowwiseParallel
from torchlike.distributed.tensor.parallel._styles import SequenceParallel as SequenceParallel
from torchlike.distributed.tensor.parallel.prepare import PrepareModuleInput as PrepareModuleInput
from torchlike.distributed.tensor.parallel.prepare import PrepareModuleInputOutput as PrepareModuleInputOutput
from torchlike.distributed.tensor.parallel.prepare import PrepareModuleOutput as PrepareModuleOutput

for _each in (
    ColwiseParallel,
    ParallelStyle,
    RowwiseParallel,
    SequenceParallel,
    PrepareModuleInput,
    PrepareModuleInputOutput,
    PrepareModuleOutput,
):
    _each.__module__ = __name__
