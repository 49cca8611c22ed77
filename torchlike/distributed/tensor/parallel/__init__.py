"""Tensor parallelism: the layers of a module are sharded over the processes of a mesh."""

from torchlike.distributed import _absent
from torchlike.distributed.tensor.parallel.api import parallelize_module as parallelize_module
from torchlike.distributed.tensor.parallel.loss import loss_parallel as loss_parallel
from torchlike.distributed.tensor.parallel.style import ColwiseParallel as ColwiseParallel
from torchlike.distributed.tensor.parallel.style import ParallelStyle as ParallelStyle
from torchlike.distributed.tensor.parallel.style import PrepareModuleInput as PrepareModuleInput
from torchlike.distributed.tensor.parallel.style import PrepareModuleInputOutput as PrepareModuleInputOutput
from torchlike.distributed.tensor.parallel.style import PrepareModuleOutput as PrepareModuleOutput
from torchlike.distributed.tensor.parallel.style import RowwiseParallel as RowwiseParallel
from torchlike.distributed.tensor.parallel.style import SequenceParallel as SequenceParallel

_absent.submodule(__name__ + ".ddp", "_pre_dp_module_transform")
_absent.submodule(__name__ + ".fsdp", "DTensorExtensions")
